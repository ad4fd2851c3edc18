"""What is wrong with a hand is said with its place, its code and a sentence that a host understands."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.faults import faults_in
from accounts.money import MOST_MINOR
from hands.history import read_hand
from hands.scoring.taiwanese import PRESETS
from tests.histories import GOOD, good


def seat(place, **rows):
    return lambda hand: hand["seats"][place].update(rows)


def session(**parts):
    return lambda hand: hand["session"].update(parts)


def player(place, **parts):
    return lambda hand: hand["seats"][place]["player"].update(parts)


def point_value(**parts):
    return lambda hand: hand["session"]["point_value"].update(parts)


def rules(**parameters):
    """Take other rules, and break something that has nothing to do with them."""
    return lambda hand: (hand["session"].update(rule_set=parameters), hand.update(played_at="yesterday"))


NO_CARD = "“{}” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s)."
NO_TIME = "played_at must be a time like 2026-11-28T20:41:07+08:00."
NOT_WHOLE = "A point's value must be a whole number of minor units; {} is not."
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
    "no amount": (
        lambda hand: hand["session"]["point_value"].pop("amount_minor"),
        "/session/point_value/amount_minor",
        "minor_units",
        NOT_WHOLE.format("null"),
    ),
    "nothing a point": (
        point_value(amount_minor=0),
        "/session/point_value/amount_minor",
        "amount",
        "A point must be worth more than nothing.",
    ),
    "less than nothing a point": (
        point_value(amount_minor=-50),
        "/session/point_value/amount_minor",
        "amount",
        "A point must be worth more than nothing.",
    ),
    "more than is kept": (
        point_value(amount_minor=MOST_MINOR + 1),
        "/session/point_value/amount_minor",
        "amount_too_large",
        "That amount is too large to be kept.",
    ),
    "point value as text": (
        session(point_value="0.50 USD"),
        "/session/point_value",
        "object",
        'point_value must be like {"amount_minor": 50, "currency": "USD"}.',
    ),
    "gold": (
        point_value(currency="XAU"),
        "/session/point_value/currency",
        "currency",
        "“XAU” is not a currency in use. Write its three letters, such as USD, TWD or JPY.",
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
        NO_TIME,
    ),
    "the 31st of November": (
        lambda hand: hand.update(played_at="2026-11-31T20:00:00Z"),
        "/played_at",
        "time",
        NO_TIME,
    ),
    "seconds since 1970": (lambda hand: hand.update(played_at=1796000000), "/played_at", "time", NO_TIME),
    "no time at all": (lambda hand: hand.pop("played_at"), "/played_at", "time", NO_TIME),
    "Arabic digits": (lambda hand: hand.update(played_at="٢٠٢٦-11-28T20:41:07Z"), "/played_at", "time", NO_TIME),
    "the first year": (
        lambda hand: hand.update(played_at="0001-01-01T00:00:00+00:00"),
        "/played_at",
        "time",
        "played_at must lie in the years 1900 to 2199; 0001-01-01T00:00:00+00:00 does not.",
    ),
    "the last year": (
        session(started_at="9999-12-31T23:59:59-05:00"),
        "/session/started_at",
        "time",
        "started_at must lie in the years 1900 to 2199; 9999-12-31T23:59:59-05:00 does not.",
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
    "name that spells out long": (
        player(1, name="\ufdfa" * 60),
        "/seats/1/player/name",
        "name_length",
        "That name is too long once its signs are spelled out.",
    ),
    "no name and no id": (
        lambda hand: hand["seats"][1].update(player={}),
        "/seats/1/player/name",
        "text",
        "name is missing, or is no text.",
    ),
    "no player": (
        lambda hand: hand["seats"][1].pop("player"),
        "/seats/1/player",
        "object",
        "player is missing, or is no object.",
    ),
    "one name in two spellings": (
        lambda hand: (
            hand["seats"][0].update(player={"name": "Ana"}),
            hand["seats"][1].update(player={"name": "ＡＮＡ "}),
        ),
        "/seats/1/player",
        "player_repeated",
        "ＡＮＡ sits on seat 1 and on seat 3 of one hand.",
    ),
    "control character in an id": (
        lambda hand: hand.update(external_id="a\x00b"),
        "/external_id",
        "text_characters",
        "external_id cannot hold the invisible character U+0000.",
    ),
    "control character late in a long id": (
        lambda hand: hand.update(external_id="a" * 90 + "\x00"),
        "/external_id",
        "text_characters",
        "external_id cannot hold the invisible character U+0000.",
    ),
    "an id that is too long": (
        player(1, external_id="p" * 101),
        "/seats/1/player/external_id",
        "text_length",
        "external_id is longer than 100 characters.",
    ),
    "an id of spaces": (
        lambda hand: hand.update(external_id="  "),
        "/external_id",
        "text",
        "external_id is missing, or is no text.",
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
        "The game must be one of: taiwanese, chinese, open-face, pineapple, progressive.",
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
    "a rule that is none": (
        session(rule_set={"scoops": 3}),
        "/session/rule_set/scoops",
        "unknown_parameter",
        "scoops is not a parameter of Taiwanese rules.",
    ),
    "one board, and another fault": (
        lambda hand: (rules(boards=1, homerun_bonus=0)(hand), hand["boards"].pop()),
        "/played_at",
        "time",
        NO_TIME,
    ),
    "one board by rules that cannot be read": (
        lambda hand: (hand["session"].update(rule_set="reno"), hand["boards"].pop()),
        "/session/rule_set",
        "rule_set",
        None,
    ),
    "jokers by rules that cannot be read": (
        lambda hand: (hand["session"].update(rule_set="reno"), hand["seats"][0].update(top=["X1"])),
        "/session/rule_set",
        "rule_set",
        None,
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


def test_all_faults_of_a_hand_are_found_at_once_and_each_once():
    def change(hand):
        hand["seats"][0]["top"] = ["1s"]
        hand["seats"][0]["bottom"] = ["3c", "5s", "3s"]
        hand["seats"][1]["middle"] = ["Td", "5x"]
        hand["seats"][1]["bottom"] = ["8s", "2c", "Th", "3c"]
        hand["played_at"] = "2026-11-28T20:41:07"
        hand["session"]["point_value"]["amount_minor"] = 0

    # Of rows with an unknown card nothing more is said: neither how many cards they have, nor which.
    assert sorted(fault[0] for fault in faults_of(good(change))) == [
        "/played_at",
        "/seats/0/bottom",
        "/seats/0/top/0",
        "/seats/1/bottom/3",
        "/seats/1/middle/1",
        "/session/point_value/amount_minor",
    ]


@pytest.mark.parametrize("document", [None, [], "hand", 7, True])
def test_what_is_no_object_is_no_hand(document):
    assert faults_of(document) == [("", "object", "A hand is a JSON object.")]


def test_what_a_hand_may_cost_is_bounded():
    def change(hand):
        hand["session"]["rule_set"] = {f"parameter {number}": 1 for number in range(5_000)}
        hand["session"]["point_value"]["currency"] = "x" * 100_000
        hand["boards"] = [["2d"] * 100_000] * 2

    found = faults_of(good(change))
    assert len(found) == 100
    assert max(len(sentence) for _pointer, _code, sentence in found) < 600


LEAVES = st.none() | st.booleans() | st.integers(-5, 60) | st.floats() | st.text(max_size=5)
INNER = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text(max_size=3), LEAVES, max_size=3)
JSON = INNER | st.lists(INNER, max_size=3) | st.dictionaries(st.text(max_size=3), INNER, max_size=3)


def places(document, path=()):
    """The path of every value in a document."""
    yield path
    pairs = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else ())
    )
    for key, value in pairs:
        yield from places(value, (*path, key))


@given(path=st.sampled_from(list(places(GOOD))), value=JSON)
def test_whatever_stands_in_its_place_a_hand_is_read_or_refused_never_raised(path, value):
    document = good()
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if path:
        holder[path[-1]] = value
    else:
        document = value
    try:
        _head, deal = read_hand(document, dict(PRESETS))
    except ValidationError as error:
        for pointer, code, sentence in faults_in(error):
            assert (pointer == "" or pointer.startswith("/"), bool(code), bool(sentence)) == (True, True, True)
    else:
        assert len(deal.seats) >= 2


def test_two_may_play_by_rules_for_two_on_any_chairs():
    def change(hand):
        hand["session"]["rule_set"] = {"seats": 2}
        hand["seats"][1]["seat"] = 6

    _head, deal = read_hand(good(change), dict(PRESETS))
    assert [seat.number for seat in deal.seats] == [1, 6]


def test_who_has_only_an_id_is_called_by_it():
    _head, deal = read_hand(good(lambda hand: hand["seats"][1].update(player={"external_id": "p" * 100})), PRESETS)
    assert (deal.seats[1].external_id, deal.seats[1].name) == ("p" * 100, "p" * 60)


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
