"""How the tables are worked out, with numpy, from the order of the 7,462 classes.

Everything starts from hands of exactly five cards, where the joker's rule is simple: it may be any card that
is not one of the other four. So among ranks it is any of which the hand would not hold five, and within a
suit any that the hand does not hold yet; jokers are settled there, and the rest is "the best of several
fives".
"""

from __future__ import annotations  # array takes its [int] at run time only from Python 3.12 on

from array import array
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from hands.scoring.cards import JOKER_RANK
from hands.scoring.strength import FLUSH, LAST_STRENGTHS, STRAIGHT_FLUSH, classes
from hands.scoring.tables import (
    PAIR_NUMBERS,
    RANK_CODES,
    RANK_KEY_LIMIT,
    RANK_KEYS,
    RANK_PAIRS,
    SUIT_CODES,
    SUIT_PAIRS,
    Tables,
)

Strengths = NDArray[np.uint16]
Numbers = NDArray[np.intp]

_KEYS = np.array(RANK_KEYS, dtype=np.intp)
_MASKS = 1 << 13
_PAIRS_OF_RANKS = [(low, high) for high in range(13) for low in range(high + 1)]


def build_tables() -> Tables:
    """Work out all tables: see Tables for what they hold and how they are indexed."""
    fives, flushes = _fives_by_key_and_mask()
    board_numbers, six, seven, omaha = _rank_tables(fives)
    suit_numbers, flush_six, flush_seven, flush_omaha = _flush_tables(flushes)
    return Tables(
        board_numbers=_flat(board_numbers),
        six=_flat(six),
        seven=_flat(seven),
        omaha=_flat(omaha),
        suit_numbers=_flat(suit_numbers),
        flush_six=_flat(flush_six),
        flush_seven=_flat(flush_seven),
        flush_omaha=_flat(flush_omaha),
    )


def _flat(table: Strengths) -> array[int]:
    return array("H", table.astype(np.uint16).tobytes())


def _fives_by_key_and_mask() -> tuple[Strengths, Strengths]:
    """Strengths of five cards: not of one suit, by the sum of their rank keys; of one suit, by rank mask."""
    fives = np.zeros(RANK_KEY_LIMIT, dtype=np.uint16)
    flushes = np.zeros(_MASKS, dtype=np.uint16)
    suited = {
        *range(LAST_STRENGTHS[FLUSH - 1] + 1, LAST_STRENGTHS[FLUSH] + 1),
        *range(LAST_STRENGTHS[STRAIGHT_FLUSH - 1] + 1, LAST_STRENGTHS[STRAIGHT_FLUSH] + 1),
    }
    for strength, ranks in enumerate(classes(), start=1):
        if strength in suited:
            flushes[sum(1 << rank for rank in ranks)] = strength
        else:
            fives[sum(RANK_KEYS[rank] for rank in ranks)] = strength
    return fives, flushes


def _rank_tables(fives: Strengths) -> tuple[Strengths, Strengths, Strengths, Strengths]:
    boards = _multisets(5)
    boards = boards[boards[:, 0] != boards[:, 4]]  # no rank has five cards
    numbers = np.zeros(RANK_KEY_LIMIT, dtype=np.uint16)
    numbers[_KEYS[boards].sum(axis=1)] = np.arange(len(boards))
    board = fives[_KEYS[boards].sum(axis=1)]

    fours, four_numbers = _multisets(4), _numbering(4)
    with_one = _with_one(fives, fours)
    one = _best_of_parts(with_one, boards, four_numbers)
    six = np.maximum(one, board[:, None])

    threes, three_numbers = _multisets(3), _numbering(3)
    with_two = _with_two(fives, threes)
    omaha = _best_of_parts(with_two, boards, three_numbers)
    seven = _best_with_two(omaha, six)
    return numbers, six, seven, omaha


def _with_one(fives: Strengths, fours: Numbers) -> Strengths:
    """Strengths of four cards of the board and one of the row: a line per four, a column per rank code."""
    table = np.zeros((len(fours), RANK_CODES), dtype=np.uint16)
    for rank in range(13):
        possible = (fours == rank).sum(axis=1) + 1 <= 4
        keys = _KEYS[fours].sum(axis=1) + _KEYS[rank]
        table[possible, rank] = fives[keys[possible]]
    table[:, JOKER_RANK] = table.max(axis=1)
    return table


