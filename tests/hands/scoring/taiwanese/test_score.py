from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands.scoring.cards import JOKERS, parse_cards
from hands.scoring.strength import category
from hands.scoring.taiwanese import PRESETS, ROWS, Rules, Setup, net_points, score
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, ROYALTIES, deal, read_vector
from tests.vectors import vectors

FILES = ("published", "taiwanese", "taiwanese-jokers", "taiwanese-house-rules", "taiwanese-royalties")
VECTORS = [
    pytest.param(vector, id=f"{name}/{vector['id']}")
    for name in FILES
    for vector in vectors(name)
    if vector["game"] == "taiwanese"
]

random_hands = st.builds(
    lambda seed, rules: (rules, *deal(Random(seed), rules=rules, seats=Random(seed).randint(2, rules.seats))),
    st.integers(0, 2**32),
    st.sampled_from(ALL_KINDS_OF_RULES),
)


@pytest.mark.parametrize("vector", VECTORS)
def test_hands_are_worth_what_the_vectors_say(vector):
    (boards, setups), rules = read_vector(vector)
    names, expected = list(vector["setups"]), vector["expected"]
    scored = score(boards, setups, rules)
    assert dict(zip(names, scored.net, strict=True)) == expected["net"]
    assert net_points(boards, setups, rules) == scored.net
    told = [
        {
            "players": [names[pair.first], names[pair.second]],
            "rows": list(pair.rows),
            "homerun": pair.homerun,
            "royalties": pair.royalties,
            "points": pair.points,
        }
        for pair in scored.pairs
    ]
    assert told == [{"royalties": 0} | pair for pair in expected["pairs"]]
    for pair in scored.pairs:
        assert pair.points == sum(pair.rows) + pair.homerun + pair.scoop + pair.royalties
    for place, words in expected.get("categories", {}).items():
        name, board, row = place.split("/")
        strength = scored.strengths[names.index(name)][int(board) - 1][ROWS.index(row)]
        assert category(strength) == words, place


def setup_of(top, middle, bottom):
    return Setup(parse_cards(top), parse_cards(middle), parse_cards(bottom))


# Published (mcoski8/tw): the first sweeps both boards; each board is 1 + 2 + 3 = 6.
SWEPT_BOARDS = [parse_cards("6s 7d 9h Th Js"), parse_cards("6h 7s 9d Td Jh")]
SWEEPER = setup_of("Ac", "As Kc", "Ks Qc Qs Jc")
SWEPT = setup_of("3c", "4d 5h", "6d 7c 8d Tc")


def pair_of(rules, first=SWEEPER, second=SWEPT, boards=SWEPT_BOARDS):
    (pair,) = score(boards, [first, second], rules).pairs
    assert net_points(boards, [first, second], rules) == (pair.points, -pair.points)
    return pair


def test_a_homerun_is_six_and_six_and_eight():
    pair = pair_of(PRESETS["phenom"])
    assert (pair.rows, pair.homerun, pair.scoop, pair.points) == ((1, 2, 3, 1, 2, 3), 8, 0, 20)


def test_a_homerun_lost_costs_the_same():
    pair = pair_of(PRESETS["phenom"], SWEPT, SWEEPER)
    assert (pair.rows, pair.homerun, pair.points) == ((-1, -2, -3, -1, -2, -3), -8, -20)


def test_scoops_and_homerun_add():
    # 12 + 3 + 3 + 8 = 26
    pair = pair_of(Rules(board_scoop_bonus=3))
    assert (pair.scoop, pair.homerun, pair.points) == (6, 8, 26)
    assert pair_of(Rules(board_scoop_bonus=3), SWEPT, SWEEPER).points == -26


