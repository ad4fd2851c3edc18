"""Fantasyland: who enters and stays, with how many cards, and what that says of the next hand.

Source: the rules of Open-Face Chinese. Entering and staying are exclusive: who is in Fantasyland can only stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hands.scoring.cards import RANKS
from hands.scoring.chinese.rows import RowStrengths
from hands.scoring.chinese.rules import FANTASYLAND_CARDS, Rules
from hands.scoring.chinese.strength import PAIR, strength_class
from hands.scoring.strength import FOUR_OF_A_KIND, FULL_HOUSE, THREE_OF_A_KIND

_QUEEN: Final = RANKS.index("Q")
# Progressive deals by what is on top: QQ 14, KK 15, AA 16, and three of a kind 17.
_PROGRESSIVE_PAIRS: Final = {_QUEEN: 14, RANKS.index("K"): 15, RANKS.index("A"): 16}
_PROGRESSIVE_THREES: Final = 17


@dataclass(frozen=True)
class Expected:
    """What the next hand should be: the cards that each seat is dealt in Fantasyland, 0 for none, by seat of this
    hand; and whether the button stands, because that hand continues this one."""

    fantasyland: tuple[int, ...]
    button_stands: bool


def enters(strengths: RowStrengths) -> bool:
    """Whether a setup that does not foul enters Fantasyland: a pair of queens or better on top."""
    number, ranks = strength_class(strengths[0])
    return number == THREE_OF_A_KIND or (number == PAIR and ranks[0] >= _QUEEN)


def stays(strengths: RowStrengths, rules: Rules) -> bool:
    """Whether a setup that does not foul stays in Fantasyland.

    Three of a kind on top, four of a kind or better in the bottom, and by rule a full house or better in the middle.
    """
    top, middle, bottom = (strength_class(strength)[0] for strength in strengths)
    return top == THREE_OF_A_KIND or (rules.middle_stays and middle >= FULL_HOUSE) or bottom >= FOUR_OF_A_KIND


def cards_owed(strengths: RowStrengths, rules: Rules, *, is_in: bool) -> int:
    """The cards that a seat which did not foul is dealt in Fantasyland in the next hand; 0 where it is not in it."""
    choices = FANTASYLAND_CARDS[rules.game]
    if not choices or not (stays(strengths, rules) if is_in else enters(strengths)):
        return 0
    if len(choices) == 1 or is_in:
        return choices[0]
    number, ranks = strength_class(strengths[0])
    return _PROGRESSIVE_THREES if number == THREE_OF_A_KIND else _PROGRESSIVE_PAIRS[ranks[0]]


def expected_next(owed: Sequence[int]) -> Expected:
    """What follows from the cards owed after a hand, ``Score.fantasyland``.

    A Fantasyland hand continues the hand before it, so the button does not move.
    """
    return Expected(tuple(owed), any(owed))
