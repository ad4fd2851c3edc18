"""Taiwanese Poker: rule sets, the check of a hand, its score and the words for it."""

from hands.scoring.taiwanese.check import check
from hands.scoring.taiwanese.explain import BestCard, Explanation, RowReading, explain, pair_words
from hands.scoring.taiwanese.rows import Setup
from hands.scoring.taiwanese.rules import PRESETS, ROW_SIZES, ROWS, Rules
from hands.scoring.taiwanese.score import Pair, Score, net_points, score

__all__ = [
    "PRESETS",
    "ROWS",
    "ROW_SIZES",
    "BestCard",
    "Explanation",
    "Pair",
    "RowReading",
    "Rules",
    "Score",
    "Setup",
    "check",
    "explain",
    "net_points",
    "pair_words",
    "score",
]
