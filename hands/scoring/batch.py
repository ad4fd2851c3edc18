"""Many hands at once, in numpy: the same tables and the same rules as hand by hand, by the game of the rules."""

import numpy as np
from numpy.typing import NDArray

from hands.scoring import chinese, taiwanese
from hands.scoring.chinese import batch as chinese_batch
from hands.scoring.taiwanese import batch as taiwanese_batch

# Hands go through in blocks that fit a core's cache; more than a block at once costs nothing, less does.
BLOCK = taiwanese_batch.BLOCK


def net_points(
    boards: NDArray[np.uint8],
    setups: NDArray[np.uint8],
    rules: taiwanese.Rules | chinese.Rules,
    surrendered: NDArray[np.bool_] | None = None,
) -> NDArray[np.int32]:
    """Each seat's points in each hand: an array of (hands, seats).

    ``boards`` are numbers of cards, (hands, boards, 5), where a game has none (hands, 0, 5); ``setups`` are (hands,
    seats, cards), the cards being top, middle, bottom; ``surrendered`` is (hands, seats), of games that have it; the
    cards of such a seat are not looked at. All hands have the same number of seats and must have passed the check.
    Raises ValueError for a shape that the rules cannot have.
    """
    if isinstance(rules, chinese.Rules):
        return chinese_batch.net_points(boards, setups, rules, surrendered)
    return taiwanese_batch.net_points(boards, setups, rules)
