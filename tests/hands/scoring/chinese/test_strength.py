"""Three and five cards in one order, held against the rule book's slow way and against the peer."""

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest

from hands.scoring.cards import parse_cards
from hands.scoring.chinese.strength import (
    STRONGEST,
    category,
    classes,
    short_words,
    strength_class,
    strength_words,
)
from hands.scoring.chinese.tables import strongest_reading
from hands.scoring.strength import CATEGORIES
from tests.hands.scoring import oracle as peer
from tests.hands.scoring.chinese import oracle


def strength_of(text):
    return strongest_reading(parse_cards(text))


def test_all_three_cards_of_the_deck_have_the_class_that_the_rules_give_them():
    assert all(
        strength_class(strongest_reading(cards)) == oracle.class_of(cards) for cards in combinations(range(52), 3)
    )


def test_three_cards_have_455_classes():
    # 13 choose 3 high cards, 13 x 12 pairs with a kicker, 13 threes of a kind
    counted = Counter(category(place) for place, found in enumerate(classes(), start=1) if len(found[1]) == 3)
    assert counted == {"high card": 286, "pair": 156, "three of a kind": 13}
    assert len(classes()) == 7462 + 455 == STRONGEST


@pytest.mark.parametrize("count", [5_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_five_cards_have_the_order_of_the_peer(count):
    random = Random(11)
    by_peer = {}
    for _ in range(count):
        cards = random.sample(range(52), 5)
        strength = strongest_reading(cards)
        assert strength_class(strength) == oracle.class_of(cards)
        by_peer[peer.five_strength(cards)] = strength
    assert all(by_peer[weaker] < by_peer[stronger] for weaker, stronger in pairwise(sorted(by_peer)))


@pytest.mark.parametrize(
    "rising",
    [
        # Rank by rank, and where the three run out the five are stronger.
        ("Qd Qh 6c 5d 4s", "Qc Qs 7h", "Qd Qh 7c 3d 2s", "Qd Qh 9c 8d 2s"),
        ("Ad Kh Qc", "Ad Kh Qc 3d 2s", "2d 2h 3c", "2d 2h 3c 4d 5s"),
        ("Ad Ah Kc", "Ad Ah Kc 3d 2s", "2d 2h 3c 3d 4s", "2d 2h 2c", "2d 2h 2c 3d 4s", "3d 3h 3c", "Ad Ah Ac"),
        # The wheel is the lowest straight, of one suit too; a straight does not wrap.
        ("Ad Ah Ac Ks Qs", "Ad 2h 3c 4s 5s", "2d 3h 4c 5s 6s", "Ad Kh Qc Js Ts"),
        ("As Ks Qs Js 9s", "2d 2h 2c 3d 3s", "Ad Ah Ac As Kd", "Ad 2d 3d 4d 5d", "2d 3d 4d 5d 6d"),
        ("Qd Kh Ac 2s 3s", "2d 2h 3c 4d 5s"),
        # Four high is the weakest of all.
        ("2d 3h 4c", "2d 3h 5c", "2d 3h 4c 5s 7s"),
    ],
)
def test_three_and_five_cards_are_in_one_order(rising):
    strengths = [strength_of(text) for text in rising]
    assert strengths == sorted(set(strengths))


def test_suits_never_break_a_tie():
    assert strength_of("Qd Qh 7c") == strength_of("Qs Qc 7h")
    assert strength_of("Ad Kd Qd 5d 4d") == strength_of("As Ks Qs 5s 4s")


def test_three_of_a_suit_or_in_a_row_are_high_cards():
    assert category(strength_of("Ad Kd Qd")) == "high card"


@pytest.mark.parametrize("strength", [0, -1, STRONGEST + 1])
def test_what_is_no_strength_is_refused(strength):
    for words in (category, strength_class, strength_words, short_words):
        with pytest.raises(ValueError, match="strength"):
            words(strength)


@pytest.mark.parametrize(
    ("cards", "words", "short"),
    [
        ("2d 3h 4c", "four high", "4 high"),
        ("Qd Qs 7h", "pair of queens", "Pair of Qs"),
        ("6d 6s 6h", "three sixes", "Three 6s"),
        ("Kd 8s 8h Kc Ad", "two pair, kings and eights", "Two pair K 8"),
        ("Ad 2s 3h 4c 5d", "straight to five", "Straight to 5"),
        ("Ad 2d 3d 4d 5d", "straight flush to five", "Straight flush to 5"),
        ("Ad Kd Qd Jd Td", "royal flush", "Royal flush"),
    ],
)
def test_strengths_are_said_in_words_and_in_brief(cards, words, short):
    assert strength_words(strength_of(cards)) == words
    assert short_words(strength_of(cards)) == short


def test_categories_are_those_of_poker():
    assert {category(place) for place in range(1, STRONGEST + 1)} == set(CATEGORIES)
