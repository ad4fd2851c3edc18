"""Counting what can still come: the subsets of the unseen cards, and how often two boards may both be so.

The subsets of a size are in colexicographic order: all of them below a card come before the first that holds
it. So those whose highest card is c are one run, which without c is the beginning of the order of the next
smaller size, and whatever adds up over cards is written run by run, without looking at single cards.
"""

from functools import lru_cache
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Flags = NDArray[np.bool_]
# A line a subset, a bit a property of it; 64 properties a word.
Bits = NDArray[np.uint64]
Counts = NDArray[np.int64]

WORD: Final = 64
# So many subsets of four cards at once: what is counted for them stays in a core's cache.
_BLOCK: Final = 2048


def sums(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The sum of the values of every subset of ``size`` cards, one of the subsets an entry; the empty one's is 0."""
    found = np.zeros(1, dtype=values.dtype)
    for smaller in range(size):
        found = np.concatenate([found[: comb(card, smaller)] + value for card, value in enumerate(values)])
    return found


def words_for(properties: int) -> int:
    """How many words a line of bits has."""
    return -(-properties // WORD)


def bits_of(flags: Flags) -> Bits:
    """Properties by subset, (properties, subsets), as a line of bits for every subset."""
    packed = np.zeros((words_for(len(flags)) * 8, flags.shape[1]), dtype=np.uint8)
    for bit in reversed(range(8)):
        lines = flags[bit::8].view(np.uint8)
        packed += packed
        packed[: len(lines)] |= lines
    return np.ascontiguousarray(packed.T).view(np.uint64)


def how_many(flags: Flags) -> Counts:
    """How many flags are set along the last axis: bits are counted much faster than booleans are added."""
    counts: Counts = np.bitwise_count(np.packbits(flags, axis=-1)).sum(axis=-1, dtype=np.int64)
    return counts


def disjoint_pairs(first: Bits, second: Bits, *, sizes: tuple[int, int], cards: int) -> Counts:
    """By property: how many pairs of subsets without a common card are there, both with the property?

    ``first`` has a line for every subset of ``sizes[0]`` of the ``cards``, ``second`` for every one of
    ``sizes[1]``. Exact, without looking at pairs: a pair that has k cards in common has as many common subsets
    of even size as of odd, unless k is 0. So it is the sum, over all sets T of cards, of (-1)^|T| times how
    many of the first contain T times how many of the second do (inclusion and exclusion).
    """
    same = second is first
    ours = [*_counts_by_size(first, sizes[0], cards), first]
    theirs = ours if same else [*_counts_by_size(second, sizes[1], cards), second]
    total = np.zeros(first.shape[1] * WORD, dtype=np.int64)
    for size in range(min(sizes) + 1):
        # Whole subsets that are common are those with the property, which the empty set has counted.
        whole = same and size == sizes[0] > 0
        total += (-1) ** size * (ours[0][0] if whole else _sum_of_products(ours[size], theirs[size]))
    return total


def _counts_by_size(bits: Bits, size: int, cards: int) -> list[NDArray[Any]]:
    """For sizes 0 to one less than ``size``: how many subsets contain each of that size, (subsets, properties)."""
    found: list[NDArray[Any]] = []
    for smaller in range(size - 1, -1, -1):
        places = _one_more(smaller, cards)
        if not found:
            found.append(_count_bits(bits, places))
        else:
            # Each is reached by way of every card that it has more.
            found.append(_add_lines(found[-1], places) // (size - smaller))
    return found[::-1]


def _add_lines(lines: NDArray[Any], places: Numbers) -> NDArray[np.int32]:
    added = np.zeros((places.shape[1], lines.shape[1]), dtype=np.int32)
    for start in range(0, len(added), _BLOCK // 4):
        block = added[start : start + _BLOCK // 4]
        for column in places[:, start : start + _BLOCK // 4]:
            block += lines.take(column, axis=0)
    return added


# Kept for the five sizes of two decks: 10 MB before the flop between two, and the half of what counting costs.
@lru_cache(maxsize=10)
def _one_more(size: int, cards: int) -> Numbers:
    """The places of all subsets with one card more than each of ``size``, (cards - size, subsets)."""
    members = np.empty((0, 1), dtype=np.int8)
    # By member and subset: the place of the subset without that member.
    without = np.empty((0, 1), dtype=np.int32)
    for smaller in range(size + 1):
        # A run ends with its highest card; the runs of a smaller size before that card are as many as these.
        runs = [comb(card, smaller) for card in range(cards)]
        highest = np.repeat(np.arange(cards, dtype=np.int8), runs)
        members = np.vstack([np.hstack([members[:, :run] for run in runs]), highest])
        without_highest = np.hstack([np.arange(run, dtype=np.int32) for run in runs])
        without = np.vstack([np.hstack([without[:, :run] + np.int32(run) for run in runs]), without_highest])
    places = np.empty((cards - size, comb(cards, size)), dtype=np.int32)
    numbers = np.arange(members.shape[1], dtype=np.int32)
    for below, (member, rest) in enumerate(zip(members, without, strict=True)):
        # Counted among the cards that the rest does not hold, the member stands lower by those below it.
        places[member - below, rest] = numbers
    return places


def _count_bits(bits: Bits, places: Numbers) -> NDArray[np.uint8]:
    """How many of the lines at ``places`` have each bit: (subsets, bits).

    The lines are added as numbers of one bit, 64 in a step: three of a weight make one of it and one of twice it.
    """
    subsets = places.shape[1]
    counts = np.empty((subsets, bits.shape[1] * WORD), dtype=np.uint8)
    for start in range(0, subsets, _BLOCK):
        waiting: list[list[Bits]] = [[] for _ in range(len(places).bit_length() + 1)]
        for column in places[:, start : start + _BLOCK]:
            waiting[0].append(bits.take(column, axis=0))
            for weight, lines in enumerate(waiting):
                if len(lines) < 3:
                    break
                one, other, third = lines
                unlike = one ^ other
                waiting[weight] = [unlike ^ third]
                waiting[weight + 1].append(one & other | unlike & third)
        block = counts[start : start + _BLOCK]
        block[...] = 0
        for weight, lines in enumerate(waiting):
            for line in lines:
                block += _unpacked(line) << np.uint8(weight)
    return counts


def _unpacked(bits: Bits) -> NDArray[np.uint8]:
    return np.unpackbits(np.ascontiguousarray(bits).view(np.uint8), axis=1, bitorder="little")


def _sum_of_products(ours: NDArray[Any], theirs: NDArray[Any]) -> Counts:
    """By property; in floats, which are exact up to 2^53: what a block adds up to stays far below."""
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(ours), _BLOCK)]
    products = [np.einsum("ij,ij->j", _numbers(ours[block]), _numbers(theirs[block])) for block in blocks]
    total: Counts = np.array(products).astype(np.int64).sum(axis=0)
    return total


def _numbers(lines: NDArray[Any]) -> NDArray[np.float64]:
    return (_unpacked(lines) if lines.dtype == np.uint64 else lines).astype(np.float64)
