"""Made-up games, always the same cards: the demo club of a first start, and a session that a person looks at."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.models import Club, User
from accounts.services import create_club
from hands.history import read_hand
from hands.models import Session
from hands.scoring.cards import card_text
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hands, session_for

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
# The one that a person looks at: still going on, so that everything can be tried.
SHOWN: Final = DemoSession("demo-thursday", "Thursday table", 0, [1, 2, 3, 4, 5, 6], 24)


@transaction.atomic
def show_demo(*, user: User) -> Session:
    """The person's demo session, in a club of its own; one that was put away comes back as it was."""
    # The person's row is the lock, so that a double tap makes one.
    User.objects.filter(pk=user.pk).update(is_active=F("is_active"))
    club = Club.objects.filter(demo_of=user).first()
    if club is None:
        club = create_club(owner=user, name=_("Demo"), is_demo=True)
        hands = [read_hand(hand, PRESETS) for hand in _hands(SHOWN, timezone.now())]
        session = session_for(club=club, head=hands[0][0], author=user)
        record_hands(session=session, deals=[deal for _head, deal in hands], author=user)
    elif Club.objects.filter(pk=club.pk).exclude(put_away_at=None).update(put_away_at=None):
        audit.note(club.pk, "demo.shown", club.pk, name=club.name)
    return Session.objects.get(club=club, external_id=SHOWN.external_id)


@transaction.atomic
def put_demo_away(*, club: Club) -> None:
    """Nobody is shown the demo any more. Facts are never deleted, so it is hidden. Another club stays."""
    if Club.objects.filter(pk=club.pk, put_away_at=None).exclude(demo_of=None).update(put_away_at=timezone.now()):
        audit.note(club.pk, "demo.put_away", club.pk, name=club.name)


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
