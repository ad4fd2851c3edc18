"""The published deal that many tests play, and how they play and settle it.

`vectors/published.jsonl`, three-players: Ana wins all six rows from Ben (6 + 6, and 8 for the homerun: 20), and
2 points from Chi (-1 +2 +3 -1 +2 -3); Chi wins all six rows from Ben (20). Nets: Ana +22, Ben -40, Chi +18.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Club
from accounts.services import players_named
from hands.history import read_deal
from hands.models import Session
from hands.rulesets import create_rule_set, rules_by_name
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session, open_session, record_hand
from jobs import queue
from jobs.models import Job
from settlement.services import request_settlement

BOARDS = [["2d", "Ac", "4d", "Qc", "8h"], ["As", "Jh", "Jd", "4c", "Js"]]
ANA = {"top": ["7h"], "middle": ["9h", "Ad"], "bottom": ["3c", "5s", "3s", "7d"]}
BEN = {"top": ["5d"], "middle": ["Td", "5c"], "bottom": ["8s", "2c", "Th", "7s"]}
CHI = {"top": ["Kh"], "middle": ["Kd", "Kc"], "bottom": ["Qh", "Qd", "9c", "9d"]}
THREE = {"Ana": ANA, "Ben": BEN, "Chi": CHI}
# Under table stakes, by seat number, in cents.
STAKES = {1: 500, 2: 1200, 3: 2000}
EVENING = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)


def document(setups: Mapping[str, Any], played_at: datetime) -> dict[str, Any]:
    """One hand as the API takes it; the seats are numbered in the order of ``setups``."""
    return {
        "played_at": played_at.isoformat(),
        "boards": BOARDS,
        "seats": [
            {"seat": seat, "player": {"name": name}, **setup} for seat, (name, setup) in enumerate(setups.items(), 1)
        ],
    }


def play(
    club: Club,
    hands: Sequence[Mapping[str, Any]] = (THREE,),
    *,
    point_value_minor: int = 50,
    currency: str = "USD",
    table: str = "Thursday table",
    started_at: datetime = EVENING,
) -> Session:
    """A session in which these hands were played, four minutes each. It is left open."""
    names = dict(enumerate(hands[0] if hands else THREE, start=1))
    session = open_session(
        club=club,
        table=table,
        rules=PRESETS["phenom"],
        rule_set_name="phenom",
        point_value_minor=point_value_minor,
        currency=currency,
        started_at=started_at,
        players=players_named(club=club, names=names),
        author=None,
    )
    for number, setups in enumerate(hands, start=1):
        add_hand(session, setups, started_at + timedelta(minutes=4 * number))
    return session


def open_for_stakes(
    club: Club,
    stakes: Mapping[int, int] = STAKES,
    *,
    names: Sequence[str] = ("Ana", "Ben", "Chi"),
    **money: object,
) -> Session:
    """A session by rules called Friday, in which each seat plays with a stake; ``money`` is more of its house's."""
    create_rule_set(club=club, name="Friday", parameters={}, money={"currency": "USD", "table_stakes": True} | money)
    return open_session(
        club=club,
        table="Friday table",
        rules=rules_by_name(club)["Friday"],
        rule_set_name="Friday",
        point_value_minor=50,
        currency="USD",
        started_at=EVENING,
        players=players_named(club=club, names=dict(enumerate(names, 1))),
        author=None,
        stakes_minor=stakes,
    )


def add_hand(session: Session, setups: Mapping[str, Any], played_at: datetime) -> None:
    deal = read_deal(document(setups, played_at), PRESETS["phenom"])
    record_hand(session=session, deal=deal, author=None)


def ask_to_settle(session: Session) -> Job:
    close_session(session=session)
    return request_settlement(session=session)


def settle(session: Session) -> Job:
    """Close the session, ask for its settlement and do the job as a worker does."""
    return done(ask_to_settle(session))


def done(job: Job) -> Job:
    queue.run(job.pk)
    job.refresh_from_db()
    return job
