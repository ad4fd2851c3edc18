"""What one player won from each opponent, hand by hand: many hands at once, as the batch scores them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from hands.queries import StoredHand
from hands.scoring import taiwanese
from hands.scoring.games import GAMES, Rules
from hands.scoring.taiwanese.batch import pair_results


@dataclass(frozen=True)
class Met:
    """A hand, the place of the player among its seats, and the rules that it was played by."""

    hand: StoredHand
    mine: int
    rules: Rules


@dataclass(frozen=True)
class Against:
    """The player's points from each opponent, by the opponents' places; homeruns are of Taiwanese alone."""

    points: tuple[tuple[int, int], ...]
    homeruns_won: int | None = None
    homeruns_lost: int | None = None


def against_each(met: Sequence[Met]) -> list[Against | None]:
    """For each of these hands what the player has from everybody else; None where nobody kept the cards."""
    found: list[Against | None] = [None] * len(met)
    alike: dict[tuple[taiwanese.Rules, int], list[int]] = defaultdict(list)
    for place, one in enumerate(met):
        if not one.hand.has_cards:
            continue
        if isinstance(one.rules, taiwanese.Rules):
            alike[one.rules, len(one.hand.seats)].append(place)
        else:
            found[place] = _one_by_one(one)
    for (rules, seats), places in alike.items():
        hands = [met[place].hand for place in places]
        boards = np.array([hand.boards for hand in hands], dtype=np.uint8)
        setups = [[_cards(seat.setup) for seat in hand.seats] for hand in hands]
        rows, points = pair_results(boards, np.array(setups, dtype=np.uint8), rules)
        swept = (rows == rows[:, :, :1]).all(axis=2) * rows[:, :, 0] * bool(rules.homerun_bonus)
        for place, won, homeruns in zip(places, points.tolist(), swept.tolist(), strict=True):
            pairs = _pairs_of(seats, met[place].mine)
            signed = [sign * homeruns[pair] for pair, _other, sign in pairs]
            of_each = tuple((other, sign * won[pair]) for pair, other, sign in pairs)
            found[place] = Against(of_each, signed.count(1), signed.count(-1))
    return found


def _cards(setup: taiwanese.Setup) -> tuple[int, ...]:
    return setup.top + setup.middle + setup.bottom


@cache
def _pairs_of(seats: int, mine: int) -> tuple[tuple[int, int, int], ...]:
    """Of the pairs (0, 1), (0, 2) ... those of one seat: the pair's place, who the other is, and 1 or -1."""
    pairs = enumerate(combinations(range(seats), 2))
    return tuple(
        (place, second if first == mine else first, 1 if first == mine else -1)
        for place, (first, second) in pairs
        if mine in (first, second)
    )


def _one_by_one(met: Met) -> Against:
    score = GAMES[met.rules.game].score(met.hand.boards, [seat.setup for seat in met.hand.seats], met.rules)
    points = [(pair.second, pair.points) for pair in score.pairs if pair.first == met.mine]
    points += [(pair.first, -pair.points) for pair in score.pairs if pair.second == met.mine]
    return Against(tuple(sorted(points)))
