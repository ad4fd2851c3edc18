"""Taiwanese Poker with boards still to come: chances by row, board and pair, and the points to expect.

Everything is counted, nothing is sampled. Each board is counted by itself, because what one board draws does
not change what another may: every row, scoop and royalty is decided on one board. The homerun alone needs both
boards at once, which draw from one deck; ``subsets.disjoint_pairs`` counts those without looking at pairs of boards.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hands.scoring.cards import DECK, JOKERS
from hands.scoring.coming import Boards
from hands.scoring.problems import Problem, Refused
from hands.scoring.subsets import Bits, bits_of, disjoint_pairs, how_many, words_for
from hands.scoring.taiwanese.batch import royalty_points
from hands.scoring.taiwanese.check import check
from hands.scoring.taiwanese.rows import Setup
from hands.scoring.taiwanese.rules import BOARD_SIZE, ROWS, Rules

Counts = NDArray[np.int64]
_ROWS: Final = len(ROWS)


@dataclass(frozen=True, slots=True)
class Shares:
    """In how many of the cases that can still come something is won, tied and lost.

    For a row: won alone, shared, and beaten. For a scoop or a homerun ``tied`` are the cases in which neither
    has it.
    """

    won: int
    tied: int
    lost: int

    @property
    def cases(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def win(self) -> float:
        return self.won / self.cases

    @property
    def tie(self) -> float:
        return self.tied / self.cases

    @property
    def lose(self) -> float:
        return self.lost / self.cases

    @property
    def edge(self) -> float:
        """The chance to win less the chance to lose."""
        return (self.won - self.lost) / self.cases


RowShares = tuple[Shares, ...]


@dataclass(frozen=True, slots=True)
class PairEquity:
    """What one seat may expect from another, by seat indexes, first < second; everything is the first's.

    ``rows`` are by board and row (top, middle, bottom), ``scoops`` by board; ``homerun`` counts pairs of boards
    (with one board nobody has it); ``points`` are what the first gets from the second on average.
    """

    first: int
    second: int
    rows: tuple[RowShares, ...]
    scoops: RowShares
    homerun: Shares
    points: float


@dataclass(frozen=True, slots=True)
class SeatEquity:
    """A seat against the table: shares by board and row (won is best alone, tied is best together with
    another), and the points to expect from all others."""

    rows: tuple[RowShares, ...]
    points: float


@dataclass(frozen=True, slots=True)
class Equity:
    """Seats in the order of the setups; the pairs (0, 1), (0, 2) ...; how many boards each can become."""

    seats: tuple[SeatEquity, ...]
    pairs: tuple[PairEquity, ...]
    boards: tuple[int, ...]


def unseen_cards(
    boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules, dead: Collection[int] = ()
) -> list[int]:
    """The cards that can still come on a board: all of the deck that were not seen and are no jokers.

    Boards may be incomplete. Raises Refused, with every problem found, for what cannot be a hand of the rules,
    and ValueError where too few cards are left or a dead card is no card or lies somewhere.
    """
    seats = [(number, "", setup) for number, setup in enumerate(setups, start=1)]
    problems = [problem for problem in check(rules=rules, boards=boards, seats=seats) if not _is_short_board(problem)]
    if problems:
        raise Refused(problems)
    rows = chain.from_iterable((setup.top, setup.middle, setup.bottom) for setup in setups)
    seen = set(chain(*boards, *rows))
    if len(set(dead)) < len(dead) or not seen.isdisjoint(dead) or not set(dead) <= {*range(DECK), *JOKERS}:
        raise ValueError("Every dead card is a card of the deck that lies nowhere else.")
    unseen = sorted(set(range(DECK)) - seen.union(dead))
    draws = sum(BOARD_SIZE - len(board) for board in boards)
    if len(unseen) < draws:
        raise ValueError(f"{draws} cards are still to come and {len(unseen)} are left.")
    return unseen


def _is_short_board(problem: Problem) -> bool:
    """Whether it is that a board has fewer than five cards, which is what this module is for."""
    count = problem.words.get("count")
    return problem.code == "board_size" and isinstance(count, int) and count < BOARD_SIZE


def equity(
    *, boards: Sequence[Sequence[int]], setups: Sequence[Setup], rules: Rules, dead: Collection[int] = ()
) -> Equity:
    """Every seat's chances and expected points, exactly, given all cards that are known.

    ``boards`` hold what lies on each so far, none to five cards, as many boards as the rules say; ``dead`` are
    cards that were seen and lie nowhere (a folded or exposed one). What can still come on boards is every
    other card but the jokers, which are dealt to players only. With five cards on every board the shares are 0
    or 1 and the points are the hand's. Raises as ``unseen_cards`` does.
    """
    unseen = unseen_cards(boards, setups, rules, dead)
    rows = [row for setup in setups for row in (setup.top, setup.middle, setup.bottom)]
    counted: list[_Counted] = []
    for place, board in enumerate(boards):
        # Two boards of which nothing is known come from the same cards: one count serves both.
        same = place > 0 and not board and not boards[0]
        counted.append(counted[0] if same else _Counted(Boards(board, unseen), rows, rules))
    pairs = tuple(
        _pair(number, counted, homerun, rules) for number, homerun in enumerate(_homeruns(counted, len(unseen)))
    )
    points = [0.0] * len(setups)
    for pair in pairs:
        points[pair.first] += pair.points
        points[pair.second] -= pair.points
    seats = tuple(
        SeatEquity(tuple(board.seat_rows(seat) for board in counted), points[seat]) for seat in range(len(setups))
    )
    return Equity(seats, pairs, tuple(board.cases for board in counted))


def _homeruns(counted: Sequence["_Counted"], unseen: int) -> list[Shares]:
    """By pair; with one board nobody has it."""
    if len(counted) == 1:
        return [Shares(0, 1, 0)] * len(counted[0].pairs)
    one, other = counted
    sweeps = disjoint_pairs(one.sweeps, other.sweeps, sizes=(one.draws, other.draws), cards=unseen)
    cases = comb(unseen, one.draws) * comb(unseen - one.draws, other.draws)
    return [_shares(sweeps[2 * number], sweeps[2 * number + 1], cases) for number in range(len(one.pairs))]


def _pair(number: int, counted: Sequence["_Counted"], homerun: Shares, rules: Rules) -> PairEquity:
    first, second = counted[0].pairs[number]
    rows = tuple(board.pair_rows(number) for board in counted)
    scoops = tuple(board.scoop(number) for board in counted)
    points = sum(share.edge * worth for board in rows for share, worth in zip(board, rules.row_points, strict=True))
    points += rules.board_scoop_bonus * sum(scoop.edge for scoop in scoops) + rules.homerun_bonus * homerun.edge
    points += sum(board.royalties[number] / board.cases for board in counted)
    return PairEquity(first, second, rows, scoops, homerun, float(points))


def _shares(won: np.int64, lost: np.int64, cases: int) -> Shares:
    return Shares(int(won), cases - int(won) - int(lost), int(lost))


class _Counted:
    """One board, counted: by row and seat, by row and pair, and who sweeps whom on which board."""

    def __init__(self, boards: Boards, rows: Sequence[Sequence[int]], rules: Rules) -> None:
        seats = len(rows) // _ROWS
        self.cases, self.draws = len(boards), boards.draws
        self.pairs = list(combinations(range(seats), 2))
        firsts, seconds = ([pair[place] for pair in self.pairs] for place in range(2))
        self._best, self._alone = (np.zeros((seats, _ROWS), dtype=np.int64) for _ in range(2))
        self._won, self._lost = (np.zeros((len(self.pairs), _ROWS), dtype=np.int64) for _ in range(2))
        self.royalties = np.zeros(len(self.pairs), dtype=np.int64)
        # By board a bit for each pair and direction: the first sweeps the second, the second the first.
        self.sweeps: Bits = np.empty((self.cases, words_for(2 * len(self.pairs))), dtype=np.uint64)
        self._scoops = np.zeros(2 * len(self.pairs), dtype=np.int64)
        for block, found in boards.strengths(rows):
            strengths = found.reshape(seats, _ROWS, -1)
            best = strengths == strengths.max(axis=0)
            self._best += how_many(best)
            self._alone += how_many(best & (best.sum(axis=0, dtype=np.uint8) == 1))
            ours, theirs = strengths[firsts], strengths[seconds]
            won, lost = ours > theirs, ours < theirs
            self._won += how_many(won)
            self._lost += how_many(lost)
            sweeps = np.stack([won.all(axis=1), lost.all(axis=1)], axis=1).reshape(2 * len(self.pairs), -1)
            self._scoops += how_many(sweeps)
            self.sweeps[block] = bits_of(sweeps)
            if rules.royalties is not None:
                for row in range(_ROWS):
                    self.royalties += royalty_points(ours[:, row], theirs[:, row], row=row, rules=rules).sum(axis=1)

    def seat_rows(self, seat: int) -> RowShares:
        return tuple(
            Shares(int(alone), int(best - alone), self.cases - int(best))
            for alone, best in zip(self._alone[seat], self._best[seat], strict=True)
        )

    def pair_rows(self, pair: int) -> RowShares:
        return tuple(
            _shares(won, lost, self.cases) for won, lost in zip(self._won[pair], self._lost[pair], strict=True)
        )

    def scoop(self, pair: int) -> Shares:
        return _shares(self._scoops[2 * pair], self._scoops[2 * pair + 1], self.cases)
