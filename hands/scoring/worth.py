"""What a setup was worth: all 105 ways to set seven cards, against the setups that the opponents chose.

Seven cards make 7 tops, 21 middles and 35 bottoms, so 63 rows are looked up on every board that could have
come, and 105 settings are put together from what they won. The expected points are exact, homeruns included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hands.scoring.coming import Boards, Strengths
from hands.scoring.equity import unseen_cards
from hands.scoring.problems import Refused
from hands.scoring.subsets import Bits, bits_of, disjoint_pairs, how_many, words_for
from hands.scoring.taiwanese.batch import royalty_points
from hands.scoring.taiwanese.check import check
from hands.scoring.taiwanese.rows import Setup
from hands.scoring.taiwanese.rules import BOARD_SIZE, ROWS, Rules
from hands.scoring.taiwanese.score import net_points

Points = NDArray[np.float64]

_TOPS: Final = tuple(combinations(range(7), 1))
_MIDDLES: Final = tuple(combinations(range(7), 2))
_BOTTOMS: Final = tuple(combinations(range(7), 4))
# The rows of seven cards by places in the seven: those of a kind (top, middle, bottom) stand together.
_PLACES: Final = (*_TOPS, *_MIDDLES, *_BOTTOMS)
_KINDS: Final = (
    slice(0, len(_TOPS)),
    slice(len(_TOPS), len(_TOPS) + len(_MIDDLES)),
    slice(len(_TOPS) + len(_MIDDLES), len(_PLACES)),
)
# Every setting as the numbers of its rows among _PLACES.
_SETTINGS: Final = tuple(
    (_PLACES.index(top), _PLACES.index(middle), _PLACES.index(bottom))
    for top in _TOPS
    for middle in _MIDDLES
    for bottom in _BOTTOMS
    if len({*top, *middle, *bottom}) == len(top + middle + bottom)
)
_SETTING_ROWS: Final = np.array(_SETTINGS, dtype=np.intp).T


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to set the seven cards, those of a row rising.

    ``rank`` counts from 1, and settings of equal expectation share it; ``expected`` are the points against all
    opponents on average over all boards, ``actual`` those on the boards that came.
    """

    setup: Setup
    rank: int
    expected: float
    actual: int


@dataclass(frozen=True, slots=True)
class Worth:
    """All settings, the best first (among equals the played one), and the one that was played."""

    settings: tuple[Setting, ...]
    played: Setting

    @property
    def left_on_table(self) -> float:
        """Expected points that the best setting has more than the played one."""
        return self.settings[0].expected - self.played.expected

    @property
    def luck(self) -> float:
        """Points that the boards gave beyond what the played setting could expect."""
        return self.played.actual - self.played.expected


def settings_of(cards: Sequence[int]) -> tuple[Setup, ...]:
    """The 105 ways to set seven cards into one, two and four; a row's cards stand in the order of ``cards``."""
    rows = [tuple(cards[place] for place in places) for places in _PLACES]
    return tuple(Setup(rows[top], rows[middle], rows[bottom]) for top, middle, bottom in _SETTINGS)


def rising(setup: Setup) -> Setup:
    """A setup as ``settings_of`` writes it when its cards rise."""
    return Setup(setup.top, tuple(sorted(setup.middle)), tuple(sorted(setup.bottom)))


def worth(*, boards: Sequence[Sequence[int]], setups: Sequence[Setup], seat: int, rules: Rules) -> Worth:
    """Hold what ``seat`` (an index of ``setups``) played against all its settings.

    ``boards`` are the five cards each that came, as many boards as the rules say. Expected points are before
    any board is known: over every board that the cards outside the setups can make, and every two of them
    that share no card. Raises Refused for what cannot be a hand of the rules, and IndexError for no seat.
    """
    problems = check(rules=rules, boards=boards, seats=[(place + 1, "", setup) for place, setup in enumerate(setups)])
    if problems:
        raise Refused(problems)
    played = setups[seat]
    cards = sorted(played.top + played.middle + played.bottom)
    opponents = [setup for setup in setups if setup is not played]
    unseen = unseen_cards([()] * rules.boards, setups, rules)
    expected = _expected_points(cards, opponents, unseen, rules)
    settings = settings_of(cards)
    actual = [net_points(boards, [*setups[:seat], setting, *setups[seat + 1 :]], rules)[seat] for setting in settings]
    own = settings.index(rising(played))
    order = sorted(range(len(settings)), key=lambda place: (-expected[place], place != own))
    ranked: dict[int, Setting] = {}
    for place in order:
        rank = 1 + sum(other > expected[place] for other in expected)
        ranked[place] = Setting(settings[place], rank, expected[place], actual[place])
    return Worth(tuple(ranked.values()), ranked[own])


