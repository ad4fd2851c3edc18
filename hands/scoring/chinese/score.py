"""A hand's points, from the strengths of its rows, pair by pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from hands.scoring.cards import RANKS
from hands.scoring.chinese.fantasyland import cards_owed
from hands.scoring.chinese.naturals import natural_of, natural_points
from hands.scoring.chinese.rows import RowStrengths, Setup, read_rows
from hands.scoring.chinese.rules import ROW_POINTS, ROWS, ROYALTY_HANDS, TOP_HANDS, Rules
from hands.scoring.chinese.strength import PAIR, classes
from hands.scoring.chinese.tables import THREE
from hands.scoring.parameters import PointsByRow
from hands.scoring.strength import ACE, STRAIGHT_FLUSH, THREE_OF_A_KIND, Ranks

RowPoints = tuple[int, int, int]
NOTHING: Final = (0, 0, 0)


@dataclass(frozen=True)
class Pair:
    """What one seat has from another, by seat indexes, first < second; every number is signed, for the first.

    ``rows`` are the first's points of top, middle, bottom (all won from a foul); ``scoop`` the bonus for a scoop, or
    under 2-4 for two rows or more; ``royalties`` the royalties as the rules pay them. ``natural`` or ``surrender``
    stand in place of all of these. ``points`` is the sum of all.
    """

    first: int
    second: int
    rows: RowPoints
    scoop: int = 0
    royalties: int = 0
    natural: int = 0
    surrender: int = 0

    @property
    def points(self) -> int:
        return sum(self.rows) + self.scoop + self.royalties + self.natural + self.surrender


@dataclass(frozen=True)
class Score:
    """By seat: the strengths of top, middle and bottom (None for a seat that surrendered), whether it fouls, its
    royalties by row (none for a foul, a natural or a surrender), its natural (or ``""``), and how many cards it is
    dealt in Fantasyland in the next hand (0 where it is not in it). Then the pairs (0, 1), (0, 2) ... in order, and
    net points by seat."""

    strengths: tuple[RowStrengths | None, ...]
    fouls: tuple[bool, ...]
    royalties: tuple[RowPoints, ...]
    naturals: tuple[str, ...]
    fantasyland: tuple[int, ...]
    pairs: tuple[Pair, ...]
    net: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Seat:
    """What a seat brings to its pairs."""

    strengths: RowStrengths | None
    fouls: bool = False
    royalties: RowPoints = NOTHING
    natural: str = ""
    fantasyland: int = 0


def score(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> Score:
    """Score a hand with all its working. The hand must have passed check; nothing is checked here.

    ``boards`` are empty, and there so that every game is scored by one call; seats are told apart by their place in
    ``setups``. Points sum to zero (the rules: each pair of players is scored on its own).
    """
    seats = [_read(setup, rules) for setup in setups]
    pairs = tuple(
        _pair(first, second, seats[first], seats[second], rules) for first, second in combinations(range(len(seats)), 2)
    )
    net = [0] * len(seats)
    for pair in pairs:
        net[pair.first] += pair.points
        net[pair.second] -= pair.points
    return Score(
        strengths=tuple(seat.strengths for seat in seats),
        fouls=tuple(seat.fouls for seat in seats),
        royalties=tuple(seat.royalties for seat in seats),
        naturals=tuple(seat.natural for seat in seats),
        fantasyland=tuple(seat.fantasyland for seat in seats),
        pairs=pairs,
        net=tuple(net),
    )


def net_points(boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules) -> tuple[int, ...]:
    """Each seat's points: the ``net`` of score."""
    return score(boards, setups, rules).net


