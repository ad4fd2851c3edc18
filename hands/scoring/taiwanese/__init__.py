"""Taiwanese Poker: rule sets, the check of a hand, its score and the words for it."""

from hands.scoring.taiwanese.rows import Setup
from hands.scoring.taiwanese.rules import PRESETS, ROW_SIZES, ROWS, Rules
from hands.scoring.taiwanese.score import Pair, Score, net_points, score

__all__ = [
    "PRESETS",
    "ROWS",
    "ROW_SIZES",
    "Pair",
    "Rules",
    "Score",
    "Setup",
    "net_points",
    "score",
]
