"""The book as it would be in the middle of an import, for one that writes nothing.

What the lines before a line would have put into the book is kept in a database of its own, a temporary file that
SQLite deletes, so that a long file takes no more memory than a short one.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from accounts.models import Club
from hands.conflicts import say_conflicts
from hands.heads import Head
from hands.history import Deal
from hands.models import Hand, Session
from hands.points_only import is_capped
from hands.recording import Known, Recorded, decide, differences, known_of, score_deals
from hands.rulesets import known_rule_set
from hands.scoring.games import GAMES
from hands.services import head_of, refuse_other_head

# A history names its hands by their ids alone, so the time of one that came before is not asked.
_NO_TIME = datetime.fromtimestamp(0, UTC)
_TABLES = """
    CREATE TABLE heads (session TEXT PRIMARY KEY, head TEXT) WITHOUT ROWID;
    CREATE TABLE hands (session TEXT, id TEXT, number INTEGER, digest TEXT, PRIMARY KEY (session, id)) WITHOUT ROWID;
    CREATE UNIQUE INDEX numbers ON hands (session, number);
"""


class DryBook:
    """What an import would find in the club's book, line after line."""

    def __init__(self, club: Club) -> None:
        self._club = club
        self._kept = sqlite3.connect("", isolation_level=None)
        self._kept.executescript(_TABLES)

    def close(self) -> None:
        self._kept.close()

    def answers(self, *, head: Head, deals: Sequence[Deal]) -> list[Recorded]:
        """What would become of the deals. Raises ``ValidationError`` for a session that is known by other terms."""
        known = self._session(head, deals)
        numbers = [deal.number for deal in deals if deal.number is not None]
        for external_id, number, digest in self._hands(head.external_id, deals):
            known.hands[external_id] = (Hand(number=number, external_id=external_id), digest, _NO_TIME, None)
        known.numbers |= self._numbers(head.external_id, numbers)
        answers = say_conflicts([decide(known, deal) for deal in deals], deals)
        fresh = [(place, deal) for place, deal in enumerate(deals) if answers[place].result == "accepted"]
        self._kept.execute("BEGIN")
        self._kept.executemany(
            "INSERT INTO hands VALUES (?, ?, ?, ?)",
            [
                (head.external_id, deal.external_id, answers[place].hand.number, answers[place].digest)
                for place, deal in fresh
            ],
        )
        self._kept.execute("COMMIT")
        claiming = [(place, deal) for place, deal in fresh if deal.claimed_points]
        nets = score_deals([deal for _place, deal in claiming], head.rules)
        for (place, deal), net in zip(claiming, nets, strict=True):
            answers[place] = replace(answers[place], is_differing=bool(differences(deal, net)))
        return answers

    def _session(self, head: Head, deals: Sequence[Deal]) -> Known:
        """What the book has of the session, and the highest number that the file has for it."""
        sessions = Session.objects.filter(club=self._club, external_id=head.external_id)
        session = sessions.select_related("rule_set").first()
        kept = self._kept.execute("SELECT head FROM heads WHERE session = ?", [head.external_id]).fetchone()
        if session is not None:
            refuse_other_head(head_of(session), head)
        elif kept is not None:
            refuse_other_head(_read(kept[0]), head)
        else:
            self._kept.execute("INSERT INTO heads VALUES (?, ?)", [head.external_id, _text(head)])
        known = Known(True, {}, set(), 0)
        if session is not None:
            known = known_of(session, deals, is_open=session.state == Session.State.OPEN)
        elif any(not deal.has_cards for deal in deals):
            rule_set = known_rule_set(club=self._club, name=head.rule_set, rules=head.rules)
            known.is_capped = rule_set is not None and is_capped(rule_set)
        last = self._kept.execute("SELECT max(number) FROM hands WHERE session = ?", [head.external_id]).fetchone()[0]
        known.last = max(known.last, last or 0)
        return known

    def _hands(self, session: str, deals: Sequence[Deal]) -> list[tuple[str, int, str]]:
        ids = json.dumps([deal.external_id for deal in deals])
        query = "SELECT id, number, digest FROM hands WHERE session = ? AND id IN (SELECT value FROM json_each(?))"
        return self._kept.execute(query, [session, ids]).fetchall()

    def _numbers(self, session: str, numbers: Sequence[int]) -> set[int]:
        query = "SELECT number FROM hands WHERE session = ? AND number IN (SELECT value FROM json_each(?))"
        return {number for (number,) in self._kept.execute(query, [session, json.dumps(numbers)])}


def _text(head: Head) -> str:
    terms = [head.table, head.point_value_minor, head.currency, head.started_at.isoformat()]
    return json.dumps([*terms, head.rules.game, head.rules.parameters()])


def _read(text: str) -> Head:
    table, point_value_minor, currency, started_at, game, parameters = json.loads(text)
    rules = GAMES[game].read_rules(parameters)
    return Head("", table, "", rules, point_value_minor, currency, datetime.fromisoformat(started_at))
