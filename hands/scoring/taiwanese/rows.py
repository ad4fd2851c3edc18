"""What each row is worth on a board, looked up one hand at a time.

Written for speed, so the look-ups stand in line: a six-seat hand is 36 rows, of which every one counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from hands.scoring.tables import (
    BOARD_KEYS,
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
    SUIT_COUNTS,
    SUIT_PAIRS,
    omaha_lines,
    tables,
)

# The strengths of top, middle and bottom.
RowStrengths = tuple[int, int, int]

# The strengths of a seat's rows on a board, side by side in one number: top, middle, bottom. A spare bit above
# each lets a single subtraction compare all rows of two seats.
FIELD_BITS: Final = 14
SPARE_BIT: Final = 1 << (FIELD_BITS - 1)
BOARD_BITS: Final = 3 * FIELD_BITS
_TOP_SHIFT: Final = 2 * FIELD_BITS
_MIDDLE_SHIFT: Final = FIELD_BITS


@dataclass(frozen=True, slots=True)
class Setup:
    """How one seat set its cards: numbers of cards, one, two and four of them."""

    top: tuple[int, ...]
    middle: tuple[int, ...]
    bottom: tuple[int, ...]

    # Not fields: what setups of other games say besides, which here nobody does.
    discards: ClassVar[tuple[int, ...]] = ()
    fantasyland: ClassVar[int] = 0
    surrendered: ClassVar[bool] = False


# How flushes are looked up on a board with three or more of a suit: three times the suit, how many of it the
# board has, the codes and pair numbers of cards in it, and where the board's lines in the tables begin.
_Flush = tuple[int, int, Sequence[int], Sequence[Sequence[int]], int, int]
# A board as it is looked up: where its lines of six and seven begin, its line of omaha, and its flushes.
_Board = tuple[int, int, Sequence[int], _Flush | None]


def packed_strengths(boards: Sequence[Sequence[int]], setups: Sequence[Setup]) -> list[int]:
    """Each seat's strengths on all boards, packed; board 1 lies highest. The cards must have been checked.

    Top and middle are the best five of their cards and the board's; bottom is exactly two of its four cards
    and exactly three of the board's (the rules of Taiwanese Poker).
    """
    found = tables()
    six, seven = found.six, found.seven
    flush_six, flush_seven, flush_omaha = found.flush_six, found.flush_seven, found.flush_omaha
    looked_up = [_look_up(board) for board in boards]
    packed = []
    for setup in setups:
        (single,), (one, other), (a, b, c, d) = setup.top, setup.middle, setup.bottom
        of_a, of_b, cd = RANK_PAIR_NUMBERS[a], RANK_PAIR_NUMBERS[b], RANK_PAIR_NUMBERS[c][d]
        ab, ac, ad, bc, bd = of_a[b], of_a[c], of_a[d], of_b[c], of_b[d]
        rank, pair = single >> 2, RANK_PAIR_NUMBERS[one][other]
        strengths = 0
        for six_line, seven_line, omaha, flush in looked_up:
            top = six[six_line + rank]
            middle = seven[seven_line + pair]
            bottom = max(omaha[ab], omaha[ac], omaha[ad], omaha[bc], omaha[bd], omaha[cd])
            if flush:
                shift, on_board, codes, pairs, code_line, pair_line = flush
                if on_board > 3:
                    top = max(top, flush_six[code_line + codes[single]])
                # Most rows have not two cards of the suit, so that is asked before anything is looked up.
                if on_board > 3 or SUIT_COUNTS[one] + SUIT_COUNTS[other] >> shift & 7 == 2:
                    middle = max(middle, flush_seven[pair_line + pairs[one][other]])
                if SUIT_COUNTS[a] + SUIT_COUNTS[b] + SUIT_COUNTS[c] + SUIT_COUNTS[d] >> shift & 7 >= 2:
                    suit_a, suit_b = pairs[a], pairs[b]
                    bottom = max(
                        bottom,
                        flush_omaha[pair_line + suit_a[b]],
                        flush_omaha[pair_line + suit_a[c]],
                        flush_omaha[pair_line + suit_a[d]],
                        flush_omaha[pair_line + suit_b[c]],
                        flush_omaha[pair_line + suit_b[d]],
                        flush_omaha[pair_line + pairs[c][d]],
                    )
            strengths = strengths << BOARD_BITS | top << _TOP_SHIFT | middle << _MIDDLE_SHIFT | bottom
        packed.append(strengths)
    return packed


def unpack_strengths(packed: int, boards: int) -> tuple[RowStrengths, ...]:
    """The strengths of a seat's rows, by board."""
    mask = SPARE_BIT - 1
    return tuple(
        (packed >> shift + _TOP_SHIFT & mask, packed >> shift + _MIDDLE_SHIFT & mask, packed >> shift & mask)
        for shift in range((boards - 1) * BOARD_BITS, -1, -BOARD_BITS)
    )


def _look_up(board: Sequence[int]) -> _Board:
    a, b, c, d, e = board
    key = BOARD_KEYS[a] + BOARD_KEYS[b] + BOARD_KEYS[c] + BOARD_KEYS[d] + BOARD_KEYS[e]
    number = tables().board_numbers[key & RANK_KEY_MASK]
    counts = key >> SUIT_COUNT_SHIFT
    suit = FLUSH_SUITS[counts]
    flush = None if suit == NO_SUIT else _look_up_flush(board, suit, counts)
    return number * RANK_CODES, number * RANK_PAIRS, omaha_lines()[number], flush


def _look_up_flush(board: Sequence[int], suit: int, counts: int) -> _Flush:
    mask = 0
    for card in board:
        if card & 3 == suit:
            mask |= 1 << (card >> 2)
    number = tables().suit_numbers[mask]
    shift = 3 * suit
    return (
        shift,
        counts >> shift & 7,
        CODES_IN_SUIT[suit],
        PAIR_NUMBERS_IN_SUIT[suit],
        number * SUIT_CODES,
        number * SUIT_PAIRS,
    )
