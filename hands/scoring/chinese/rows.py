"""How a seat set its cards, and what its rows are worth in their order."""

from collections.abc import Sequence
from dataclasses import dataclass

from hands.scoring.chinese.tables import strongest_reading

# The strengths of top, middle and bottom.
RowStrengths = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Setup:
    """How one seat set its cards: numbers of cards, three, five and five of them.

    ``discards`` may be left out; ``fantasyland`` is the number of cards that a seat in Fantasyland was dealt, 0
    outside; a seat that ``surrendered`` need not show its rows.
    """

    top: tuple[int, ...]
    middle: tuple[int, ...]
    bottom: tuple[int, ...]
    discards: tuple[int, ...] = ()
    fantasyland: int = 0
    surrendered: bool = False


def read_rows(setup: Setup) -> tuple[RowStrengths, bool]:
    """The strengths of a setup's rows, and whether it fouls.

    Bottom must be at least as strong as middle and middle as top; equal is legal. Jokers are read so that the setup
    does not foul where any reading is legal: among those the strongest bottom, then middle, then top. Taking the
    strongest row each time from the bottom up finds it, because a stronger row never forbids the next anything. Of a
    foul every row is read as strong as it can be.
    """
    bottom = strongest_reading(setup.bottom)
    middle = strongest_reading(setup.middle, bottom)
    top = strongest_reading(setup.top, middle)
    if middle and top:
        return (top, middle, bottom), False
    return (strongest_reading(setup.top), strongest_reading(setup.middle), bottom), True


def cards_of(setup: Setup) -> Sequence[int]:
    """The cards of the rows, top first."""
    return (*setup.top, *setup.middle, *setup.bottom)
