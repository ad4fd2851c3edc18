"""How a hand came to its points: each row's best five cards, and each pair's sum in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from hands.scoring.jokers import play_jokers
from hands.scoring.strength import (
    FLUSH,
    STRAIGHT_FLUSH,
    category,
    category_number,
    class_ranks,
    short_words,
    strength_words,
)
from hands.scoring.sums import signed, sum_words
from hands.scoring.taiwanese.rows import RowStrengths, Setup
from hands.scoring.taiwanese.rules import BOARD_SIZE, ROW_SIZES, ROWS, Rules
from hands.scoring.taiwanese.score import Pair, Score, score


@dataclass(frozen=True)
class BestCard:
    """One of a row's best five: where it lies, its place there from 0, and what it is played as.

    ``played_as`` differs from ``card`` for a joker alone.
    """

    where: Literal["row", "board"]
    index: int
    card: int
    played_as: int


@dataclass(frozen=True)
class RowReading:
    """What one row is on one board; ``best`` holds its own cards first, then the board's."""

    strength: int
    best: tuple[BestCard, ...]

    @cached_property
    def category(self) -> str:
        """Such as ``straight``."""
        return category(self.strength)

    @cached_property
    def words(self) -> str:
        """Such as ``straight to jack``."""
        return strength_words(self.strength)

    @cached_property
    def short(self) -> str:
        """Such as ``Straight to J``."""
        return short_words(self.strength)

    def uses_row_card(self, index: int) -> bool:
        """Whether the card at this place of the row is among the best five."""
        return any(card.where == "row" and card.index == index for card in self.best)


@dataclass(frozen=True)
class Explanation:
    """``rows`` by seat, board and row; ``pairs`` in the order of ``score.pairs``, a sentence each."""

    score: Score
    rows: tuple[tuple[tuple[RowReading, ...], ...], ...]
    pairs: tuple[str, ...]


def explain(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> Explanation:
    """Score a hand, and say how. The hand must have passed check; see score for what comes in."""
    scored = score(boards, setups, rules)
    rows = tuple(
        tuple(_read_rows(setup, board, strengths) for board, strengths in zip(boards, of_seat, strict=True))
        for setup, of_seat in zip(setups, scored.strengths, strict=True)
    )
    return Explanation(scored, rows, tuple(pair_words(pair, rules) for pair in scored.pairs))


def pair_words(pair: Pair, rules: Rules) -> str:
    """Why a pair's points are what they are, for its first seat.

    ``All six rows: 6 + 6, and 8 for the homerun``, or ``Board 1: won top +1, lost middle −2, tied bottom 0;
    board 2: ...; 1 − 2 + 0 ... = +2``. Board scoops and royalties are named where there are any.
    """
    boards = [pair.rows[start : start + len(ROWS)] for start in range(0, len(pair.rows), len(ROWS))]
    extras = _extras(pair)
    if pair.homerun:
        sums = [sum(board) for board in boards]
        parts = [f"{abs(amount)} for the {name}" for amount, name in extras]
        lead = "All six rows: " if pair.homerun > 0 else "All six rows lost: "
        words = f"{lead}{' + '.join(str(abs(amount)) for amount in sums)}, and {', '.join(parts)}"
        return words if len(extras) == 1 else f"{words}; {signed(pair.points)} in all"
    told = [f"board {number}: {', '.join(_row_words(board, rules))}" for number, board in enumerate(boards, start=1)]
    told += [f"{name} {signed(amount)}" for amount, name in extras]
    numbers = [*pair.rows, *(amount for amount, _ in extras)]
    told.append(f"{sum_words(numbers)} = {signed(pair.points)}")
    words = "; ".join(told)
    return words[0].upper() + words[1:]


def _extras(pair: Pair) -> list[tuple[int, str]]:
    named = ((pair.homerun, "homerun"), (pair.scoop, "board scoop"), (pair.royalties, "royalties"))
    return [(amount, name) for amount, name in named if amount]


def _row_words(board: tuple[int, ...], rules: Rules) -> Iterator[str]:
    for row, points, worth in zip(ROWS, board, rules.row_points, strict=True):
        result = "won " if points > 0 else "lost " if points < 0 else "tied "
        # A row that is worth nothing leaves no trace of who won it.
        yield f"{result if worth else ''}{row} {signed(points)}"


def _read_rows(setup: Setup, board: Sequence[int], strengths: RowStrengths) -> tuple[RowReading, ...]:
    rows = (setup.top, setup.middle, setup.bottom)
    return tuple(
        RowReading(strength, best_five(row, board, strength)) for row, strength in zip(rows, strengths, strict=True)
    )


def best_five(row: Sequence[int], board: Sequence[int], strength: int) -> tuple[BestCard, ...]:
    """The five cards that give a row its strength on a board, with what each joker is played as.

    Of several fives of that strength the one with the fewest cards of the row is taken (so that the board is
    said to play whenever it does), and of those the one whose cards come first. Raises ValueError for a
    strength that the row does not have.
    """
    ranks = class_ranks(strength)
    suited = category_number(strength) in (FLUSH, STRAIGHT_FLUSH)
    for from_row, from_board in _choices(len(row)):
        cards = [row[index] for index in from_row] + [board[index] for index in from_board]
        played = play_jokers(cards, ranks, suited)
        if played is not None:
            return tuple(
                BestCard("row" if place < len(from_row) else "board", index, card, played_as)
                for place, (index, card, played_as) in enumerate(
                    zip((*from_row, *from_board), cards, played, strict=True)
                )
            )
    raise ValueError(f"The row has no five cards of strength {strength}.")


def _choices(row_size: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Places in the row and on the board: exactly two for the bottom, any number for the other rows."""
    counts = (2,) if row_size == ROW_SIZES[-1] else range(row_size + 1)
    for count in counts:
        for from_row in combinations(range(row_size), count):
            for from_board in combinations(range(BOARD_SIZE), BOARD_SIZE - count):
                yield from_row, from_board
