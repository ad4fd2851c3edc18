"""Jokers are read so that the setup does not foul where any reading is legal: every reading is tried."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands.scoring.cards import JOKERS, cards_text, parse_cards
from hands.scoring.chinese.rows import cards_of, read_rows
from hands.scoring.chinese.strength import category, strength_class
from hands.scoring.chinese.tables import strongest_reading
from tests.hands.scoring.chinese import oracle
from tests.hands.scoring.chinese.deals import ordered, setup_of, setup_of_cards


def compare_with_every_reading(count, seed):
    random = Random(seed)
    fouls = bound = 0
    for _ in range(count):
        # A short deck, some of one suit and some of neighbouring ranks, so that strong rows come up often.
        low, suit = random.randrange(13), random.randrange(4)
        deck = [
            card
            for card in range(52)
            if abs((card >> 2) - low) < 3 or (card & 3 == suit and random.random() < 0.7) or random.random() < 0.3
        ]
        jokers = random.choice([[52], [53], [52, 53]])
        setup = ordered(random.sample(deck, 13 - len(jokers)) + jokers, random)
        expected = oracle.read_rows(setup)
        strengths, is_foul = read_rows(setup)
        assert is_foul == (expected is None), cards_text(cards_of(setup))
        if is_foul:
            fouls += 1
            continue
        assert tuple(map(strength_class, strengths)) == expected, cards_text(cards_of(setup))
        bound += strengths != tuple(map(strongest_reading, (setup.top, setup.middle, setup.bottom)))
    # Both ends of the rule came up: what cannot be read legally, and what is read weaker than it might be.
    assert fouls > count / 50
    assert bound > count / 50


def test_jokers_are_read_as_every_reading_tried_says():
    compare_with_every_reading(300, seed=12)


@pytest.mark.slow
def test_many_jokers_are_read_as_every_reading_tried_says():
    compare_with_every_reading(8_000, seed=13)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # Freely the middle would be a full house over a flush.
        ("2c 3d 4h / 9c 9d 8h 8s X1 / Ad Jd 7d 5d 2d", ["high card", "two pair", "flush"]),
        # Freely the top would be three aces, over two pair.
        ("Ac Ad X1 / Kc Kd 4h 4s 2c / Qd Qh 7s 7c 7d", ["pair", "two pair", "full house"]),
        # Two aces and whatever else are more than a pair of fours.
        ("Ac Ad X1 / Kc 5d 4h 4s 2c / Qd Qh 7s 7c 7d", None),
        ("Kc 3d X1 / Ac Ad 4h 5s 2c / Qd Qh 7s 7c 2d", ["pair", "pair", "two pair"]),
        # Four of one suit and a joker may be a flush but need not.
        ("2c 3d 5h / 9d Td Jd Qd X1 / Ac Kh Qs Jc Ts", ["high card", "straight", "straight"]),
        # Both jokers in one row, bounded by the row below.
        ("2c 3d 5h / Ah Ad 7c X1 X2 / 4d 4h 4s 9c 9h", ["high card", "three of a kind", "full house"]),
    ],
)
def test_a_joker_is_no_stronger_than_the_row_below_allows(text, words):
    strengths, is_foul = read_rows(setup_of(text))
    assert is_foul == (words is None)
    if words:
        assert [*map(category, strengths)] == words


def test_a_joker_is_none_of_the_others_of_its_row():
    # No five of a kind; beside four aces a joker is a king. A card seen in another row is no bar.
    assert strength_class(strongest_reading(parse_cards("Ac Ad Ah As X1"))) == (7, (12, 12, 12, 12, 11))
    assert strength_class(strongest_reading(parse_cards("X1 X2 2c"))) == (3, (0, 0, 0))
    strengths, is_foul = read_rows(setup_of("Kc Kd X1 / As Ah 5c 5d X2 / Ad Ac 3h 3s 3c"))
    assert not is_foul
    assert [*map(strength_class, strengths)][1:] == [(2, (12, 12, 3, 3, 11)), (6, (1, 1, 1, 12, 12))]


@settings(max_examples=300)
@given(st.integers(0, 2**32), st.integers(0, 12), st.sampled_from(JOKERS))
def test_a_joker_never_makes_a_legal_setup_foul(seed, place, joker):
    random = Random(seed)
    setup = ordered(random.sample(range(52), 13), random)
    cards = list(cards_of(setup))
    cards[place] = joker
    better = setup_of_cards(cards)
    (strengths, is_foul), (others, other_foul) = read_rows(setup), read_rows(better)
    assert is_foul or not other_foul
    if not is_foul:
        # The bottom is read first and as strong as can be, so the whole is never weaker in that order.
        assert others[::-1] >= strengths[::-1]
