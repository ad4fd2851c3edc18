"""Chinese poker and Open-Face Chinese with Pineapple and Progressive: rule sets, check, score and words."""

from hands.scoring.chinese.check import check
from hands.scoring.chinese.explain import Explanation, RowReading, explain, pair_words
from hands.scoring.chinese.fantasyland import Expected, cards_owed, enters, expected_next, stays
from hands.scoring.chinese.rows import Setup
from hands.scoring.chinese.rules import PRESETS, ROW_SIZES, ROWS, Rules
from hands.scoring.chinese.score import Pair, Score, net_points, score
from hands.scoring.chinese.streets import Street, check_streets, states

__all__ = [
    "PRESETS",
    "ROWS",
    "ROW_SIZES",
    "Expected",
    "Explanation",
    "Pair",
    "RowReading",
    "Rules",
    "Score",
    "Setup",
    "Street",
    "cards_owed",
    "check",
    "check_streets",
    "enters",
    "expected_next",
    "explain",
    "net_points",
    "pair_words",
    "score",
    "states",
    "stays",
]
