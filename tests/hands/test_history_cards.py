"""What is wrong with the cards of a hand is said with its place, its code and a sentence that a host understands."""

import pytest

from tests.histories import faults_of, good, seat

NO_CARD = "“{}” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s)."
FAULTS = {
    "row too short": (
        seat(1, bottom=["Kh", "Kd", "7c"]),
        "/seats/1/bottom",
        "row_size",
        "Seat 3 (Ben): bottom has 3 cards (Kh Kd 7c); Taiwanese needs 4.",
    ),
    "row empty": (seat(0, top=[]), "/seats/0/top", "row_size", "Seat 1 (Ana): top has no cards; Taiwanese needs 1."),
    "card in two seats": (
        seat(1, top=["7h"]),
        "/seats/1/top/0",
        "card_repeated",
        "Seat 1 (Ana) and seat 3 (Ben) both hold 7h.",
    ),
    "card on a board and in a seat": (
        seat(1, top=["Jh"]),
        "/seats/1/top/0",
        "card_repeated",
        "Jh is on board 2 and in seat 3 (Ben), top. A card occurs once in a hand.",
    ),
    "card twice in a seat": (
        seat(1, middle=["Td", "5d"]),
        "/seats/1/middle/1",
        "card_repeated",
        "Seat 3 (Ben) holds 5d twice, in top and middle.",
    ),
    "unknown card": (
        seat(0, top=["1s"]),
        "/seats/0/top/0",
        "card",
        "“1s” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s).",
    ),
    "number for a card": (
        seat(0, top=[7]),
        "/seats/0/top/0",
        "card",
        "“7” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s).",
    ),
    "four cards on a board": (
        lambda hand: hand["boards"][0].pop(),
        "/boards/0",
        "board_size",
        "Board 1 has 4 cards (2d Ac 4d Qc); Taiwanese needs 5.",
    ),
    "six cards on a board": (
        lambda hand: hand["boards"][1].append("9c"),
        "/boards/1",
        "board_size",
        "Board 2 has 6 cards (As Jh Jd 4c Js 9c); Taiwanese needs 5.",
    ),
    "joker on a board": (
        lambda hand: (hand["session"].update(rule_set="phenom-jokers"), hand["boards"][0].__setitem__(0, "X1")),
        "/boards/0/0",
        "joker_on_board",
        "X1 is on board 1. Jokers are dealt to players only.",
    ),
    "joker without jokers": (
        seat(0, top=["X1"]),
        "/seats/0/top/0",
        "joker_not_in_rules",
        "Seat 1 (Ana) holds X1 in top; these rules have no jokers.",
    ),
    "one seat": (
        lambda hand: hand["seats"].pop(),
        "/seats",
        "seat_count",
        "The hand has 1 seat; these rules need 2 to 6.",
    ),
    "no seats": (
        lambda hand: hand["seats"].clear(),
        "/seats",
        "seat_count",
        "The hand has 0 seats; these rules need 2 to 6.",
    ),
    "one board": (
        lambda hand: hand["boards"].pop(),
        "/boards",
        "board_count",
        "The hand has 1 board; these rules need 2.",
    ),
    "three boards": (
        lambda hand: hand["boards"].append(["6c", "6d", "6h", "6s", "9c"]),
        "/boards",
        "board_count",
        "The hand has 3 boards; these rules need 2.",
    ),
    "card on both boards": (
        lambda hand: hand["boards"][1].__setitem__(0, "2d"),
        "/boards/1/0",
        "card_repeated",
        "2d is on board 1 and on board 2. A card occurs once in a hand.",
    ),
    "card twice on a board": (
        lambda hand: hand["boards"][0].__setitem__(4, "2d"),
        "/boards/0/4",
        "card_repeated",
        "2d is twice on board 1. A card occurs once in a hand.",
    ),
    "card twice in a row": (
        seat(1, middle=["Td", "Td"]),
        "/seats/1/middle/1",
        "card_repeated",
        "Seat 3 (Ben) holds Td twice, in middle.",
    ),
    "two cards in one token": (seat(0, middle=["9hAd", "2s"]), "/seats/0/middle/0", "card", NO_CARD.format("9hAd")),
    "null for a card": (seat(0, top=[None]), "/seats/0/top/0", "card", NO_CARD.format("None")),
    "long nonsense for a card": (
        seat(0, top=["a very long story"]),
        "/seats/0/top/0",
        "card",
        NO_CARD.format("a very long …"),
    ),
    "nul for a card": (seat(0, top=["\x00s"]), "/seats/0/top/0", "card", NO_CARD.format("\ufffds")),
    "a deck in a row": (seat(0, top=["7h"] * 50_000), "/seats/0/top", "cards", "There are 50000 cards in one place."),
    "seven seats": (
        lambda hand: hand["seats"].extend(hand["seats"][:1] * 5),
        "/seats",
        "seat_count",
        "The hand has 7 seats; these rules need 2 to 6.",
    ),
    "seat twice": (seat(1, seat=1), "/seats/1/seat", "seat_repeated", "Seat 1 is there twice."),
    "seat out of range": (
        seat(1, seat=9),
        "/seats/1/seat",
        "whole_number",
        "seat must be a whole number from 1 to 6.",
    ),
    "no boards": (lambda hand: hand.pop("boards"), "/boards", "boards", "boards is missing, or is no list."),
    "seats no list": (
        lambda hand: hand.update(seats={"1": {}}),
        "/seats",
        "seats",
        "seats is missing, or is no list of objects.",
    ),
    "cards as text": (
        seat(0, top="7h"),
        "/seats/0/top",
        "cards",
        'Cards must be a list such as ["As", "Kd"].',
    ),
}


@pytest.mark.parametrize(("change", "pointer", "code", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_cards_is_said_once_with_its_place(change, pointer, code, sentence):
    found = faults_of(good(change))
    assert [(fault[0], fault[1]) for fault in found] == [(pointer, code)], found
    if sentence is not None:
        assert found[0][2] == sentence
