"""Every board that can still come, and what rows are worth on each, in numpy.

What a board's ranks make of a row depends on the ranks alone, and what its flushes make on the ranks of one
suit: 6,175 and 4 x 2,288 cases, in which a row is looked up once, however many boards there are. On a board it is
then the higher of two numbers.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hands.scoring.cards import DECK
from hands.scoring.subsets import sums
from hands.scoring.tables import (
    BOARD_KEYS,
    CARDS,
    CODES_IN_SUIT,
    FLUSH_SUITS,
    NO_SUIT,
    PAIR_NUMBERS_IN_SUIT,
    RANK_CODES,
    RANK_KEY_MASK,
    RANK_PAIR_NUMBERS,
    RANK_PAIRS,
    SUIT_CODES,
    SUIT_COUNT_SHIFT,
    SUIT_PAIRS,
    tables,
)
from hands.scoring.taiwanese.rules import BOARD_SIZE

Row = Sequence[int]
Numbers = NDArray[np.intp]
Strengths = NDArray[np.uint16]

_KEYS: Final = np.array(BOARD_KEYS, dtype=np.int64)
_FLUSH_SUITS: Final = np.frombuffer(FLUSH_SUITS, dtype=np.uint8)
# A board's ranks by suit: thirteen bits a suit.
_RANK_BITS: Final = np.array([1 << (card & 3) * 13 + (card >> 2) for card in range(DECK)], dtype=np.int64)
_SUIT_MASK: Final = (1 << 13) - 1
_RANK_CODES: Final = bytes(card >> 2 for card in range(CARDS))
# How many multisets of a board's ranks there are, and sets of three to five ranks in a suit.
RANK_CASES: Final = 6175
SUIT_CASES: Final = 2288
# So many boards at once: what is worked out for 63 rows on them fits a core's cache.
BLOCK: Final = 8192


class Boards:
    """The boards that a known part of one can become, each with the same chance.

    ``known`` are the cards on the board already (none to five), ``unseen`` the cards that can still come. The
    boards stand in the order of the subsets of ``unseen`` (see ``subsets``), of ``draws`` cards each.
    """

    def __init__(self, known: Sequence[int], unseen: Sequence[int]) -> None:
        self.draws = BOARD_SIZE - len(known)
        keys = sums(_KEYS[list(unseen)], self.draws) + _KEYS[list(known)].sum()
        bits = sums(_RANK_BITS[list(unseen)], self.draws) + _RANK_BITS[list(known)].sum()
        numbers = _table("board_numbers").take(keys & RANK_KEY_MASK)
        self._rank_cases, self._ranks = _cases(numbers, RANK_CASES)
        suits = _FLUSH_SUITS[keys >> SUIT_COUNT_SHIFT]
        # Case 0 of the suits is a board without three of any.
        self._suited = np.zeros(len(numbers), dtype=np.intp)
        self._suit_cases: list[Numbers] = []
        for suit in range(NO_SUIT):
            boards = np.flatnonzero(suits == suit)
            masks = bits[boards] >> 13 * suit & _SUIT_MASK
            cases, places = _cases(_table("suit_numbers").take(masks), SUIT_CASES)
            self._suited[boards] = 1 + sum(map(len, self._suit_cases)) + places
            self._suit_cases.append(cases)

    def __len__(self) -> int:
        return len(self._ranks)

    def strengths(self, rows: Sequence[Row]) -> Iterator[tuple[slice, Strengths]]:
        """What each row, of one, two or four cards, is worth on every board.

        Block by block of the boards: which they are, and an array of (rows, boards) that the next block
        writes over.
        """
        by_ranks, by_suits = self._by_ranks(rows), self._by_suits(rows)
        found, flushes = (np.empty((len(rows), min(BLOCK, len(self))), dtype=np.uint16) for _ in range(2))
        for start in range(0, len(self), BLOCK):
            block = slice(start, min(start + BLOCK, len(self)))
            size = block.stop - start
            for row in range(len(rows)):
                # Every place is in the table; without a mode, take would fill a copy of out first in case one is not.
                by_ranks[row].take(self._ranks[block], out=found[row, :size], mode="clip")
                by_suits[row].take(self._suited[block], out=flushes[row, :size], mode="clip")
            yield block, np.maximum(found[:, :size], flushes[:, :size], out=found[:, :size])

    def _by_ranks(self, rows: Sequence[Row]) -> Strengths:
        six, seven, omaha = (_table(name) for name in ("six", "seven", "omaha"))
        lines = six.reshape(-1, RANK_CODES), seven.reshape(-1, RANK_PAIRS), omaha.reshape(-1, RANK_PAIRS)
        return _look_up(rows, [table[self._rank_cases] for table in lines], _RANK_CODES, RANK_PAIR_NUMBERS)

    def _by_suits(self, rows: Sequence[Row]) -> Strengths:
        six, seven, omaha = (_table(f"flush_{name}") for name in ("six", "seven", "omaha"))
        lines = six.reshape(-1, SUIT_CODES), seven.reshape(-1, SUIT_PAIRS), omaha.reshape(-1, SUIT_PAIRS)
        parts = [np.zeros((len(rows), 1), dtype=np.uint16)]
        for suit, cases in enumerate(self._suit_cases):
            tables = [table[cases] for table in lines]
            parts.append(_look_up(rows, tables, CODES_IN_SUIT[suit], PAIR_NUMBERS_IN_SUIT[suit]))
        return np.hstack(parts)


def _look_up(
    rows: Sequence[Row], lines: Sequence[Strengths], codes: Sequence[int], pairs: Sequence[Sequence[int]]
) -> Strengths:
    """Each row in each line of the tables of six, seven and omaha: (rows, lines)."""
    six, seven, omaha = (table.T for table in lines)
    found = np.empty((len(rows), len(lines[0])), dtype=np.uint16)
    for number, row in enumerate(rows):
        if len(row) == 1:
            found[number] = six[codes[row[0]]]
        elif len(row) == 2:
            found[number] = seven[pairs[row[0]][row[1]]]
        else:
            omaha[[pairs[card][other] for card, other in combinations(row, 2)]].max(axis=0, out=found[number])
    return found


def _cases(numbers: Strengths, count: int) -> tuple[Numbers, Numbers]:
    """The lines of a table to look up for these boards, and each board's place among them."""
    if len(numbers) < count:
        return numbers.astype(np.intp), np.arange(len(numbers))
    return np.arange(count), numbers.astype(np.intp)


def _table(name: str) -> Strengths:
    table: Strengths = np.frombuffer(getattr(tables(), name), dtype=np.uint16)
    return table
