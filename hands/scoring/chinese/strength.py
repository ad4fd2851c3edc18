"""What three or five cards are worth in one order: 1 (four high, of three cards) to 7,917 (a royal flush).

Three cards are high card, pair or three of a kind only. Against five cards of the same category ranks are compared
one by one, and where the three run out the five are stronger: QQ7 is stronger than QQ654 and weaker than QQ982.
Source of the order: the rules of Chinese poker; that of five cards alone is hands.scoring.strength's.
"""

from functools import cache
from itertools import permutations
from typing import Final

from hands.scoring import strength as five
from hands.scoring.strength import CATEGORIES, THREE_OF_A_KIND, Ranks, class_words, short_class_words

# A category number and the ranks, what counts most first.
Class = tuple[int, Ranks]

PAIR: Final = 1
# 455 classes of three cards: 286 high cards, 156 pairs, 13 threes of a kind.
STRONGEST: Final = five.STRONGEST + 286 + 156 + 13


@cache
def classes() -> tuple[Class, ...]:
    """Every class of three and of five cards, weakest first: the strength is the place, counted from 1."""
    fives = [(five.category_number(place), ranks) for place, ranks in enumerate(five.classes(), start=1)]
    # As tuples compare, a class of three comes right before the fives that begin like it.
    return tuple(sorted([*fives, *_classes_of_three()]))


def _classes_of_three() -> list[Class]:
    high_cards = [(0, ranks) for ranks in permutations(range(12, -1, -1), 3) if ranks[0] > ranks[1] > ranks[2]]
    pairs = [(PAIR, (pair, pair, kicker)) for pair, kicker in permutations(range(13), 2)]
    return [*high_cards, *pairs, *((THREE_OF_A_KIND, (rank,) * 3) for rank in range(13))]


@cache
def strengths() -> dict[Class, int]:
    """The strength of every class."""
    return {found: place for place, found in enumerate(classes(), start=1)}


def strength_class(strength: int) -> Class:
    """The category number and the ranks of a strength. Raises ValueError for what is no strength."""
    if not 1 <= strength <= STRONGEST:
        raise ValueError(f"{strength} is not a strength of 1 to {STRONGEST}.")
    return classes()[strength - 1]


def category(strength: int) -> str:
    """The category in words: ``high card`` to ``straight flush`` (a royal flush is one)."""
    return CATEGORIES[strength_class(strength)[0]]


def strength_words(strength: int) -> str:
    """A strength in full: ``pair of queens``, ``straight to jack``."""
    return class_words(*strength_class(strength))


def short_words(strength: int) -> str:
    """A strength in brief: ``Pair of Qs``, ``Straight to J``."""
    return short_class_words(*strength_class(strength))
