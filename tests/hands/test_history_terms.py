"""What is wrong with the terms of a hand (people, times, money, rules, ids) is said with place, code and sentence."""

import pytest

from accounts.money import MOST_MINOR
from tests.histories import faults_of, good, player, point_value, session


def rules(**parameters):
    """Take other rules, and break something that has nothing to do with them."""
    return lambda hand: (hand["session"].update(rule_set=parameters), hand.update(played_at="yesterday"))


NO_TIME = "played_at must be a time like 2026-11-28T20:41:07+08:00."
NOT_WHOLE = "A point's value must be a whole number of minor units; {} is not."
FAULTS = {
    "player twice": (
        player(1, external_id="p-17"),
        "/seats/1/player",
        "player_repeated",
        "Ben sits on seat 1 and on seat 3 of one hand.",
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
        "There is no rule set “reno”. Known are: chinese, chinese-2-4, chinese-naturals, doubled-homerun, "
        "one-board-scoop, open-face, open-face-jokers, phenom, phenom-jokers, pineapple, pineapple-jokers, "
        "pineapple-strict, progressive.",
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
    "number as text": (
        lambda hand: hand.update(number="12"),
        "/number",
        "whole_number",
        "number must be a whole number from 1 to 1000000.",
    ),
}


@pytest.mark.parametrize(("change", "pointer", "code", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_terms_is_said_once_with_its_place(change, pointer, code, sentence):
    found = faults_of(good(change))
    assert [(fault[0], fault[1]) for fault in found] == [(pointer, code)], found
    if sentence is not None:
        assert found[0][2] == sentence
