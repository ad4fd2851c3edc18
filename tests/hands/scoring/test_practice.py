from itertools import combinations
from random import Random
from statistics import mean

import numpy as np
import pytest

from hands.scoring.cards import parse_cards
from hands.scoring.practice import chen_points, deal_seven, draw_deals, practise, set_by_chen
from hands.scoring.taiwanese import PRESETS, Setup, net_points
from hands.scoring.worth import settings_of

PHENOM = PRESETS["phenom"]
WITH_JOKERS = PRESETS["phenom-jokers"]


def chen_setup(text):
    (cards,) = set_by_chen(np.array([sorted(parse_cards(text))], dtype=np.uint8)).tolist()
    return Setup(tuple(cards[:1]), tuple(cards[1:3]), tuple(cards[3:]))


@pytest.mark.parametrize(
    ("text", "points"),
    [
        # The formula's published examples, before they are rounded up.
        ("As Ks", 12),
        ("Ts Td", 10),
        ("7h 5h", 5.5),
        ("7c 2d", -1.5),
        ("2c 2d", 5),
        ("As Ad", 20),
        # By the formula: 10 - 5; 8 - 0; 7 - 1, no straight bonus from the queen on; 6 + 1; 6 - 1 + 1.
        ("Ac 5d", 5),
        ("Kc Qd", 8),
        ("Qc Td", 6),
        ("Jc Td", 7),
        ("Jc 9d", 6),
        # A joker is the second of a pair, or of aces beside its like.
        ("X1 9d", 9),
        ("X1 2d", 7),
        ("X1 X2", 20),
    ],
)
def test_chen_points_are_those_of_the_formula(text, points):
    card, other = parse_cards(text)
    assert chen_points(card, other) == chen_points(other, card) == points


def test_the_opponent_chooses_the_setting_with_the_most_chen_points():
    highs = dict(zip("23456789TJQKA", (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10), strict=True))
    random = Random(51)
    for _ in range(20):
        cards = sorted(random.sample(range(52), 7))

        def counted(setup):
            bottom = mean(chen_points(*pair) for pair in combinations(setup.bottom, 2))
            return highs["23456789TJQKA"[setup.top[0] >> 2]] + chen_points(*setup.middle) + bottom

        (chosen,) = set_by_chen(np.array([cards], dtype=np.uint8)).tolist()
        chosen = Setup(tuple(chosen[:1]), tuple(chosen[1:3]), tuple(chosen[3:]))
        assert chosen in settings_of(cards)
        assert counted(chosen) == pytest.approx(max(map(counted, settings_of(cards))))


def test_the_opponents_setting_of_a_hand_worked_by_hand():
    # Kings in the middle are 16 where a king on top is 8; the ace on top is 10, and what is left is the bottom.
    assert chen_setup("As Kh Kd 9c 8c 7c 6c") == Setup(
        parse_cards("As"), parse_cards("Kd Kh"), parse_cards("6c 7c 8c 9c")
    )


def test_seven_cards_are_dealt_from_the_deck_of_the_rules():
    random = np.random.default_rng(52)
    dealt = [deal_seven(WITH_JOKERS, random) for _ in range(300)]
    assert {card for cards in dealt for card in cards} == {*range(54)}
    assert {len(set(cards)) for cards in dealt} == {7}
    assert {card for _ in range(300) for card in deal_seven(PHENOM, random)} == {*range(52)}
    assert deal_seven(PHENOM, np.random.default_rng(1)) == deal_seven(PHENOM, np.random.default_rng(1))


@pytest.mark.parametrize(("rules", "boards"), [(PHENOM, 2), (WITH_JOKERS, 2), (PRESETS["one-board-scoop"], 1)])
def test_boards_and_opponents_hold_every_card_that_the_player_does_not(rules, boards):
    cards = (0, 9, 18, 27, 36, 45, 52 if rules.jokers else 51)
    on_boards, sevens = draw_deals(cards, rules, np.random.default_rng(58), 500)
    assert (on_boards.shape, sevens.shape) == ((500, boards, 5), (500, 7))
    for board_cards, seven in zip(on_boards.reshape(500, -1).tolist(), sevens.tolist(), strict=True):
        assert len({*board_cards, *seven, *cards}) == 5 * boards + 7 + 7
        assert seven == sorted(seven)
    assert {*on_boards.flatten().tolist()} == {*range(52)} - {*cards}
    assert {*sevens.flatten().tolist()} == {*range(52 + rules.jokers)} - {*cards}


@pytest.mark.parametrize("rules", [PHENOM, WITH_JOKERS, PRESETS["one-board-scoop"]])
def test_practice_gives_what_dealing_hand_by_hand_gives(rules):
    """The same question asked of the single hand's scoring and another source of chance, within five errors."""
    cards = sorted(parse_cards("X1 Ah Kd Td 9h 4c 3s" if rules.jokers else "Ac Ah Kd Td 9h 4c 3s"))
    practised = practise(cards, rules=rules, random=np.random.default_rng(53))
    setup = practised[0].setup
    random, nets = Random(54), []
    for _ in range(4000):
        naturals = random.sample(
            [card for card in range(52) if card not in cards], 52 - sum(card < 52 for card in cards)
        )
        boards = [naturals[5 * board : 5 * board + 5] for board in range(rules.boards)]
        rest = naturals[5 * rules.boards :] + [joker for joker in (52, 53)[: rules.jokers] if joker not in cards]
        seven = sorted(random.sample(rest, 7))
        (theirs,) = set_by_chen(np.array([seven], dtype=np.uint8)).tolist()
        opponent = Setup(tuple(theirs[:1]), tuple(theirs[1:3]), tuple(theirs[3:]))
        nets.append(net_points(boards, [setup, opponent], rules)[0])
    assert practised[0].expected == pytest.approx(mean(nets), abs=5 * 2**0.5 * practised[0].error)
    assert practised[0].error == pytest.approx(np.std(nets) / 4000**0.5, rel=0.1)


def test_practice_ranks_every_setting_and_says_how_far_it_is_behind():
    cards = deal_seven(PHENOM, np.random.default_rng(55))
    practised = practise(cards, rules=PHENOM, random=np.random.default_rng(56), deals=200)
    assert {setting.setup for setting in practised} == set(settings_of(cards))
    expected = [setting.expected for setting in practised]
    assert expected == sorted(expected, reverse=True)
    assert [setting.rank for setting in practised] == [expected.index(points) + 1 for points in expected]
    for setting in practised:
        assert setting.behind == pytest.approx(expected[0] - setting.expected)
    assert (practised[0].behind, practised[0].behind_error) == (0, 0)
    assert practised == practise(cards, rules=PHENOM, random=np.random.default_rng(56), deals=200)


@pytest.mark.parametrize(
    "cards", [range(6), range(8), (0, 0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5, 52), (-1, 1, 2, 3, 4, 5, 6)]
)
def test_practice_takes_seven_different_cards_of_the_deck(cards):
    with pytest.raises(ValueError, match="seven different cards"):
        practise(cards, rules=PHENOM, random=np.random.default_rng(57))
