"""Where every row's strength is looked up.

All rows on a board share its five cards, so the tables are indexed by the board's ranks (6,175 multisets) and
by the row's; a second set, indexed by which ranks of a suit the board holds, serves flushes. One set serves
the single hand (plain indexing) and the batch (numpy views of the same memory). Built once, at first use.

A rank code is 0 to 12 for 2 to ace, 13 for a joker; in the flush tables a card that is not of the suit is 14.
A pair of codes has one number, whatever their order: ``PAIR_NUMBERS``. A joker's entries are the best over
the cards that it may be, so a joker costs nothing when a row is looked up.
"""

from __future__ import annotations  # array takes its [int] at run time only from Python 3.12 on

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from hands.scoring.cards import DECK, JOKER_RANK, JOKERS
from hands.scoring.strength import STRONGEST

CARDS: Final = DECK + len(JOKERS)
RANK_CODES: Final = 14
OFF_SUIT: Final = 14
SUIT_CODES: Final = 15
RANK_PAIRS: Final = RANK_CODES * (RANK_CODES + 1) // 2
SUIT_PAIRS: Final = SUIT_CODES * (SUIT_CODES + 1) // 2

# The smallest numbers for which the sums of up to five of them, at most four alike, are all different: a
# board's ranks have one key, which costs four additions and no sorting.
RANK_KEYS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
# Three bits a suit count a hand's cards of it; a joker counts for all four suits.
SUIT_COUNTS: Final = tuple(
    sum(1 << 3 * suit for suit in range(4) if card >= DECK or card & 3 == suit) for card in range(CARDS)
)
# A board's key is the sum of its cards': the key of its ranks, and above that its suit counts.
SUIT_COUNT_SHIFT: Final = 19
RANK_KEY_MASK: Final = (1 << SUIT_COUNT_SHIFT) - 1
RANK_KEY_LIMIT: Final = 4 * RANK_KEYS[-1] + RANK_KEYS[-2] + 1
BOARD_KEYS: Final = tuple(RANK_KEYS[card >> 2] + (SUIT_COUNTS[card] << SUIT_COUNT_SHIFT) for card in range(DECK))
NO_SUIT: Final = 4
# By the suit counts of a board: the suit that three or more of its cards have.
FLUSH_SUITS: Final = bytes(
    next((suit for suit in range(4) if counts >> 3 * suit & 7 >= 3), NO_SUIT) for counts in range(1 << 12)
)


def _pair_number(first: int, second: int) -> int:
    low, high = sorted((first, second))
    return high * (high + 1) // 2 + low


def _suit_code(suit: int, card: int) -> int:
    if card in JOKERS:
        return JOKER_RANK
    return card >> 2 if card & 3 == suit else OFF_SUIT


def _pair_numbers(codes: Sequence[int]) -> tuple[bytes, ...]:
    """By two cards: the number of their pair of codes."""
    return tuple(bytes(PAIR_NUMBERS[first][second] for second in codes) for first in codes)


PAIR_NUMBERS: Final = tuple(
    bytes(_pair_number(first, second) for second in range(SUIT_CODES)) for first in range(SUIT_CODES)
)
RANK_PAIR_NUMBERS: Final = _pair_numbers([card >> 2 for card in range(CARDS)])
# By suit and card: the code in the flush tables; by suit and two cards: the number of their pair of codes.
CODES_IN_SUIT: Final = tuple(bytes(_suit_code(suit, card) for card in range(CARDS)) for suit in range(4))
PAIR_NUMBERS_IN_SUIT: Final = tuple(_pair_numbers(codes) for codes in CODES_IN_SUIT)


@dataclass(frozen=True)
class Tables:
    """Flat tables of unsigned 16-bit numbers; strengths are 1 to 7,462, and 0 is "no such hand".

    By rank: ``board_numbers[key]`` is a board's number n; ``six[n * 14 + code]`` the best of the board and
    one card, ``seven[n * 105 + pair]`` of the board and two, ``omaha[n * 105 + pair]`` of exactly three of
    the board and exactly two. By suit, for boards with three or more of one: ``suit_numbers[mask]`` is the
    number n of the ranks that the board has in it; ``flush_six[n * 15 + code]``, ``flush_seven[n * 120 +
    pair]`` and ``flush_omaha[n * 120 + pair]`` likewise, flushes and straight flushes alone. A row's strength
    is the higher of both.
    """

    board_numbers: array[int]
    six: array[int]
    seven: array[int]
    omaha: array[int]
    suit_numbers: array[int]
    flush_six: array[int]
    flush_seven: array[int]
    flush_omaha: array[int]


@cache
def tables() -> Tables:
    """The tables, built by the first call (about 0.2 s) and kept: 7 MB."""
    # Imported here, so that whoever only reads cards or rules does not wait for numpy.
    from hands.scoring.build_tables import build_tables

    return build_tables()


@cache
def omaha_lines() -> tuple[tuple[int, ...], ...]:
    """The omaha table as a tuple a board, for the single hand, which looks up most of its numbers there.

    A tuple hands out a number that exists, where an array makes a new one at every look: a third faster.
    Equal strengths are one object here, so this is 5 MB of pointers.
    """
    strengths = tuple(range(STRONGEST + 1))
    omaha = tables().omaha
    return tuple(
        tuple(map(strengths.__getitem__, omaha[line : line + RANK_PAIRS])) for line in range(0, len(omaha), RANK_PAIRS)
    )
