"""How fast hands are scored, against the fastest peer on the same hands in the same run.

The peer is phevaluator's compiled functions in a loop, from numbers of cards to net points with homeruns; where
there are jokers, the same loop trying every substitution. Only ratios count: the machine may be busy or slow.

    python -m tests.bench.scoring
"""

import gc
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from time import perf_counter
from typing import Any, TypedDict

import numpy as np
from phevaluator import _pheval

from hands.scoring import batch
from hands.scoring.taiwanese import PRESETS, Rules, Setup, net_points

SEATS = 6
SINGLE_HANDS = 6_000
JOKER_HANDS = 300
BATCH_HANDS = 200_000
# How often each way is timed; they take turns, so that a busy moment hits both, and the best time counts.
ROUNDS = 5

PHENOM = PRESETS["phenom"]
WITH_JOKERS = PRESETS["phenom-jokers"]
# Row points of phenom by row, boards one after the other.
PEER_ROW_POINTS = (1, 2, 3, 1, 2, 3)
PEER_HOMERUN = 8

Cards = tuple[int, ...]
# Boards, and each seat's top, middle and bottom.
PeerHand = tuple[list[Cards], list[tuple[Cards, Cards, Cards]]]


class Row(TypedDict):
    name: str
    per_second: float
    ratio: float
    note: str


def single() -> Row:
    """One hand at a time, six seats, no jokers."""
    return _measure_single("single", PHENOM, SINGLE_HANDS, _peer_net)


def single_jokers() -> Row:
    """One hand at a time, six seats, two of which hold a joker."""
    return _measure_single("single-jokers", WITH_JOKERS, JOKER_HANDS, _peer_net_with_jokers)


def batch_naturals() -> Row:
    """Hands in bulk, six seats, no jokers."""
    return _measure_batch("batch", PHENOM, SINGLE_HANDS, _peer_net)


def batch_jokers() -> Row:
    """Hands in bulk, six seats, jokers as in single_jokers."""
    return _measure_batch("batch-jokers", WITH_JOKERS, JOKER_HANDS, _peer_net_with_jokers)


def measure() -> list[Row]:
    return [single(), single_jokers(), batch_naturals(), batch_jokers()]


def _measure_single(name: str, rules: Rules, count: int, peer: Callable[[PeerHand], Cards]) -> Row:
    boards, setups = _deal(count, rules)
    peer_hands = _peer_hands(boards, setups)
    hands = [(shared, [Setup(*seat) for seat in seats]) for shared, seats in peer_hands]
    net_points(*hands[0], rules)  # builds the tables
    (ours, our_time), (theirs, their_time) = race(
        lambda: [net_points(shared, seats, rules) for shared, seats in hands],
        lambda: [peer(hand) for hand in peer_hands],
    )
    _agree(ours, theirs)
    return _row(name, count / our_time, count / their_time)


def _measure_batch(name: str, rules: Rules, count: int, peer: Callable[[PeerHand], Cards]) -> Row:
    boards, setups = _deal(BATCH_HANDS, rules)
    peer_hands = _peer_hands(boards[:count], setups[:count])
    batch.net_points(boards[:1], setups[:1], rules)  # builds the tables
    (ours, our_time), (theirs, their_time) = race(
        lambda: batch.net_points(boards, setups, rules), lambda: [peer(hand) for hand in peer_hands]
    )
    _agree([tuple(net) for net in ours[:count].tolist()], theirs)
    return _row(name, BATCH_HANDS / our_time, count / their_time)


def _row(name: str, ours: float, theirs: float) -> Row:
    note = f"phevaluator's C functions in a loop: {theirs:,.0f} a second"
    return {"name": name, "per_second": ours, "ratio": ours / theirs, "note": note}


def race(*ways: Callable[[], Any]) -> list[tuple[Any, float]]:
    """Each way's result and its best time, the collector of garbage being off as in timeit."""
    best = [(None, float("inf"))] * len(ways)
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for place, way in enumerate(ways):
                start = perf_counter()
                result = way()
                best[place] = result, min(best[place][1], perf_counter() - start)
    finally:
        gc.enable()
    return best


