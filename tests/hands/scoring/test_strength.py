from itertools import pairwise

import pytest

from hands.scoring.cards import parse_cards
from hands.scoring.strength import category, class_ranks, classes, short_words, strength_words
from tests.hands.scoring import oracle

# Classes by category, as published (for example by Cactus Kev and in the poker literature); they sum to 7,462.
CLASS_COUNTS = {
    "high card": 1277,
    "pair": 2860,
    "two pair": 858,
    "three of a kind": 858,
    "straight": 10,
    "flush": 1277,
    "full house": 156,
    "four of a kind": 156,
    "straight flush": 10,
}


def strength_of(text):
    return oracle.five_strength(parse_cards(text))


def test_every_strength_has_the_ranks_of_the_hands_that_the_peer_gives_it():
    for strength in range(1, 7463):
        ranks = class_ranks(strength)
        if category(strength) in ("flush", "straight flush"):
            cards = [rank * 4 for rank in ranks]
        else:
            # Equal ranks are neighbours, so rising suits make the cards differ; the last breaks a flush.
            cards = [rank * 4 + place % 4 for place, rank in enumerate(ranks)]
        assert oracle.five_strength(cards) == strength, (strength, ranks)


def test_categories_have_the_published_numbers_of_classes():
    counted = dict.fromkeys(CLASS_COUNTS, 0)
    for strength in range(1, 7463):
        counted[category(strength)] += 1
    assert counted == CLASS_COUNTS
    assert len(classes()) == 7462


def test_categories_never_weaken_as_strength_rises():
    order = list(CLASS_COUNTS)
    numbers = [order.index(category(strength)) for strength in range(1, 7463)]
    assert all(weaker <= stronger for weaker, stronger in pairwise(numbers))


@pytest.mark.parametrize("strength", [0, -1, 7463])
def test_what_is_no_strength_is_refused(strength):
    for words in (category, class_ranks, strength_words, short_words):
        with pytest.raises(ValueError, match="strength"):
            words(strength)


@pytest.mark.parametrize(
    ("cards", "words", "short"),
    [
        ("Kd 9s 7h 4c 2d", "king high", "K high"),
        ("Td 9s 7h 4c 2d", "ten high", "10 high"),
        ("Qd Qs 7h 4c 2d", "pair of queens", "Pair of Qs"),
        ("Td Ts 7h 4c 2d", "pair of tens", "Pair of 10s"),
        ("6d 6s 7h 4c 2d", "pair of sixes", "Pair of 6s"),
        ("Kd 8s 8h Kc Ad", "two pair, kings and eights", "Two pair K 8"),
        ("7d 7s 7h Kc Ad", "three sevens", "Three 7s"),
        ("Jd Ts 9h 8c 7d", "straight to jack", "Straight to J"),
        ("Td 6s 9h 8c 7d", "straight to ten", "Straight to 10"),
        ("Ad 2s 3h 4c 5d", "straight to five", "Straight to 5"),
        ("Ad Ks Qh Jc Td", "straight to ace", "Straight to A"),
        ("Qd 9d 7d 4d 2d", "flush, queen high", "Flush, Q high"),
        ("Kd 9s 9h Kc Ks", "full house, kings full of nines", "Full house K 9"),
        ("2d 2s 2h Qc Qs", "full house, twos full of queens", "Full house 2 Q"),
        ("Qd Qs Qh Qc 2s", "four queens", "Four Qs"),
        ("9d 8d 7d 6d 5d", "straight flush to nine", "Straight flush to 9"),
        ("Ad 2d 3d 4d 5d", "straight flush to five", "Straight flush to 5"),
        ("Kd Qd Jd Td 9d", "straight flush to king", "Straight flush to K"),
        ("Ad Kd Qd Jd Td", "royal flush", "Royal flush"),
    ],
)
def test_strengths_are_said_in_words_and_in_brief(cards, words, short):
    assert strength_words(strength_of(cards)) == words
    assert short_words(strength_of(cards)) == short
