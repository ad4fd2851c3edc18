"""Hands logged by another engine come to the same points, fouls, royalties and Fantasyland here."""

from itertools import combinations, pairwise

import pytest

from hands.scoring.chinese import PRESETS, ROWS, check, check_streets, expected_next, score
from tests.transcripts import logged_hands

HANDS = logged_hands()
each_hand = pytest.mark.parametrize("hand", HANDS, ids=lambda hand: f"{hand.game}-{hand.number}")


def test_the_logs_hold_every_game_with_fouls_and_fantasyland():
    assert [hand.game for hand in HANDS] == ["open-face"] * 4 + ["pineapple"] * 3 + ["progressive"] * 3
    assert sum(shown["fouled"] for hand in HANDS for shown in hand.showdowns.values()) == 14
    assert sum(len(hand.fantasyland) for hand in HANDS) == 3


@each_hand
def test_a_logged_hand_has_the_same_points_fouls_royalties_and_fantasyland(hand):
    scored = score((), hand.setups(), PRESETS[hand.game])
    shown = [hand.showdowns[seat] for seat in hand.order]
    assert list(scored.net) == [hand.points[seat] for seat in hand.order]
    assert list(scored.fouls) == [found["fouled"] for found in shown]
    # The log also writes down what a foul's rows would have earned; it earns nothing.
    assert [dict(zip(ROWS, royalties, strict=True)) for royalties in scored.royalties] == [
        dict.fromkeys(ROWS, 0) if found["fouled"] else found["royalties"] for found in shown
    ]
    assert list(scored.fantasyland) == [found["next_fantasyland"] or 0 for found in shown]


@each_hand
def test_a_logged_hand_was_dealt_and_placed_by_the_rules(hand):
    rules = PRESETS[hand.game]
    seats = [(seat, "", setup) for seat, setup in zip(hand.order, hand.setups(), strict=True)]
    assert check(rules=rules, boards=(), seats=seats) == []
    assert check_streets(rules=rules, seats=seats, streets=hand.streets) == []


@each_hand
def test_rows_have_the_order_of_the_logs_values(hand):
    scored = score((), hand.setups(), PRESETS[hand.game])
    for place, row in enumerate(ROWS):
        values = [hand.showdowns[seat][f"{row}_value"] for seat in hand.order]
        ours = [strengths[place] for strengths in scored.strengths]
        for one, other in combinations(range(len(ours)), 2):
            assert (ours[one] > ours[other]) == (values[one] > values[other])
            assert (ours[one] == ours[other]) == (values[one] == values[other])


def test_the_next_logged_hand_is_what_was_expected():
    followed = 0
    for before, after in pairwise(HANDS):
        if before.game != after.game or after.number != before.number + 1:
            continue
        expected = expected_next(score((), before.setups(), PRESETS[before.game]).fantasyland)
        owed = dict(zip(before.order, expected.fantasyland, strict=True))
        assert {seat: cards for seat, cards in owed.items() if cards} == after.fantasyland
        assert (after.button == before.button) == expected.button_stands
        followed += 1
    assert followed == 3
