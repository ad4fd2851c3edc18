"""A hand of a history: what may stand in it, and that whatever else does is refused with a sentence."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.faults import faults_in
from hands.history import read_hand
from hands.scoring.taiwanese import PRESETS
from tests.histories import GOOD, faults_of, good, player, seat, session


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
