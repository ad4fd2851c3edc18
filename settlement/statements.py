"""A statement's lines with a running balance. Pure: what the books say goes in, what is printed comes out."""

import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

# About how many lines a page has; what happened at once is never torn apart.
PAGE: Final = 100

Group = Literal["play", "payment", "merge"]
# What a line belongs to, by the kind of its transfer (of the one that it reverses).
GROUPS: Final[dict[str, Group]] = {
    "settlement": "play",
    "rake": "play",
    "fee": "play",
    "payment": "payment",
    "buy_in": "payment",
    "cash_out": "payment",
    "merge": "merge",
}


@dataclass(frozen=True)
class Movement:
    """One transfer as its account's holder sees it: minor units, above zero when it is a credit.

    ``reference`` is the entry's number in the book; ``points`` and ``hands`` are there when it settled a pair of a
    session. ``kind`` is that of the transfer, or of the one that it reverses; ``source_id`` what caused it.
    """

    occurred_at: datetime
    table: str
    description: str
    other: str
    reference: str
    amount_minor: int
    hands: int | None = None
    points: int | None = None
    kind: str = "settlement"
    is_reversal: bool = False
    source_id: uuid.UUID | None = None

    @property
    def cause(self) -> tuple[uuid.UUID | None, bool]:
        """The same for what was posted together: a settlement, its reversal, a payment."""
        return self.source_id, self.is_reversal

    @property
    def group(self) -> Group:
        return GROUPS[self.kind]


@dataclass(frozen=True)
class Line:
    """A movement and the balance after it, in minor units."""

    movement: Movement
    balance_minor: int


def with_balance(opening_minor: int, movements: Iterable[Movement]) -> Iterator[Line]:
    """The movements in their order, each with the balance that it leaves; one at a time, however many there are."""
    balance = opening_minor
    for movement in movements:
        balance += movement.amount_minor
        yield Line(movement, balance)


@dataclass
class Event:
    """What happened at once: the lines of one settlement, of its reversal, of one payment."""

    lines: list[Line] = field(default_factory=list)

    @property
    def first(self) -> Movement:
        return self.lines[0].movement

    @property
    def amount_minor(self) -> int:
        return sum(line.movement.amount_minor for line in self.lines)

    @property
    def balance_minor(self) -> int:
        return self.lines[-1].balance_minor


def events(lines: Iterable[Line]) -> Iterator[Event]:
    """Lines that follow each other and have one cause, together."""
    event = Event()
    for line in lines:
        if event.lines and line.movement.cause != event.first.cause:
            yield event
            event = Event()
        event.lines.append(line)
    if event.lines:
        yield event


@dataclass
class Tally:
    """What the lines that went by come to: minor units by group, points, and the balance after the last."""

    closing_minor: int
    lines: int = 0
    points: int = 0
    totals: dict[Group, int] = field(default_factory=dict)

    def count(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Let the lines through and add them up."""
        for line in lines:
            moved = line.movement
            self.lines += 1
            self.points += moved.points or 0
            self.totals[moved.group] = self.totals.get(moved.group, 0) + moved.amount_minor
            self.closing_minor = line.balance_minor
            yield line


def paged(lines: Iterable[Line], pages: list[list[Any]], size: int = PAGE) -> Iterator[Line]:
    """Let the lines through and add to ``pages`` where each page but the first begins.

    A place is the last line before it: when it occurred (ISO 8601), its number in the book, and the balance there.
    """
    count = 0
    before: Line | None = None
    for line in lines:
        if before is not None and count >= size and line.movement.cause != before.movement.cause:
            moved = before.movement
            pages.append([moved.occurred_at.isoformat(), int(moved.reference), before.balance_minor])
            count = 0
        yield line
        before = line
        count += 1
    # The newest lines are looked at first: too few of them go with those before.
    if pages and count < size // 2:
        pages.pop()
