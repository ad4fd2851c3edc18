"""Hands of Open-Face with points worked out by hand, and a session in which they are played."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from accounts.models import Club
from accounts.services import players_named
from hands.history import read_deal
from hands.models import Session
from hands.scoring.games import PRESETS
from hands.services import open_session, record_hand
from tests.deals import EVENING

# Ana: kings on top (8), nines and fives, a flush (4). Ben: queens (7), jacks and tens, a straight (2). Chi: a pair of
# aces on top of a pair of fours fouls.
#   Ana and Ben: rows +1 -1 +1, royalties 12 - 9 = 3: Ana +4.
#   Ana and Chi: a foul costs 3 + 3 = 6, and Ana's royalties 12: Ana +18. Ben and Chi: 6 + 9: Ben +15.
# Nets: Ana +22, Ben +11, Chi -33. Ana and Ben enter Fantasyland.
ANA = {"top": "KsKd4c", "middle": "9h9d5s5c2d", "bottom": "AhJh8h6h3h"}
BEN = {"top": "QsQd7c", "middle": "JcJdTsTh3c", "bottom": "9s8s7d6c5d"}
CHI = {"top": "AsAd2s", "middle": "4h4dKhTc6s", "bottom": "JsTd9c8c7s"}
FOULED = {"Ana": ANA, "Ben": BEN, "Chi": CHI}
NETS = {"Ana": 22, "Ben": 11, "Chi": -33}
# A dragon, and six pairs.
NATURALS = (
    {"top": "4c3d2h", "middle": "9s8d7h6c5s", "bottom": "AsKdQhJcTs"},
    {"top": "6d6h2c", "middle": "JdJh9c9dAh", "bottom": "KcKhQsQcAd"},
)
# A joker on Ana's top, which would foul as a third king, and her discards; Ben is in Fantasyland.
WITH_JOKER = (ANA | {"top": "KsKdX1", "discards": "2c3d7h8d"}, BEN | {"fantasyland": 14}, CHI)


def setup_document(setup: Mapping[str, Any]) -> dict[str, Any]:
    """A setup of texts as documents have it: rows are lists of cards."""
    return {name: _cards(value) if isinstance(value, str) else value for name, value in setup.items()}


def _cards(text: str) -> list[str]:
    return [text[start : start + 2] for start in range(0, len(text), 2)]


def open_table(club: Club, rule_set: str = "open-face", names: Sequence[str] = ("Ana", "Ben", "Chi")) -> Session:
    """A session by these rules without a hand."""
    return open_session(
        club=club,
        table="Open-Face table",
        rules=PRESETS[rule_set],
        rule_set_name=rule_set,
        point_value_minor=50,
        currency="USD",
        started_at=EVENING,
        players=players_named(club=club, names=dict(enumerate(names, start=1))),
        author=None,
    )


def play_hand(session: Session, setups: Mapping[str, Any], number: int = 1) -> None:
    """Record one hand; the seats are numbered in the order of ``setups``."""
    document = {
        "played_at": (EVENING + timedelta(minutes=4 * number)).isoformat(),
        "button": 1,
        "seats": [
            {"seat": seat, "player": {"name": name}, **setup_document(setup)}
            for seat, (name, setup) in enumerate(setups.items(), 1)
        ],
    }
    record_hand(session=session, deal=read_deal(document, PRESETS[session.rule_set.name]), author=None)
