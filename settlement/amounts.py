"""Points into amounts. Pure: integers in, integers out; money is minor units and never a float.

``seats`` is the position order everywhere: the player left of the button first, then clockwise. The rules are
those of "Settling a session" in the rule book of the product.
"""

import uuid
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeVar

# The ledger's own bound: an amount beyond it is a slip of the finger.
MOST_MINOR: Final = 10**15
# Percentages are whole hundredths of a percent: 2.5 % is 250.
WHOLE: Final = 100 * 100

Who = TypeVar("Who", bound=Hashable)
CapBy = Literal["position", "pro_rata"]


class AmountTooLarge(ValueError):
    """A debt is beyond what the ledger keeps."""


class PairPoints(Protocol):
    """What two players are to each other over a session; ``points`` are the first one's."""

    @property
    def first(self) -> uuid.UUID: ...
    @property
    def second(self) -> uuid.UUID: ...
    @property
    def hands(self) -> int: ...
    @property
    def points(self) -> int: ...


@dataclass(frozen=True)
class Debt:
    """What the loser of a pair owes its winner: ``points`` and ``amount_minor`` are zero when they are even.

    Under table stakes the winner is who got more money, which may be who has fewer points: then both are below zero.
    """

    loser: uuid.UUID
    winner: uuid.UUID
    hands: int
    points: int
    amount_minor: int


def debts(pairs: Iterable[PairPoints], point_value_minor: int) -> list[Debt]:
    """Each pair's points times the point value, in the order of ``pairs``. Raises ``AmountTooLarge``."""
    found = []
    for pair in pairs:
        winner, loser = (pair.first, pair.second) if pair.points >= 0 else (pair.second, pair.first)
        amount_minor = times_value(abs(pair.points), point_value_minor)
        found.append(Debt(loser, winner, pair.hands, abs(pair.points), amount_minor))
    return found


def times_value(points: int, point_value_minor: int) -> int:
    """Points as money. Raises ``AmountTooLarge``."""
    amount_minor = points * point_value_minor
    if abs(amount_minor) > MOST_MINOR:
        raise AmountTooLarge(str(amount_minor))
    return amount_minor


def share_out(amount_minor: int, weights: Sequence[int]) -> list[int]:
    """The amount in proportion to the weights, to the minor unit: largest remainder, ties to the earlier one.

    >>> share_out(100, [1, 1, 1])
    [34, 33, 33]
    """
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    shares = [amount_minor * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda place: (-(amount_minor * weights[place] % whole), place))
    for place in by_remainder[: amount_minor - sum(shares)]:
        shares[place] += 1
    return shares


def cap_debts(
    seats: Sequence[Who], owed: Mapping[tuple[Who, Who], int], cap_minor: int, by: CapBy
) -> dict[tuple[Who, Who], int]:
    """What is paid of each debt (loser, winner) when nobody's net may lose more than the cap.

    Begins with the full debts and goes through the seats again and again until nothing changes: a player pays at
    most the cap and what they receive. By position what is too much is taken off from the last position
    backwards; pro rata every payment is its share of the player's full debts.
    """
    paid = dict(owed)
    winners = {loser: [winner for winner in seats if (loser, winner) in owed] for loser in seats}
    losers = {winner: [loser for loser in seats if (loser, winner) in owed] for winner in seats}
    is_settled = False
    while not is_settled:
        is_settled = True
        for loser in seats:
            full = [owed[loser, winner] for winner in winners[loser]]
            may_pay = min(sum(full), cap_minor + sum(paid[other, loser] for other in losers[loser]))
            for winner, amount_minor in zip(
                winners[loser], _in_order(full, may_pay) if by == "position" else share_out(may_pay, full), strict=True
            ):
                if paid[loser, winner] != amount_minor:
                    paid[loser, winner] = amount_minor
                    is_settled = False
    return paid


def _in_order(full: Iterable[int], may_pay: int) -> list[int]:
    found = []
    for amount_minor in full:
        found.append(min(amount_minor, may_pay))
        may_pay -= found[-1]
    return found


