from itertools import combinations
from random import Random
from statistics import mean

import pytest

from hands.scoring.equity import equity
from hands.scoring.problems import Refused
from hands.scoring.taiwanese import PRESETS, Setup, score
from hands.scoring.worth import rising, settings_of, worth
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, deal

PHENOM = PRESETS["phenom"]


def with_setting(setups, seat, setting):
    return [setting.setup if place == seat else setup for place, setup in enumerate(setups)]


def test_seven_cards_are_set_in_105_ways():
    # 7 tops, of the six cards left 15 middles, and the last four are the bottom.
    settings = settings_of((3, 9, 17, 20, 33, 41, 53))
    assert len(set(settings)) == 7 * 15
    for setting in settings:
        assert (len(setting.top), len(setting.middle), len(setting.bottom)) == (1, 2, 4)
        assert {*setting.top, *setting.middle, *setting.bottom} == {3, 9, 17, 20, 33, 41, 53}
        assert setting == rising(setting)


def test_a_settings_expected_points_are_the_average_over_all_boards():
    # Six seats leave ten cards: 252 first boards, and the second is what is left.
    boards, setups = deal(Random(41), rules=PHENOM, seats=6)
    deck = sorted(boards[0] + boards[1])
    hands = [[board, [card for card in deck if card not in board]] for board in combinations(deck, 5)]
    found = worth(boards=boards, setups=setups, seat=2, rules=PHENOM)
    for setting in found.settings[::8]:
        tried = with_setting(setups, 2, setting)
        assert setting.expected == pytest.approx(mean(score(hand, tried, PHENOM).net[2] for hand in hands), abs=1e-9)


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_a_setting_is_worth_what_its_equity_is(rules):
    random = Random(42)
    seats = min(4, rules.seats)
    boards, setups = deal(random, rules=rules, seats=seats)
    found = worth(boards=boards, setups=setups, seat=1, rules=rules)
    for setting in found.settings[::26]:
        seat = equity(boards=[()] * rules.boards, setups=with_setting(setups, 1, setting), rules=rules).seats[1]
        assert setting.expected == pytest.approx(seat.points, abs=1e-9)


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_actual_points_are_those_on_the_boards_that_came(rules):
    boards, setups = deal(Random(43), rules=rules, seats=3)
    found = worth(boards=boards, setups=setups, seat=0, rules=rules)
    for setting in found.settings:
        assert setting.actual == score(boards, with_setting(setups, 0, setting), rules).net[0]
    assert found.played.actual == score(boards, setups, rules).net[0]


def test_the_best_setting_comes_first_and_equal_ones_share_a_rank():
    boards, setups = deal(Random(44), rules=PHENOM, seats=5)
    settings = worth(boards=boards, setups=setups, seat=4, rules=PHENOM).settings
    assert len({setting.setup for setting in settings}) == 105
    expected = [setting.expected for setting in settings]
    assert expected == sorted(expected, reverse=True)
    assert [setting.rank for setting in settings] == [expected.index(points) + 1 for points in expected]


def test_two_jokers_are_one_to_the_ranking_and_the_played_one_comes_first_among_equals():
    rules = PRESETS["phenom-jokers"]
    boards, setups = deal(Random(45), rules=rules, seats=5)
    rest = sorted({*range(54)} - {card for board in boards for card in board})
    cards = [*rest[:5], 52, 53]
    others = [card for card in rest if card not in cards]
    setups = [Setup((53,), (52, cards[0]), (cards[4], *cards[1:4]))]
    setups += [
        Setup(tuple(others[at : at + 1]), tuple(others[at + 1 : at + 3]), tuple(others[at + 3 : at + 7]))
        for at in (0, 7, 14, 21)
    ]
    found = worth(boards=boards, setups=setups, seat=0, rules=rules)
    # The order within a row does not matter. With X1 on top and X2 in the middle it is the same to every board, and
    # before it in the list of all settings.
    assert found.played.setup == rising(setups[0])
    (twin,) = [
        setting for setting in found.settings if setting.setup == Setup((52,), (cards[0], 53), tuple(cards[1:5]))
    ]
    assert (twin.rank, twin.expected, twin.actual) == (
        found.played.rank,
        found.played.expected,
        found.played.actual,
    )
    assert found.settings.index(found.played) < found.settings.index(twin)


def test_luck_is_what_came_beyond_what_was_expected():
    boards, setups = deal(Random(46), rules=PHENOM, seats=6)
    found = worth(boards=boards, setups=setups, seat=0, rules=PHENOM)
    assert found.luck == found.played.actual - found.played.expected
    assert found.left_on_table == found.settings[0].expected - found.played.expected >= 0
    best = worth(boards=boards, setups=with_setting(setups, 0, found.settings[0]), seat=0, rules=PHENOM)
    assert best.left_on_table == 0


def test_a_hand_that_cannot_be_is_refused_with_its_sentences():
    boards, setups = deal(Random(47), rules=PHENOM, seats=2)
    with pytest.raises(Refused, match="Board 2 has 4 cards"):
        worth(boards=[boards[0], boards[1][:4]], setups=setups, seat=0, rules=PHENOM)
    with pytest.raises(Refused, match="The hand has 1 seat"):
        worth(boards=boards, setups=setups[:1], seat=0, rules=PHENOM)
    with pytest.raises(IndexError):
        worth(boards=boards, setups=setups, seat=2, rules=PHENOM)
