"""What five cards are worth: one whole number, 1 (seven high) to 7,462 (a royal flush), higher is better.

Every hand of five that a deck can give belongs to one of 7,462 classes, and a class has one strength: equal
strength is a tie, because suits never break one. Source of the order: the rules of poker (hand-class counts
as published, e.g. 1,277 classes of high card); A-2-3-4-5 is the lowest straight and a straight never wraps.
"""

from bisect import bisect_left
from functools import cache
from itertools import accumulate, chain, combinations
from typing import Final

from hands.scoring.cards import RANK_WORDS, RANKS

CATEGORIES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
THREE_OF_A_KIND: Final = 3
FLUSH: Final = 5
FULL_HOUSE: Final = 6
FOUR_OF_A_KIND: Final = 7
STRAIGHT_FLUSH: Final = 8
ACE: Final = 12
# How many classes a category has; the last strength of each follows.
CLASS_COUNTS: Final = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)
LAST_STRENGTHS: Final = tuple(accumulate(CLASS_COUNTS))
STRONGEST: Final = LAST_STRENGTHS[-1]

_WHEEL: Final = (3, 2, 1, 0, 12)  # 5-4-3-2-A: the ace plays low

Ranks = tuple[int, ...]


def category_number(strength: int) -> int:
    """0 for high card to 8 for straight flush. Raises ValueError for what is no strength."""
    if not 1 <= strength <= STRONGEST:
        raise ValueError(f"{strength} is not a strength of 1 to {STRONGEST}.")
    return bisect_left(LAST_STRENGTHS, strength)


def category(strength: int) -> str:
    """The category in words: ``high card`` to ``straight flush`` (a royal flush is one)."""
    return CATEGORIES[category_number(strength)]


def class_ranks(strength: int) -> Ranks:
    """The five ranks (0 to 12) of a strength, what counts most first: ``K K K 9 9``, ``5 4 3 2 A``."""
    category_number(strength)
    return classes()[strength - 1]


@cache
def classes() -> tuple[Ranks, ...]:
    """The ranks of every class, weakest class first: the strength is the place, counted from 1."""
    five_ranks = sorted(combinations(range(12, -1, -1), 5))
    higher = (tuple(range(high, high - 5, -1)) for high in range(4, 13))
    straights = (_WHEEL, *higher)
    no_straights = [ranks for ranks in five_ranks if ranks not in straights and ranks != (12, 3, 2, 1, 0)]
    fours, full_houses, threes, two_pairs, pairs = (
        _grouped(*sizes) for sizes in ((4, 1), (3, 2), (3, 1, 1), (2, 2, 1), (2, 1, 1, 1))
    )
    weaker = (no_straights, pairs, two_pairs, threes, straights)
    stronger = (no_straights, full_houses, fours, straights)
    return tuple(chain(*weaker, *stronger))


def _grouped(*sizes: int) -> list[Ranks]:
    """All hands of groups of equal ranks, such as 2, 2, 1 for two pair, weakest first."""
    hands: list[Ranks] = [()]
    for place, size in enumerate(sizes):
        # Groups of one size are told by their higher rank first, or each hand would come twice.
        follows = place > 0 and sizes[place - 1] == size
        hands = [
            (*hand, *[rank] * size) for hand in hands for rank in range(hand[-1] if follows else 13) if rank not in hand
        ]
    return sorted(hands)


def strength_words(strength: int) -> str:
    """A strength in full: ``full house, kings full of nines``, ``straight to jack``, ``royal flush``."""
    return class_words(category_number(strength), class_ranks(strength))


def short_words(strength: int) -> str:
    """A strength in brief, for a column: ``Two pair K 8``, ``Three 7s``, ``Straight to 10``."""
    return short_class_words(category_number(strength), class_ranks(strength))


def class_words(number: int, ranks: Ranks) -> str:
    """A class in full, by its category number and its ranks, five or three, what counts most first."""
    first, second = ranks[0], _second(ranks)
    word = RANK_WORDS[first]
    many, others = _plural(first), _plural(second)
    forms = (
        f"{word} high",
        f"pair of {many}",
        f"two pair, {many} and {others}",
        f"three {many}",
        f"straight to {word}",
        f"flush, {word} high",
        f"full house, {many} full of {others}",
        f"four {many}",
        f"straight flush to {word}" if first < ACE else "royal flush",
    )
    return forms[number]


def short_class_words(number: int, ranks: Ranks) -> str:
    """A class in brief, likewise."""
    first, second = (RANKS[rank].replace("T", "10") for rank in (ranks[0], _second(ranks)))
    forms = (
        f"{first} high",
        f"Pair of {first}s",
        f"Two pair {first} {second}",
        f"Three {first}s",
        f"Straight to {first}",
        f"Flush, {first} high",
        f"Full house {first} {second}",
        f"Four {first}s",
        f"Straight flush to {first}" if ranks[0] < ACE else "Royal flush",
    )
    return forms[number]


def _second(ranks: Ranks) -> int:
    return next((rank for rank in ranks if rank != ranks[0]), ranks[0])


def _plural(rank: int) -> str:
    word = RANK_WORDS[rank]
    return f"{word}es" if word == "six" else f"{word}s"
