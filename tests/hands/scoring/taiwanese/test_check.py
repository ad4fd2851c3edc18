from dataclasses import replace
from random import Random

import pytest

from hands.scoring.cards import parse_cards
from hands.scoring.taiwanese import PRESETS, Setup, check
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, deal

PHENOM = PRESETS["phenom"]
NAMES = ("Ana", "Chi", "Ben", "Dora", "Emil", "Fay")
# The seats of the hand below, by place; Ben sits in seat 3.
CARDS = (
    "7h / 9h Ad / 3c 5s 3s 7d",
    "Kh / Kd Kc / Qh Qd 9c 9d",
    "5d / Td 5c / 8s 2c Th 7s",
    "6s / 6h 6d / 6c 5h 4h 4s",
    "Ts / Tc Jc / 8c 8d 7c 2h",
    "Qs / Ks 3h / 3d 2s 9s Ah",
)
BOARDS = ("2d Ac 4d Qc 8h", "As Jh Jd 4c Js")


def setup_of(text):
    return Setup(*(parse_cards(row) for row in text.split(" / ")))


def found(*, boards=BOARDS, changes=(), seats=6, names=NAMES, rules=PHENOM):
    """Problems of the hand with some rows changed: ``changes`` are (place of the seat, row, cards)."""
    setups = [setup_of(text) for text in CARDS[:seats]]
    for place, row, cards in changes:
        setups[place] = replace(setups[place], **{row: parse_cards(cards)})
    problems = check(
        rules=rules,
        boards=[parse_cards(board) for board in boards],
        seats=[(place + 1, names[place], setup) for place, setup in enumerate(setups)],
    )
    return [(problem.pointer, problem.code, problem.sentence) for problem in problems]


def test_a_good_hand_has_no_problems():
    assert found() == []
    assert found(seats=2) == []


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_what_can_be_dealt_has_no_problems(rules):
    random = Random(5)
    for _ in range(20):
        boards, setups = deal(random, rules=rules, seats=random.randint(2, rules.seats))
        assert check(rules=rules, boards=boards, seats=[(n, "", setup) for n, setup in enumerate(setups)]) == []


@pytest.mark.parametrize(
    ("row", "cards", "sentence"),
    [
        ("bottom", "8s 2c Th", "Seat 3 (Ben): bottom has 3 cards (8s 2c Th); Taiwanese needs 4."),
        ("bottom", "", "Seat 3 (Ben): bottom has no cards; Taiwanese needs 4."),
        ("middle", "Td", "Seat 3 (Ben): middle has 1 card (Td); Taiwanese needs 2."),
        ("top", "5d Td 5c", "Seat 3 (Ben): top has 3 cards (5d Td 5c); Taiwanese needs 1."),
    ],
)
def test_a_row_has_its_number_of_cards(row, cards, sentence):
    emptied = [(2, other, "") for other in ("top", "middle", "bottom") if other != row]
    problems = found(changes=[*emptied, (2, row, cards)])
    assert (f"/seats/2/{row}", "row_size", sentence) in problems
    assert {code for _, code, _ in problems} == {"row_size"}


def test_a_seat_without_a_name_is_called_by_its_number():
    assert found(changes=[(2, "top", "")], names=("",) * 6) == [
        ("/seats/2/top", "row_size", "Seat 3: top has no cards; Taiwanese needs 1.")
    ]


def test_a_board_has_five_cards():
    assert found(boards=("2d Ac 4d Qc", BOARDS[1])) == [
        ("/boards/0", "board_size", "Board 1 has 4 cards (2d Ac 4d Qc); Taiwanese needs 5.")
    ]
    assert found(boards=(BOARDS[0], "")) == [("/boards/1", "board_size", "Board 2 has no cards; Taiwanese needs 5.")]


def test_a_hand_has_as_many_boards_as_the_rules_say():
    assert found(boards=BOARDS[:1]) == [("/boards", "board_count", "The hand has 1 board; these rules need 2.")]
    assert found(rules=PRESETS["one-board-scoop"]) == [
        ("/boards", "board_count", "The hand has 2 boards; these rules need 1.")
    ]


