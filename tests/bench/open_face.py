"""How fast Open-Face hands are scored, against the fastest peer on the same hands in the same run.

The peer is phevaluator's compiled function for five cards in a loop, from numbers of cards to net points with fouls,
scoops and royalties. It knows no hands of three cards, so its tops are looked up in a dictionary, and no jokers.

    python -m tests.bench.open_face
"""

import sys
from bisect import bisect_left
from itertools import combinations, combinations_with_replacement

import numpy as np
from phevaluator import _pheval

from hands.scoring import batch
from hands.scoring.chinese import PRESETS, Rules, Setup, net_points
from hands.scoring.strength import STRONGEST, category_number, classes
from tests.bench.scoring import Cards, Row, agree, race, row_of
from tests.hands.scoring.chinese.oracle import class_of

SEATS = 3
SINGLE_HANDS = 6_000
BATCH_HANDS = 200_000
OPEN_FACE, WITH_JOKERS = PRESETS["open-face"], PRESETS["open-face-jokers"]

# By the peer's rank of five cards, 1 (a royal flush) to 7,462: the royalties of middle and bottom.
MIDDLE = (0, 0, 0, 2, 4, 8, 12, 20, 30)
BOTTOM = (0, 0, 0, 0, 2, 4, 6, 10, 15)


def measure() -> list[Row]:
    return [single(), batch_naturals(), batch_jokers()]


def single() -> Row:
    """One hand at a time, three seats, no jokers."""
    hands = _seats(_deal(SINGLE_HANDS, OPEN_FACE))
    setups = [[Setup(*rows) for rows in hand] for hand in hands]
    net_points((), setups[0], OPEN_FACE)  # builds the tables
    (ours, our_time), (theirs, their_time) = race(
        lambda: [net_points((), hand, OPEN_FACE) for hand in setups], lambda: [_peer_net(hand) for hand in hands]
    )
    agree(ours, theirs)
    return row_of("open-face", SINGLE_HANDS / our_time, SINGLE_HANDS / their_time)


def batch_naturals() -> Row:
    """Hands in bulk, three seats, no jokers."""
    return _measure_batch("open-face-batch", OPEN_FACE)


def batch_jokers() -> Row:
    """Hands in bulk, three seats, two jokers in the deck of 54; the peer scores as many without."""
    return _measure_batch("open-face-jokers", WITH_JOKERS)


def _measure_batch(name: str, rules: Rules) -> Row:
    cards = _deal(BATCH_HANDS, rules)
    boards = np.empty((BATCH_HANDS, 0, 5), dtype=np.uint8)
    hands = _seats(cards[:SINGLE_HANDS] if not rules.jokers else _deal(SINGLE_HANDS, OPEN_FACE))
    batch.net_points(boards[:100], cards[:100], rules)  # builds the tables
    (ours, our_time), (theirs, their_time) = race(
        lambda: batch.net_points(boards, cards, rules), lambda: [_peer_net(hand) for hand in hands]
    )
    if not rules.jokers:
        agree([tuple(net) for net in ours[:SINGLE_HANDS].tolist()], theirs)
    return row_of(name, BATCH_HANDS / our_time, SINGLE_HANDS / their_time)


def _deal(count: int, rules: Rules) -> np.ndarray:
    """Fresh hands, (count, 3, 13). Two of three seats put the cards of one rank, or of one suit, side by side."""
    random = np.random.default_rng()
    deck = random.permuted(np.tile(np.arange(52 + rules.jokers, dtype=np.uint8), (count, 1)), axis=1)
    cards = deck[:, : 13 * SEATS].reshape(count, SEATS, 13).copy()
    cards[:, 0].sort(axis=1)
    by_suit = np.argsort((cards[:, 1] & 3) * np.uint8(64) + (cards[:, 1] >> 2), axis=1)
    cards[:, 1] = np.take_along_axis(cards[:, 1], by_suit, axis=1)
    return cards


def _seats(cards: np.ndarray) -> list[list[tuple[Cards, Cards, Cards]]]:
    return [[(tuple(seat[:3]), tuple(seat[3:8]), tuple(seat[8:])) for seat in hand] for hand in cards.tolist()]


def _peer_tops() -> dict[Cards, tuple[int, int, int]]:
    """By the ranks of a top: its place among all tops, the weakest rank of five that may lie under it, its royalty."""
    fives = [(category_number(place), ranks) for place, ranks in enumerate(classes(), start=1)]
    found = {}
    for ranks in combinations_with_replacement(range(13), 3):
        number, ordered = class_of([rank * 4 + suit for suit, rank in enumerate(ranks)])
        royalty = {1: max(0, ordered[0] - 3), 3: 10 + ordered[0]}.get(number, 0)
        found[ranks] = (number, ordered), STRONGEST - bisect_left(fives, (number, ordered)), royalty
    order = sorted(top for top, _, _ in found.values())
    return {ranks: (order.index(top), limit, royalty) for ranks, (top, limit, royalty) in found.items()}


PEER_TOPS = _peer_tops()
ROYALTIES = [
    [0, *(table[category_number(STRONGEST + 1 - rank)] for rank in range(1, STRONGEST + 1))]
    for table in (MIDDLE, BOTTOM)
]
ROYALTIES[0][1], ROYALTIES[1][1] = 50, 25


def _peer_net(hand: list[tuple[Cards, Cards, Cards]]) -> Cards:
    five = _pheval.evaluate_5cards
    seats = []
    for top, middle, bottom in hand:
        place, limit, royalty = PEER_TOPS[tuple(sorted((top[0] >> 2, top[1] >> 2, top[2] >> 2)))]
        lower, lowest = five(*middle), five(*bottom)
        if lower < lowest or lower > limit:
            seats.append(None)
        else:
            seats.append((place, -lower, -lowest, royalty + ROYALTIES[0][lower] + ROYALTIES[1][lowest]))
    net = [0] * len(seats)
    for first, second in combinations(range(len(seats)), 2):
        ours, theirs = seats[first], seats[second]
        if ours is None or theirs is None:
            points = 0 if ours is theirs else -6 - theirs[3] if ours is None else 6 + ours[3]
        else:
            points = 0
            for row in range(3):
                points += (ours[row] > theirs[row]) - (ours[row] < theirs[row])
            points = points * 2 if abs(points) == 3 else points
            points += ours[3] - theirs[3]
        net[first] += points
        net[second] -= points
    return tuple(net)


def main() -> None:
    for row in measure():
        sys.stdout.write(f"{row['name']:16} {row['per_second']:12,.0f} a second  {row['ratio']:6.1f}x  {row['note']}\n")


if __name__ == "__main__":
    main()