def _with_two(fives: Strengths, threes: Numbers) -> Strengths:
    """Strengths of three cards of the board and two of the row: a line per three, a column per pair."""
    table = np.zeros((len(threes), RANK_PAIRS), dtype=np.uint16)
    for low, high in _PAIRS_OF_RANKS:
        possible = ((threes == low).sum(axis=1) + 1 + (low == high) <= 4) & (
            (threes == high).sum(axis=1) + 1 + (low == high) <= 4
        )
        keys = _KEYS[threes].sum(axis=1) + _KEYS[low] + _KEYS[high]
        table[possible, PAIR_NUMBERS[low][high]] = fives[keys[possible]]
    _fill_in_jokers(table)
    return table


def _fill_in_jokers(table: Strengths) -> None:
    """The best card for a joker beside each rank, then the best two for two jokers."""
    for rank in (*range(13), JOKER_RANK):
        choices = [PAIR_NUMBERS[rank][joker] for joker in range(13)]
        table[:, PAIR_NUMBERS[rank][JOKER_RANK]] = table[:, choices].max(axis=1)


def _best_with_two(two: Strengths, one_or_none: Strengths) -> Strengths:
    """Two, one or none of the row's two cards: the best of the three, by number of the pair."""
    best = two.copy()
    codes = one_or_none.shape[1]
    for high in range(codes):
        for low in range(high + 1):
            pair = PAIR_NUMBERS[low][high]
            for code in (low, high):
                np.maximum(best[:, pair], one_or_none[:, code], out=best[:, pair])
    return best


def _multisets(size: int) -> Numbers:
    return np.array(list(combinations_with_replacement(range(13), size)), dtype=np.intp)


def _numbering(size: int) -> Numbers:
    """The place of a multiset in _multisets, by its ranks in rising order."""
    numbers = np.zeros((13,) * size, dtype=np.intp)
    numbers[tuple(_multisets(size).T)] = np.arange(len(_multisets(size)))
    return numbers


def _best_of_parts(table: Strengths, boards: Numbers, numbers: Numbers) -> Strengths:
    """For every board the best line of the table among its parts (all its threes, or all its fours)."""
    parts = [tuple(boards[:, part].T) for part in map(list, combinations(range(5), numbers.ndim))]
    best: Strengths = table[numbers[parts[0]]]
    for part in parts[1:]:
        np.maximum(best, table[numbers[part]], out=best)
    return best


def _flush_tables(flushes: Strengths) -> tuple[Strengths, Strengths, Strengths, Strengths]:
    masks = [_mask(ranks) for size in (3, 4, 5) for ranks in combinations(range(13), size)]
    numbers = np.zeros(_MASKS, dtype=np.uint16)
    numbers[masks] = np.arange(len(masks))

    one = _suited_with_one(flushes)
    six = np.stack([one[_parts(mask, 4)].max(axis=0, initial=0) for mask in masks])
    np.maximum(six, flushes[masks][:, None], out=six)

    two = _suited_with_two(flushes)
    omaha = np.stack([two[_parts(mask, 3)].max(axis=0) for mask in masks])
    return numbers, six, _best_with_two(omaha, six), omaha


def _suited_with_one(flushes: Strengths) -> Strengths:
    """Strengths of four suited ranks and one card of the row: a line per mask, a column per code."""
    table = np.zeros((_MASKS, SUIT_CODES), dtype=np.uint16)
    masks = np.arange(_MASKS)
    for rank in range(13):
        # Where the mask holds the rank already, four ranks stay four, which is no flush and 0.
        table[:, rank] = flushes[masks | 1 << rank]
    table[:, JOKER_RANK] = table[:, :13].max(axis=1)
    return table


def _suited_with_two(flushes: Strengths) -> Strengths:
    """Likewise of three suited ranks and two cards of the row: a column per pair of codes."""
    table = np.zeros((_MASKS, SUIT_PAIRS), dtype=np.uint16)
    masks = np.arange(_MASKS)
    for low, high in _PAIRS_OF_RANKS:
        table[:, PAIR_NUMBERS[low][high]] = flushes[masks | 1 << low | 1 << high]
    _fill_in_jokers(table)
    return table


def _mask(ranks: tuple[int, ...]) -> int:
    return sum(1 << rank for rank in ranks)


def _parts(mask: int, size: int) -> list[int]:
    ranks = [rank for rank in range(13) if mask >> rank & 1]
    return [_mask(part) for part in combinations(ranks, size)]
