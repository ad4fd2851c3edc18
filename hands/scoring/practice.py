"""Practice: seven cards are dealt, and each way to set them is held against one opponent who is described here.

The opponent's seven cards and the boards are drawn at random from what the player does not hold. The opponent
sets as people do who count in Chen points (Bill Chen's formula for two cards of Hold'em, published in Lou
Krieger's "Hold'em Excellence"): of the 105 settings the one with the most points in all, for the card on top what
it counts as a high card, for the middle its two cards, for the bottom the average of its six pairs of cards. Where
settings count the same, the first in the order of ``settings_of`` the rising cards is chosen. Between two such
opponents each leaves about 1.5 points a hand on the table; who sets at random leaves 3.4.

Against more than one of them the points are as many times as much: each pair of players is scored on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hands.scoring import batch
from hands.scoring.cards import DECK, JOKER_RANK, JOKERS
from hands.scoring.tables import CARDS
from hands.scoring.taiwanese.rows import Setup
from hands.scoring.taiwanese.rules import BOARD_SIZE, SETUP_SIZE, Rules
from hands.scoring.worth import settings_of

Cards = NDArray[np.uint8]
# How many deals are drawn: a setting's points are then known to about 0.1.
DEALS: Final = 4000

# Chen's formula: what the higher card counts, a pair twice that and at least 5, one suit 2 more, 1, 2, 4 or 5 less
# for the ranks between, and 1 more for a possible straight below the queen.
HIGH_CARDS: Final = (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10)
LOWEST_PAIR: Final = 5
SUITED: Final = 2
GAPS: Final = (0, 1, 2, 4, 5)
CONNECTED: Final = 1
QUEEN: Final = 10

# Places of the seven cards in the order of settings: top, middle, bottom.
_SETTINGS: Final = np.array([(*setup.top, *setup.middle, *setup.bottom) for setup in settings_of(range(SETUP_SIZE))])
_BOTTOM_PAIRS: Final = tuple(combinations(range(3, SETUP_SIZE), 2))


@dataclass(frozen=True, slots=True)
class PracticeSetting:
    """One way to set the seven cards: its rank from 1 (equal ones share it), its points on average and how much
    fewer they are than the best setting's; both with their standard errors."""

    setup: Setup
    rank: int
    expected: float
    error: float
    behind: float
    behind_error: float


def deal_seven(rules: Rules, random: np.random.Generator) -> tuple[int, ...]:
    """Seven cards from the deck of the rules (jokers included), rising."""
    return tuple(sorted(random.permutation(DECK + rules.jokers)[:SETUP_SIZE].tolist()))


def practise(
    cards: Sequence[int], *, rules: Rules, random: np.random.Generator, deals: int = DEALS
) -> tuple[PracticeSetting, ...]:
    """All 105 settings of seven cards against the opponent of this module, the best first.

    Sampled: every setting meets the same ``deals`` deals, so their differences are surer than their points.
    Raises ValueError for cards that are not seven different ones of the deck.
    """
    if len(cards) != SETUP_SIZE or len(set(cards)) < SETUP_SIZE or not set(cards) <= {*range(DECK + rules.jokers)}:
        raise ValueError("Practice takes seven different cards of the deck.")
    cards = sorted(cards)
    boards, sevens = draw_deals(cards, rules, random, deals)
    ours = np.array(cards, dtype=np.uint8)[_SETTINGS]
    setups = np.empty((deals, len(ours), 2, SETUP_SIZE), dtype=np.uint8)
    setups[:, :, 0] = ours
    setups[:, :, 1] = set_by_chen(sevens)[:, None]
    points = batch.net_points(np.repeat(boards, len(ours), axis=0), setups.reshape(-1, 2, SETUP_SIZE), rules)[
        :, 0
    ].reshape(deals, len(ours))
    return _ranked(cards, points)


def set_by_chen(sevens: Cards) -> Cards:
    """How the opponent sets hands of seven cards, (hands, 7) of rising cards: top, middle, bottom, likewise."""
    high_cards, pairs = _chen_tables()
    cards = sevens[:, _SETTINGS]
    bottoms = np.sum([pairs[cards[..., one], cards[..., other]] for one, other in _BOTTOM_PAIRS], axis=0)
    # Six times as many, so that the average is a sum and equal counts are equal numbers.
    counted = 6 * high_cards[cards[..., 0]] + 6 * pairs[cards[..., 1], cards[..., 2]] + bottoms
    setups: Cards = np.take_along_axis(sevens, _SETTINGS[counted.argmax(axis=1)], axis=1)
    return setups


def chen_points(card: int, other: int) -> float:
    """Chen points of two cards, not rounded; a joker counts as the card with which they are most."""
    low, high = sorted((card, other))
    if high >= DECK:
        # Beside a joker an ace is never worth less than another card, and two jokers may be two aces.
        partners = [natural for natural in range(DECK) if natural != low]
        return chen_points(DECK - 1, DECK - 2) if low >= DECK else max(chen_points(low, card) for card in partners)
    low_rank, rank = low >> 2, high >> 2
    if low_rank == rank:
        return max(LOWEST_PAIR, 2 * HIGH_CARDS[rank])
    between = rank - low_rank - 1
    points = HIGH_CARDS[rank] - GAPS[min(between, len(GAPS) - 1)]
    points += SUITED * (low & 3 == high & 3)
    return points + CONNECTED * (between <= 1 and rank < QUEEN)


@cache
def _chen_tables() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """By card, and by two cards; a joker alone is an ace."""
    high_cards = [HIGH_CARDS[min(card >> 2, JOKER_RANK - 1)] for card in range(CARDS)]
    pairs = [[chen_points(card, other) if card != other else 0 for other in range(CARDS)] for card in range(CARDS)]
    return np.array(high_cards, dtype=np.float32), np.array(pairs, dtype=np.float32)


def draw_deals(cards: Sequence[int], rules: Rules, random: np.random.Generator, deals: int) -> tuple[Cards, Cards]:
    """What the seven cards meet: boards, (deals, boards, 5), and the opponent's cards, (deals, 7), rising.

    Every card that is not among ``cards`` has the same chance, but jokers, which never lie on boards.
    """
    on_boards = BOARD_SIZE * rules.boards
    naturals = np.array([card for card in range(DECK) if card not in cards], dtype=np.uint8)
    drawn = random.permuted(np.tile(naturals, (deals, 1)), axis=1)
    jokers = np.array([card for card in JOKERS[: rules.jokers] if card not in cards], dtype=np.uint8)
    rest = np.hstack([drawn[:, on_boards:], np.tile(jokers, (deals, 1))])
    sevens = random.permuted(rest, axis=1)[:, :SETUP_SIZE]
    return drawn[:, :on_boards].reshape(deals, rules.boards, BOARD_SIZE), np.sort(sevens, axis=1)


def _ranked(cards: Sequence[int], points: NDArray[np.int32]) -> tuple[PracticeSetting, ...]:
    totals = points.sum(axis=0)
    order = np.argsort(-totals, kind="stable")
    behind = points[:, order[:1]] - points
    root = len(points) ** 0.5
    errors, behind_errors = points.std(axis=0) / root, behind.std(axis=0) / root
    setups = settings_of(cards)
    return tuple(
        PracticeSetting(
            setup=setups[place],
            rank=1 + int((totals > totals[place]).sum()),
            expected=float(totals[place] / len(points)),
            error=float(errors[place]),
            behind=float(behind[:, place].mean()),
            behind_error=float(behind_errors[place]),
        )
        for place in order
    )
