"""Where the strength of three and of five cards is looked up, and what jokers can make of a row.

Cards of one suit are looked up by the set of their ranks, all others by the sum of their rank keys (see
hands.scoring.tables), of which every multiset of ranks has one of its own. A joker may be any card that is not one
of the row's others, so for every set of natural cards all that jokers can make of it is listed, weakest first: the
strongest reading that a stronger row allows is then found by bisection.
"""

from __future__ import annotations  # array takes its [int] at run time only from Python 3.12 on

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from hands.scoring.cards import DECK
from hands.scoring.chinese.strength import STRONGEST, classes
from hands.scoring.strength import FLUSH, STRAIGHT_FLUSH
from hands.scoring.tables import RANK_KEY_LIMIT, RANK_KEYS

# By card, with 0 for a joker: what it adds to the key of its row.
CARD_KEYS: Final = (*(RANK_KEYS[card >> 2] for card in range(DECK)), 0, 0)
THREE: Final = 3
FIVE: Final = 5
_ALIKE: Final = 4

Readings = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Tables:
    """Strengths by key: ``threes``, and ``fives`` that are not of one suit; by mask of ranks: ``flushes``."""

    threes: array[int]
    fives: array[int]
    flushes: array[int]


@cache
def tables() -> Tables:
    """The tables, built by the first call (about 10 ms) and kept."""
    threes, fives = (array("H", bytes(2 * RANK_KEY_LIMIT)) for _ in range(2))
    flushes = array("H", bytes(2 << 13))
    for strength, (number, ranks) in enumerate(classes(), start=1):
        if number in (FLUSH, STRAIGHT_FLUSH):
            flushes[_mask(ranks)] = strength
        else:
            (threes if len(ranks) == THREE else fives)[_key(ranks)] = strength
    return Tables(threes, fives, flushes)


@cache
def readings(size: int, jokers: int) -> Readings:
    """What so many jokers make of the other cards of a row of that size, by their key; none of it a flush."""
    table = tables().threes if size == THREE else tables().fives
    choices = list(combinations_with_replacement(range(13), jokers))
    return {
        _key(naturals): _rising(
            table[_key((*naturals, *played))]
            for played in choices
            if max(Counter((*naturals, *played)).values()) <= _ALIKE
        )
        for naturals in combinations_with_replacement(range(13), size - jokers)
    }


@cache
def suited_readings(jokers: int) -> Readings:
    """The flushes that so many jokers make of cards of one suit, by the mask of their ranks."""
    flushes = tables().flushes
    return {
        _mask(naturals): _rising(
            flushes[_mask((*naturals, *played))]
            for played in combinations([rank for rank in range(13) if rank not in naturals], jokers)
        )
        for naturals in combinations(range(13), FIVE - jokers)
    }


def strongest_reading(row: Sequence[int], most: int = STRONGEST) -> int:
    """The strength of three or five cards, jokers being read as strong as ``most`` allows; 0 where nothing is."""
    if max(row) >= DECK:
        return _read_jokers(row, most)
    found = tables()
    if len(row) == THREE:
        first, second, third = row
        strength = found.threes[CARD_KEYS[first] + CARD_KEYS[second] + CARD_KEYS[third]]
    else:
        a, b, c, d, e = row
        if a & 3 == b & 3 == c & 3 == d & 3 == e & 3:
            strength = found.flushes[1 << (a >> 2) | 1 << (b >> 2) | 1 << (c >> 2) | 1 << (d >> 2) | 1 << (e >> 2)]
        else:
            strength = found.fives[CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c] + CARD_KEYS[d] + CARD_KEYS[e]]
    return strength if strength <= most else 0


def _read_jokers(row: Sequence[int], most: int) -> int:
    naturals = [card for card in row if card < DECK]
    jokers = len(row) - len(naturals)
    found = _last(readings(len(row), jokers)[sum(CARD_KEYS[card] for card in naturals)], most)
    if len(row) == FIVE and len({card & 3 for card in naturals}) == 1:
        suited = suited_readings(jokers)[_mask(card >> 2 for card in naturals)]
        found = max(found, _last(suited, most))
    return found


def _last(strengths: Sequence[int], most: int) -> int:
    place = bisect_right(strengths, most)
    return strengths[place - 1] if place else 0


def _rising(strengths: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(strengths)))


def _key(ranks: Iterable[int]) -> int:
    return sum(RANK_KEYS[rank] for rank in ranks)


def _mask(ranks: Iterable[int]) -> int:
    return sum(1 << rank for rank in ranks)
