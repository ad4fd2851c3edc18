from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from hands.scoring.subsets import bits_of, disjoint_pairs, how_many, sums


def subsets(cards, size):
    """In colexicographic order: by the highest card, then the next."""
    return sorted(combinations(range(cards), size), key=lambda members: members[::-1])


@pytest.mark.parametrize(("cards", "size"), [(5, 0), (5, 1), (7, 3), (9, 5), (5, 5), (3, 4)])
def test_subsets_come_by_their_highest_card(cards, size):
    # Powers of two: a sum says which cards are in it.
    values = 1 << np.arange(cards)
    assert sums(values, size).tolist() == [sum(1 << card for card in members) for members in subsets(cards, size)]


def test_a_line_of_bits_holds_every_property_and_nothing_else():
    flags = np.random.default_rng(1).random((70, 33)) < 0.5
    bits = np.unpackbits(bits_of(flags).view(np.uint8), axis=1, bitorder="little")
    assert bits.shape == (33, 128)
    assert (bits[:, :70] == flags.T).all()
    assert not bits[:, 70:].any()
    assert how_many(flags).tolist() == flags.sum(axis=1).tolist()


@pytest.mark.parametrize(
    ("cards", "sizes"),
    [(11, (5, 5)), (9, (2, 2)), (9, (1, 1)), (9, (5, 2)), (9, (1, 5)), (7, (0, 5)), (7, (2, 0)), (7, (0, 0))],
)
def test_pairs_without_a_common_card_are_counted_as_by_looking_at_every_pair(cards, sizes):
    random = np.random.default_rng(2)
    first, second = (random.random((70, comb(cards, size))) < 0.4 for size in sizes)
    expected = np.zeros(70, dtype=int)
    for (one, ours), (other, theirs) in product(*(enumerate(subsets(cards, size)) for size in sizes)):
        if not {*ours} & {*theirs}:
            expected += first[:, one] & second[:, other]
    counted = disjoint_pairs(bits_of(first), bits_of(second), sizes=sizes, cards=cards)
    assert counted[:70].tolist() == expected.tolist()
    assert not counted[70:].any()


@pytest.mark.parametrize(("cards", "size"), [(12, 5), (9, 2)])
def test_a_board_that_stands_for_both_is_counted_as_two_alike(cards, size):
    bits = bits_of(np.random.default_rng(3).random((3, comb(cards, size))) < 0.4)
    expected = disjoint_pairs(bits, bits.copy(), sizes=(size, size), cards=cards)
    assert disjoint_pairs(bits, bits, sizes=(size, size), cards=cards).tolist() == expected.tolist()
    assert expected[:3].all()


def test_where_every_pair_counts_there_are_as_many_as_can_be_drawn():
    # 38 cards, both boards unknown: 501,942 first boards, and 33 cards are left for 237,336 second ones.
    everything = bits_of(np.ones((1, comb(38, 5)), dtype=np.bool_))
    assert disjoint_pairs(everything, everything, sizes=(5, 5), cards=38)[0] == 501_942 * 237_336
