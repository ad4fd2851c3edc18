"""What a player won from each opponent is what the vectors say of the pairs, however the hands are mixed."""

import uuid
from datetime import UTC, datetime

import pytest

from hands.queries import StoredHand, StoredSeat
from hands.scoring.cards import parse_cards
from hands.scoring.games import GAMES
from settlement.against import Against, Met, against_each
from tests.vectors import vectors

FILES = ["taiwanese", "taiwanese-house-rules", "taiwanese-royalties", "chinese", "open-face"]
MIXED = [vector for name in FILES for vector in vectors(name)[:12]]


def stored(vector):
    """A vector as it would lie in the book, and its seats' names."""
    game = GAMES[vector["game"]]
    boards = tuple(parse_cards("".join(board)) for board in vector.get("boards", []))
    seats = []
    for number, (name, rows) in enumerate(vector["setups"].items(), start=1):
        setup = game.setup(*(parse_cards("".join(rows[row])) for row in game.rows))
        seats.append(StoredSeat(number, uuid.uuid4(), name, setup, 0))
    key, now = uuid.uuid4(), datetime(2026, 11, 28, tzinfo=UTC)
    hand = StoredHand(key, 1, None, key, 1, now, None, True, boards, tuple(seats))
    return hand, game.read_rules(vector["rules"])


def told(vector, name):
    """By opponent the points of the named player, from the vector's pairs."""
    points = {}
    for pair in vector["expected"]["pairs"]:
        one, other = pair["players"]
        if name in (one, other):
            points[other if name == one else one] = pair["points"] if name == one else -pair["points"]
    return points


@pytest.mark.parametrize("seat", [0, 1])
def test_points_against_each_opponent_are_the_vectors(seat):
    met = [Met(hand, seat, rules) for hand, rules in map(stored, MIXED)]
    found = against_each(met)
    assert len(found) == len(MIXED) > 40
    for vector, one, against in zip(MIXED, met, found, strict=True):
        names = [each.name for each in one.hand.seats]
        assert {names[other]: points for other, points in against.points} == told(vector, names[seat]), vector["id"]
        if vector["game"] == "taiwanese":
            of_pairs = [pair for pair in vector["expected"]["pairs"] if names[seat] in pair["players"]]
            signed = [pair["homerun"] if pair["players"][0] == names[seat] else -pair["homerun"] for pair in of_pairs]
            won, lost = sum(points > 0 for points in signed), sum(points < 0 for points in signed)
            assert (against.homeruns_won, against.homeruns_lost) == (won, lost)
        else:
            assert against.homeruns_won is against.homeruns_lost is None


def test_a_hand_without_cards_says_nothing_of_opponents():
    (hand, rules), (other, other_rules) = map(stored, MIXED[:2])
    bare = StoredHand(hand.id, 1, None, hand.id, 1, hand.played_at, None, False, (), hand.seats)
    found = against_each([Met(bare, 0, rules), Met(other, 0, other_rules)])
    assert found[0] is None
    assert isinstance(found[1], Against)