def _expected_points(
    cards: Sequence[int], opponents: Sequence[Setup], unseen: Sequence[int], rules: Rules
) -> list[float]:
    """Each setting's points (in the order of ``settings_of``) against these setups, before any board is known."""
    boards = Boards([], unseen)
    rows = [tuple(cards[place] for place in places) for places in _PLACES]
    rows += [row for setup in opponents for row in (setup.top, setup.middle, setup.bottom)]
    against = [_Against(len(boards), rules) for _ in opponents]
    for block, strengths in boards.strengths(rows):
        theirs = strengths[len(_PLACES) :].reshape(len(opponents), len(ROWS), -1)
        for opponent, their in zip(against, theirs, strict=True):
            opponent.count(block, strengths[: len(_PLACES)], their)
    total = np.zeros(len(_SETTINGS))
    for opponent in against:
        total += opponent.points(len(unseen))
    return [float(points) for points in total]


class _Against:
    """What the 63 rows and the 105 settings win from one opponent, summed over the boards."""

    def __init__(self, boards: int, rules: Rules) -> None:
        self._boards, self._rules = boards, rules
        self._rows = np.zeros(len(_PLACES), dtype=np.int64)
        # By board a bit for every setting that sweeps the opponent, then for every one that is swept.
        self._sweeps: Bits = np.empty((boards, words_for(2 * len(_SETTINGS))), dtype=np.uint64)
        self._scoops = np.zeros(2 * len(_SETTINGS), dtype=np.int64)

    def count(self, block: slice, ours: Strengths, theirs: Strengths) -> None:
        won, lost = np.empty(ours.shape, dtype=np.bool_), np.empty(ours.shape, dtype=np.bool_)
        for row, kind in enumerate(_KINDS):
            np.greater(ours[kind], theirs[row], out=won[kind])
            np.less(ours[kind], theirs[row], out=lost[kind])
            self._rows[kind] += self._rules.row_points[row] * (how_many(won[kind]) - how_many(lost[kind]))
            if self._rules.royalties is not None:
                royalties = royalty_points(ours[kind], theirs[row], row=row, rules=self._rules)
                self._rows[kind] += royalties.sum(axis=1)
        if self._rules.board_scoop_bonus or self._rules.homerun_bonus:
            # Eight boards a byte, so that putting rows together into settings costs an eighth.
            swept = [_all_rows(np.packbits(flags, axis=1)) for flags in (won, lost)]
            sweeps = np.unpackbits(np.concatenate(swept), axis=1, count=ours.shape[1]).view(np.bool_)
            self._scoops += how_many(sweeps)
            self._sweeps[block] = bits_of(sweeps)

    def points(self, unseen: int) -> Points:
        """By setting: what it gets on average on all boards of a hand, whose boards are alike before they come."""
        rules, settings = self._rules, len(_SETTINGS)
        on_a_board = self._rows[_SETTING_ROWS].sum(axis=0)
        on_a_board += rules.board_scoop_bonus * (self._scoops[:settings] - self._scoops[settings:])
        points: Points = rules.boards * on_a_board / self._boards
        if rules.homerun_bonus:
            sizes = (BOARD_SIZE, BOARD_SIZE)
            homeruns = disjoint_pairs(self._sweeps, self._sweeps, sizes=sizes, cards=unseen)
            cases = self._boards * comb(unseen - BOARD_SIZE, BOARD_SIZE)
            points += rules.homerun_bonus * (homeruns[:settings] - homeruns[settings : 2 * settings]) / cases
        return points


def _all_rows(flags: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """By setting, where all three of its rows are flagged."""
    tops, middles, bottoms = _SETTING_ROWS
    swept: NDArray[np.uint8] = flags[tops] & flags[middles] & flags[bottoms]
    return swept
