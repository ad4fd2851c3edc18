from random import Random

import numpy as np
import pytest

from hands.scoring import batch
from hands.scoring.taiwanese import PRESETS, net_points
from hands.scoring.taiwanese.batch import pair_results
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


@pytest.mark.parametrize(
    "name", ["published", "taiwanese", "taiwanese-jokers", "taiwanese-house-rules", "taiwanese-royalties"]
)
def test_every_pairs_rows_and_points_are_those_of_the_vectors(name):
    for vector in vectors(name):
        if vector["game"] != "taiwanese" or "pairs" not in vector["expected"]:
            continue
        hand, rules = read_vector(vector)
        rows, points = pair_results(*arrays_of([hand]), rules)
        pairs = vector["expected"]["pairs"]
        # A row that is worth nothing tells nobody who won it.
        worth = np.tile(np.array(rules.row_points) != 0, rules.boards)
        expected = np.sign([pair["rows"] for pair in pairs])
        assert (rows[0] * worth).tolist() == expected.tolist(), vector["id"]
        assert points.tolist() == [[pair["points"] for pair in pairs]], vector["id"]


@pytest.mark.parametrize("hands", [3, batch.BLOCK + 1])
def test_a_seats_net_is_the_sum_of_its_pairs(hands):
    # Who pays a royalty is netted pair by pair, so it is in the pairs too.
    for rules in ALL_KINDS_OF_RULES:
        arrays = arrays_of([deal(Random(10), rules=rules, seats=3)] * hands)
        _rows, points = pair_results(*arrays, rules)
        one_two, one_three, two_three = points.T
        net = np.array([one_two + one_three, two_three - one_two, -one_three - two_three]).T
        assert (net == batch.net_points(*arrays, rules)).all()