@pytest.mark.parametrize("tied_board", [0, 1])
def test_a_tied_row_on_either_board_voids_the_homerun_and_that_boards_scoop(tied_board):
    # Aces full of fives lie on the one board, so there the tops tie; all other rows are the first's.
    boards = [parse_cards("As Ah Ac 5d 5h"), parse_cards("Qh 9h 7s 3d 2s")]
    rows = [(0, 2, 3), (1, 2, 3)]
    if tied_board == 1:
        boards.reverse()
        rows.reverse()
    first, second = setup_of("Qd", "Qc Qs", "Ks Kc Jd Jc"), setup_of("3c", "4c 5c", "6c Td 8c 4d")
    pair = pair_of(Rules(board_scoop_bonus=3), first, second, boards)
    # 5 and 6, and 3 for the other board's scoop
    assert (pair.rows, pair.homerun, pair.scoop, pair.points) == (rows[0] + rows[1], 0, 3, 14)


def test_tied_tops_leave_ten_points_of_two_boards():
    # Published (mcoski8/tw): tops 2c and 2d tie on both boards: 0 + 2 + 3 twice is 10, and no homerun.
    pair = pair_of(
        Rules(board_scoop_bonus=3), replace(SWEEPER, top=parse_cards("2c")), replace(SWEPT, top=parse_cards("2d"))
    )
    assert (pair.rows, pair.homerun, pair.scoop, pair.points) == ((0, 2, 3, 0, 2, 3), 0, 0, 10)


def test_one_board_swept_scoops_that_board_alone():
    # Published (SeanYao314): rows -1 2 -3 and 1 2 3, 4 points; with a scoop of 3 for the second board 7.
    boards = [parse_cards("2s 4d 6c 9h Jc"), parse_cards("3s 5d 7c Th Qc")]
    first, second = setup_of("Ah", "Ks Kd", "Qs Qd 2c 3c"), setup_of("4h", "6d 7d", "8d 9c Tc Jd")
    pair = pair_of(Rules(board_scoop_bonus=3), first, second, boards)
    assert (pair.rows, pair.homerun, pair.scoop, pair.points) == ((-1, 2, -3, 1, 2, 3), 0, 3, 7)


def test_the_order_of_boards_is_the_order_of_rows():
    boards = [parse_cards("3s 5d 7c Th Qc"), parse_cards("2s 4d 6c 9h Jc")]
    first, second = setup_of("Ah", "Ks Kd", "Qs Qd 2c 3c"), setup_of("4h", "6d 7d", "8d 9c Tc Jd")
    assert pair_of(Rules(), first, second, boards).rows == (1, 2, 3, -1, 2, -3)


def test_a_house_sets_its_own_row_points():
    # Seven tops, five middles, no bottoms, on both boards: 2 x (7 + 5 + 0) = 24, and 100 for the homerun.
    pair = pair_of(Rules(row_points=(7, 5, 0), homerun_bonus=100))
    assert (pair.rows, pair.points) == ((7, 5, 0, 7, 5, 0), 124)


def test_a_row_worth_nothing_still_counts_for_the_homerun():
    rules = Rules(row_points=(0, 2, 3))
    tied = pair_of(rules, replace(SWEEPER, top=parse_cards("2c")), replace(SWEPT, top=parse_cards("2d")))
    assert pair_of(rules).homerun == 8
    assert tied.homerun == 0


def test_royalties_are_netted_or_collected_by_the_rows_winner_alone():
    # Tops on J J T T 7: a ten makes a full house (4), the ace two pair (1). The middles tie at two pair, the
    # bottoms are two pair, and neither has a royalty.
    boards = [parse_cards("Jd Js Ts 7d Td")]
    first, second = setup_of("Th", "5c 5d", "9s 3c 2d 2s"), setup_of("Ac", "5s 5h", "9h 3d 2h 2c")
    both = Rules.from_parameters({"boards": 1, "royalties": ROYALTIES})
    winner = replace(both, royalties_paid="winner")
    assert pair_of(both, first, second, boards).royalties == 4 - 1
    assert pair_of(winner, first, second, boards).royalties == 4
    assert pair_of(winner, second, first, boards).royalties == -4


def test_a_tied_row_collects_no_royalty_either_way():
    # Both tops are the board's jacks full of tens.
    boards = [parse_cards("Jd Js Jc Th Td")]
    first, second = setup_of("2h", "3c 4d", "9s 8c 7d 6s"), setup_of("2c", "3s 4h", "9h 8d 7h 6c")
    for paid in ("both", "winner"):
        rules = Rules.from_parameters({"boards": 1, "royalties": ROYALTIES, "royalties_paid": paid})
        assert pair_of(rules, first, second, boards).royalties == 0


