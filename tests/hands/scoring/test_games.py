"""Every game is found by its name and scored by the same calls."""

from random import Random

import pytest

from hands.scoring.games import GAMES, PRESETS
from tests.hands.scoring import deals
from tests.hands.scoring.chinese import deals as chinese_deals


def test_games_have_the_names_of_the_api():
    assert list(GAMES) == ["taiwanese", "chinese", "open-face", "pineapple", "progressive"]
    assert all(name == game.name for name, game in GAMES.items())


def test_no_two_games_share_a_presets_name():
    assert len(PRESETS) == sum(len(game.presets) for game in GAMES.values())
    assert all(rules.game == game.name for game in GAMES.values() for rules in game.presets.values())


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_hand_is_read_checked_scored_and_explained_by_the_same_calls(game):
    rules = game.read_rules({}, "/rule_set")
    assert rules.seats == game.most_seats
    if game.most_boards:
        boards, setups = deals.deal(Random(1), rules=rules, seats=game.most_seats)
    else:
        boards, setups = (), chinese_deals.deal(Random(1), rules=rules, seats=game.most_seats)
    again = [game.setup(*(getattr(setup, row) for row in game.rows)) for setup in setups]
    assert again == setups
    assert [len(getattr(setups[0], row)) for row in game.rows] == list(game.row_sizes)
    assert game.check(rules=rules, boards=boards, seats=[(n, "", setup) for n, setup in enumerate(setups)]) == []
    scored = game.score(boards, setups, rules)
    assert game.net_points(boards, setups, rules) == scored.net
    assert game.explain(boards, setups, rules).score == scored
    assert sum(scored.net) == 0


def test_games_deal_the_cards_of_the_rule_book():
    assert {name: (game.fewest_seats, game.most_seats, game.cards_dealt) for name, game in GAMES.items()} == {
        "taiwanese": (2, 6, 7),
        "chinese": (2, 4, 13),
        "open-face": (2, 4, 13),
        "pineapple": (2, 3, 17),
        "progressive": (2, 3, 17),
    }
