"""A hand's points, from the strengths of its rows, pair by pair."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, compress, product

from hands.scoring.strength import CLASS_COUNTS
from hands.scoring.taiwanese.rows import (
    FIELD_BITS,
    SPARE_BIT,
    RowStrengths,
    Setup,
    packed_strengths,
    unpack_strengths,
)
from hands.scoring.taiwanese.rules import ROWS, Rules


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
    strengths = tuple(unpack_strengths(packed, len(boards)) for packed in packed_strengths(boards, setups))
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


def set_values(rules: Rules) -> list[int]:
    """What each set of rows in which a seat is not weaker than another is worth to it.

    A set is a number with a bit a row, the top of board 1 highest. A pair's points are the value of the one's
    set less that of the other's: rows that tie are in both, so they cancel, and a seat that is weaker in all
    rows of a board (or of the hand) has been swept, so its value holds the bonus as a loss.
    """
    values = []
    for rows in product((0, 1), repeat=len(ROWS) * rules.boards):
        boards = [rows[start : start + len(ROWS)] for start in range(0, len(rows), len(ROWS))]
        value = sum(won * worth for board in boards for won, worth in zip(board, rules.row_points, strict=True))
        value -= rules.board_scoop_bonus * sum(not any(board) for board in boards)
        value -= rules.homerun_bonus * (not any(rows))
        values.append(value)
    return values


@lru_cache(maxsize=256)
def _values_by_spare_bits(rules: Rules) -> tuple[int, Mapping[int, int]]:
    """The spare bits of all rows, and set_values keyed by the spare bits of the set's rows."""
    bits = [SPARE_BIT << FIELD_BITS * place for place in reversed(range(len(ROWS) * rules.boards))]
    keys = (sum(compress(bits, rows)) for rows in product((0, 1), repeat=len(bits)))
    return sum(bits), dict(zip(keys, set_values(rules), strict=True))


def net_points(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> tuple[int, ...]:
    """Each seat's points: the ``net`` of score and nothing else, several times as fast."""
    packed = packed_strengths(boards, setups)
    spare_bits, values = _values_by_spare_bits(rules)
    net = [0] * len(packed)
    others: list[tuple[int, int]] = []
    for ours in packed:
        ours_spare = ours | spare_bits
        place = total = 0
        for theirs, theirs_spare in others:
            # The spare bits that a subtraction leaves set are the rows in which the seat is not weaker.
            points = values[ours_spare - theirs & spare_bits] - values[theirs_spare - ours & spare_bits]
            net[place] -= points
            total += points
            place += 1
        net[place] = total
        others.append((ours, ours_spare))
    if rules.royalties is not None:
        _add_royalties(net, packed, rules)
    return tuple(net)


def _add_royalties(net: list[int], packed: Sequence[int], rules: Rules) -> None:
    by_seat = [unpack_strengths(strengths, rules.boards) for strengths in packed]
    for first, second in combinations(range(len(net)), 2):
        points = _royalties(by_seat[first], by_seat[second], rules)
        net[first] += points
        net[second] -= points