def _read(setup: Setup, rules: Rules) -> _Seat:
    if setup.surrendered:
        return _Seat(None)
    strengths, fouls = read_rows(setup)
    natural = natural_of(setup, rules)
    if natural or fouls:
        # A natural is shown before rows are compared, so their order does not matter.
        return _Seat(strengths, fouls=not natural, natural=natural)
    royalties = NOTHING
    if rules.royalties is not None:
        top, middle, bottom = royalty_tables(rules)
        royalties = (top[strengths[0]], middle[strengths[1]], bottom[strengths[2]])
    owed = cards_owed(strengths, rules, is_in=setup.fantasyland > 0)
    return _Seat(strengths, royalties=royalties, fantasyland=owed)


def _pair(first: int, second: int, ours: _Seat, theirs: _Seat, rules: Rules) -> Pair:
    if ours.natural or theirs.natural:
        our, their = natural_points(ours.natural, rules), natural_points(theirs.natural, rules)
        return Pair(first, second, NOTHING, natural=our if our > their else -their if our < their else 0)
    if ours.strengths is None or theirs.strengths is None:
        # Nothing between two surrenders, or between a surrender and a foul.
        sign = (theirs.strengths is None and not ours.fouls) - (ours.strengths is None and not theirs.fouls)
        return Pair(first, second, NOTHING, surrender=sign * rules.surrender_points)
    if ours.fouls or theirs.fouls:
        # A foul loses all rows and pays the other's royalties; two fouls leave nothing between them.
        sign = theirs.fouls - ours.fouls
        royalties = sum(ours.royalties) - sum(theirs.royalties)
        points = sign * ROW_POINTS
        return Pair(first, second, (points, points, points), sign * rules.scoop_bonus, royalties)
    top, middle, bottom = (
        (our > their) - (our < their) for our, their in zip(ours.strengths, theirs.strengths, strict=True)
    )
    scoop = rules.scoop_bonus * scoop_sign(top, middle, bottom, rules)
    royalties = _royalties((top, middle, bottom), ours.royalties, theirs.royalties, rules)
    return Pair(first, second, (top * ROW_POINTS, middle * ROW_POINTS, bottom * ROW_POINTS), scoop, royalties)


def scoop_sign(top: int, middle: int, bottom: int, rules: Rules) -> int:
    """1 or -1 for who earns the bonus, by who won each row: all three under 1-6, two or more under 2-4."""
    needed = len(ROWS) if rules.method == "1-6" else 2
    won = (top, middle, bottom)
    return (won.count(1) >= needed) - (won.count(-1) >= needed)


def _royalties(won: RowPoints, ours: RowPoints, theirs: RowPoints, rules: Rules) -> int:
    if rules.royalties_paid == "both":
        return sum(ours) - sum(theirs)
    if rules.royalties_paid == "winner":
        return sum(
            our if row > 0 else -their if row < 0 else 0 for row, our, their in zip(won, ours, theirs, strict=True)
        )
    return sum(our if our > their else -their if our < their else 0 for our, their in zip(ours, theirs, strict=True))


@lru_cache(maxsize=256)
def royalty_tables(rules: Rules) -> PointsByRow:
    """The royalty of every strength (0 to 7,917), for top, middle and bottom."""
    tables = rules.royalties or [(0,) * len(hands) for hands in ROYALTY_HANDS]
    top, middle, bottom = ((0, *(_royalty(number, ranks, table) for number, ranks in classes())) for table in tables)
    return top, middle, bottom


def _royalty(number: int, ranks: Ranks, table: Sequence[int]) -> int:
    """A class's royalty in a table of TOP_HANDS (three cards) or FIVE_HANDS; 0 for the other number of cards."""
    if (len(ranks) == THREE) != (len(table) == len(TOP_HANDS)):
        return 0
    if len(ranks) == THREE:
        # Pairs come first in the table, then threes; a high card has no royalty.
        place = {PAIR: ranks[0], THREE_OF_A_KIND: len(RANKS) + ranks[0]}.get(number)
        return 0 if place is None else table[place]
    is_royal = number == STRAIGHT_FLUSH and ranks[0] == ACE
    return table[number + is_royal]
