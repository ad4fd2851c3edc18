from random import Random

import pytest

from hands.scoring.cards import card_text, parse_cards
from hands.scoring.taiwanese import PRESETS, ROWS, Pair, Rules, Setup, explain, pair_words
from hands.scoring.taiwanese.explain import best_five
from tests.hands.scoring import oracle
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, ROYALTIES, deal, read_vector
from tests.vectors import vectors


def best(row, board, as_five):
    """The best five of a row, ``as_five`` being five cards that are worth the same."""
    found = best_five(parse_cards(row), parse_cards(board), oracle.five_strength(parse_cards(as_five)))
    return [
        card_text(card.card) if card.card == card.played_as else f"{card_text(card.card)}={card_text(card.played_as)}"
        for card in found
    ]


def test_the_rows_cards_come_first_and_then_the_boards():
    # The picture of hand 24: Emil's bottom is two of four and three of the board.
    assert best("Jc Ts Tc 9s", "Ks 8s 9h Jh 7h", "Jc Ts 9h 8s 7h") == ["Jc", "Ts", "8s", "9h", "7h"]


def test_where_cards_lie_is_told():
    # Jc Ts with 9h would do as well; of equal fives the one whose cards come first is taken.
    found = best_five(
        parse_cards("Tc 9s Jc Ts"), parse_cards("Ks 8s 9h Jh 7h"), oracle.five_strength(parse_cards("Jc Ts 9h 8s 7h"))
    )
    assert [(card.where, card.index) for card in found] == [
        ("row", 0),
        ("row", 1),
        ("board", 1),
        ("board", 3),
        ("board", 4),
    ]


@pytest.mark.parametrize(("row", "board"), [("3c", "As Ks Qs Js Ts"), ("2c 3d", "Ah Kd Qc Js Th")])
def test_if_the_board_plays_no_card_of_the_row_is_used(row, board):
    assert best(row, board, board) == board.split()


def test_a_board_that_plays_as_well_as_the_row_is_what_plays():
    # The ten in hand makes the same straight as the ten on the board.
    assert best("Tc", "Ah Kd Qc Js Th", "Ah Kd Qc Js Th") == ["Ah", "Kd", "Qc", "Js", "Th"]


def test_no_more_cards_of_the_row_are_used_than_needed():
    assert best("Kc 2d", "Kh 9s 7d 5c 3h", "Kh Kc 9s 7d 5c") == ["Kc", "Kh", "9s", "7d", "5c"]


@pytest.mark.parametrize(
    ("row", "board", "as_five", "expected"),
    [
        # Beside four aces a joker is a king; the first suit that is free is taken.
        ("X1", "As Ah Ad Ac 2c", "As Ah Ad Ac Kd", ["X1=Kc", "As", "Ah", "Ad", "Ac"]),
        # The flush's suit, the highest rank that the hand has not.
        ("X1", "Ks As 5s 6s 2h", "As Ks Qs 6s 5s", ["X1=Qs", "Ks", "As", "5s", "6s"]),
        ("X2 X1", "Kh Kd 7s 5c 2c", "Kh Kd Ks Kc 7s", ["X2=Kc", "X1=Ks", "Kh", "Kd", "7s"]),
        ("X1 X2", "Qh Jh Th 2c 2d", "Ah Kh Qh Jh Th", ["X1=Ah", "X2=Kh", "Qh", "Jh", "Th"]),
        # The ten of spades is on the board but not in the hand, and does not bar the joker from being one.
        ("X1 9c 3d 2d", "Ts Th Td 8s 7s", "Ts Th Td Tc 9c", ["X1=Tc", "9c", "Ts", "Th", "Td"]),
    ],
)
def test_jokers_say_what_they_are_played_as(row, board, as_five, expected):
    assert best(row, board, as_five) == expected


def test_a_strength_that_the_row_does_not_have_is_refused():
    with pytest.raises(ValueError, match="no five cards"):
        best("2c", "3h 9s 7d Kc 5h", "As Ah Ad Ac Kd")


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_the_five_cards_have_the_strength_that_was_scored(rules):
    random = Random(6)
    for _ in range(40):
        boards, setups = deal(random, rules=rules, seats=2)
        explained = explain(boards, setups, rules)
        assert len(explained.pairs) == 1
        for seat, setup in enumerate(setups):
            for board, cards in enumerate(boards):
                for place, row in enumerate(ROWS):
                    check_reading(explained.rows[seat][board][place], getattr(setup, row), cards, row)
                    assert explained.rows[seat][board][place].strength == explained.score.strengths[seat][board][place]


