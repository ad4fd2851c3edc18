"""What each row is worth on a board, looked up one hand at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from hands.scoring.tables import (
    BOARD_KEYS,
    CODES_IN_SUIT,
    FLUSH_SUITS,
    NO_SUIT,
    OFF_SUIT,
    PAIR_NUMBERS,
    RANK_CODES,
    RANK_KEY_MASK,
    RANK_PAIR_NUMBERS,
    RANK_PAIRS,
    SUIT_CODES,
    SUIT_COUNT_SHIFT,
    SUIT_PAIRS,
    tables,
)

# The strengths of top, middle and bottom.
RowStrengths = tuple[int, int, int]


@dataclass(frozen=True)
class Setup:
    """How one seat set its cards: numbers of cards, one, two and four of them."""

    top: tuple[int, ...]
    middle: tuple[int, ...]
    bottom: tuple[int, ...]


def row_strengths(boards: Sequence[Sequence[int]], setups: Sequence[Setup]) -> list[list[RowStrengths]]:
    """Strengths by board, seat and row. Boards of five cards and setups must have been checked.

    Top and middle are the best five of their cards and the board's; bottom is exactly two of its four cards
    and exactly three of the board's (the rules of Taiwanese Poker).
    """
    found = tables()
    # Which table entries a seat needs depends on its ranks alone, so it is found once for all boards.
    entries = []
    for setup in setups:
        (top,), (middle, other), (a, b, c, d) = setup.top, setup.middle, setup.bottom
        of_a, of_b = RANK_PAIR_NUMBERS[a], RANK_PAIR_NUMBERS[b]
        entries.append(
            (
                top >> 2,
                RANK_PAIR_NUMBERS[middle][other],
                of_a[b], of_a[c], of_a[d], of_b[c], of_b[d], RANK_PAIR_NUMBERS[c][d],
            )
        )  # fmt: skip
    strengths = []
    for board in boards:
        a, b, c, d, e = board
        key = BOARD_KEYS[a] + BOARD_KEYS[b] + BOARD_KEYS[c] + BOARD_KEYS[d] + BOARD_KEYS[e]
        number = found.board_numbers[key & RANK_KEY_MASK]
        six = found.six[number * RANK_CODES : (number + 1) * RANK_CODES]
        seven = found.seven[number * RANK_PAIRS : (number + 1) * RANK_PAIRS]
        omaha = found.omaha[number * RANK_PAIRS : (number + 1) * RANK_PAIRS]
        rows = [
            (six[top], seven[middle], max(omaha[ab], omaha[ac], omaha[ad], omaha[bc], omaha[bd], omaha[cd]))
            for top, middle, ab, ac, ad, bc, bd, cd in entries
        ]
        suit = FLUSH_SUITS[key >> SUIT_COUNT_SHIFT]
        if suit != NO_SUIT:
            rows = _with_flushes(rows, board, suit, setups)
        strengths.append(rows)
    return strengths


def _with_flushes(
    rows: list[RowStrengths], board: Sequence[int], suit: int, setups: Sequence[Setup]
) -> list[RowStrengths]:
    """The rows' strengths where a flush in the suit, which three or more of the board have, is stronger."""
    found = tables()
    codes = CODES_IN_SUIT[suit]
    mask = 0
    for card in board:
        if card & 3 == suit:
            mask |= 1 << (card >> 2)
    number = found.suit_numbers[mask]
    six, pairs = number * SUIT_CODES, number * SUIT_PAIRS
    flush_six, flush_seven, flush_omaha = found.flush_six, found.flush_seven, found.flush_omaha
    better = []
    for (top, middle, bottom), setup in zip(rows, setups, strict=True):
        flush = flush_six[six + codes[setup.top[0]]]
        if flush > top:
            top = flush
        first, second = setup.middle
        flush = flush_seven[pairs + PAIR_NUMBERS[codes[first]][codes[second]]]
        if flush > middle:
            middle = flush
        suited = [code for card in setup.bottom if (code := codes[card]) != OFF_SUIT]
        for place, code in enumerate(suited):
            for other in suited[:place]:
                flush = flush_omaha[pairs + PAIR_NUMBERS[code][other]]
                if flush > bottom:
                    bottom = flush
        better.append((top, middle, bottom))
    return better
