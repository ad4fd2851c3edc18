"""What each joker of a row is played as, once it is known what the row is worth."""

from collections import Counter
from collections.abc import Iterable, Sequence

from hands.scoring.cards import JOKERS, SUITS

_FIVE = 5


def play_jokers(cards: Sequence[int], ranks: Sequence[int], suited: bool) -> list[int] | None:
    """The cards with each joker played as a rank that is missing; None where they are not these ranks.

    ``ranks`` are those of the strength, ``suited`` whether it is a flush. A joker's suit is that of the flush, or
    else the first in which its card is not in the hand yet and which makes no flush.
    """
    naturals = [card for card in cards if card not in JOKERS]
    missing = Counter(ranks)
    missing.subtract(card >> 2 for card in naturals)
    if min(missing.values()) < 0:
        return None
    suits = {card & 3 for card in naturals}
    if suited:
        return _play(cards, missing, suits) if len(suits) == 1 and len(set(ranks)) == len(ranks) else None
    played = _play(cards, missing, range(len(SUITS)))
    if not _is_flush(played):
        return played
    # A joker that may not make the flush is of another suit; without one it is the flush.
    others = [suit for suit in range(len(SUITS)) if suit not in suits]
    return _play(cards, missing, others) if len(naturals) < len(cards) else None


def _is_flush(cards: Sequence[int]) -> bool:
    return len(cards) == _FIVE and len({card & 3 for card in cards}) == 1


def _play(cards: Sequence[int], missing: Counter[int], suits: Iterable[int]) -> list[int]:
    naturals = [card for card in cards if card not in JOKERS]
    played: list[int] = []
    wanted = iter(sorted(missing.elements(), reverse=True))
    for card in cards:
        if card in JOKERS:
            rank = next(wanted)
            choices = [rank * 4 + suit for suit in suits]
            card = next(choice for choice in choices if choice not in (*naturals, *played))
        played.append(card)
    return played