def test_a_hand_has_two_seats_at_least_and_no_more_than_the_rules_say():
    assert found(seats=1) == [("/seats", "seat_count", "The hand has 1 seat; these rules need 2 to 6.")]
    assert found(seats=0) == [("/seats", "seat_count", "The hand has 0 seats; these rules need 2 to 6.")]
    assert found(seats=5, rules=replace(PHENOM, seats=4)) == [
        ("/seats", "seat_count", "The hand has 5 seats; these rules need 2 to 4.")
    ]
    assert found(seats=3, rules=replace(PHENOM, seats=2)) == [
        ("/seats", "seat_count", "The hand has 3 seats; these rules need 2.")
    ]
    assert found(seats=4, rules=replace(PHENOM, seats=4)) == []


@pytest.mark.parametrize(
    ("boards", "changes", "pointer", "sentence"),
    [
        (
            BOARDS,
            [(4, "middle", "Jh Tc")],
            "/seats/4/middle/0",
            "Jh is on board 2 and in seat 5 (Emil), middle. A card occurs once in a hand.",
        ),
        (BOARDS, [(5, "top", "6s")], "/seats/5/top/0", "Seat 4 (Dora) and seat 6 (Fay) both hold 6s."),
        (
            BOARDS,
            [(2, "bottom", "8s 2c Th 5c")],
            "/seats/2/bottom/3",
            "Seat 3 (Ben) holds 5c twice, in middle and bottom.",
        ),
        (BOARDS, [(2, "bottom", "8s 8s Th 7s")], "/seats/2/bottom/1", "Seat 3 (Ben) holds 8s twice, in bottom."),
        (
            (BOARDS[0], "As Jh Jd 4d Js"),
            [],
            "/boards/1/3",
            "4d is on board 1 and on board 2. A card occurs once in a hand.",
        ),
        (
            ("2d Ac 4d Qc 2d", BOARDS[1]),
            [],
            "/boards/0/4",
            "2d is twice on board 1. A card occurs once in a hand.",
        ),
    ],
)
def test_a_card_occurs_once_in_a_hand(boards, changes, pointer, sentence):
    assert found(boards=boards, changes=changes) == [(pointer, "card_repeated", sentence)]


def test_a_card_that_occurs_three_times_is_told_twice():
    assert found(changes=[(0, "top", "2d"), (1, "top", "2d")]) == [
        (
            f"/seats/{place}/top/0",
            "card_repeated",
            f"2d is on board 1 and in seat {seat}, top. A card occurs once in a hand.",
        )
        for place, seat in ((0, "1 (Ana)"), (1, "2 (Chi)"))
    ]


def test_a_repeated_joker_is_caught():
    assert found(changes=[(0, "top", "X1"), (1, "top", "X1")], rules=PRESETS["phenom-jokers"]) == [
        ("/seats/1/top/0", "card_repeated", "Seat 1 (Ana) and seat 2 (Chi) both hold X1.")
    ]
    assert found(changes=[(0, "top", "X1"), (1, "top", "X2")], rules=PRESETS["phenom-jokers"]) == []


def test_jokers_are_dealt_to_players_only():
    assert found(boards=(BOARDS[0], "As Jh Jd X2 Js"), rules=PRESETS["phenom-jokers"]) == [
        ("/boards/1/3", "joker_on_board", "X2 is on board 2. Jokers are dealt to players only.")
    ]


def test_jokers_are_held_only_where_the_rules_have_them():
    assert found(changes=[(2, "bottom", "8s X1 Th 7s")]) == [
        ("/seats/2/bottom/1", "joker_not_in_rules", "Seat 3 (Ben) holds X1 in bottom; these rules have no jokers.")
    ]


def test_everything_that_is_wrong_is_said_at_once():
    codes = [code for _, code, _ in found(boards=("2d 2d",), changes=[(0, "top", "X1")], seats=1)]
    assert codes == ["board_count", "seat_count", "board_size", "joker_not_in_rules", "card_repeated"]


def test_a_name_with_braces_is_written_as_it_is():
    names = ("Ana", "Chi", "{Ben} {}", "Dora", "Emil", "Fay")
    assert found(changes=[(2, "top", "")], names=names) == [
        ("/seats/2/top", "row_size", "Seat 3 ({Ben} {}): top has no cards; Taiwanese needs 1.")
    ]
