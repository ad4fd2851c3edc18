"""Many hands of Taiwanese Poker at once, in numpy: the same tables and the same rules as hand by hand.

Hands go through in blocks that fit a core's cache, in buffers made once a call; in a block the last axis of
every array is the hand, so that each step is one pass over memory.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hands.scoring.cards import DECK
from hands.scoring.tables import (
    BOARD_KEYS,
    FLUSH_SUITS,
    NO_SUIT,
    OFF_SUIT,
    RANK_CODES,
    RANK_KEY_MASK,
    RANK_PAIRS,
    SUIT_CODES,
    SUIT_COUNT_SHIFT,
    SUIT_PAIRS,
    tables,
)
from hands.scoring.taiwanese.rules import BOARD_SIZE, ROWS, SETUP_SIZE, Rules
from hands.scoring.taiwanese.score import royalty_tables, set_values

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.intp]
Strengths = NDArray[np.uint16]
Points = NDArray[np.int32]

# 8,192 hands would be half as fast: they no longer fit, and the time goes into page faults.
BLOCK: Final = 4096

# A setup's seven cards are top, middle, bottom; these are the places of its pairs, the middle's first.
_PAIRS: Final = ((1, 2), *combinations(range(3, SETUP_SIZE), 2))
_FIRSTS: Final = [first for first, _ in _PAIRS]
_SECONDS: Final = [second for _, second in _PAIRS]

_KEYS: Final = np.array(BOARD_KEYS, dtype=np.intp)
_RANK_BITS: Final = 1 << np.arange(13)
_FLUSH_SUITS: Final = np.frombuffer(FLUSH_SUITS, dtype=np.uint8)


def net_points(boards: Bytes, setups: Bytes, rules: Rules) -> Points:
    """Each seat's points in each hand: an array of (hands, seats).

    ``boards`` are numbers of cards, (hands, boards, 5); ``setups`` are (hands, seats, 7), the seven being top,
    middle, bottom. All hands have the same number of seats and must have passed the check; nothing but the
    shapes is checked here. Raises ValueError for a shape that the rules cannot have.
    """
    hands, seats = setups.shape[:2]
    if boards.shape != (hands, rules.boards, BOARD_SIZE) or setups.shape != (hands, seats, SETUP_SIZE):
        raise ValueError(f"Boards of shape {boards.shape} and setups of {setups.shape} are no hands.")
    net = np.empty((hands, seats), dtype=np.int32)
    block = _Block(min(BLOCK, hands), seats, rules)
    for start in range(0, hands, BLOCK):
        stop = min(start + BLOCK, hands)
        net[start:stop] = block.fitting(stop - start).net_points(boards[start:stop], setups[start:stop]).T
    return net


def pair_results(boards: Bytes, setups: Bytes, rules: Rules) -> tuple[NDArray[np.int8], Points]:
    """How the seats stand to each other, pair by pair: (0, 1), (0, 2) ... in order, as `score` has them.

    Takes what `net_points` takes. Gives the rows, an array of (hands, pairs, rows of board 1, then 2) with 1 where
    the pair's first seat won, -1 where it lost and 0 for a tie; and the first seat's points, (hands, pairs).
    """
    hands, seats = setups.shape[:2]
    pairs = seats * (seats - 1) // 2
    rows = np.empty((hands, pairs, len(ROWS) * rules.boards), dtype=np.int8)
    points = np.empty((hands, pairs), dtype=np.int32)
    block = _Block(min(BLOCK, hands), seats, rules)
    for start in range(0, hands, BLOCK):
        stop = min(start + BLOCK, hands)
        fitting = block.fitting(stop - start)
        fitting.pair_results(boards[start:stop], setups[start:stop], rows[start:stop], points[start:stop])
    return rows, points


class _Block:
    """The buffers for up to ``size`` hands, and the steps from cards to points."""

    def __init__(self, size: int, seats: int, rules: Rules) -> None:
        found = tables()
        self._tables = {
            name: np.frombuffer(getattr(found, name), dtype=np.uint16) for name in found.__dataclass_fields__
        }
        self._size, self._seats, self._rules = size, seats, rules
        self._values = _pair_points(rules)
        self._cards = np.empty((SETUP_SIZE, seats, size), dtype=np.uint8)
        self._pairs = np.empty((len(_PAIRS), seats, size), dtype=np.intp)
        self._places = np.empty((len(_PAIRS), seats, size), dtype=np.intp)
        self._found = np.empty((len(_PAIRS), seats, size), dtype=np.uint16)
        self._strengths = np.empty((len(ROWS) * rules.boards, seats, size), dtype=np.uint16)
        self._net = np.empty((seats, size), dtype=np.int32)

    def fitting(self, hands: int) -> "_Block":
        """This block, or one for the fewer hands that are left at the end."""
        if hands < self._size:
            return _Block(hands, self._seats, self._rules)
        return self

    def net_points(self, boards: Bytes, setups: Bytes) -> Points:
        """Points by seat and hand; the array is the block's own and is written over by the next call."""
        self._look_up(boards, setups)
        self._add_up()
        return self._net

    def pair_results(self, boards: Bytes, setups: Bytes, rows: NDArray[np.int8], points: Points) -> None:
        """Write every pair's rows and points into the two arrays."""
        self._look_up(boards, setups)
        for place, (seat, other) in enumerate(combinations(range(self._seats), 2)):
            ours, theirs = self._strengths[:, seat], self._strengths[:, other]
            rows[:, place] = ((ours > theirs).view(np.int8) - (ours < theirs).view(np.int8)).T
            points[:, place] = self._values[_sets(ours >= theirs, ours <= theirs)]
        for place, royalties in self._royalties():
            points[:, place] += royalties

    def _look_up(self, boards: Bytes, setups: Bytes) -> None:
        np.copyto(self._cards, setups.transpose(2, 1, 0))
        codes = _codes(self._cards)
        self._pairs[...] = _pair_numbers(codes)
        tops = codes[0].astype(np.intp)
        for number in range(self._rules.boards):
            board = np.ascontiguousarray(boards[:, number].T)
            strengths = self._strengths[len(ROWS) * number : len(ROWS) * (number + 1)]
            self._look_up_rows(board, tops, strengths)

    def _look_up_rows(self, board: Bytes, tops: Numbers, strengths: Strengths) -> None:
        keys = _KEYS[board].sum(axis=0)
        numbers = self._tables["board_numbers"][keys & RANK_KEY_MASK].astype(np.intp)
        _take(self._tables["six"], tops + numbers * RANK_CODES, strengths[0])
        np.add(self._pairs, numbers * RANK_PAIRS, out=self._places)
        _take(self._tables["seven"], self._places[0], strengths[1])
        _take(self._tables["omaha"], self._places[1:], self._found[1:])
        np.max(self._found[1:], axis=0, out=strengths[2])
        suits = _FLUSH_SUITS[keys >> SUIT_COUNT_SHIFT]
        flush_hands = np.flatnonzero(suits != NO_SUIT)
        if len(flush_hands):
            flushes = self._look_up_flushes(board.take(flush_hands, axis=1), suits[flush_hands], flush_hands)
            for row, flush in zip(strengths, flushes, strict=True):
                row[:, flush_hands] = np.maximum(row.take(flush_hands, axis=1), flush)

    def _look_up_flushes(self, board: Bytes, suits: Bytes, hands: Numbers) -> tuple[Strengths, ...]:
        """Strengths of top, middle and bottom in the suit, for the hands whose board has three or more of it."""
        masks = (_RANK_BITS[board >> 2] * (board & 3 == suits)).sum(axis=0)
        numbers = self._tables["suit_numbers"][masks].astype(np.intp)
        cards = self._cards.take(hands, axis=2)
        codes = _codes(cards)
        np.putmask(codes, (cards & 3 != suits) & (cards < DECK), OFF_SUIT)
        shape = (len(_PAIRS), self._seats, len(hands))
        # The buffers are full blocks; a part of each, seen as one, has room for fewer hands.
        places = self._places.reshape(-1)[: np.prod(shape)].reshape(shape)
        found = self._found.reshape(-1)[: np.prod(shape)].reshape(shape)
        np.add(_pair_numbers(codes), numbers * SUIT_PAIRS, out=places)
        _take(self._tables["flush_seven"], places[0], found[0])
        _take(self._tables["flush_omaha"], places[1:], found[1:])
        top = self._tables["flush_six"].take(codes[0] + numbers * SUIT_CODES)
        return top, found[0], found[1:].max(axis=0)

    def _add_up(self) -> None:
        self._net[...] = 0
        for seat in range(self._seats - 1):
            ours, theirs = self._strengths[:, seat, None], self._strengths[:, seat + 1 :]
            points = self._values[_sets(ours >= theirs, ours <= theirs)]
            self._net[seat] += points.sum(axis=0, dtype=np.int32)
            self._net[seat + 1 :] -= points
        pairs = list(combinations(range(self._seats), 2))
        for place, royalties in self._royalties():
            seat, other = pairs[place]
            self._net[seat] += royalties
            self._net[other] -= royalties

    def _royalties(self) -> Iterator[tuple[int, Points]]:
        """A pair's place and its royalties, netted for the first seat, once for every row; none without a table."""
        if self._rules.royalties is None:
            return
        for place, strengths in enumerate(self._strengths):
            row = place % len(ROWS)
            for pair, (seat, other) in enumerate(combinations(range(self._seats), 2)):
                yield pair, royalty_points(strengths[seat], strengths[other], row=row, rules=self._rules)


