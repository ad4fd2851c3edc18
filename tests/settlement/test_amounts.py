"""Points into amounts: the vectors, published numbers, and what must hold for any input."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settlement.amounts import cap_debts, rake, share_out
from tests.vectors import vectors

CASES = vectors("settling")


def cases(kind: str) -> list[object]:
    found = [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]
    assert len(found) > 50
    return found


def nets(seats, paid):
    return {
        seat: sum(amount for (_loser, winner), amount in paid.items() if winner == seat)
        - sum(amount for (loser, _winner), amount in paid.items() if loser == seat)
        for seat in seats
    }


@pytest.mark.parametrize("case", cases("cap"))
def test_cap(case):
    owed = {(loser, winner): amount for loser, winner, amount in case["debts"]}
    for by, expected in case["expected"].items():
        assert nets(case["seats"], cap_debts(case["seats"], owed, case["cap"], by)) == expected, by


@pytest.mark.parametrize("case", cases("rake"))
def test_rake(case):
    taken = {who: rake(net, 100 * case["percent"], case["most"]) for who, net in case["nets"].items()}
    assert taken == case["expected"]


def test_the_rake_is_of_what_was_won_alone():
    # 2.5 % of $19.99 is 49.975 cents; a loser pays none; the house may take less than 49.
    assert [rake(1999, 250, None), rake(-1999, 250, None), rake(0, 250, None), rake(1999, 250, 30)] == [49, 0, 0, 30]


@pytest.mark.parametrize(
    ("amount", "weights", "shares"),
    [
        (100, [1, 1, 1], [34, 33, 33]),
        (3050, [1, 1, 1], [1017, 1017, 1016]),
        (0, [1, 2], [0, 0]),
        (5, [0, 0], [0, 0]),
        # 7 of 10 to 3 : 3 : 4 is 2.1, 2.1, 2.8: the largest remainder is the last one's.
        (7, [3, 3, 4], [2, 2, 3]),
    ],
)
def test_an_amount_is_shared_to_the_minor_unit(amount, weights, shares):
    assert share_out(amount, weights) == shares


SEATS = ["p1", "p2", "p3", "p4", "p5", "p6"]


@st.composite
def debts_of_a_table(draw):
    seats = SEATS[: draw(st.integers(2, 6))]
    owed = {}
    for one, other in itertools.combinations(seats, 2):
        amount = draw(st.integers(-10_000, 10_000))
        if amount:
            owed[(one, other) if amount < 0 else (other, one)] = abs(amount)
    return seats, owed


@given(debts_of_a_table(), st.integers(500, 20_000), st.sampled_from(["position", "pro_rata"]))
def test_nobody_loses_more_than_the_cap_and_no_debt_is_paid_twice(table, cap, by):
    seats, owed = table
    paid = cap_debts(seats, owed, cap, by)
    after = nets(seats, paid)
    assert sum(after.values()) == 0
    assert min(after.values()) >= -cap
    assert all(0 <= paid[pair] <= owed[pair] for pair in owed)
    # Whoever pays less than their debts has lost the whole cap.
    for seat in seats:
        if any(paid[pair] < owed[pair] for pair in owed if pair[0] == seat):
            assert after[seat] == -cap
