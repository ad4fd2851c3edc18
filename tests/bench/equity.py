"""How fast chances are counted and settings held against each other, beside the fastest peer in the same run.

The peer is phevaluator's compiled functions in a loop over boards: row by row who wins, for as many boards as it takes
to know its pace. It counts one board; ours counts both and their homeruns.

    python -m tests.bench.equity
"""

import sys
import tracemalloc
from collections.abc import Callable, Sequence
from itertools import combinations, islice
from math import comb
from random import Random

from phevaluator import _pheval

from hands.scoring.equity import equity
from hands.scoring.taiwanese import PRESETS, Setup
from hands.scoring.worth import settings_of, worth
from tests.bench.scoring import Row, race

PHENOM = PRESETS["phenom"]
PEER_BOARDS = 4_000
# Another setting costs the peer three rows a board, so it is given fewer boards for 105 of them.
PEER_SETTING_BOARDS = 100
MEGABYTE = 1 << 20

Cards = tuple[int, ...]


def measure() -> list[Row]:
    return [
        _measure_equity("equity-2", seats=2, known=0),
        _measure_equity("equity-2-flop", seats=2, known=3),
        _measure_equity("equity-6", seats=6, known=0),
        _measure_worth("worth-105", seats=2),
    ]


def _measure_equity(name: str, *, seats: int, known: int) -> Row:
    """Boards a second: both boards of a hand, of which ``known`` cards lie."""
    boards, setups = _deal(seats)
    flops = [board[:known] for board in boards]
    peer_rows = [(setup.top, setup.middle, setup.bottom) for setup in setups]
    return _row(
        name,
        lambda: equity(boards=flops, setups=setups, rules=PHENOM),
        lambda: _peer_wins(_boards(flops, setups, PEER_BOARDS), peer_rows),
        ours_count=2 * comb(52 - 7 * seats - 2 * known, 5 - known),
        peer_count=min(PEER_BOARDS, comb(52 - 7 * seats - 2 * known, 5 - known)),
    )


def _measure_worth(name: str, *, seats: int) -> Row:
    """Boards a second, each with all 105 settings; what is true of both boards of a hand is counted once."""
    boards, setups = _deal(seats)
    cards = setups[0].top + setups[0].middle + setups[0].bottom
    theirs = setups[1].top, setups[1].middle, setups[1].bottom
    # The peer too looks at each of the 63 rows once a board.
    settings = settings_of(sorted(cards))
    rows = [sorted({getattr(setting, row) for setting in settings}) for row in ("top", "middle", "bottom")]
    return _row(
        name,
        lambda: worth(boards=boards, setups=setups, seat=0, rules=PHENOM),
        lambda: _peer_row_wins(_boards([(), ()], setups, PEER_SETTING_BOARDS), rows, theirs),
        ours_count=comb(52 - 7 * seats, 5),
        peer_count=PEER_SETTING_BOARDS,
    )


def _row(name: str, ours: Callable[[], object], peer: Callable[[], object], *, ours_count: int, peer_count: int) -> Row:
    ours()
    (_, our_time), (_, their_time) = race(ours, peer)
    per_second, peers = ours_count / our_time, peer_count / their_time
    note = f"{our_time * 1000:.1f} ms, {_peak(ours):.0f} MB; phevaluator in a loop: {peers:,.0f} boards a second"
    return {"name": name, "per_second": per_second, "ratio": per_second / peers, "note": note}


def _peak(work: Callable[[], object]) -> float:
    """The most memory that it holds at once, in MB, numpy's included."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


def _peer_wins(boards: Sequence[Cards], seats: Sequence[tuple[Cards, Cards, Cards]]) -> list[list[int]]:
    """How often each seat has the best row, or one as good, of every kind; the peer's rank 1 is the best."""
    evaluators = _pheval.evaluate_6cards, _pheval.evaluate_7cards, _pheval.evaluate_omaha_cards
    wins = [[0] * len(seats) for _ in evaluators]
    for board in boards:
        for row, evaluate in enumerate(evaluators):
            ranks = [evaluate(*board, *rows[row]) for rows in seats]
            best = min(ranks)
            for seat, rank in enumerate(ranks):
                wins[row][seat] += rank == best
    return wins


def _peer_row_wins(
    boards: Sequence[Cards], rows: Sequence[Sequence[Cards]], theirs: Sequence[Cards]
) -> list[list[int]]:
    evaluators = _pheval.evaluate_6cards, _pheval.evaluate_7cards, _pheval.evaluate_omaha_cards
    wins = [[0] * len(of_kind) for of_kind in rows]
    for board in boards:
        for kind, evaluate in enumerate(evaluators):
            their = evaluate(*board, *theirs[kind])
            for place, row in enumerate(rows[kind]):
                wins[kind][place] += evaluate(*board, *row) < their
    return wins


def _deal(seats: int) -> tuple[list[Cards], list[Setup]]:
    deck = Random().sample(range(52), 52)
    setups = [
        Setup(tuple(deck[at : at + 1]), tuple(deck[at + 1 : at + 3]), tuple(deck[at + 3 : at + 7]))
        for at in range(10, 10 + 7 * seats, 7)
    ]
    return [tuple(deck[:5]), tuple(deck[5:10])], setups


def _boards(known: Sequence[Cards], setups: Sequence[Setup], count: int) -> list[Cards]:
    """Complete boards that the first known one can become."""
    seen = {card for setup in setups for card in setup.top + setup.middle + setup.bottom}.union(*known)
    unseen = [card for card in range(52) if card not in seen]
    drawn = combinations(unseen, 5 - len(known[0]))
    return [tuple(known[0]) + cards for cards in islice(drawn, count)]


def main() -> None:
    for row in measure():
        sys.stdout.write(f"{row['name']:14} {row['per_second']:12,.0f} a second  {row['ratio']:6.1f}x  {row['note']}\n")


if __name__ == "__main__":
    main()