@settings(max_examples=150)
@given(random_hands)
def test_points_sum_to_zero(hand):
    rules, boards, setups = hand
    assert sum(score(boards, setups, rules).net) == 0


@settings(max_examples=150)
@given(random_hands)
def test_the_fast_path_gives_the_net_of_the_score(hand):
    rules, boards, setups = hand
    assert net_points(boards, setups, rules) == score(boards, setups, rules).net


@settings(max_examples=100)
@given(random_hands)
def test_swapping_the_boards_swaps_the_rows_and_nothing_else(hand):
    rules, boards, setups = hand
    scored, swapped = score(boards, setups, rules), score(boards[::-1], setups, rules)
    assert swapped.net == scored.net
    half = len(ROWS) * (rules.boards - 1)
    for before, after in zip(scored.pairs, swapped.pairs, strict=True):
        assert after == replace(before, rows=before.rows[half:] + before.rows[:half])


@settings(max_examples=100)
@given(random_hands, st.permutations(range(4)))
def test_suits_never_matter(hand, suits):
    rules, boards, setups = hand

    def other(cards):
        return tuple(card if card in JOKERS else card & ~3 | suits[card & 3] for card in cards)

    moved = [Setup(*(other(getattr(setup, row)) for row in ROWS)) for setup in setups]
    assert score([other(board) for board in boards], moved, rules) == score(boards, setups, rules)


@settings(max_examples=100)
@given(random_hands, st.randoms(use_true_random=False))
def test_the_order_of_cards_in_a_row_and_on_a_board_does_not_matter(hand, random):
    rules, boards, setups = hand

    def other(cards):
        return tuple(random.sample(cards, len(cards)))

    moved = [Setup(*(other(getattr(setup, row)) for row in ROWS)) for setup in setups]
    assert score([other(board) for board in boards], moved, rules) == score(boards, setups, rules)


@settings(max_examples=100)
@given(random_hands, st.randoms(use_true_random=False))
def test_seat_order_does_not_matter(hand, random):
    rules, boards, setups = hand
    order = random.sample(range(len(setups)), len(setups))
    scored, moved = score(boards, setups, rules), score(boards, [setups[seat] for seat in order], rules)
    assert [moved.net[place] for place in range(len(order))] == [scored.net[seat] for seat in order]
    points = {(pair.first, pair.second): pair.points for pair in scored.pairs}
    for pair in moved.pairs:
        first, second = order[pair.first], order[pair.second]
        assert pair.points == (points[first, second] if first < second else -points[second, first])


@settings(max_examples=100)
@given(random_hands)
def test_pairs_come_in_order_each_once(hand):
    rules, boards, setups = hand
    pairs = score(boards, setups, rules).pairs
    assert [(pair.first, pair.second) for pair in pairs] == list(combinations(range(len(setups)), 2))


@settings(max_examples=200)
@given(st.integers(0, 2**32), st.integers(0, 6), st.sampled_from(JOKERS))
def test_a_joker_in_place_of_a_card_never_weakens_a_row(seed, place, joker):
    rules = PRESETS["phenom-jokers"]
    boards, (setup, _) = deal(Random(seed), rules=PRESETS["phenom"], seats=2)
    cards = [*setup.top, *setup.middle, *setup.bottom]
    cards[place] = joker
    better = Setup(tuple(cards[:1]), tuple(cards[1:3]), tuple(cards[3:]))
    scored = score(boards, [setup, better], rules)
    for before, after in zip(*scored.strengths, strict=True):
        assert all(weaker <= stronger for weaker, stronger in zip(before, after, strict=True))


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_a_pair_is_never_more_than_twenty_points_by_phenoms_rules(seed):
    boards, setups = deal(Random(seed), rules=PRESETS["phenom"], seats=6)
    for pair in score(boards, setups, PRESETS["phenom"]).pairs:
        assert abs(pair.points) <= 20
        # 12 points of rows are all six rows, and those are a homerun: 13 to 19 points cannot be.
        assert abs(pair.points) == 20 or abs(pair.points) < 12
