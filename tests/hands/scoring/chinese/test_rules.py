import pytest

from hands.scoring.chinese import PRESETS, Rules
from hands.scoring.problems import Refused
from tests.hands.scoring.chinese.deals import ALL_KINDS_OF_RULES, HOUSE_ROYALTIES

GAMES = ("chinese", "open-face", "pineapple", "progressive")


def read(parameters, game="open-face"):
    return Rules.from_parameters(parameters, game=game)


def problems_of(parameters, game="open-face", pointer=""):
    with pytest.raises(Refused) as refused:
        Rules.from_parameters(parameters, pointer, game=game)
    return {problem.pointer: (problem.code, problem.sentence) for problem in refused.value.problems}


def test_nothing_said_is_the_game_as_it_is_commonly_played():
    shared = {"method": "1-6", "scoop_bonus": 3, "jokers": 0, "royalties_paid": "both"}
    assert read({}, "chinese").parameters() == shared | {
        "seats": 4, "royalties": "none", "surrender": False, "naturals": "none",
    }  # fmt: skip
    open_face = shared | {"royalties": "standard", "middle_stays": True}
    assert read({}, "open-face").parameters() == open_face | {"seats": 4}
    assert read({}, "pineapple").parameters() == open_face | {"seats": 3}
    assert read({}, "progressive").parameters() == open_face | {"seats": 3, "middle_stays": False}


def test_the_standard_royalties_are_those_of_the_rule_book():
    # Rows: high card, pair, two pair, trips, straight, flush, full house, quads, straight flush, royal flush. On top
    # the pairs 22 to AA, where 66 is 1 and AA 9, then 222 to AAA, 10 to 22.
    top, middle, bottom = read({}).royalties
    assert middle == (0, 0, 0, 2, 4, 8, 12, 20, 30, 50)
    assert bottom == (0, 0, 0, 0, 2, 4, 6, 10, 15, 25)
    assert top[:4] == (0, 0, 0, 0)
    assert top[4:13] == (1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert top[13:] == (10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22)


def test_under_two_four_the_bonus_is_one():
    rules = read({"method": "2-4"}, "chinese")
    assert (rules.scoop_bonus, rules.foul_points, rules.surrender_points) == (1, 4, 2)
    assert (PRESETS["chinese"].foul_points, PRESETS["chinese"].surrender_points) == (6, 3)
    assert PRESETS["chinese-2-4"] == rules


def test_presets_differ_in_what_their_names_say():
    assert PRESETS["open-face-jokers"] == read({"jokers": 2})
    assert PRESETS["pineapple-strict"] == read({"middle_stays": False}, "pineapple")
    assert PRESETS["pineapple-jokers"] == read({"jokers": 2}, "pineapple")
    assert PRESETS["chinese-naturals"] == read({"naturals": "standard", "surrender": True}, "chinese")
    assert PRESETS["chinese-naturals"].naturals == (13, 4, 3, 3)
    assert all(PRESETS[game] == read({}, game) for game in GAMES)


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_rules_are_read_back_from_their_parameters(rules):
    assert Rules.from_parameters(rules.parameters(), game=rules.game) == rules
    assert hash(rules) == hash(Rules.from_parameters(rules.parameters(), game=rules.game))


def test_a_houses_own_royalties_are_kept_by_row_and_hand():
    rules = read({"royalties": HOUSE_ROYALTIES})
    assert rules.parameters()["royalties"] == HOUSE_ROYALTIES
    top, _, bottom = rules.royalties
    assert (top[12], top[13], sum(top)) == (9, 20, 29)
    assert bottom == (0, 0, 1, 0, 0, 0, 0, 10, 15, 40)


def test_a_royal_flush_of_which_nothing_is_said_is_a_straight_flush():
    assert read({"royalties": HOUSE_ROYALTIES}).royalties[1] == (0, 0, 0, 0, 0, 0, 12, 0, 30, 30)
    silent = read({"royalties": {"bottom": {"straight flush": 15, "royal flush": 0}}})
    assert silent.royalties[2][8:] == (15, 0)
    assert read(silent.parameters()) == silent


@pytest.mark.parametrize("royalties", [None, "none", {}, {"top": {}}, {"top": {"AA": 0}}])
def test_royalties_without_points_are_none(royalties):
    assert read({"royalties": royalties}).royalties is None


def test_naturals_are_none_the_usual_or_a_houses_own():
    assert read({"naturals": "standard"}, "chinese").naturals == (13, 4, 3, 3)
    assert read({"naturals": {"dragon": 36}}, "chinese").naturals == (36, 0, 0, 0)
    for nothing in (None, "none", {}, {"dragon": 0}):
        assert read({"naturals": nothing}, "chinese").naturals is None


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("parameters", "pointer", "code"),
    [
        ({"method": "1-5"}, "/method", "parameter_choice"),
        ({"method": 2}, "/method", "parameter_choice"),
        ({"scoop_bonus": -1}, "/scoop_bonus", "parameter_range"),
        ({"scoop_bonus": 1001}, "/scoop_bonus", "parameter_range"),
        ({"scoop_bonus": True}, "/scoop_bonus", "parameter_type"),
        ({"jokers": 1}, "/jokers", "parameter_choice"),
        ({"seats": 1}, "/seats", "parameter_range"),
        ({"seats": 5}, "/seats", "parameter_range"),
        ({"royalties": "double"}, "/royalties", "parameter_type"),
        ({"royalties": {"front": {}}}, "/royalties/front", "unknown_row"),
        ({"royalties": {"top": {"three of a kind": 10}}}, "/royalties/top/three of a kind", "unknown_category"),
        ({"royalties": {"middle": {"AA": 10}}}, "/royalties/middle/AA", "unknown_category"),
        ({"royalties": {"top": {"AA": "9"}}}, "/royalties/top/AA", "parameter_type"),
        ({"royalties": {"top": 3}}, "/royalties/top", "parameter_type"),
        ({"royalties_paid": "loser"}, "/royalties_paid", "parameter_choice"),
        ({"boards": 2}, "/boards", "unknown_parameter"),
    ],
)
def test_what_no_house_can_choose_is_refused(game, parameters, pointer, code):
    assert {where: found for where, (found, _) in problems_of(parameters, game).items()} == {pointer: code}


def test_games_have_their_own_parameters_and_seats():
    assert problems_of({"naturals": "none"}) == {
        "/naturals": ("unknown_parameter", "naturals is not a parameter of Open-Face rules.")
    }
    assert list(problems_of({"surrender": False}, "pineapple")) == ["/surrender"]
    assert list(problems_of({"middle_stays": True}, "chinese")) == ["/middle_stays"]
    assert problems_of({"seats": 4}, "pineapple")["/seats"][1] == "seats must be a whole number from 2 to 3."


def test_every_problem_is_found_at_once_at_its_place():
    found = problems_of({"naturals": {"phoenix": 5, "dragon": -1}, "surrender": 1}, "chinese", "/rule_set")
    assert {pointer: sentence for pointer, (_, sentence) in found.items()} == {
        "/rule_set/naturals/phoenix": "phoenix is not a natural; there are: dragon, three straights, three flushes, "
        "six pairs.",
        "/rule_set/naturals/dragon": "A natural must be a whole number from 0 to 1000.",
        "/rule_set/surrender": "surrender must be true or false.",
    }
    assert problems_of({"naturals": 3}, "chinese")["/naturals"][1] == (
        "naturals must be none, standard or a table of points by natural."
    )
    assert problems_of({"royalties": 3})["/royalties"][1] == (
        "royalties must be none, standard or a table of points by row and category."
    )
