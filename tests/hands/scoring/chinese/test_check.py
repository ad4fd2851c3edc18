from dataclasses import replace
from random import Random

import pytest

from hands.scoring.cards import parse_cards
from hands.scoring.chinese import PRESETS, check
from tests.hands.scoring.chinese.deals import ALL_KINDS_OF_RULES, deal, setup_of

NAMES = ("Ana", "Chi", "Ben")
CARDS = (
    "2c 3d 5h / 9c 9d 4h 7s 8s / Ac Ad Kh Qs 6d",
    "2d 3c 6h / Tc Td 4c 7h 8h / Ah As Ks Qd 6c",
    "2h 3h 4s / 5c 5d 7c 8c 9h / Jc Jd Jh Th Ts",
)
OPEN_FACE, PINEAPPLE, PROGRESSIVE = (PRESETS[name] for name in ("open-face", "pineapple", "progressive"))


def found(*, rules=OPEN_FACE, seats=3, place=2, boards=(), names=NAMES, **changes):
    """Problems of the hand with the setup at a place changed; cards are texts. Ben sits in seat 3."""
    setups = [setup_of(text) for text in CARDS[:seats]]
    changes = {name: parse_cards(value) if isinstance(value, str) else value for name, value in changes.items()}
    if changes:
        setups[place] = replace(setups[place], **changes)
    problems = check(
        rules=rules,
        boards=[parse_cards(board) for board in boards],
        seats=[(number + 1, names[number], setup) for number, setup in enumerate(setups)],
    )
    return [(problem.pointer, problem.code, problem.sentence) for problem in problems]


def test_a_good_hand_has_no_problems():
    assert found() == []
    assert found(seats=2) == []


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_what_can_be_dealt_has_no_problems(rules):
    random = Random(5)
    for _ in range(20):
        setups = deal(random, rules=rules, seats=random.randint(2, rules.seats))
        assert check(rules=rules, boards=[], seats=[(n, "", setup) for n, setup in enumerate(setups)]) == []


def test_a_foul_is_no_problem():
    assert found(top="Jc Jd Jh", bottom="2h 3h 4s Th Ts") == []


@pytest.mark.parametrize(
    ("row", "cards", "sentence"),
    [
        ("bottom", "Jc Jd", "Seat 3 (Ben): bottom has 2 cards (Jc Jd); Open-Face needs 5."),
        ("middle", "", "Seat 3 (Ben): middle has no cards; Open-Face needs 5."),
        ("top", "2h", "Seat 3 (Ben): top has 1 card (2h); Open-Face needs 3."),
        ("top", "2h 3h 4s 4d", "Seat 3 (Ben): top has 4 cards (2h 3h 4s 4d); Open-Face needs 3."),
    ],
)
def test_a_row_has_its_number_of_cards(row, cards, sentence):
    assert found(**{row: cards}) == [(f"/seats/2/{row}", "row_size", sentence)]


def test_a_hand_has_two_seats_at_least_and_no_more_than_the_rules_say():
    assert found(seats=1) == [("/seats", "seat_count", "The hand has 1 seat; these rules need 2 to 4.")]
    assert found(rules=replace(OPEN_FACE, seats=2)) == [
        ("/seats", "seat_count", "The hand has 3 seats; these rules need 2.")
    ]


def test_the_games_have_no_boards():
    assert found(boards=["4d 6s 7d 8d 9s"]) == [("/boards", "board_count", "Open-Face has no boards.")]


def test_jokers_are_held_only_where_the_rules_have_them():
    assert found(top="2h 3h X2") == [
        ("/seats/2/top/2", "joker_not_in_rules", "Seat 3 (Ben) holds X2 in top; these rules have no jokers.")
    ]
    assert found(top="2h X1 X2", rules=PRESETS["open-face-jokers"]) == []


