"""Who pays whom: the fewest payments, always the same ones."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settlement.fewest import Due, fewest_payments, still_due
from tests.vectors import vectors


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in vectors("settling") if case["kind"] == "fewest"]
)
def test_fewest_payments(case):
    payments = fewest_payments(case["balances"])
    assert len(payments) == case["expected"]["payments"]
    assert after(case["balances"], payments) == dict.fromkeys(case["balances"], 0)


def after(balances, payments):
    left = dict(balances)
    for due in payments:
        assert due.amount_minor > 0
        left[due.payer] += due.amount_minor
        left[due.payee] -= due.amount_minor
    return left


def test_the_evening_of_the_picture():
    # Dora +47.50, Ana +27.50, Emil +13.00, Fay -21.00, Chi -32.50, Ben -34.50: 88.00 in five payments.
    nets = {"Dora": 4750, "Ana": 2750, "Emil": 1300, "Fay": -2100, "Chi": -3250, "Ben": -3450}
    assert fewest_payments(nets) == [
        Due("Ben", "Dora", 3450),
        Due("Chi", "Ana", 2750),
        Due("Fay", "Dora", 1300),
        Due("Fay", "Emil", 800),
        Due("Chi", "Emil", 500),
    ]


def test_one_winner_and_two_losers_need_two_payments():
    assert fewest_payments({"a": 8000, "b": -1500, "c": -6500}) == [Due("c", "a", 6500), Due("b", "a", 1500)]


def test_greed_alone_would_need_one_more():
    # Largest to largest takes 4 payments here; the groups {+6 -6} and {+5 -4 -1} take 1 + 2.
    assert len(fewest_payments({"a": 6, "b": 5, "c": -4, "d": -6, "e": -1})) == 3


def test_balances_that_do_not_sum_to_zero_are_refused():
    with pytest.raises(ValueError, match="sum to zero"):
        fewest_payments({"a": 1})


BALANCES = st.lists(st.integers(-8, 8), min_size=1, max_size=6).map(
    lambda some: dict(zip("abcdefg", [*some, -sum(some)], strict=False))
)


@given(BALANCES, st.randoms())
def test_the_list_is_the_least_one_whatever_the_order(balances, shuffler):
    payments = fewest_payments(balances)
    assert set(after(balances, payments).values()) == {0}
    mixed = list(balances.items())
    shuffler.shuffle(mixed)
    assert fewest_payments(dict(mixed)) == payments
    assert len(payments) == least(balances)


def least(balances) -> int:
    """By brute force: members less the most groups that a partition into zero sums can have."""
    open_ones = [amount for amount in balances.values() if amount]

    def most_groups(rest: tuple[int, ...]) -> int:
        if not rest:
            return 0
        best = 0 if sum(rest) else 1
        for size in range(len(rest)):
            for others in itertools.combinations(range(1, len(rest)), size):
                chosen = {0, *others}
                if sum(rest[place] for place in chosen) == 0 and len(chosen) < len(rest):
                    left = tuple(rest[place] for place in range(len(rest)) if place not in chosen)
                    best = max(best, 1 + most_groups(left))
        return best

    return len(open_ones) - most_groups(tuple(open_ones))


@given(st.integers(13, 60), st.integers(0, 2**32))
def test_beyond_twelve_it_is_never_more_than_one_fewer_than_the_people(count, seed):
    dealer = random.Random(seed)
    amounts = [dealer.randint(-5000, 5000) for _one in range(count - 1)]
    balances = {f"{place:02}": amount for place, amount in enumerate([*amounts, -sum(amounts)])}
    payments = fewest_payments(balances)
    assert set(after(balances, payments).values()) == {0}
    assert len(payments) < count


NETS = {"Dora": 4750, "Ana": 2750, "Emil": 1300, "Fay": -2100, "Chi": -3250, "Ben": -3450}


def test_the_list_stands_while_payments_follow_it():
    paid = [Due("Chi", "Emil", 500), Due("Fay", "Dora", 600)]
    assert still_due(NETS, paid) == [
        Due("Ben", "Dora", 3450),
        Due("Chi", "Ana", 2750),
        Due("Fay", "Dora", 700),
        Due("Fay", "Emil", 800),
    ]


def test_a_payment_beside_the_list_makes_it_anew():
    # Ben gives Ana 34.50: she has had 7.00 too much, which she passes on.
    left = still_due(NETS, [Due("Ben", "Ana", 3450)])
    assert after({**NETS, "Ben": 0, "Ana": -700}, left) == dict.fromkeys(NETS, 0)
    assert len(left) == 4


def test_what_was_paid_and_given_back_leaves_nothing():
    assert still_due({"a": 0, "b": 0}, [Due("a", "b", 11200), Due("b", "a", 11200)]) == []


@given(BALANCES, st.data())
def test_what_is_due_and_what_was_paid_square_everything(balances, data):
    names = sorted(balances)
    paid = [
        Due(payer, payee, data.draw(st.integers(1, 9)))
        for payer, payee in data.draw(st.lists(st.permutations(names).map(lambda two: two[:2]), max_size=4))
        if len(names) > 1
    ]
    left = still_due(balances, paid)
    assert set(after(balances, [*paid, *left]).values()) == {0}
    assert len(left) <= max(len(names) - 1, 0)
