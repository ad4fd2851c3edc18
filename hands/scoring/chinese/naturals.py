"""Naturals of closed Chinese poker: found from a seat's cards, or its rows as set, before rows are compared.

Source: the rules of Chinese poker. A dragon and six pairs are in the thirteen cards, in whatever rows; three
straights and three flushes are in the rows, the top's three cards included. A joker is whatever helps.
"""

from collections import Counter
from collections.abc import Sequence

from hands.scoring.cards import DECK
from hands.scoring.chinese.rows import Setup, cards_of
from hands.scoring.chinese.rules import NATURALS, Rules
from hands.scoring.strength import ACE

_ACE_LOW = -1
_PAIRS = 6


def natural_of(setup: Setup, rules: Rules) -> str:
    """The natural of a setup that is worth most, one of NATURALS; ``""`` where it has none that is worth anything."""
    if rules.naturals is None:
        return ""
    rows = (setup.top, setup.middle, setup.bottom)
    found = (
        _is_dragon(cards_of(setup)),
        all(map(_is_straight, rows)),
        all(map(_is_flush, rows)),
        _is_six_pairs(cards_of(setup)),
    )
    points = max((worth for worth, is_found in zip(rules.naturals, found, strict=True) if is_found), default=0)
    if not points:
        return ""
    worths = zip(NATURALS, rules.naturals, found, strict=True)
    return next(name for name, worth, is_found in worths if is_found and worth == points)


def natural_points(name: str, rules: Rules) -> int:
    """What a natural collects; 0 for ``""``."""
    return rules.naturals[NATURALS.index(name)] if name and rules.naturals else 0


def _naturals(cards: Sequence[int]) -> list[int]:
    return [card for card in cards if card < DECK]


def _is_dragon(cards: Sequence[int]) -> bool:
    ranks = [card >> 2 for card in _naturals(cards)]
    return len(set(ranks)) == len(ranks)


def _is_straight(row: Sequence[int]) -> bool:
    ranks = {card >> 2 for card in _naturals(row)}
    if len(ranks) < len(_naturals(row)):
        return False
    low = {_ACE_LOW if rank == ACE else rank for rank in ranks}
    # Jokers fill the gaps, and what is over goes to an end.
    return any(max(places) - min(places) < len(row) for places in (ranks, low))


def _is_flush(row: Sequence[int]) -> bool:
    return len({card & 3 for card in _naturals(row)}) <= 1


def _is_six_pairs(cards: Sequence[int]) -> bool:
    """Twelve of the cards in pairs; four of a kind is two, and a joker pairs with a card that is over."""
    naturals = _naturals(cards)
    pairs = sum(count // 2 for count in Counter(card >> 2 for card in naturals).values())
    # Of thirteen cards there are always enough over for the jokers that are still needed.
    return pairs + len(cards) - len(naturals) >= _PAIRS
