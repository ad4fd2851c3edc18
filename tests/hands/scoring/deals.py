"""Hands to test with: dealt at random from a seed, or read from a vector."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hands.scoring.cards import parse_card
from hands.scoring.taiwanese import ROWS, Rules, Setup

Hand = tuple[list[tuple[int, ...]], list[Setup]]

ROYALTIES = {
    "top": {
        "two pair": 1,
        "three of a kind": 2,
        "straight": 3,
        "flush": 3,
        "full house": 4,
        "four of a kind": 6,
        "straight flush": 12,
    },
    "middle": {
        "three of a kind": 1,
        "straight": 2,
        "flush": 2,
        "full house": 3,
        "four of a kind": 5,
        "straight flush": 10,
    },
    "bottom": {"full house": 2, "four of a kind": 4, "straight flush": 8},
}

# One of everything that a house may choose.
ALL_KINDS_OF_RULES = [
    Rules.from_parameters(parameters)
    for parameters in (
        {},
        {"jokers": 2},
        {"homerun_bonus": 12, "board_scoop_bonus": 3, "seats": 4},
        {"row_points": [5, 0, 1000], "homerun_bonus": 0, "jokers": 2},
        {"boards": 1, "homerun_bonus": 0, "board_scoop_bonus": 3},
        {"boards": 1, "homerun_bonus": 0, "jokers": 2, "royalties": ROYALTIES},
        {"royalties": ROYALTIES, "royalties_paid": "winner", "board_scoop_bonus": 1},
        {"royalties": ROYALTIES, "royalties_paid": "both", "jokers": 2, "seats": 3},
    )
]


def setup_of(cards: Sequence[int]) -> Setup:
    """Seven cards set in the order in which they come."""
    return Setup(tuple(cards[:1]), tuple(cards[1:3]), tuple(cards[3:7]))


def deal(random: Random, *, rules: Rules, seats: int) -> Hand:
    """A hand dealt at random; boards have no jokers."""
    naturals = random.sample(range(52), 52)
    boards = [tuple(naturals[5 * board : 5 * board + 5]) for board in range(rules.boards)]
    rest = naturals[5 * rules.boards :] + list(range(52, 52 + rules.jokers))
    random.shuffle(rest)
    return boards, [setup_of(rest[7 * seat : 7 * seat + 7]) for seat in range(seats)]


def read_vector(vector: Mapping[str, Any]) -> tuple[Hand, Rules]:
    boards = [tuple(map(parse_card, board)) for board in vector["boards"]]
    setups = [Setup(**{row: tuple(map(parse_card, setup[row])) for row in ROWS}) for setup in vector["setups"].values()]
    return (boards, setups), Rules.from_parameters(vector["rules"])
