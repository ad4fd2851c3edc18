from random import Random

import numpy as np
import pytest

from hands.scoring import batch
from hands.scoring.taiwanese import PRESETS, net_points
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, deal, read_vector
from tests.vectors import vectors


def arrays_of(hands):
    boards = np.array([boards for boards, _ in hands], dtype=np.uint8)
    setups = [[(*setup.top, *setup.middle, *setup.bottom) for setup in setups] for _, setups in hands]
    return boards, np.array(setups, dtype=np.uint8)


def expect_the_single_hands_points(hands, rules):
    expected = [net_points(*hand, rules) for hand in hands]
    points = batch.net_points(*arrays_of(hands), rules)
    assert points.shape == (len(hands), len(hands[0][1]))
    assert points.tolist() == [list(net) for net in expected]


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_a_batch_gives_each_hand_what_it_gets_alone(rules):
    random = Random(7)
    for seats in range(2, rules.seats + 1):
        expect_the_single_hands_points([deal(random, rules=rules, seats=seats) for _ in range(150)], rules)


@pytest.mark.parametrize("hands", [batch.BLOCK, batch.BLOCK + 1, 2 * batch.BLOCK + 17])
def test_blocks_and_what_is_left_of_them_are_whole(hands):
    random = Random(8)
    rules = PRESETS["phenom-jokers"]
    expect_the_single_hands_points([deal(random, rules=rules, seats=2) for _ in range(hands)], rules)


@pytest.mark.parametrize("name", ["taiwanese", "taiwanese-jokers", "taiwanese-house-rules", "taiwanese-royalties"])
def test_a_batch_gives_what_the_vectors_say(name):
    for vector in vectors(name):
        hand, rules = read_vector(vector)
        points = batch.net_points(*arrays_of([hand]), rules)
        assert points.tolist() == [list(vector["expected"]["net"].values())], vector["id"]


def test_a_batch_leaves_its_input_as_it_is_and_takes_read_only_arrays():
    rules = PRESETS["phenom"]
    boards, setups = arrays_of([deal(Random(9), rules=rules, seats=6) for _ in range(3)])
    copies = boards.copy(), setups.copy()
    boards.flags.writeable = setups.flags.writeable = False
    batch.net_points(boards, setups, rules)
    assert (boards == copies[0]).all()
    assert (setups == copies[1]).all()


def test_no_hands_give_no_points():
    empty = np.empty((0, 2, 5), dtype=np.uint8), np.empty((0, 6, 7), dtype=np.uint8)
    assert batch.net_points(*empty, PRESETS["phenom"]).shape == (0, 6)


@pytest.mark.parametrize(
    ("boards", "setups"),
    [((3, 1, 5), (3, 6, 7)), ((3, 2, 4), (3, 6, 7)), ((3, 2, 5), (2, 6, 7)), ((3, 2, 5), (3, 6, 6))],
)
def test_shapes_that_the_rules_cannot_have_are_refused(boards, setups):
    with pytest.raises(ValueError, match="are no hands"):
        batch.net_points(np.zeros(boards, dtype=np.uint8), np.zeros(setups, dtype=np.uint8), PRESETS["phenom"])
