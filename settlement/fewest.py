"""Who pays whom, in the fewest payments. Pure: balances in minor units in, payments out.

A balance above zero is owed to its holder, one below zero is owed by them. Holders are anything that sorts; the
order in which they come makes no difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, Final, Generic, TypeVar

# Up to here the list is exact; beyond, the largest debtor pays the largest creditor.
MOST_EXACT: Final = 12

Who = TypeVar("Who", bound=Any)


@dataclass(frozen=True)
class Due(Generic[Who]):
    """One payment that squares what is owed: ``payer`` gives ``payee`` that many minor units."""

    payer: Who
    payee: Who
    amount_minor: int


def fewest_payments(balances: Mapping[Who, int]) -> list[Due[Who]]:
    """The shortest list of payments after which every balance is zero, at most one fewer than there are balances.

    Exact up to 12 balances that are not zero: as many groups that sum to zero as there can be, each squared by
    one payment fewer than its members. Raises ``ValueError`` when the balances do not sum to zero.
    """
    if sum(balances.values()):
        raise ValueError("Balances must sum to zero.")
    open_ones = [(holder, balances[holder]) for holder in sorted(balances) if balances[holder]]
    groups = _groups(open_ones) if len(open_ones) <= MOST_EXACT else [open_ones]
    payments = [payment for group in groups for payment in _square(group)]
    return sorted(payments, key=lambda due: (-due.amount_minor, due.payer, due.payee))


def still_due(balances: Mapping[Who, int], paid: Iterable[Due[Who]]) -> list[Due[Who]]:
    """What is left to pay after ``paid``.

    The list of ``fewest_payments`` stands while payments follow it, in part or in full, so that it does not
    change under people's hands; once one does not, the list is made anew of what is open.
    """
    plan = {(due.payer, due.payee): due.amount_minor for due in fewest_payments(balances)}
    left = dict(balances)
    follows = True
    for due in paid:
        left[due.payer] = left.get(due.payer, 0) + due.amount_minor
        left[due.payee] = left.get(due.payee, 0) - due.amount_minor
        planned = plan.get((due.payer, due.payee), 0) - due.amount_minor
        follows = follows and planned >= 0
        plan[due.payer, due.payee] = planned
    if not follows:
        return fewest_payments(left)
    return [Due(payer, payee, amount_minor) for (payer, payee), amount_minor in plan.items() if amount_minor]


def _groups(balances: Sequence[tuple[Who, int]]) -> list[list[tuple[Who, int]]]:
    """The most groups that each sum to zero.

    ``most[members]`` is the largest number of such groups among those members, one of them perhaps unfinished:
    taking members away one by one, a group is complete whenever the rest sums to zero.
    """
    count = len(balances)
    sums, most = [0] * (1 << count), [0] * (1 << count)
    for members in range(1, 1 << count):
        lowest = members & -members
        sums[members] = sums[members ^ lowest] + balances[lowest.bit_length() - 1][1]
        fewer = max(most[members ^ 1 << one] for one in range(count) if members >> one & 1)
        most[members] = fewer + (sums[members] == 0)
    groups: list[list[tuple[Who, int]]] = []
    members = (1 << count) - 1
    while members:
        if sums[members] == 0:
            groups.append([])
        wanted = most[members] - (sums[members] == 0)
        one = next(one for one in range(count) if members >> one & 1 and most[members ^ 1 << one] == wanted)
        groups[-1].append(balances[one])
        members ^= 1 << one
    return groups


def _square(group: Sequence[tuple[Who, int]]) -> list[Due[Who]]:
    """The largest debtor pays the largest creditor, until nothing is open; of equals the first in their order."""
    debtors = [(balance, holder) for holder, balance in group if balance < 0]
    creditors = [(-balance, holder) for holder, balance in group if balance > 0]
    heapify(debtors)
    heapify(creditors)
    payments = []
    while debtors:
        (debt, payer), (credit, payee) = heappop(debtors), heappop(creditors)
        amount_minor = min(-debt, -credit)
        payments.append(Due(payer, payee, amount_minor))
        if debt + amount_minor:
            heappush(debtors, (debt + amount_minor, payer))
        if credit + amount_minor:
            heappush(creditors, (credit + amount_minor, payee))
    return payments
