"""What the page of a rule set shows, whatever is played; each game's words and worked hands stand in its own module."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from accounts.models import Club
from hands import chinese_rules, taiwanese_rules
from hands.rulesets import rule_set_words
from hands.scoring import chinese
from hands.scoring.games import GAMES, Rules

# Who tells a game's rules: ``rules_told`` in full, ``rules_short`` in a line.
_TOLD: Final[Mapping[str, ModuleType]] = {
    name: chinese_rules if game.setup is chinese.Setup else taiwanese_rules for name, game in GAMES.items()
}


def rules_page(club: Club, name: str, rules: Rules) -> dict[str, Any]:
    """The context of `hands/rules.html`: parameters in words, tables, worked hands, how a number is read, tips."""
    told: dict[str, Any] = _TOLD[rules.game].rules_told(rules)
    return told | {"club": club, "name": rule_set_words(name), "game": GAMES[rules.game], "rules": rules}


def rules_short(rules: Rules) -> str:
    """A line that tells rule sets of one game apart."""
    words: str = _TOLD[rules.game].rules_short(rules)
    return words
