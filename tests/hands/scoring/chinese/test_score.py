"""Points of the Chinese family: the vectors, the rule book's cases, and what must hold for any hand."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands.scoring.cards import JOKERS
from hands.scoring.chinese import PRESETS, ROWS, Rules, enters, net_points, score, stays
from tests.hands.scoring.chinese.deals import ALL_KINDS_OF_RULES, deal, read_vector, setup_of
from tests.vectors import vectors

OPEN_FACE, CHINESE, TWO_FOUR = PRESETS["open-face"], PRESETS["chinese"], PRESETS["chinese-2-4"]
NAMES = ("chinese", "open-face", "open-face-edges", "open-face-jokers", "published")
VECTORS = [
    pytest.param(vector, id=f"{name}-{vector['id']}")
    for name in NAMES
    for vector in vectors(name)
    if vector["game"] != "taiwanese"
]

# Setups without royalties: the bottoms of the first two tie.
WEAK = "2c 3d 5h / 9c 9d 4h 7s 8s / Ac Ad Kh Qs 6d"
STRONG = "2d 3c 6h / Tc Td 4c 7h 8h / Ah As Ks Qd 6c"
FOUL = "Jc Jd Jh / 2h 3h 4s 5c 7c / 6c 6s 8c 8d Js"


@st.composite
def random_hands(draw):
    rules = draw(st.sampled_from(ALL_KINDS_OF_RULES))
    random = Random(draw(st.integers(0, 2**32)))
    setups = deal(random, rules=rules, seats=draw(st.integers(2, rules.seats)))
    if rules.surrender and random.random() < 0.3:
        setups[0] = replace(setups[0], surrendered=True)
    return rules, setups


def pair_of(rules, ours, theirs):
    (pair,) = score((), [setup_of(ours), setup_of(theirs)], rules).pairs
    return pair


@pytest.mark.parametrize("vector", VECTORS)
def test_vectors(vector):
    setups, rules = read_vector(vector)
    expected, names = vector["expected"], list(vector["setups"])
    scored = score((), setups, rules)
    assert [name for name, is_foul in zip(names, scored.fouls, strict=True) if is_foul] == expected["fouls"]
    assert [
        {
            "players": [names[pair.first], names[pair.second]],
            "rows": list(pair.rows),
            "scoop": pair.scoop,
            "royalties": pair.royalties,
            "points": pair.points,
        }
        for pair in scored.pairs
    ] == expected["pairs"]
    assert dict(zip(names, scored.net, strict=True)) == expected["net"]
    for seat, royalties in enumerate(expected.get("royalties", {}).values()):
        assert dict(zip(ROWS, scored.royalties[seat], strict=True)) == royalties
    for seat, fantasyland in enumerate(expected.get("fantasyland", {}).values()):
        strengths, is_foul = scored.strengths[seat], scored.fouls[seat]
        assert (not is_foul and enters(strengths) == fantasyland["enters"]) or (is_foul and not fantasyland["enters"])
        assert (not is_foul and stays(strengths, rules)) == fantasyland["stays"]
        inside = [replace(setup, fantasyland=13) for setup in setups]
        assert (scored.fantasyland[seat] > 0) == fantasyland["enters"]
        assert (score((), inside, rules).fantasyland[seat] > 0) == fantasyland["stays"]


def test_every_kind_of_vector_is_here():
    # The copies in this repository alone are 40 + 40 + 19 + 40 and two published ones.
    assert len(VECTORS) >= 141


@pytest.mark.parametrize(
    ("top", "middle", "is_foul"),
    [
        ("Qd Qh 7c", "Qc Qs 6h 5d 4s", True),
        ("Qd Qh 7c", "Qc Qs 9h 8d 2s", False),
        # Three queens under queens and nines: a category decides before ranks do.
        ("Qd Qh Qc", "Kc Ks 9h 9d 2s", True),
        # The longer is stronger where the shorter runs out.
        ("Qd Qh 7c", "Qc Qs 7h 3d 2s", False),
    ],
)
def test_top_against_middle_goes_rank_by_rank(top, middle, is_foul):
    setup = setup_of(f"{top} / {middle} / 8c 8h 8s As Ac")
    assert score((), [setup, setup_of(WEAK)], OPEN_FACE).fouls[0] == is_foul


def test_equal_rows_are_legal():
    # Both fives are ace-king high straights to the ace, and both royal: no foul.
    straights = setup_of("2d 3d 4h / Tc Jd Qc Kc Ac / Ts Js Qd Ks As")
    assert not score((), [straights, setup_of("2h 3c 4c / 9d 9h 5c 6c 7c / Ad Ah Kd Kh 2c")], OPEN_FACE).fouls[0]


def test_a_row_is_a_point_and_a_scoop_three_more():
    assert (pair_of(CHINESE, STRONG, WEAK).rows, pair_of(CHINESE, STRONG, WEAK).scoop) == ((1, 1, 0), 0)
    better = STRONG.replace("6c", "7d")
    assert (pair_of(CHINESE, better, WEAK).rows, pair_of(CHINESE, better, WEAK).points) == ((1, 1, 1), 6)


def test_under_two_four_two_rows_earn_one_more_and_all_three_four():
    assert pair_of(TWO_FOUR, STRONG, WEAK).points == 3  # 1 + 1 + 0, and 1 for two rows
    assert pair_of(TWO_FOUR, STRONG.replace("6c", "7d"), WEAK).points == 4
    # 1 - 1 - 1, and 1 for the other's two
    assert pair_of(TWO_FOUR, STRONG.replace("Tc Td", "5s 5h").replace("6c", "5d"), WEAK).points == -2
    assert pair_of(TWO_FOUR, STRONG.replace("Tc Td", "5s 5h"), WEAK).points == 0  # 1 - 1 + 0: nobody has two


@pytest.mark.parametrize(("rules", "price"), [(CHINESE, 6), (TWO_FOUR, 4), (replace(CHINESE, scoop_bonus=0), 3)])
def test_a_foul_pays_what_a_scoop_costs_and_two_fouls_nothing(rules, price):
    setups = [setup_of(FOUL), setup_of(WEAK), setup_of("9h 9s Th / 2d 3c 5d 6h Ts / Jc Qd Kc Td 4d")]
    scored = score((), setups, rules)
    assert scored.fouls == (True, False, True)
    assert [pair.points for pair in scored.pairs] == [-price, 0, price]
    assert scored.net == (-price, 2 * price, -price)


def test_a_foul_pays_royalties_and_earns_none():
    # The foul's jacks on top would be 19; the other's flush in the bottom is 4: 6 + 4.
    flush = "2c 3d 5h / 9c 9d 4h 7s 8s / Ad Kd Qd Td 6d"
    assert pair_of(OPEN_FACE, FOUL, flush).points == -10
    assert score((), [setup_of(FOUL), setup_of(flush)], OPEN_FACE).royalties == ((0, 0, 0), (0, 0, 4))


# Top sixes (1) against sevens (2), flushes in both bottoms (4 each), of which the first's is the stronger.
SIXES = "6c 6d 2h / Tc Td 3h 4h 8s / Ac Kc 9c 5c 3c"
SEVENS = "7c 7d 2s / 9h 9s 3s 4s 8h / Qd Jd 8d 5d 3d"


@pytest.mark.parametrize(
    ("paid", "royalties"),
    [
        ("both", 1 + 4 - 2 - 4),
        ("winner", 4 - 2),  # the top goes to sevens, the bottom to the ace-high flush
        ("higher", -2),  # equal flushes owe nothing
    ],
)
def test_royalties_are_paid_in_three_ways(paid, royalties):
    rules = replace(OPEN_FACE, royalties_paid=paid)
    assert pair_of(rules, SIXES, SEVENS).royalties == royalties
    assert pair_of(rules, SEVENS, SIXES).royalties == -royalties
    # From a foul all of them are won whole: 1 + 4.
    assert pair_of(rules, SIXES, FOUL.replace("6c 6s", "9d 9c").replace("8d", "8c")).royalties == 5


def test_a_tied_row_collects_no_royalty_where_the_winner_alone_does():
    tied = SEVENS.replace("7c 7d 2s", "6h 6s 2s")
    assert pair_of(replace(OPEN_FACE, royalties_paid="winner"), SIXES, tied).royalties == 4
    assert pair_of(replace(OPEN_FACE, royalties_paid="both"), SIXES, tied).royalties == 0


def test_a_house_pays_its_own_royalties():
    rules = Rules.from_parameters({"royalties": {"top": {"66": 7}, "bottom": {"flush": 3}}}, game="chinese")
    assert score((), [setup_of(SIXES), setup_of(SEVENS)], rules).royalties == ((7, 0, 3), (0, 0, 3))


SURRENDER = replace(CHINESE, surrender=True, royalties=OPEN_FACE.royalties)


@pytest.mark.parametrize(("rules", "price"), [(SURRENDER, 3), (replace(SURRENDER, method="2-4", scoop_bonus=1), 2)])
def test_a_surrender_pays_its_price_without_royalties_and_nothing_to_a_foul_or_a_surrender(rules, price):
    gone = replace(setup_of(STRONG), surrendered=True)
    hidden = setup_of(" /  / ", surrendered=True)
    scored = score((), [gone, setup_of(SIXES), setup_of(FOUL), hidden], rules)
    points = {(pair.first, pair.second): (pair.points, pair.royalties) for pair in scored.pairs}
    assert points[0, 1] == (-price, 0)
    assert points[1, 3] == (price, 0)
    assert points[0, 2] == points[2, 3] == points[0, 3] == (0, 0)
    assert scored.strengths[0] is None
    assert not scored.fouls[0]


@settings(max_examples=200)
@given(random_hands())
def test_points_sum_to_zero_and_pairs_come_in_order(hand):
    rules, setups = hand
    scored = score((), setups, rules)
    assert sum(scored.net) == 0
    assert scored.net == net_points((), setups, rules)
    assert [(pair.first, pair.second) for pair in scored.pairs] == list(combinations(range(len(setups)), 2))


@settings(max_examples=200)
@given(random_hands())
def test_a_foul_never_gains(hand):
    rules, setups = hand
    scored = score((), setups, rules)
    for pair in scored.pairs:
        if scored.fouls[pair.first]:
            assert pair.points <= 0
        if scored.fouls[pair.second]:
            assert pair.points >= 0
    for is_foul, net, royalties, owed in zip(
        scored.fouls, scored.net, scored.royalties, scored.fantasyland, strict=True
    ):
        assert not is_foul or (net <= 0 and royalties == (0, 0, 0) and not owed)


@settings(max_examples=200)
@given(random_hands(), st.randoms(use_true_random=False))
def test_seat_order_does_not_matter(hand, random):
    rules, setups = hand
    order = random.sample(range(len(setups)), len(setups))
    scored, moved = score((), setups, rules), score((), [setups[seat] for seat in order], rules)
    for now, before in enumerate(order):
        assert moved.net[now] == scored.net[before]
        assert moved.royalties[now] == scored.royalties[before]
        assert moved.strengths[now] == scored.strengths[before]
    pairs = {(pair.first, pair.second): (pair.points, pair.royalties) for pair in scored.pairs}
    for pair in moved.pairs:
        first, second = order[pair.first], order[pair.second]
        sign = 1 if first < second else -1
        points, royalties = pairs[min(first, second), max(first, second)]
        assert (pair.points, pair.royalties) == (sign * points, sign * royalties)


@settings(max_examples=150)
@given(random_hands(), st.permutations(range(4)), st.randoms(use_true_random=False))
def test_suits_and_the_order_of_cards_in_a_row_never_matter(hand, suits, random):
    rules, setups = hand

    def other(cards):
        moved = [card if card in JOKERS else card & ~3 | suits[card & 3] for card in cards]
        return tuple(random.sample(moved, len(moved)))

    moved = [replace(setup, **{row: other(getattr(setup, row)) for row in ROWS}) for setup in setups]
    assert score((), moved, rules) == score((), setups, rules)
