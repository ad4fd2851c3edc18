"""The peer that our strengths are held against: phevaluator, whose rank 1 is a royal flush and 7,462 seven high."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

from phevaluator import _pheval

STRONGEST = 7462


def five_strength(cards: Sequence[int]) -> int:
    return STRONGEST + 1 - _pheval.evaluate_5cards(*_checked(cards, 5))


def row_strength(row: Sequence[int], board: Sequence[int]) -> int:
    """The strength of a row of one, two or four cards on a board, without jokers."""
    evaluate = {1: _pheval.evaluate_6cards, 2: _pheval.evaluate_7cards, 4: _pheval.evaluate_omaha_cards}
    return STRONGEST + 1 - evaluate[len(row)](*_checked([*board, *row], 5 + len(row)))


def joker_row_strength(row: Sequence[int], board: Sequence[int]) -> int:
    """The same with jokers, by trying every five cards and, for a joker, every card that the other four are not."""
    return max(five_strength(five) for fives in _fives(row, board) for five in _substituted(tuple(sorted(fives))))


def _fives(row: Sequence[int], board: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for count in (2,) if len(row) == 4 else range(len(row) + 1):
        for ours, shared in product(combinations(row, count), combinations(board, 5 - count)):
            yield ours + shared


@lru_cache(maxsize=512)
def _substituted(five: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    naturals = tuple(card for card in five if card < 52)
    others = [card for card in range(52) if card not in naturals]
    return tuple(naturals + cards for cards in combinations(others, 5 - len(naturals)))


def _checked(cards: Sequence[int], count: int) -> Sequence[int]:
    # The peer reads outside its tables, and may crash, when it is given what is no hand.
    assert len(set(cards)) == count
    assert all(0 <= card < 52 for card in cards)
    return cards
