"""Placements fit what was dealt, come in order, and lead to the setups that are shown."""

from dataclasses import replace

import pytest

from hands.scoring.cards import parse_cards
from hands.scoring.chinese import PRESETS, check_streets, states
from tests.transcripts import logged_hands

BY_NUMBER = {(hand.game, hand.number): hand for hand in logged_hands()}
# Seats 1, 2 and 0, the last with the button; every street as it was logged.
PINEAPPLE = BY_NUMBER["pineapple", 45]
IN_FANTASYLAND = BY_NUMBER["progressive", 794]
CLASSIC = BY_NUMBER["open-face", 249]


def found(hand=PINEAPPLE, *, streets=None, setups=None, names=("", "", "", "")):
    seats = [(seat, names[seat], setup) for seat, setup in zip(hand.order, setups or hand.setups(), strict=True)]
    problems = check_streets(
        rules=PRESETS[hand.game], seats=seats, streets=hand.streets if streets is None else streets
    )
    return [(problem.pointer, problem.code, problem.sentence) for problem in problems]


def changed(place, hand=PINEAPPLE, **changes):
    streets = list(hand.streets)
    streets[place] = replace(streets[place], **changes)
    return streets


def test_what_was_dealt_is_placed_or_discarded():
    # The log: seat 1 is dealt 2s 8s Qd in its second street, places two and discards the queen.
    assert PINEAPPLE.streets[3].dealt == parse_cards("2s 8s Qd")
    assert found(streets=changed(3, dealt=parse_cards("2s 8s Qh")), names=("", "Ana", "", "")) == [
        ("/streets/3/dealt", "street_dealt", "Seat 1 (Ana) was dealt 2s 8s Qh but places or discards 2s 8s Qd.")
    ]
    assert found(streets=changed(3, dealt=())) == []


def test_seats_act_in_order_from_the_left_of_the_button():
    streets = list(PINEAPPLE.streets)
    streets[3], streets[4] = streets[4], streets[3]
    assert found(streets=streets) == [
        ("/streets/3/seat", "street_order", "Seat 2 places cards when it is seat 1's turn.")
    ]


def test_a_seat_in_fantasyland_sets_everything_at_once_whenever_it_is_asked():
    first, *others = [street for street in CLASSIC.streets if street.seat == 0] + [
        street for street in CLASSIC.streets if street.seat != 0
    ]
    assert len(first.used) == 13
    for place in range(len(others) + 1):
        assert found(CLASSIC, streets=[*others[:place], first, *others[place:]]) == []
    again = [*CLASSIC.streets, replace(first, top=(), middle=(), bottom=(), dealt=())]
    assert found(CLASSIC, streets=again) == [
        (f"/streets/{len(others) + 1}", "street_too_many", "Seat 0 places cards after its last street.")
    ]


def test_fantasyland_of_seventeen_discards_four():
    (street,) = [street for street in IN_FANTASYLAND.streets if street.seat == 1]
    place = IN_FANTASYLAND.streets.index(street)
    assert len(street.discards) == 4
    fewer = changed(place, IN_FANTASYLAND, discards=street.discards[:3], dealt=())
    problems = found(IN_FANTASYLAND, streets=fewer)
    assert problems[0] == (
        f"/streets/{place}",
        "street_size",
        "Seat 1 places 13 and discards 3; this street has 13 and 4.",
    )


def test_a_street_has_the_cards_of_its_round():
    street = PINEAPPLE.streets[3]
    kept = changed(3, bottom=(*street.bottom, *street.discards), discards=())
    assert found(streets=kept)[0] == (
        "/streets/3",
        "street_size",
        "Seat 1 places 3 and discards 0; this street has 2 and 1.",
    )


def test_missing_streets_are_counted():
    assert found(streets=PINEAPPLE.streets[:-1])[0] == ("/streets", "street_missing", "Seat 0: 1 street is missing.")
    assert [code for _, code, _ in found(streets=[])][:3] == ["street_missing"] * 3
    # Five rounds: five cards, then four times three.
    assert found(streets=[])[0][2] == "Seat 1: 5 streets are missing."


def test_setups_follow_from_the_streets():
    setups = PINEAPPLE.setups()
    # Shown is a top of 3h Ts 2h and a bottom that ends in 2d 5s; a deuce changes places.
    moved = replace(setups[0], top=parse_cards("3h Ts 2d"), bottom=parse_cards("8s 6s 7s 2h 5s"))
    there = "Seat 1: {} is {}, but the streets put {} there."
    assert found(setups=[moved, *setups[1:]]) == [
        ("/seats/0/top", "street_setup", there.format("top", "3h Ts 2d", "3h Ts 2h")),
        ("/seats/0/bottom", "street_setup", there.format("bottom", "8s 6s 7s 2h 5s", "8s 6s 7s 2d 5s")),
    ]


def test_discards_that_a_setup_does_not_tell_may_be_any():
    setups = PINEAPPLE.setups()
    assert found(setups=[replace(setup, discards=()) for setup in setups]) == []
    wrong = replace(setups[0], discards=parse_cards("Qd 5c 7h 9c"))
    assert [pointer for pointer, _, _ in found(setups=[wrong, *setups[1:]])] == ["/seats/0/discards"]


def test_a_card_is_dealt_once():
    discards = parse_cards("9s")  # placed in the middle by the same seat in its first street
    problems = found(streets=changed(3, discards=discards, dealt=()), setups=[
        replace(setup, discards=()) for setup in PINEAPPLE.setups()
    ])  # fmt: skip
    assert problems == [("/streets/3/discards/0", "card_repeated", "Seat 1 holds 9s twice, in middle and discards.")]


def test_a_seat_that_is_not_in_the_hand_places_nothing():
    assert found(streets=changed(0, seat=7)) == [
        ("/streets/0/seat", "street_seat", "Seat 7 places cards but is not in the hand.")
    ]


def test_closed_chinese_poker_has_no_streets():
    rules = PRESETS["chinese"]
    assert [problem.code for problem in check_streets(rules=rules, seats=[], streets=PINEAPPLE.streets)] == [
        "no_streets"
    ]
    assert check_streets(rules=rules, seats=[], streets=[]) == []


@pytest.mark.parametrize("hand", [PINEAPPLE, IN_FANTASYLAND, CLASSIC], ids=lambda hand: hand.game)
def test_a_replay_ends_with_the_setups(hand):
    setups = {seat: hand.setup(seat) for seat in hand.order}
    shown = list(states(setups=setups, streets=hand.streets))
    assert len(shown) == len(hand.streets)
    for seat, setup in setups.items():
        last = shown[-1][seat]
        for row in ("top", "middle", "bottom", "discards"):
            assert sorted(getattr(last, row)) == sorted(getattr(setup, row))
        assert last.fantasyland == setup.fantasyland


def test_a_replay_steps_from_street_to_street():
    setups = {seat: PINEAPPLE.setup(seat) for seat in PINEAPPLE.order}
    first, *_, fourth = list(states(setups=setups, streets=PINEAPPLE.streets))[:4]
    assert (first[1].top, first[1].middle, first[1].bottom) == (parse_cards("3h Ts 2h"), parse_cards("5d 9s"), ())
    assert first[2].bottom == ()
    # Then 2s to the middle, 8s to the bottom, Qd away.
    assert fourth[1].middle == parse_cards("5d 9s 2s")
    assert (fourth[1].bottom, fourth[1].discards) == (parse_cards("8s"), parse_cards("Qd"))