def check_reading(reading, row_cards, board_cards, row):
    from_row = [card for card in reading.best if card.where == "row"]
    assert len({(card.where, card.index) for card in reading.best}) == 5
    assert all(card.card == row_cards[card.index] for card in from_row)
    assert all(card.card == board_cards[card.index] for card in reading.best if card.where == "board")
    assert all(card.card == card.played_as for card in reading.best if card.card < 52)
    assert oracle.five_strength([card.played_as for card in reading.best]) == reading.strength
    assert row != "bottom" or len(from_row) == 2
    assert [reading.uses_row_card(index) for index in range(len(row_cards))] == [
        index in [card.index for card in from_row] for index in range(len(row_cards))
    ]
    assert len({card.index for card in reading.best if card.where == "board"} & set(range(5))) == 5 - len(from_row)


def test_readings_speak():
    (boards, setups), rules = read_vector(vectors("published")[0])
    ana = explain(boards, setups, rules).rows[0]
    # Published: Ana's bottom 3c 5s 3s 7d on 2d Ac 4d Qc 8h and on As Jh Jd 4c Js
    assert (ana[0][2].category, ana[0][2].words, ana[0][2].short) == ("straight", "straight to five", "Straight to 5")
    assert ana[1][2].words == "full house, jacks full of threes"


def points_of(rows, homerun=0, scoop=0, royalties=0):
    return Pair(0, 1, rows, homerun, scoop, royalties, sum(rows) + homerun + scoop + royalties)


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (points_of((1, 2, 3, 1, 2, 3), 8), "All six rows: 6 + 6, and 8 for the homerun"),
        (points_of((-1, -2, -3, -1, -2, -3), -8), "All six rows lost: 6 + 6, and 8 for the homerun"),
        (
            points_of((1, 2, 3, 1, 2, 3), 8, 6),
            "All six rows: 6 + 6, and 8 for the homerun, 6 for the board scoop; +26 in all",
        ),
        (
            points_of((1, -2, 0, -1, 2, -3)),
            "Board 1: won top +1, lost middle −2, tied bottom 0; board 2: lost top −1, won middle +2, lost bottom −3; "
            "1 − 2 + 0 − 1 + 2 − 3 = −3",
        ),
        (
            points_of((1, 2, 3), 0, 3, -4),
            "Board 1: won top +1, won middle +2, won bottom +3; board scoop +3; royalties −4; 1 + 2 + 3 + 3 − 4 = +5",
        ),
    ],
)
def test_a_pairs_points_are_reasoned(pair, words):
    assert pair_words(pair, Rules()) == words


def test_a_row_worth_nothing_is_not_called_tied():
    words = pair_words(points_of((0, 2, 3, 0, 2, -3)), Rules(row_points=(0, 2, 3)))
    assert words.startswith("Board 1: top 0, won middle +2, won bottom +3; ")


def test_pairs_are_reasoned_in_the_order_of_the_score():
    (boards, setups), rules = read_vector(vectors("published")[1])
    assert explain(boards, setups, rules).pairs[0] == "All six rows: 6 + 6, and 8 for the homerun"
    assert explain(boards, setups, rules).pairs[2] == "All six rows lost: 6 + 6, and 8 for the homerun"


def test_royalties_are_named_where_they_are_paid():
    rules = Rules.from_parameters({"boards": 1, "royalties": ROYALTIES})
    boards = [parse_cards("Jd Js Ts 7d Td")]
    setups = [
        Setup(parse_cards("Th"), parse_cards("5c 5d"), parse_cards("9s 3c 2d 2s")),
        Setup(parse_cards("Ac"), parse_cards("5s 5h"), parse_cards("9h 3d 2h 2c")),
    ]
    assert "royalties +3" in explain(boards, setups, rules).pairs[0]


def test_a_joker_is_played_on_each_board_as_what_is_best_there():
    rules = PRESETS["phenom-jokers"]
    boards = [parse_cards("Kc 6c Td Qc 7h"), parse_cards("5c 6d 8d Ts Js")]
    setups = [
        Setup(parse_cards("X1"), parse_cards("Kd 7c"), parse_cards("3d 2d 2h 6s")),
        Setup(parse_cards("8s"), parse_cards("Jd 3s"), parse_cards("X2 3c Tc 8h")),
    ]
    tops = [board[0] for board in explain(boards, setups, rules).rows[0]]
    assert [(top.words, card_text(top.best[0].played_as)) for top in tops] == [
        ("pair of kings", "Kd"),
        ("pair of jacks", "Jc"),
    ]
