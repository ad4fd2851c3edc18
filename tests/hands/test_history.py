"""What is wrong with a hand is said with its place, its code and a sentence that a host understands."""

import pytest
from django.core.exceptions import ValidationError

from accounts.faults import faults_in
from hands.imports import read_hand
from hands.scoring.taiwanese import PRESETS
from tests.histories import good


def seat(place, **rows):
    return lambda hand: hand["seats"][place].update(rows)


def session(**parts):
    return lambda hand: hand["session"].update(parts)


def player(place, **parts):
    return lambda hand: hand["seats"][place]["player"].update(parts)


def point_value(**parts):
    return lambda hand: hand["session"]["point_value"].update(parts)


NOT_WHOLE = "A point's value must be a whole number of minor units above zero; {} is not."
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
        None,
    ),
    "joker without jokers": (seat(0, top=["X1"]), "/seats/0/top/0", "joker_not_in_rules", None),
    "one seat": (lambda hand: hand["seats"].pop(), "/seats", "seat_count", None),
    "seven seats": (
        lambda hand: hand["seats"].extend(hand["seats"][:1] * 5),
        "/seats",
        "seat_count",
        "There are 7 seats; these rules allow 6.",
    ),
    "seat twice": (seat(1, seat=1), "/seats/1/seat", "seat_repeated", "Seat 1 is there twice."),
    "player twice": (
        player(1, external_id="p-17"),
        "/seats/1/player",
        "player_repeated",
        "Ben sits on seat 1 and on seat 3 of one hand.",
    ),
    "seat out of range": (
        seat(1, seat=9),
        "/seats/1/seat",
        "whole_number",
        "seat must be a whole number from 1 to 6.",
    ),
    "0.125 dollars": (
        point_value(amount_minor=12.5),
        "/session/point_value/amount_minor",
        "minor_units",
        NOT_WHOLE.format("12.5"),
    ),
    "text for an amount": (
        point_value(amount_minor="50"),
        "/session/point_value/amount_minor",
        "minor_units",
        NOT_WHOLE.format('"50"'),
    ),
    "50.0": (
        point_value(amount_minor=50.0),
        "/session/point_value/amount_minor",
        "minor_units",
        NOT_WHOLE.format("50.0"),
    ),
    "true": (
        point_value(amount_minor=True),
        "/session/point_value/amount_minor",
        "minor_units",
        NOT_WHOLE.format("true"),
    ),
    "no money": (
        point_value(currency="XYZ"),
        "/session/point_value/currency",
        "currency",
        "“XYZ” is not a currency in use. Write its three letters, such as USD, TWD or JPY.",
    ),
    "no offset": (
        lambda hand: hand.update(played_at="2026-11-26T21:14:00"),
        "/played_at",
        "time_offset",
        "2026-11-26T21:14:00 has no offset. Add one, such as +08:00.",
    ),
    "no time": (
        lambda hand: hand.update(played_at="yesterday"),
        "/played_at",
        "time",
        "played_at must be a time like 2026-11-28T20:41:07+08:00.",
    ),
    "the 31st of November": (
        lambda hand: hand.update(played_at="2026-11-31T20:00:00Z"),
        "/played_at",
        "time",
        "played_at must be a time like 2026-11-28T20:41:07+08:00.",
    ),
    "control character": (
        player(1, name="Be\x07n"),
        "/seats/1/player/name",
        "name_characters",
        "A name cannot hold the invisible character U+0007. Type the name again.",
    ),
    "half a character": (
        player(1, name="Ben\ud83d"),
        "/seats/1/player/name",
        "name_characters",
        "A name cannot hold the invisible character U+D83D. Type the name again.",
    ),
    "invisible name": (
        player(1, name="\u200b\u200b"),
        "/seats/1/player/name",
        "name_empty",
        "A name needs at least one visible letter.",
    ),
    "long name": (
        player(1, name="n" * 61),
        "/seats/1/player/name",
        "name_length",
        "That name has 61 characters; at most 60 fit.",
    ),
    "control character in an id": (
        lambda hand: hand.update(external_id="a\x00b"),
        "/external_id",
        "name_characters",
        "A name cannot hold the invisible character U+0000. Type the name again.",
    ),
    "no id": (
        lambda hand: hand.pop("external_id"),
        "/external_id",
        "text",
        "external_id is missing, or is no text.",
    ),
    "another game": (
        lambda hand: hand.update(game="omaha"),
        "/game",
        "game",
        "The game must be “taiwanese”; no other is scored yet.",
    ),
    "unknown rules": (
        session(rule_set="reno"),
        "/session/rule_set",
        "rule_set",
        "There is no rule set “reno”. Known are: doubled-homerun, one-board-scoop, phenom, phenom-jokers.",
    ),
    "contradicting rules": (
        session(rule_set={"boards": 1, "homerun_bonus": 8}),
        "/session/rule_set/homerun_bonus",
        "homerun_needs_two_boards",
        "A homerun is won on two boards; with one board the homerun bonus must be 0.",
    ),
    "no session": (
        lambda hand: hand.pop("session"),
        "/session",
        "object",
        "session is missing, or is no object.",
    ),
    "no boards": (lambda hand: hand.pop("boards"), "/boards", "boards", "boards is missing, or is no list."),
    "seats no list": (
        lambda hand: hand.update(seats={"1": {}}),
        "/seats",
        "seats",
        "seats is missing, or is no list of objects.",
    ),
    "number as text": (
        lambda hand: hand.update(number="12"),
        "/number",
        "whole_number",
        "number must be a whole number from 1 to 1000000.",
    ),
    "cards as text": (
        seat(0, top="7h"),
        "/seats/0/top",
        "cards",
        'Cards must be a list such as ["As", "Kd"].',
    ),
}


