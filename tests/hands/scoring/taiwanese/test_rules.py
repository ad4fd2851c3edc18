import pytest

from hands.scoring.problems import Refused
from hands.scoring.taiwanese import PRESETS, Rules
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, ROYALTIES


def problems_of(parameters, pointer=""):
    with pytest.raises(Refused) as refused:
        Rules.from_parameters(parameters, pointer)
    return {(problem.pointer, problem.code) for problem in refused.value.problems}


def sentences_of(parameters):
    with pytest.raises(Refused) as refused:
        Rules.from_parameters(parameters)
    return [problem.sentence for problem in refused.value.problems]


def test_nothing_said_is_the_game_as_phenom_poker_plays_it():
    assert Rules.from_parameters({}).parameters() == {
        "boards": 2,
        "row_points": [1, 2, 3],
        "homerun_bonus": 8,
        "board_scoop_bonus": 0,
        "jokers": 0,
        "seats": 6,
        "royalties": None,
        "royalties_paid": "both",
    }
    assert PRESETS["phenom"] == Rules() == Rules.from_parameters({})


def test_presets_differ_from_phenom_in_what_their_names_say():
    phenom = PRESETS["phenom"].parameters()
    assert PRESETS["phenom-jokers"].parameters() == phenom | {"jokers": 2}
    assert PRESETS["doubled-homerun"].parameters() == phenom | {"homerun_bonus": 12}
    one_board = {"boards": 1, "homerun_bonus": 0, "board_scoop_bonus": 3}
    assert PRESETS["one-board-scoop"].parameters() == phenom | one_board


def test_the_doubled_homerun_is_worth_its_rows_again():
    rules = PRESETS["doubled-homerun"]
    assert rules.homerun_bonus == rules.boards * sum(rules.row_points)


@pytest.mark.parametrize("rules", [*PRESETS.values(), *ALL_KINDS_OF_RULES])
def test_rules_are_read_back_from_their_parameters(rules):
    assert Rules.from_parameters(rules.parameters()) == rules
    assert hash(Rules.from_parameters(rules.parameters())) == hash(rules)


def test_royalties_are_kept_by_row_and_category():
    rules = Rules.from_parameters({"royalties": ROYALTIES})
    assert rules.parameters()["royalties"] == ROYALTIES
    # Weakest category first: high card, pair, two pair, trips, straight, flush, full house, quads, straight flush
    assert rules.royalties == (
        (0, 0, 1, 2, 3, 3, 4, 6, 12),
        (0, 0, 0, 1, 2, 2, 3, 5, 10),
        (0, 0, 0, 0, 0, 0, 2, 4, 8),
    )


@pytest.mark.parametrize("royalties", [None, {}, {"top": {}}, {"top": {"pair": 0}}])
def test_royalties_without_points_are_none(royalties):
    assert Rules.from_parameters({"royalties": royalties}) == Rules()


def test_with_one_board_the_homerun_bonus_is_none_unless_said():
    assert Rules.from_parameters({"boards": 1}).homerun_bonus == 0


@pytest.mark.parametrize("name", ["boards", "homerun_bonus", "board_scoop_bonus", "jokers", "seats"])
@pytest.mark.parametrize("value", [True, "2", 2.0, None, [2], {}, -1, 10**30])
def test_a_number_is_a_whole_number_in_its_range_and_no_bool(name, value):
    ((pointer, code),) = problems_of({name: value})
    assert pointer == f"/{name}"
    assert code in ("parameter_type", "parameter_range", "parameter_choice")


@pytest.mark.parametrize(
    "parameters",
    [
        {"boards": 0, "homerun_bonus": 0},
        {"boards": 3},
        {"seats": 1},
        {"seats": 9},
        {"jokers": 1},
        {"jokers": 3},
        {"homerun_bonus": 1001},
        {"board_scoop_bonus": 1001},
    ],
)
def test_a_number_out_of_its_range_is_refused(parameters):
    assert len(problems_of(parameters)) == 1


def test_the_greatest_numbers_are_accepted():
    greatest = {"row_points": [1000, 1000, 1000], "homerun_bonus": 1000, "board_scoop_bonus": 1000}
    assert Rules.from_parameters(greatest).homerun_bonus == 1000


@pytest.mark.parametrize("value", [None, 1, "123", [1, 2], [1, 2, 3, 4], {"top": 1}])
def test_row_points_are_three_numbers(value):
    assert problems_of({"row_points": value}) == {("/row_points", "parameter_type")}


def test_each_row_point_is_checked_on_its_own():
    assert problems_of({"row_points": [True, -1, 3]}) == {
        ("/row_points/0", "parameter_type"),
        ("/row_points/1", "parameter_range"),
    }


def test_one_board_with_a_homerun_bonus_is_a_contradiction():
    assert problems_of({"boards": 1, "homerun_bonus": 8}) == {("/homerun_bonus", "homerun_needs_two_boards")}
    assert sentences_of({"boards": 1, "homerun_bonus": 8}) == [
        "A homerun is won on two boards; with one board the homerun bonus must be 0."
    ]


def test_seats_need_no_more_cards_than_the_deck_has():
    # 6 x 7 + 2 x 5 = 52, but 7 x 7 + 2 x 5 = 59
    assert Rules.from_parameters({"seats": 6}).seats == 6
    assert sentences_of({"seats": 7}) == ["seats must be a whole number from 2 to 6."]


def test_seven_seats_are_refused_even_where_their_cards_would_be_there():
    # 7 x 7 + 5 = 54 are the cards of a deck with two jokers, but the game is for two to six.
    assert problems_of({"boards": 1, "seats": 7, "jokers": 2}) == {("/seats", "parameter_range")}


def test_unknown_keys_are_refused_by_name():
    assert problems_of({"homerun": 8, "a/b~c": 1}) == {
        ("/homerun", "unknown_parameter"),
        ("/a~1b~0c", "unknown_parameter"),
    }
    assert "homerun is not a parameter of Taiwanese rules." in sentences_of({"homerun": 8})


def test_royalties_name_rows_and_categories_that_there_are():
    assert problems_of({"royalties": {"front": {}, "top": {"royal flush": 5}, "middle": 3}}) == {
        ("/royalties/front", "unknown_row"),
        ("/royalties/top/royal flush", "unknown_category"),
        ("/royalties/middle", "parameter_type"),
    }
    assert problems_of({"royalties": {"top": {"pair": True, "flush": 1001}}}) == {
        ("/royalties/top/pair", "parameter_type"),
        ("/royalties/top/flush", "parameter_range"),
    }
    assert problems_of({"royalties": "standard"}) == {("/royalties", "parameter_type")}


@pytest.mark.parametrize("value", ["loser", None, 1, ["both"], {}])
def test_royalties_are_paid_to_both_or_to_the_winner(value):
    assert problems_of({"royalties_paid": value}) == {("/royalties_paid", "parameter_choice")}


def test_every_problem_is_found_at_once_and_under_the_callers_pointer():
    assert problems_of({"boards": 5, "seats": "6", "colour": "red"}, "/rule_set") == {
        ("/rule_set/boards", "parameter_range"),
        ("/rule_set/seats", "parameter_type"),
        ("/rule_set/colour", "unknown_parameter"),
    }


def test_sentences_say_what_is_accepted():
    assert sentences_of({"boards": 5}) == ["boards must be a whole number from 1 to 2."]
    assert sentences_of({"jokers": 1}) == ["jokers must be 0 or 2."]
