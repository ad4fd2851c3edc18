"""Many hands of the Chinese family at once, in numpy: the same tables and the same rules as hand by hand.

As in Taiwanese, hands go through in blocks that fit a core's cache, and the last axis of every array is the hand.
Naturals and surrenders are rare and end a pair before its rows are compared: their hands are scored one by one.
"""

from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hands.scoring.cards import DECK
from hands.scoring.chinese.rows import Setup
from hands.scoring.chinese.rules import ROW_POINTS, ROW_SIZES, ROWS, SETUP_SIZE, Rules
from hands.scoring.chinese.score import net_points as single_net_points
from hands.scoring.chinese.score import royalty_tables, scoop_sign
from hands.scoring.chinese.strength import STRONGEST
from hands.scoring.chinese.tables import CARD_KEYS, FIVE, Readings, readings, suited_readings, tables
from hands.scoring.tables import RANK_KEY_LIMIT, RANK_KEY_MASK, SUIT_COUNT_SHIFT

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.intp]
Strengths = NDArray[np.uint16]
Points = NDArray[np.int32]
Bools = NDArray[np.bool_]

BLOCK: Final = 4096
# No strength is as high, so that what fills a line of readings up is never taken.
_FILLING: Final = np.iinfo(np.uint16).max
_TOP, _MIDDLE, _BOTTOM = (slice(sum(ROW_SIZES[:place]), sum(ROW_SIZES[: place + 1])) for place in range(len(ROW_SIZES)))
# By card: its rank key, and above that one in the three bits of its suit; a joker is 0 throughout.
_KEYS: Final = np.array(
    [key + ((card < DECK) << SUIT_COUNT_SHIFT + 3 * (card & 3)) for card, key in enumerate(CARD_KEYS)], dtype=np.int32
)
_RANK_BITS: Final = np.array([(card < DECK) << (card >> 2) for card in range(len(CARD_KEYS))], dtype=np.int32)


def _most_of_a_suit() -> Bytes:
    """By the suit counts of a row: how many cards of one suit it has at most."""
    counts = np.arange(1 << 12)
    most: Bytes = np.max([counts >> 3 * suit & 7 for suit in range(4)], axis=0).astype(np.uint8)
    return most


_MOST_OF_A_SUIT: Final = _most_of_a_suit()


def net_points(boards: Bytes, setups: Bytes, rules: Rules, surrendered: Bools | None = None) -> Points:
    """Each seat's points in each hand, (hands, seats): see hands.scoring.batch."""
    hands, seats = setups.shape[:2]
    if boards.shape[:2] != (hands, 0) or setups.shape != (hands, seats, SETUP_SIZE):
        raise ValueError(f"Boards of shape {boards.shape} and setups of {setups.shape} are no hands.")
    gone = np.zeros((hands, seats), dtype=bool) if surrendered is None else surrendered
    if gone.shape != (hands, seats):
        raise ValueError(f"Surrenders of shape {gone.shape} are no hands of {seats} seats.")
    if rules.naturals is not None:
        return _one_by_one(setups, gone, rules)
    net = np.empty((hands, seats), dtype=np.int32)
    for start in range(0, hands, BLOCK):
        block = setups[start : start + BLOCK]
        net[start : start + BLOCK] = _block_net(np.ascontiguousarray(block.transpose(2, 1, 0)), rules).T
    special = np.flatnonzero(gone.any(axis=1))
    net[special] = _one_by_one(setups[special], gone[special], rules)
    return net


def _one_by_one(setups: Bytes, surrendered: Bools, rules: Rules) -> Points:
    net = np.empty(surrendered.shape, dtype=np.int32)
    for place, (hand, gone) in enumerate(zip(setups.tolist(), surrendered.tolist(), strict=True)):
        seats = [
            Setup(tuple(cards[_TOP]), tuple(cards[_MIDDLE]), tuple(cards[_BOTTOM]), surrendered=is_gone)
            for cards, is_gone in zip(hand, gone, strict=True)
        ]
        net[place] = single_net_points((), seats, rules)
    return net


def _block_net(cards: Bytes, rules: Rules) -> Points:
    """Points by seat and hand, of cards by place, seat and hand."""
    strengths = _row_strengths(cards, has_jokers=rules.jokers > 0)
    net = np.zeros(strengths.shape[1:], dtype=np.int32)
    values = _pair_values(rules)
    royalties = _royalties(strengths, rules)
    for seat, other in combinations(range(len(net)), 2):
        won, lost = strengths[:, seat] > strengths[:, other], strengths[:, seat] < strengths[:, other]
        points = values[_set_of(won) << len(ROWS) | _set_of(lost)]
        if royalties is not None:
            points += _royalty_points(royalties[:, seat], royalties[:, other], won, lost, rules)
        net[seat] += points
        net[other] -= points
    return net


def _row_strengths(cards: Bytes, *, has_jokers: bool) -> Strengths:
    """Strengths by row, seat and hand; 0 in all rows of a foul, which so loses them all and has no royalties."""
    keys = _KEYS.take(cards)
    strengths = np.empty((len(ROWS), *cards.shape[1:]), dtype=np.uint16)
    most = np.full(cards.shape[1:], STRONGEST, dtype=np.uint16)
    for row, places in reversed([*enumerate((_TOP, _MIDDLE, _BOTTOM))]):
        strengths[row] = _look_up(cards[places], keys[places].sum(axis=0, dtype=np.int32), most, has_jokers=has_jokers)
        most = strengths[row]
    top, middle, bottom = strengths
    fouls = (middle > bottom) | (top > middle)
    if has_jokers:
        # Where no reading is legal the look-up gives 0.
        fouls |= (middle == 0) | (top == 0)
    strengths[:, fouls] = 0
    return strengths