@pytest.mark.parametrize(
    ("changes", "pointer", "sentence"),
    [
        ({"top": "2h 3h 2c"}, "/seats/2/top/2", "Seat 1 (Ana) and seat 3 (Ben) both hold 2c."),
        ({"top": "2h 3h Jc"}, "/seats/2/bottom/0", "Seat 3 (Ben) holds Jc twice, in top and bottom."),
        ({"discards": "4d 6s 7d 2h"}, "/seats/2/discards/3", "Seat 3 (Ben) holds 2h twice, in top and discards."),
        ({"discards": "4d 6s 7d Ac"}, "/seats/2/discards/3", "Seat 1 (Ana) and seat 3 (Ben) both hold Ac."),
    ],
)
def test_a_card_occurs_once_in_a_hand_discards_included(changes, pointer, sentence):
    assert found(rules=PINEAPPLE, **changes) == [(pointer, "card_repeated", sentence)]


def test_discards_are_all_told_or_none():
    assert found(rules=PINEAPPLE, discards="4d 6s 7d 8d") == []
    assert found(rules=PINEAPPLE) == []
    assert found(rules=PINEAPPLE, discards="4d 6s") == [
        (
            "/seats/2/discards",
            "discard_count",
            "Seat 3 (Ben): 2 discards (4d 6s); of 17 cards dealt 4 are discarded.",
        )
    ]
    assert found(rules=PROGRESSIVE, discards="4d")[0][2] == (
        "Seat 3 (Ben): 1 discard (4d); of 17 cards dealt 4 are discarded."
    )


def test_fantasyland_has_its_own_discards():
    assert found(rules=PINEAPPLE, fantasyland=14, discards="4d") == []
    assert found(rules=PINEAPPLE, fantasyland=14) == []
    assert found(rules=PINEAPPLE, fantasyland=14, discards="4d 6s")[0][2] == (
        "Seat 3 (Ben): 2 discards (4d 6s); of 14 cards dealt 1 is discarded."
    )
    for dealt, discards in ((15, "4d 6s"), (16, "4d 6s 7d"), (17, "4d 6s 7d 8d")):
        assert found(rules=PROGRESSIVE, fantasyland=dealt, discards=discards) == []
    assert found(fantasyland=13) == []


def test_who_is_dealt_thirteen_cards_discards_none():
    assert found(discards="4d") == [
        ("/seats/2/discards", "discard_count", "Seat 3 (Ben) has discards (4d); of 13 cards dealt none is discarded.")
    ]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (PRESETS["chinese"], "Seat 3 (Ben): Chinese poker has no Fantasyland."),
        (OPEN_FACE, "Seat 3 (Ben): in Fantasyland Open-Face deals 13 cards, not 18."),
        (PROGRESSIVE, "Seat 3 (Ben): in Fantasyland Progressive deals 14 or 15 or 16 or 17 cards, not 18."),
    ],
)
def test_fantasyland_deals_the_cards_of_the_game(rules, sentence):
    # The wrong number is told by itself, not again by the discards.
    assert found(rules=rules, fantasyland=18, discards="4d") == [
        ("/seats/2/fantasyland", "fantasyland_cards", sentence)
    ]


def test_a_surrender_need_not_show_cards_but_shows_all_or_none():
    rules = replace(PRESETS["chinese"], surrender=True)
    assert found(rules=rules, surrendered=True) == []
    assert found(rules=rules, surrendered=True, top="", middle="", bottom="") == []
    assert [code for _, code, _ in found(rules=rules, surrendered=True, top="")] == ["row_size"]
    assert [code for _, code, _ in found(rules=rules, top="", middle="", bottom="")] == ["row_size"] * 3


def test_without_the_rule_nobody_surrenders():
    assert found(surrendered=True) == [
        (
            "/seats/2/surrendered",
            "surrender_not_in_rules",
            "Seat 3 (Ben) surrendered; these rules have no surrender.",
        )
    ]


def test_everything_that_is_wrong_is_said_at_once():
    problems = found(
        place=0, seats=1, boards=["4d"], top="2c X1", discards="Ac", fantasyland=3, surrendered=True, names=("",)
    )
    assert [code for _, code, _ in problems] == [
        "board_count",
        "seat_count",
        "row_size",
        "fantasyland_cards",
        "surrender_not_in_rules",
        "joker_not_in_rules",
        "card_repeated",
    ]
