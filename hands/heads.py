"""What a hand says of its session: its game and rule set, its table, what a point is worth."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.money import MOST_MINOR, check_currency, too_large
from hands.reading import Reader, say
from hands.scoring.games import GAMES, PRESETS, Game, Rules
from hands.scoring.problems import Refused

MOST_HEADS: Final = 1000
LONGEST_HEAD: Final = 2000


@dataclass(frozen=True)
class Head:
    """What a hand says of its session. ``rules`` are those of ``rule_set`` where that is a name."""

    external_id: str
    table: str
    rule_set: str
    rules: Rules
    point_value_minor: int
    currency: str
    started_at: datetime


class Heads:
    """What a history's hands said of their sessions: most lines say the same as the one before."""

    def __init__(self) -> None:
        self._read: dict[str, Head] = {}

    def read(self, reader: Reader, named: Mapping[str, Rules]) -> Head | None:
        """What could be read; where something could not, the reader has faults, and nothing is remembered."""
        # As text, because to Python 1, 1.0 and true are the same, and here they are not.
        said = repr((reader.document.get("game"), reader.document.get("session")))
        if (known := self._read.get(said)) is not None:
            return known
        head = read_head(reader, named)
        if not reader.faults and head is not None and len(said) <= LONGEST_HEAD:
            if len(self._read) == MOST_HEADS:
                self._read.clear()
            self._read[said] = head
        return head


def read_game(document: Mapping[str, Any]) -> Game | None:
    """The game that a document names; None where it names none that is scored."""
    name = document.get("game")
    return GAMES.get(name) if isinstance(name, str) else None


def unknown_game() -> str:
    return _("The game must be one of: %(known)s.") % {"known": ", ".join(GAMES)}


def read_head(reader: Reader, named: Mapping[str, Rules]) -> Head | None:
    """What could be read; where something could not, the reader has faults."""
    game = read_game(reader.document)
    if game is None:
        reader.refuse("/game", "game", unknown_game())
    head = reader.document.get("session")
    if not isinstance(head, dict):
        reader.refuse("/session", "object", _("session is missing, or is no object."))
        return None
    external_id = reader.text(head, "external_id", "/session")
    table = reader.name(head, "table", "/session")
    started_at = reader.time(head, "started_at", "/session")
    name, rules = _read_rule_set(reader, head.get("rule_set"), game, named)
    amount, currency = _read_point_value(reader, head.get("point_value"))
    return Head(external_id, table, name, rules, amount, currency, started_at)


def _read_rule_set(
    reader: Reader, value: Any, game: Game | None, named: Mapping[str, Rules]
) -> tuple[str, Rules | None]:
    if value is None and game is not None:
        # The first preset is how the game is mostly played.
        return next(iter(game.presets.items()))
    if isinstance(value, str):
        if value not in named:
            reader.refuse(
                "/session/rule_set",
                "rule_set",
                _("There is no rule set “%(name)s”. Known are: %(known)s.")
                % {"name": value[:60], "known": ", ".join(sorted(named))},
            )
        rules = named.get(value)
        if rules is not None and game is not None and rules.game != game.name:
            words = {"name": value, "game": GAMES[rules.game].title}
            reader.refuse("/session/rule_set", "rule_set_game", _("The rule set “%(name)s” is for %(game)s.") % words)
        return value, rules
    if not isinstance(value, dict):
        reader.refuse("/session/rule_set", "rule_set", _("rule_set must be a name or an object of parameters."))
        return "", None
    if game is None:
        return "", None
    try:
        rules = game.read_rules(value, pointer="/session/rule_set")
    except Refused as error:
        reader.faults += [say(problem) for problem in error.problems]
        return "", None
    for name, preset in PRESETS.items():
        if preset == rules:
            return name, rules
    return f"rules {rules_digest(rules)[:6]}", rules


def rules_digest(rules: Rules) -> str:
    """SHA-256 of the game and its parameters; of Taiwanese, which was there first, of the parameters alone."""
    said = rules.parameters() if rules.game == "taiwanese" else {"game": rules.game, **rules.parameters()}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _read_point_value(reader: Reader, value: Any) -> tuple[int | None, str | None]:
    where = "/session/point_value"
    if not isinstance(value, dict):
        reader.refuse(where, "object", _('point_value must be like {"amount_minor": 50, "currency": "USD"}.'))
        return None, None
    currency = value.get("currency")
    try:
        check_currency(currency if isinstance(currency, str) else "")
    except ValidationError as error:
        reader.refuse(f"{where}/currency", "currency", error.messages[0])
        currency = None
    amount = value.get("amount_minor")
    try:
        check_point_value(amount)
    except ValidationError as error:
        reader.refuse(f"{where}/amount_minor", error.code or "minor_units", error.messages[0])
        amount = None
    return amount, currency


def check_point_value(amount_minor: Any) -> None:
    """Raise ``ValidationError`` for what a point cannot be worth."""
    if isinstance(amount_minor, bool) or not isinstance(amount_minor, int):
        raise ValidationError(
            _("A point's value must be a whole number of minor units; %(amount)s is not."),
            code="minor_units",
            params={"amount": json.dumps(amount_minor)[:40]},
        )
    if amount_minor <= 0:
        raise ValidationError(_("A point must be worth more than nothing."), code="amount")
    if amount_minor > MOST_MINOR:
        raise too_large()