def royalty_points(ours: Strengths, theirs: Strengths, *, row: int, rules: Rules) -> Points:
    """What a row (0 for top) gets in royalties from another, by strengths; the rules must have royalties."""
    royalties = _royalty_arrays(rules)[row]
    our, their = royalties[ours], royalties[theirs]
    if rules.royalties_paid == "winner":
        our, their = our * (ours > theirs), their * (theirs > ours)
    points: Points = our - their
    return points


@lru_cache(maxsize=256)
def _royalty_arrays(rules: Rules) -> tuple[Points, ...]:
    return tuple(np.array(table, dtype=np.int32) for table in royalty_tables(rules) or ())


def _codes(cards: Bytes) -> Bytes:
    return cards >> np.uint8(2)


def _take(table: Strengths, places: Numbers, out: Strengths) -> None:
    # Every place is in the table; without a mode, take would fill a copy of out first in case one is not.
    table.take(places, out=out, mode="clip")


def _pair_numbers(codes: Bytes) -> Bytes:
    """PAIR_NUMBERS of a setup's pairs, by arithmetic: it stays within a byte, and is faster than a look-up."""
    firsts, seconds = codes[_FIRSTS], codes[_SECONDS]
    high = np.maximum(firsts, seconds)
    numbers: Bytes = np.minimum(firsts, seconds)
    numbers += (high * (high + 1)) >> 1
    return numbers


def _sets(not_weaker: NDArray[np.bool_], not_stronger: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """Two sets of rows as one number: a bit for each row in which a seat is not weaker, then not stronger."""
    sets = np.zeros(not_weaker.shape[1:], dtype=np.uint16)
    for rows in (not_weaker, not_stronger):
        for row in rows:
            sets += sets
            sets += row
    return sets


def _pair_points(rules: Rules) -> NDArray[np.int16]:
    """A pair's points by _sets."""
    values = np.array(set_values(rules), dtype=np.int16)
    return (values[:, None] - values).reshape(-1)
