"""Points into amounts. Pure: integers in, integers out; money is minor units and never a float."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

# The ledger's own bound: an amount beyond it is a slip of the finger.
MOST_MINOR: Final = 10**15


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
    """What the loser of a pair owes its winner: ``points`` and ``amount_minor`` are zero when they are even."""

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
        amount_minor = abs(pair.points) * point_value_minor
        if amount_minor > MOST_MINOR:
            raise AmountTooLarge(str(amount_minor))
        found.append(Debt(loser, winner, pair.hands, abs(pair.points), amount_minor))
    return found
