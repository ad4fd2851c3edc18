"""A statement's lines with a running balance. Pure: what the books say goes in, what is printed comes out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Movement:
    """One transfer as its account's holder sees it: minor units, above zero when it is a credit.

    ``reference`` names the transfer in the book; ``points`` and ``hands`` are there when it settled a session.
    """

    occurred_at: datetime
    table: str
    description: str
    other: str
    reference: str
    amount_minor: int
    hands: int | None = None
    points: int | None = None


@dataclass(frozen=True)
class Line:
    """A movement and the balance after it, in minor units."""

    movement: Movement
    balance_minor: int


def with_balance(opening_minor: int, movements: Iterable[Movement]) -> list[Line]:
    """The movements in their order, each with the balance that it leaves."""
    balance = opening_minor
    lines = []
    for movement in movements:
        balance += movement.amount_minor
        lines.append(Line(movement, balance))
    return lines


def closing_balance(opening_minor: int, lines: list[Line]) -> int:
    """The balance after the last line; the opening one when there is none."""
    return lines[-1].balance_minor if lines else opening_minor
