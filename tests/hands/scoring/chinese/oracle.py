"""What rows are worth, worked out the slow way from the rule book: groups of equal ranks, sorted. Jokers are tried."""

from collections import Counter
from itertools import combinations, product

WHEEL = [12, 3, 2, 1, 0]


def class_of(cards):
    """The category, 0 to 8, and the ranks, what counts most first, of three or five natural cards."""
    ranks = sorted((card >> 2 for card in cards), reverse=True)
    counts = Counter(ranks)
    grouped = sorted(ranks, key=lambda rank: (counts[rank], rank), reverse=True)
    sizes = sorted(counts.values(), reverse=True)
    if len(cards) == 5:
        is_flush = len({card & 3 for card in cards}) == 1
        if ranks == WHEEL:
            return (8 if is_flush else 4), (3, 2, 1, 0, 12)
        if len(sizes) == 5 and ranks[0] - ranks[4] == 4:
            return (8 if is_flush else 4), tuple(ranks)
        if is_flush:
            return 5, tuple(ranks)
    kinds = {(1,): 0, (2,): 1, (2, 2): 2, (3,): 3, (3, 2): 6, (4,): 7}
    return kinds[tuple(size for size in sizes if size > 1) or (1,)], tuple(grouped)


def classes_of(row):
    """Everything that a row can be, each joker being any card that is not one of the row's others."""
    naturals = [card for card in row if card < 52]
    others = [card for card in range(52) if card not in naturals]
    return {class_of([*naturals, *cards]) for cards in combinations(others, len(row) - len(naturals))}


def read_rows(setup):
    """The classes of top, middle and bottom and whether the setup fouls, every reading being tried.

    As tuples compare, three cards are weaker than the five that begin like them.
    """
    rows = [classes_of(row) for row in (setup.bottom, setup.middle, setup.top)]
    legal = [(bottom, middle, top) for bottom, middle, top in product(*rows) if bottom >= middle >= top]
    if not legal:
        return None
    bottom, middle, top = max(legal)
    return top, middle, bottom
