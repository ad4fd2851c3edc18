from dataclasses import replace
from random import Random

import numpy as np
import pytest

from hands.scoring import batch
from hands.scoring.chinese import PRESETS, net_points
from tests.hands.scoring.chinese.deals import ALL_KINDS_OF_RULES, deal, read_vector
from tests.vectors import vectors


def arrays_of(hands):
    setups = [[(*setup.top, *setup.middle, *setup.bottom) for setup in hand] for hand in hands]
    return np.empty((len(hands), 0, 5), dtype=np.uint8), np.array(setups, dtype=np.uint8)


def expect_the_single_hands_points(hands, rules):
    points = batch.net_points(*arrays_of(hands), rules)
    assert points.shape == (len(hands), len(hands[0]))
    assert points.tolist() == [list(net_points((), hand, rules)) for hand in hands]


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_a_batch_gives_each_hand_what_it_gets_alone(rules):
    random = Random(7)
    for seats in range(2, rules.seats + 1):
        expect_the_single_hands_points([deal(random, rules=rules, seats=seats) for _ in range(300)], rules)


@pytest.mark.parametrize("hands", [batch.BLOCK, batch.BLOCK + 17])
def test_blocks_and_what_is_left_of_them_are_whole(hands):
    random = Random(8)
    rules = PRESETS["open-face-jokers"]
    expect_the_single_hands_points([deal(random, rules=rules, seats=2) for _ in range(hands)], rules)


@pytest.mark.parametrize("name", ["chinese", "open-face", "open-face-edges", "open-face-jokers"])
def test_a_batch_gives_what_the_vectors_say(name):
    for vector in vectors(name):
        setups, rules = read_vector(vector)
        points = batch.net_points(*arrays_of([setups]), rules)
        assert points.tolist() == [list(vector["expected"]["net"].values())], vector["id"]


def test_surrenders_are_told_apart_from_the_cards():
    rules = replace(PRESETS["chinese"], surrender=True)
    random = Random(9)
    hands = [deal(random, rules=rules, seats=3) for _ in range(50)]
    surrendered = np.zeros((50, 3), dtype=bool)
    surrendered[::3, 1] = surrendered[::6, 2] = True
    boards, setups = arrays_of(hands)
    # The cards of who surrendered are not looked at.
    setups[surrendered] = 0
    expected = [
        net_points(
            (), [replace(setup, surrendered=bool(gone)) for setup, gone in zip(hand, of_hand, strict=True)], rules
        )
        for hand, of_hand in zip(hands, surrendered, strict=True)
    ]
    assert batch.net_points(boards, setups, rules, surrendered).tolist() == [list(net) for net in expected]


def test_a_batch_leaves_its_input_as_it_is_and_takes_read_only_arrays():
    rules = PRESETS["open-face-jokers"]
    boards, setups = arrays_of([deal(Random(9), rules=rules, seats=3) for _ in range(30)])
    copy = setups.copy()
    setups.flags.writeable = False
    batch.net_points(boards, setups, rules)
    assert (setups == copy).all()


def test_no_hands_give_no_points():
    empty = np.empty((0, 0, 5), dtype=np.uint8), np.empty((0, 3, 13), dtype=np.uint8)
    assert batch.net_points(*empty, PRESETS["open-face"]).shape == (0, 3)


@pytest.mark.parametrize(
    ("boards", "setups", "surrendered"),
    [
        ((3, 2, 5), (3, 3, 13), (3, 3)),
        ((2, 0, 5), (3, 3, 13), (3, 3)),
        ((3, 0, 5), (3, 3, 7), (3, 3)),
        ((3, 0, 5), (3, 3, 13), (3, 2)),
    ],
)
def test_shapes_that_the_rules_cannot_have_are_refused(boards, setups, surrendered):
    with pytest.raises(ValueError, match="are no hands"):
        batch.net_points(
            np.zeros(boards, dtype=np.uint8),
            np.zeros(setups, dtype=np.uint8),
            PRESETS["chinese"],
            np.zeros(surrendered, dtype=bool),
        )