class Terms(Protocol):
    """What a house caps and takes: `hands/house_money.py` says what each is."""

    @property
    def cap_minor(self) -> int | None: ...
    @property
    def cap_by(self) -> CapBy: ...
    @property
    def rake_hundredths(self) -> int: ...
    @property
    def rake_most_minor(self) -> int | None: ...
    @property
    def seat_fee_minor(self) -> int: ...


@dataclass(frozen=True)
class Outcome:
    """What a session comes to: every amount in minor units.

    ``paid`` is what each debt pays after the cap; ``shares`` what each player gets (or, below zero, gives) for
    hands without cards; ``taken`` what the house takes of each player.
    """

    debts: list[Debt]
    paid: list[int]
    shares: dict[uuid.UUID, int]
    taken: dict[uuid.UUID, int]

    def nets(self) -> dict[uuid.UUID, int]:
        """Each player's result before the house takes anything."""
        nets = dict(self.shares)
        for debt, amount_minor in zip(self.debts, self.paid, strict=True):
            nets[debt.loser] = nets.get(debt.loser, 0) - amount_minor
            nets[debt.winner] = nets.get(debt.winner, 0) + amount_minor
        return nets

    def results(self) -> dict[uuid.UUID, int]:
        """Each player's result after the house: what the session does to their balance."""
        results = self.nets()
        for player, taken_minor in self.taken.items():
            results[player] = results.get(player, 0) - taken_minor
        return results


def outcome(
    pairs: Iterable[PairPoints],
    *,
    points_without_cards: Mapping[uuid.UUID, int],
    hands_played: Mapping[uuid.UUID, int],
    seats: Sequence[uuid.UUID],
    point_value_minor: int,
    terms: Terms,
    from_stakes: Mapping[tuple[uuid.UUID, uuid.UUID], int] | None = None,
) -> Outcome:
    """A session's points as money: debts, then the cap, then what the house takes. Raises ``AmountTooLarge``.

    ``from_stakes``: under table stakes what each (loser, winner) paid in all hands together, in place of the debts.
    """
    owed = debts(pairs, point_value_minor)
    paid = [debt.amount_minor for debt in owed]
    if from_stakes is not None:
        owed, paid = _after_stakes(owed, from_stakes)
    elif terms.cap_minor is not None:
        full = {(debt.loser, debt.winner): debt.amount_minor for debt in owed if debt.amount_minor}
        capped = cap_debts(seats, full, terms.cap_minor, terms.cap_by)
        paid = [capped.get((debt.loser, debt.winner), 0) for debt in owed]
    shares = {player: times_value(points, point_value_minor) for player, points in points_without_cards.items()}
    found = Outcome(owed, paid, {player: share for player, share in shares.items() if share}, {})
    for player, net_minor in found.nets().items():
        found.taken[player] = rake(net_minor, terms.rake_hundredths, terms.rake_most_minor)
    for player, hands in hands_played.items():
        found.taken[player] = found.taken.get(player, 0) + times_value(hands, terms.seat_fee_minor)
    return found


def _after_stakes(
    owed: Iterable[Debt], paid: Mapping[tuple[uuid.UUID, uuid.UUID], int]
) -> tuple[list[Debt], list[int]]:
    """The debts and what was paid of each, both ways taken together; the winner is who got more."""
    found, amounts = [], []
    for debt in owed:
        amount_minor = paid.get((debt.loser, debt.winner), 0) - paid.get((debt.winner, debt.loser), 0)
        if amount_minor < 0:
            debt = Debt(debt.winner, debt.loser, debt.hands, -debt.points, -debt.amount_minor)
        found.append(debt)
        amounts.append(abs(amount_minor))
    return found, amounts


def rake(net_minor: int, percent_hundredths: int, most_minor: int | None) -> int:
    """What the house takes of a player's net: a share of what was won, rounded down, at most ``most_minor``."""
    taken = max(net_minor, 0) * percent_hundredths // WHOLE
    return taken if most_minor is None else min(taken, most_minor)
