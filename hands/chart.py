"""A chart of running points over the hands, as numbers for an SVG: where every line, tick and name goes.

Pure: plain data in, frozen dataclasses out. `templates/hands/_chart.html` draws it.
"""

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from django.utils.formats import number_format

# On a phone of 360 px the drawing is shown 1:1, so that its texts are 12 px.
WIDTH: Final = 308
PLOT_TOP, PLOT_BOTTOM, HEIGHT = 8.0, 140.0, 162
MOST_STEPS: Final = 6
MOST_TICKS: Final = 7
NAME_GAP: Final = 15.0
WIDEST_NAME: Final = 80.0
# A session of thousands of hands is drawn at every n-th, and at its last.
MOST_HANDS: Final = 300
MINUS: Final = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Series:
    """One player's points after every hand; None before the hand with which the player came."""

    seat: int
    name: str
    totals: tuple[int | None, ...]


@dataclass(frozen=True)
class Tick:
    """A grid line or a mark of a hand: where it is, and what stands beside it."""

    at: float
    label: str
    is_zero: bool = False


@dataclass(frozen=True)
class Line:
    """A player's line: its points as SVG wants them, and its name at the end."""

    seat: int
    name: str
    short_name: str
    points: str
    end_y: float
    name_y: float
    total: int
    is_chosen: bool


@dataclass(frozen=True)
class Chart:
    """What the template draws; ``table`` are the same numbers, a hand a line, in the order of ``lines``."""

    left: float
    right: float
    grid: tuple[Tick, ...]
    hands: tuple[Tick, ...]
    lines: tuple[Line, ...]
    table: tuple[tuple[int, tuple[int | None, ...]], ...]
    width: int = WIDTH
    height: int = HEIGHT
    bottom: float = PLOT_BOTTOM


def _signed(value: int) -> str:
    text = number_format(abs(value), force_grouping=True)
    return f"+{text}" if value > 0 else f"{MINUS}{text}" if value < 0 else text


def draw(
    numbers: Sequence[int],
    series: Sequence[Series],
    chosen_seat: int | None = None,
    label: Callable[[int], str] = _signed,
    most: int = MOST_HANDS,
) -> Chart:
    """Place the lines of ``series`` over the hands ``numbers`` (ascending, at least one). Every line begins at zero.

    ``label`` writes the values of the grid lines; of more than ``most`` hands every n-th is drawn, and the last.
    """
    stride = math.ceil(len(numbers) / most)
    kept = [place for place in range(len(numbers)) if place % stride == 0 or place == len(numbers) - 1]
    numbers = [numbers[place] for place in kept]
    totals = [[line.totals[place] for place in kept] for line in series]
    grid = _grid([total for of_player in totals for total in of_player if total is not None])
    top, bottom = grid[-1], grid[0]

    def y(total: float) -> float:
        return round(PLOT_BOTTOM - (total - bottom) / (top - bottom) * (PLOT_BOTTOM - PLOT_TOP), 1)

    labels = [label(value) for value in grid]
    left = 8 + max(_text_width(label) for label in labels)
    names = [_cut(line.name) for line in series]
    right = WIDTH - 9 - max(map(_text_width, names))

    def x(place: int) -> float:
        return round(left + (right - left) * place / len(numbers), 1)

    ends = [of_player[-1] or 0 for of_player in totals]
    lines = [
        Line(
            seat=line.seat,
            name=line.name,
            short_name=name,
            points=_points(of_player, x, y),
            end_y=y(end),
            name_y=name_y,
            total=end,
            is_chosen=line.seat == chosen_seat,
        )
        for line, name, of_player, end, name_y in zip(
            series, names, totals, ends, _push_apart([y(end) for end in ends]), strict=True
        )
    ]
    return Chart(
        left=left,
        right=right,
        grid=tuple(Tick(y(value), label, value == 0) for value, label in zip(grid, labels, strict=True)),
        hands=tuple(Tick(x(place), str(number)) for place, number in _ticks(numbers)),
        lines=tuple(lines),
        table=tuple(zip(numbers, zip(*totals, strict=True), strict=True)),
    )


def _points(totals: Sequence[int | None], x, y) -> str:
    arrival = next(place for place, total in enumerate(totals) if total is not None)
    places = [(arrival, 0), *((place, total) for place, total in enumerate(totals, start=1) if total is not None)]
    return " ".join(f"{x(place):g},{y(total):g}" for place, total in places)


def _grid(totals: Sequence[int]) -> list[int]:
    """Round values around all totals and zero, at most six steps apart of 1, 2 or 5 times a power of ten."""
    low, high = min(0, *totals), max(0, *totals)
    for step in (lead * 10**power for power in count() for lead in (1, 2, 5)):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last - first <= MOST_STEPS:
            break
    if first == last:
        first, last = -1, 1
    return [step * place for place in range(first, last + 1)]


def _ticks(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """The first hand and every sixth (or twelfth ...), each with its place from 1."""
    step = 6 * math.ceil((numbers[-1] - numbers[0] + 1) / (6 * MOST_TICKS))
    return [(place, number) for place, number in enumerate(numbers, start=1) if place == 1 or number % step == 0]


def _push_apart(ends: Sequence[float]) -> list[float]:
    """A height for every name, in order of the ends, at least 15 px from the next and as near to its own as can be."""
    blocks: list[list[int]] = []
    for place in sorted(range(len(ends)), key=lambda place: ends[place]):
        blocks.append([place])
        while len(blocks) > 1 and _start(blocks[-2], ends) + NAME_GAP * len(blocks[-2]) > _start(blocks[-1], ends):
            last = blocks.pop()
            blocks[-1] += last
    heights = [0.0] * len(ends)
    for block in blocks:
        for offset, place in enumerate(block):
            heights[place] = round(_start(block, ends) + NAME_GAP * offset, 1)
    return heights


def _start(block: Sequence[int], ends: Sequence[float]) -> float:
    middle = sum(ends[place] for place in block) / len(block)
    half = NAME_GAP * (len(block) - 1) / 2
    return min(max(middle - half, PLOT_TOP), PLOT_BOTTOM - 2 * half)


def _text_width(text: str) -> float:
    """About how wide a text of 12 px is: nobody measures fonts on a server."""
    return sum(12.5 if unicodedata.east_asian_width(letter) in "WF" else 7.0 for letter in text)


def _cut(name: str) -> str:
    if _text_width(name) <= WIDEST_NAME:
        return name
    while _text_width(name) > WIDEST_NAME - 7:
        name = name[:-1]
    return name.rstrip() + "…"
