"""Naturals: what they are, what they collect, and that rows no longer matter."""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement
from random import Random

import pytest

from hands.scoring.chinese import PRESETS, Rules, score
from hands.scoring.chinese.naturals import natural_of
from tests.hands.scoring.chinese.deals import setup_of, setup_of_cards

RULES = PRESETS["chinese-naturals"]
DRAGON = "Kc 3d 5h / 2c 4d 6h 8s Ts / Ac 7d 9h Js Qd"
SIX_PAIRS = "2d 2h 3c / 3h 4c 4h 6c 6d / 8c 8d 9c 9d Kd"
STRAIGHTS = "Ad 2s 3s / 5c 6s 7h 8h 9s / Td Jc Qh Kh As"
FLUSHES = "Th Jh Ah / 4s 5s 7s Qs Ks / 5d Jd Qd Td 7d"
PLAIN = "7c Tc Qc / Js Jh 4s 5s 9c / Kh Ks Ah 6s 2s"


@pytest.mark.parametrize(
    ("text", "natural"),
    [
        (DRAGON, "dragon"),
        (SIX_PAIRS, "six pairs"),
        (STRAIGHTS, "three straights"),
        (FLUSHES, "three flushes"),
        (PLAIN, ""),
        # Four of a kind is two pairs.
        ("2d 2h 2c / 2s 4c 4h 6c 6d / 8c 8d 9c 9d Kd", "six pairs"),
        # Three of a kind is a pair and one over.
        ("2d 2h 2c / 5s 4c 4h 6c 6d / 8c 8d 9c 9d Kd", ""),
        # The ace is low on top and high below; a straight does not wrap.
        ("Kd As 2s / 5c 6s 7h 8h 9s / Td Jc Qh Kh Ad", ""),
        ("Qd As Ks / 5c 6s 7h 8h 9s / Ad 2c 3h 4h 5s", "three straights"),
        # Two of three rows are not enough.
        ("2d 2s 3s / 5c 6s 7h 8h 9s / Td Jc Qh Kh As", ""),
        ("Th Jh Ad / 4s 5s 7s Qs Ks / 5d Jd Qd Td 7d", ""),
        # Straights of three suits are straights and flushes; the better counts.
        ("2c 3c 4c / 5d 6d 7d 8d 9d / 3h 4h 5h 6h 7h", "three straights"),
        # Jokers help.
        ("Kc 3d 5h / 2c 4d 6h X1 Ts / Ac 7d X2 Js Qd", "dragon"),
        ("2d X1 3c / 3h 4c 4h 6c 6d / 8c 8d 9c 9d Kd", "six pairs"),
        ("2d X1 3c / 3h 4c X2 6c 6d / 8c 8d 9c 9d Kd", "six pairs"),
        ("2d X1 3c / 3h 4c X2 6c 7d / 8c 8d 9c 9d Kd", ""),
        ("2d 2h X1 / X2 4c 4h 6c 6d / 8c 8d 9c 9d Kd", "six pairs"),
        ("Ad X1 3s / 5c 6s X2 8h 9s / Td Jc Qh Kh As", "three straights"),
        ("Th X1 Ah / 4s X2 7s Qs Ks / 5d Jd Qd Td 7d", "three flushes"),
    ],
)
def test_naturals_are_found_in_the_cards_or_in_the_rows(text, natural):
    assert natural_of(setup_of(text), RULES) == natural


def test_six_pairs_with_jokers_are_what_every_card_tried_says():
    random = Random(14)
    rules = Rules.from_parameters({"naturals": {"six pairs": 3}, "jokers": 2}, game="chinese")
    answers = Counter()
    for _ in range(300):
        jokers = random.choice([[], [52], [52, 53]])
        # Few ranks, so that pairs come up often.
        deck = [card for card in range(52) if card >> 2 < random.randint(6, 10)]
        cards = random.sample(deck, 13 - len(jokers)) + jokers
        ranks = [card >> 2 for card in cards if card < 52]
        counts = [Counter([*ranks, *played]) for played in combinations_with_replacement(range(13), len(jokers))]
        expected = any(max(count.values()) <= 4 and sum(held // 2 for held in count.values()) >= 6 for count in counts)
        assert natural_of(setup_of_cards(cards), rules) == ("six pairs" if expected else ""), cards
        answers[expected] += 1
    assert min(answers[True], answers[False]) > 30


def test_a_dragon_and_six_pairs_are_in_whatever_rows():
    assert natural_of(setup_of("Ac Kc Qd / Js Ts 9h 8s 7d / 2c 3d 4d 5h 6h"), RULES) == "dragon"


def points_of(*texts, rules=RULES):
    return [pair.points for pair in score((), [setup_of(text) for text in texts], rules).pairs]


def test_a_lower_natural_pays_the_higher_whole():
    assert points_of(SIX_PAIRS, DRAGON) == [-13]
    assert points_of(DRAGON, SIX_PAIRS) == [13]
    assert points_of(STRAIGHTS, SIX_PAIRS) == [4]


def test_a_natural_collects_from_everyone_without_one():
    assert points_of(DRAGON, PLAIN) == [13]
    assert points_of(PLAIN, SIX_PAIRS) == [-3]


def test_equal_naturals_owe_nothing():
    assert points_of(SIX_PAIRS, FLUSHES) == [0]


def test_with_a_natural_rows_fouls_and_royalties_do_not_matter():
    rules = replace(RULES, royalties=PRESETS["open-face"].royalties)
    # Set the wrong way round, the straights are no foul; the other's kings on top would be 8.
    straights = setup_of("Kh Qh Jc / Kd Qd Jh Td 9s / Ad 2s 3s 4h 5c")
    kings = setup_of("Kc Ks 4s / Ac As 3h 6c 9c / 2c 2d 5h 5s 8c")
    scored = score((), [straights, kings], rules)
    assert scored.fouls == (False, False)
    assert scored.naturals == ("three straights", "")
    assert scored.royalties == ((0, 0, 0), (8, 0, 0))
    assert (scored.pairs[0].natural, scored.pairs[0].royalties, scored.pairs[0].points) == (4, 0, 4)


def test_a_natural_collects_from_fouls_and_surrenders_too():
    foul = setup_of("Jc Jd Jh / 2h 3h 4s 5c 7c / 6c 6s 8c 8d Js")
    gone = setup_of(" /  / ", surrendered=True)
    assert score((), [setup_of(DRAGON), foul, gone], RULES).net[0] == 26


def test_a_house_may_change_the_points_and_so_the_order():
    rules = Rules.from_parameters({"naturals": {"six pairs": 20, "dragon": 5}}, game="chinese")
    assert points_of(SIX_PAIRS, DRAGON, rules=rules) == [20]
    # What is worth nothing is none: the straights are compared by their rows.
    assert score((), [setup_of(STRAIGHTS), setup_of(PLAIN)], rules).naturals == ("", "")


def test_without_the_rule_there_are_no_naturals():
    assert score((), [setup_of(DRAGON), setup_of(PLAIN)], PRESETS["chinese"]).naturals == ("", "")
