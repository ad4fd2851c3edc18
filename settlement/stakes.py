"""Table stakes: what was paid hand by hand, when nobody can lose more than what they have in front of them. Pure.

Amounts are minor units. The rules are those of "Settling a session" in the rule book of the product: within a hand the
player left of the button settles with each opponent clockwise, then the next player, and so on; a payment is at most
what the loser has left, and with a win cap at most what the winner may still win.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal

from settlement.amounts import Who

WinCap = Literal["current", "start", "none"]


@dataclass(frozen=True)
class Payment(Generic[Who]):
    """What one player paid another in a hand, and what was not paid of the debt.

    ``short_minor`` is what the loser no longer had, ``capped_minor`` what the winner could not win: the winner bore
    both. The three sum to the debt.
    """

    loser: Who
    winner: Who
    paid_minor: int
    short_minor: int
    capped_minor: int


@dataclass(frozen=True)
class PaidHand(Generic[Who]):
    """A hand's payments in the order in which they were made, debts of nothing left out, and the stakes after it."""

    payments: tuple[Payment[Who], ...]
    left: dict[Who, int]


@dataclass(frozen=True)
class WonHand(Generic[Who]):
    """Who plays a hand, the player left of the button first and then clockwise, and what each (winner, loser) won."""

    seats: Sequence[Who]
    won: Mapping[tuple[Who, Who], int]


@dataclass(frozen=True)
class Match(Generic[Who]):
    """All hands of a match in order, and the stakes at its end, of who sat in no hand too."""

    hands: tuple[PaidHand[Who], ...]
    left: dict[Who, int]

    def paid(self) -> dict[tuple[Who, Who], int]:
        """What each (loser, winner) paid in all; of two players both ways may be there."""
        paid: dict[tuple[Who, Who], int] = {}
        for hand in self.hands:
            for payment in hand.payments:
                pair = payment.loser, payment.winner
                paid[pair] = paid.get(pair, 0) + payment.paid_minor
        return paid


def pay_match(hands: Iterable[WonHand[Who]], stakes: Mapping[Who, int], win_cap: WinCap) -> Match[Who]:
    """Pay the hands of a match in order; the stakes move from hand to hand. Every player of a hand has a stake."""
    left = dict(stakes)
    paid = []
    for hand in hands:
        found = pay_hand(hand.seats, left, hand.won, win_cap)
        left = found.left
        paid.append(found)
    return Match(tuple(paid), left)


def pay_hand(
    seats: Sequence[Who], stakes: Mapping[Who, int], won: Mapping[tuple[Who, Who], int], win_cap: WinCap
) -> PaidHand[Who]:
    """Settle one hand in position order, each (winner, loser) having won that much.

    With a win cap a payment is also at most what the winner has at that moment (``current``), or what is left of all
    that the winner may win in the hand, which is the stake that it began with (``start``).
    """
    left = dict(stakes)
    may_win = dict(stakes)
    payments = []
    for place, first in enumerate(seats):
        for second in seats[place + 1 :]:
            for winner, loser in ((first, second), (second, first)):
                owed = won.get((winner, loser), 0)
                if not owed:
                    continue
                affordable = paid = min(owed, left[loser])
                if win_cap == "current":
                    paid = min(affordable, left[winner])
                elif win_cap == "start":
                    paid = min(affordable, may_win[winner])
                payments.append(Payment(loser, winner, paid, owed - affordable, affordable - paid))
                left[loser] -= paid
                left[winner] += paid
                may_win[winner] -= paid
    return PaidHand(tuple(payments), left)