def faults_of(document) -> list[tuple[str, str, str]]:
    with pytest.raises(ValidationError) as refused:
        read_hand(document, dict(PRESETS))
    return list(faults_in(refused.value))


@pytest.mark.parametrize(("change", "pointer", "code", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_said_once_with_its_place(change, pointer, code, sentence):
    found = faults_of(good(change))
    assert [(fault[0], fault[1]) for fault in found] == [(pointer, code)], found
    if sentence is not None:
        assert found[0][2] == sentence


def test_all_faults_of_a_hand_are_found_at_once():
    def change(hand):
        hand["seats"][0]["top"] = ["1s"]
        hand["seats"][1]["middle"] = ["Td", "5x"]
        hand["played_at"] = "2026-11-28T20:41:07"
        hand["session"]["point_value"]["amount_minor"] = 0

    assert {fault[0] for fault in faults_of(good(change))} == {
        "/seats/0/top/0",
        "/seats/1/middle/1",
        "/played_at",
        "/session/point_value/amount_minor",
    }


@pytest.mark.parametrize("document", [None, [], "hand", 7, True])
def test_what_is_no_object_is_no_hand(document):
    assert faults_of(document)[0] == ("", "object", "A hand is a JSON object.")


@pytest.mark.parametrize("name", ["🐟", "עדי", "李小龍", "Alex, Jr.", "=1+1", "A.B", "\u200fBen", "👩‍👩‍👧"])
def test_people_may_be_called_what_they_are_called(name):
    _head, deal = read_hand(good(player(1, name=name)), dict(PRESETS))
    assert deal.seats[1].name == name


def test_cards_of_a_row_have_no_order_and_those_of_a_board_have():
    _head, deal = read_hand(good(), dict(PRESETS))
    _head, turned = read_hand(good(seat(1, bottom=["7s", "Th", "2c", "8s"])), dict(PRESETS))
    _head, other = read_hand(good(lambda hand: hand["boards"][0].reverse()), dict(PRESETS))
    assert deal.digest(12) == turned.digest(12)
    assert deal.digest(12) != other.digest(12)
    assert deal.digest(12) != deal.digest(13)


def test_rules_may_be_an_object_of_parameters():
    head, _deal = read_hand(good(session(rule_set={"homerun_bonus": 12})), dict(PRESETS))
    assert (head.rule_set, head.rules.homerun_bonus) == ("doubled-homerun", 12)


def test_two_jokers_without_numbers_are_the_two_jokers():
    def change(hand):
        hand["session"]["rule_set"] = "phenom-jokers"
        hand["seats"][0]["top"], hand["seats"][1]["top"] = ["Jk"], ["joker"]

    _head, deal = read_hand(good(change), dict(PRESETS))
    assert [seat.setup.top for seat in deal.seats] == [(52,), (53,)]
