"""Table stakes: the vectors, the published case worked through, and what must hold for any input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settlement.stakes import Payment, WonHand, pay_hand, pay_match
from tests.settlement.test_amounts import cases, debts_of_a_table

WIN_CAPS = ("current", "start", "none")
# TonyBet's: P3 on the button, so P1 settles first. P1 won 10 of P2 and 40 of P3, P3 won 20 of P2.
SEATS = ("p1", "p2", "p3")
STAKES = {"p1": 5, "p2": 10, "p3": 135}
WON = {("p1", "p2"): 10, ("p1", "p3"): 40, ("p3", "p2"): 20}


@pytest.mark.parametrize("case", cases("stakes"))
def test_table_stakes(case):
    won = {(winner, loser): amount for winner, loser, amount in case["won"]}
    for win_cap, expected in case["expected"].items():
        assert pay_hand(case["seats"], case["stakes"], won, win_cap).left == expected, win_cap


def test_payments_say_who_was_short_and_what_the_win_cap_took_off():
    # current: P2 pays 5 of 10, for P1 has 5; P3 pays 10 of 40, for P1 then has 10; P2 has 5 left and pays it.
    assert pay_hand(SEATS, STAKES, WON, "current").payments == (
        Payment("p2", "p1", paid_minor=5, short_minor=0, capped_minor=5),
        Payment("p3", "p1", paid_minor=10, short_minor=0, capped_minor=30),
        Payment("p2", "p3", paid_minor=5, short_minor=15, capped_minor=0),
    )
    # start: P1 may win 5 in the whole hand, and P2's 5 are all of it.
    assert pay_hand(SEATS, STAKES, WON, "start").payments == (
        Payment("p2", "p1", paid_minor=5, short_minor=0, capped_minor=5),
        Payment("p3", "p1", paid_minor=0, short_minor=0, capped_minor=40),
        Payment("p2", "p3", paid_minor=5, short_minor=15, capped_minor=0),
    )
    # none: P2 is broke after P1.
    assert pay_hand(SEATS, STAKES, WON, "none").payments == (
        Payment("p2", "p1", paid_minor=10, short_minor=0, capped_minor=0),
        Payment("p3", "p1", paid_minor=40, short_minor=0, capped_minor=0),
        Payment("p2", "p3", paid_minor=0, short_minor=20, capped_minor=0),
    )


def test_who_settles_first_is_paid_first():
    # B has 10 and owes 10 each to A and C. Left of the button is A, or C.
    won = {("a", "b"): 10, ("c", "b"): 10}
    stakes = {"a": 10, "b": 10, "c": 10}
    assert pay_hand(("a", "b", "c"), stakes, won, "none").left == {"a": 20, "b": 0, "c": 10}
    assert pay_hand(("c", "a", "b"), stakes, won, "none").left == {"a": 10, "b": 0, "c": 20}


def test_stakes_move_from_hand_to_hand_and_the_button_with_them():
    # Hand 1: B loses its 10 to A. Hand 2: B, broke, is owed 30 by A and gets what A has, 20, if no cap; C sits out.
    # Hand 3: C wins 5 of B.
    hands = [
        WonHand(("a", "b", "c"), {("a", "b"): 15}),
        WonHand(("b", "a"), {("b", "a"): 30}),
        WonHand(("c", "b"), {("c", "b"): 5}),
    ]
    match = pay_match(hands, {"a": 10, "b": 10, "c": 40, "d": 7}, "none")
    assert match.left == {"a": 0, "b": 15, "c": 45, "d": 7}
    assert match.paid() == {("b", "a"): 10, ("a", "b"): 20, ("b", "c"): 5}
    assert [hand.payments[0].short_minor for hand in match.hands] == [5, 10, 0]
    # With a win cap who is broke can win nothing.
    assert pay_match(hands, {"a": 10, "b": 10, "c": 40}, "start").left == {"a": 20, "b": 0, "c": 40}


@given(debts_of_a_table(), st.lists(st.integers(0, 5000), min_size=6, max_size=6))
def test_nobody_loses_more_than_the_stake_nor_wins_more_than_the_win_cap(table, amounts):
    seats, owed = table
    stakes = dict(zip(seats, amounts, strict=False))
    won = {(winner, loser): amount for (loser, winner), amount in owed.items()}
    for win_cap in WIN_CAPS:
        paid = pay_hand(seats, stakes, won, win_cap)
        left = paid.left
        assert sum(left.values()) == sum(stakes.values())
        assert min(left.values()) >= 0
        assert {
            (payment.winner, payment.loser): payment.paid_minor + payment.short_minor + payment.capped_minor
            for payment in paid.payments
        } == won
        if win_cap == "start":
            assert all(left[seat] <= 2 * stakes[seat] for seat in seats)
        if win_cap == "none":
            assert all(payment.capped_minor == 0 for payment in paid.payments)
