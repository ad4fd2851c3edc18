"""A hand's points, from the strengths of its rows, pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from hands.scoring.strength import CLASS_COUNTS
from hands.scoring.taiwanese.rows import RowStrengths, Setup, row_strengths
from hands.scoring.taiwanese.rules import Rules


@dataclass(frozen=True)
class Pair:
    """What one seat has from another, by seat indexes, first < second; every number is signed, for the first.

    ``rows`` are the first's points of board 1 top, middle, bottom, then board 2; ``homerun`` the homerun
    bonus, ``scoop`` the sum of the board scoop bonuses, ``royalties`` the royalties netted; ``points`` the
    sum of all.
    """

    first: int
    second: int
    rows: tuple[int, ...]
    homerun: int
    scoop: int
    royalties: int
    points: int


@dataclass(frozen=True)
class Score:
    """Strengths by seat, board and row; the pairs (0, 1), (0, 2) ... in order; net points by seat."""

    strengths: tuple[tuple[RowStrengths, ...], ...]
    pairs: tuple[Pair, ...]
    net: tuple[int, ...]


def score(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> Score:
    """Score a hand with all its working. The hand must have passed check; nothing is checked here.

    ``boards`` are sequences of five cards, as many as the rules say; seats are told apart by their place in
    ``setups``. Points sum to zero (the rules of Taiwanese Poker: each pair of players is scored on its own).
    """
    strengths = tuple(zip(*row_strengths(boards, setups), strict=True))
    pairs = tuple(
        _pair(first, second, strengths[first], strengths[second], rules)
        for first, second in combinations(range(len(setups)), 2)
    )
    net = [0] * len(setups)
    for pair in pairs:
        net[pair.first] += pair.points
        net[pair.second] -= pair.points
    return Score(strengths, pairs, tuple(net))


def _pair(
    first: int,
    second: int,
    ours: tuple[RowStrengths, ...],
    theirs: tuple[RowStrengths, ...],
    rules: Rules,
) -> Pair:
    boards = [
        [(our > their) - (our < their) for our, their in zip(*rows, strict=True)]
        for rows in zip(ours, theirs, strict=True)
    ]
    points = tuple(won * worth for board in boards for won, worth in zip(board, rules.row_points, strict=True))
    homerun = rules.homerun_bonus * _sweep([won for board in boards for won in board])
    scoop = rules.board_scoop_bonus * sum(map(_sweep, boards))
    royalties = _royalties(ours, theirs, rules)
    return Pair(first, second, points, homerun, scoop, royalties, sum(points) + homerun + scoop + royalties)


def _sweep(rows: list[int]) -> int:
    """1 for all rows won, -1 for all lost, and 0 otherwise: a tie voids the sweep."""
    return rows[0] if len(set(rows)) == 1 else 0


def _royalties(ours: tuple[RowStrengths, ...], theirs: tuple[RowStrengths, ...], rules: Rules) -> int:
    tables = royalty_tables(rules)
    if tables is None:
        return 0
    total = 0
    for rows in zip(ours, theirs, strict=True):
        for our, their, table in zip(*rows, tables, strict=True):
            if rules.royalties_paid == "both":
                total += table[our] - table[their]
            elif our != their:
                total += table[our] if our > their else -table[their]
    return total


@lru_cache(maxsize=256)
def royalty_tables(rules: Rules) -> tuple[tuple[int, ...], ...] | None:
    """The royalty of every strength (0 to 7,462), for top, middle and bottom; None where none are paid."""
    if rules.royalties is None:
        return None
    return tuple(
        (0, *(points for points, count in zip(row, CLASS_COUNTS, strict=True) for _ in range(count)))
        for row in rules.royalties
    )


# A seat's strengths side by side in one number, with a spare bit above each: so one subtraction compares all
# rows of two seats, and the spare bits that are left set are the rows in which the first is not weaker.
_FIELD_BITS: Final = 14
_SPARE_BIT: Final = 1 << (_FIELD_BITS - 1)


class _PairValues(NamedTuple):
    spare_bits: int
    values: Mapping[int, int]


@lru_cache(maxsize=256)
def _pair_values(rules: Rules) -> _PairValues:
    """What each set of rows in which a seat is not weaker is worth to it, before the same is taken off.

    Rows that tie are in both seats' sets, so their points cancel. A seat that is weaker in all rows of a
    board (or of the hand) has been swept: the bonuses are in its value, as a loss, and the sweeper takes that
    off.
    """
    bits = [_SPARE_BIT << (_FIELD_BITS * place) for place in range(3 * rules.boards)]
    values = {}
    for chosen in range(1 << len(bits)):
        rows = [chosen >> place & 1 for place in range(len(bits))]
        # The first row packed is the top of board 1, so it lies highest.
        boards = [rows[::-1][3 * board : 3 * board + 3] for board in range(rules.boards)]
        value = sum(won * worth for board in boards for won, worth in zip(board, rules.row_points, strict=True))
        value -= rules.board_scoop_bonus * sum(not any(board) for board in boards)
        value -= rules.homerun_bonus * (not any(rows))
        values[sum(bit for bit, won in zip(bits, rows, strict=True) if won)] = value
    return _PairValues(sum(bits), values)


def net_points(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> tuple[int, ...]:
    """Each seat's points: the ``net`` of score and nothing else, several times as fast."""
    by_board = row_strengths(boards, setups)
    spare_bits, values = _pair_values(rules)
    packed = [0] * len(setups)
    for rows in by_board:
        packed = [
            seat << 3 * _FIELD_BITS | top << 2 * _FIELD_BITS | middle << _FIELD_BITS | bottom
            for seat, (top, middle, bottom) in zip(packed, rows, strict=True)
        ]
    with_spare = [seat | spare_bits for seat in packed]
    net = [0] * len(packed)
    for second, theirs in enumerate(packed):
        theirs_with_spare = with_spare[second]
        total = 0
        for first in range(second):
            points = (
                values[(with_spare[first] - theirs) & spare_bits]
                - values[(theirs_with_spare - packed[first]) & spare_bits]
            )
            net[first] += points
            total -= points
        net[second] += total
    if rules.royalties is not None:
        _add_royalties(net, by_board, rules)
    return tuple(net)


def _add_royalties(net: list[int], by_board: list[list[RowStrengths]], rules: Rules) -> None:
    by_seat = list(zip(*by_board, strict=True))
    for first, second in combinations(range(len(net)), 2):
        points = _royalties(by_seat[first], by_seat[second], rules)
        net[first] += points
        net[second] -= points