def _look_up(cards: Bytes, keys: Points, most: Strengths, *, has_jokers: bool) -> Strengths:
    """Strengths of a row by seat and hand; a joker is read as strong as ``most`` allows."""
    is_five = len(cards) == FIVE
    found = _table("fives" if is_five else "threes").take(keys & RANK_KEY_MASK)
    if is_five:
        suited = np.flatnonzero(_MOST_OF_A_SUIT.take(keys >> SUIT_COUNT_SHIFT) == FIVE)
        found.reshape(-1)[suited] = _table("flushes").take(_masks(cards, suited))
    if has_jokers:
        jokers = (cards >= DECK).sum(axis=0, dtype=np.uint8)
        for count in (1, 2):
            spots = np.flatnonzero(jokers == count)
            found.reshape(-1)[spots] = _read_jokers(
                cards, keys.reshape(-1)[spots], most.reshape(-1)[spots], spots, count
            )
    return found


def _read_jokers(cards: Bytes, keys: Points, most: Strengths, spots: Numbers, jokers: int) -> Strengths:
    """The rows at these spots, with so many jokers each."""
    by_rank = _lines(len(cards), jokers)
    found = by_rank.strongest(keys & RANK_KEY_MASK, most)
    if len(cards) == FIVE:
        suited = np.flatnonzero(_MOST_OF_A_SUIT.take(keys >> SUIT_COUNT_SHIFT) == FIVE - jokers)
        flushes = _suited_lines(jokers).strongest(_masks(cards, spots[suited]), most[suited])
        found[suited] = np.maximum(found[suited], flushes)
    return found


def _masks(cards: Bytes, spots: Numbers) -> Points:
    """The set of ranks of the natural cards at these spots of the row."""
    masks: Points = np.bitwise_or.reduce(_RANK_BITS[cards.reshape(len(cards), -1)[:, spots]], axis=0)
    return masks


class _Lines:
    """What jokers make of a row's other cards, a line for each such row: strengths, weakest first."""

    def __init__(self, found: Readings, size: int) -> None:
        self._numbers = np.zeros(size, dtype=np.uint16)
        self._lines = np.full((len(found), max(map(len, found.values()))), _FILLING, dtype=np.uint16)
        for number, (key, strengths) in enumerate(found.items()):
            self._numbers[key] = number
            self._lines[number, : len(strengths)] = strengths

    def strongest(self, keys: Points, most: Strengths) -> Strengths:
        """The strongest reading that is at most ``most``, 0 where there is none."""
        lines = self._lines[self._numbers[keys]]
        count = (lines <= most[:, None]).sum(axis=1)
        # Where there is none this takes the line's last, which the next step drops.
        found = np.take_along_axis(lines, count[:, None] - 1, axis=1)[:, 0]
        return np.where(count, found, 0).astype(np.uint16)


@cache
def _lines(size: int, jokers: int) -> _Lines:
    return _Lines(readings(size, jokers), RANK_KEY_LIMIT)


@cache
def _suited_lines(jokers: int) -> _Lines:
    return _Lines(suited_readings(jokers), 1 << 13)


@cache
def _table(name: str) -> Strengths:
    return np.frombuffer(getattr(tables(), name), dtype=np.uint16)


def _set_of(rows: Bools) -> Bytes:
    """A set of rows as one number, top highest."""
    top, middle, bottom = rows.view(np.uint8)
    found: Bytes = top << 2 | middle << 1 | bottom
    return found


@cache
def _pair_values(rules: Rules) -> Points:
    """A pair's points for rows and scoop, by the set of rows won and the set of rows lost."""
    values = np.zeros(1 << 2 * len(ROWS), dtype=np.int32)
    for place in range(len(values)):
        bits = [place >> shift & 1 for shift in reversed(range(2 * len(ROWS)))]
        top, middle, bottom = (won - lost for won, lost in zip(bits[:3], bits[3:], strict=True))
        values[place] = (top + middle + bottom) * ROW_POINTS
        values[place] += rules.scoop_bonus * scoop_sign(top, middle, bottom, rules)
    return values


def _royalties(strengths: Strengths, rules: Rules) -> Points | None:
    """Royalties by row, seat and hand; None where none are paid."""
    if rules.royalties is None:
        return None
    by_row = zip(royalty_tables(rules), strengths, strict=True)
    return np.stack([np.array(table, dtype=np.int32).take(of_row) for table, of_row in by_row])


def _royalty_points(ours: Points, theirs: Points, won: Bools, lost: Bools, rules: Rules) -> Points:
    """What royalties come to between two seats, by hand."""
    points = ours - theirs
    if rules.royalties_paid == "winner":
        points = ours * won - theirs * lost
    elif rules.royalties_paid == "higher":
        points = ours * (ours > theirs) - theirs * (theirs > ours)
    total: Points = points.sum(axis=0, dtype=np.int32)
    return total
