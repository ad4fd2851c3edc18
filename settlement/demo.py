"""The demo club's hand history: a home game of six people and three sessions, always the same cards."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any, Final

from hands.scoring.cards import card_text

PEOPLE: Final = ["Ana", "Ben", "Chi", "Dora", "Emil", "Fay"]
EMAIL: Final = "demo@homerun.example"
PASSWORD: Final = "homerun demo"  # noqa: S105  (printed at the start; the demo is only loaded on a loopback address)
CLUB: Final = "Harbour Card Room"


@dataclass(frozen=True)
class DemoSession:
    external_id: str
    table: str
    days_ago: int
    seats: list[int]
    hands: int


SETTLED: Final = DemoSession("demo-thursday", "Thursday table", 4, [1, 2, 3, 4, 5, 6], 24)
CLOSED: Final = DemoSession("demo-kitchen", "Kitchen table", 2, [1, 2, 4, 6], 16)
OPEN: Final = DemoSession("demo-heads-up", "Heads-up", 0, [1, 2], 12)
SESSIONS: Final = [SETTLED, CLOSED, OPEN]


def history(now: datetime) -> bytes:
    """The three sessions as NDJSON, played in the evenings before ``now``."""
    lines = (json.dumps(hand, ensure_ascii=False) for session in SESSIONS for hand in _hands(session, now))
    return ("\n".join(lines) + "\n").encode()


def _hands(session: DemoSession, now: datetime) -> Iterator[dict[str, Any]]:
    dealer = Random(session.external_id)  # noqa: S311  (a demo's cards, not a game's)
    begin = (now - timedelta(days=session.days_ago)).replace(microsecond=0) - timedelta(minutes=4 * session.hands)
    for number in range(1, session.hands + 1):
        deck = list(range(52))
        dealer.shuffle(deck)
        boards = [deck[:5], deck[5:10]]
        held = [deck[10 + 7 * place : 17 + 7 * place] for place in range(len(session.seats))]
        yield {
            "spec_version": "1.0",
            "game": "taiwanese",
            "session": {
                "external_id": session.external_id,
                "table": session.table,
                "rule_set": "phenom",
                "point_value": {"amount_minor": 50, "currency": "USD"},
                "started_at": begin.isoformat(),
            },
            "external_id": f"{session.external_id}-{number:04d}",
            "number": number,
            "played_at": (begin + timedelta(minutes=4 * number)).isoformat(),
            "button": session.seats[number % len(session.seats)],
            "boards": [[card_text(card) for card in board] for board in boards],
            "seats": [
                {"seat": seat, "player": {"name": PEOPLE[seat - 1]}} | _set(cards)
                for seat, cards in zip(session.seats, held, strict=True)
            ],
        }


def _set(cards: list[int]) -> dict[str, list[str]]:
    """Seven cards as a careful beginner sets them: the best pair in the middle, the best single card on top."""
    ranked = sorted(cards, reverse=True)
    pair = next(([one, other] for one, other in pairwise(ranked) if one // 4 == other // 4), ranked[1:3])
    rest = [card for card in ranked if card not in pair]
    rows = {"top": rest[:1], "middle": pair, "bottom": rest[1:]}
    return {row: [card_text(card) for card in held] for row, held in rows.items()}