def _agree(ours: Sequence[Cards], theirs: Sequence[Cards]) -> None:
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        if our != their:
            raise AssertionError(f"Hand {number}: we say {our}, the peer {their}.")


def _deal(count: int, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Fresh hands of six seats, (count, 2, 5) and (count, 6, 7). Boards have no jokers; seats have all of them.

    With two jokers each is put in place of a card at random, in a row of its own, so that two of the 52 cards
    are not dealt.
    """
    random = np.random.default_rng()
    deck = random.permuted(np.tile(np.arange(52, dtype=np.uint8), (count, 1)), axis=1)
    boards, setups = deck[:, :10].reshape(count, 2, 5).copy(), deck[:, 10:].copy()
    if rules.jokers:
        # Places are drawn apart for the halves of the table, so the two jokers never share a row.
        for joker, start in ((52, 0), (53, 21)):
            setups[np.arange(count), start + random.integers(0, 21, count)] = joker
    return boards, setups.reshape(count, SEATS, 7)


def _peer_hands(boards: np.ndarray, setups: np.ndarray) -> list[PeerHand]:
    return [
        (
            [tuple(board) for board in shared],
            [(tuple(cards[:1]), tuple(cards[1:3]), tuple(cards[3:])) for cards in seats],
        )
        for shared, seats in zip(boards.tolist(), setups.tolist(), strict=True)
    ]


def _peer_net(hand: PeerHand) -> Cards:
    six, seven, omaha = _pheval.evaluate_6cards, _pheval.evaluate_7cards, _pheval.evaluate_omaha_cards
    boards, seats = hand
    ranks = []
    for top, middle, bottom in seats:
        of_seat = []
        for board in boards:
            of_seat += (six(*board, *top), seven(*board, *middle), omaha(*board, *bottom))
        ranks.append(of_seat)
    return _peer_points(ranks)


def _peer_points(ranks: list[list[int]]) -> Cards:
    """The peer's rank 1 is the best."""
    net = [0] * len(ranks)
    for first, second in combinations(range(len(ranks)), 2):
        points = rows = 0
        for ours, theirs, worth in zip(ranks[first], ranks[second], PEER_ROW_POINTS, strict=True):
            if ours < theirs:
                points += worth
                rows += 1
            elif ours > theirs:
                points -= worth
                rows -= 1
        if rows == len(PEER_ROW_POINTS):
            points += PEER_HOMERUN
        elif rows == -len(PEER_ROW_POINTS):
            points -= PEER_HOMERUN
        net[first] += points
        net[second] -= points
    return tuple(net)


def _peer_net_with_jokers(hand: PeerHand) -> Cards:
    boards, seats = hand
    return _peer_points([[_peer_rank(board, row) for board in boards for row in rows] for rows in seats])


def _peer_rank(board: Cards, row: Cards) -> int:
    """The best rank over every card that a joker may be; here a row has one joker at most.

    The peer takes no card twice. For top and middle that leaves nothing out: where a joker would be a card that
    lies on the board or in the row but not in the five, that card itself could play. For a bottom, which must
    use exactly three of the board, it leaves out the joker as a fourth of them.
    """
    evaluate = {1: _pheval.evaluate_6cards, 2: _pheval.evaluate_7cards, 4: _pheval.evaluate_omaha_cards}[len(row)]
    naturals = [card for card in row if card < 52]
    if len(naturals) == len(row):
        return evaluate(*board, *row)
    taken = {*board, *naturals}
    best = min(evaluate(*board, *naturals, card) for card in range(52) if card not in taken)
    if len(row) < 4:
        return best
    fives = (
        _pheval.evaluate_5cards(*three, card, other)
        for three in combinations(board, 3)
        for card in board
        if card not in three
        for other in naturals
    )
    return min(best, *fives)


def main() -> None:
    for row in measure():
        sys.stdout.write(f"{row['name']:14} {row['per_second']:12,.0f} a second  {row['ratio']:6.1f}x  {row['note']}\n")


if __name__ == "__main__":
    main()
