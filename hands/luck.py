"""A player's luck and the points they left on the table, hand by hand: worked out by a job when somebody asks.

What a setup was worth takes up to 0.3 s (`hands/scoring/worth.py`), so it is kept, setup by setup. A setup is never
edited, so what is kept never grows old: a corrected hand has other setups, which are worked out anew.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import Final

from django.db.models import Count, F, FloatField, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Cast

from accounts.merging import names_of
from accounts.models import Player
from hands.models import Hand, Session, Setup
from hands.queries import StoredHand, load_versions
from hands.rulesets import rules_of
from hands.scoring.worth import worth
from hands.tallies import sessions_of
from hands.worth_models import SetupWorth
from jobs import queue
from jobs.models import Job
from jobs.queue import Claim

WORTH: Final = "worth"
# Only the last hands of a long life: with two seats at most six minutes of work.
MOST_HANDS: Final = 1000
# So many in one turn of the job, at most some seven seconds; then whatever else waits has its turn.
TURN: Final = 20


@dataclass(frozen=True)
class Evening:
    """A session of the player: hands that were worked out, points left on the table, luck, and the luck so far."""

    session: Session
    hands: int
    left: float
    luck: float
    running: float


@dataclass(frozen=True)
class Luck:
    """Over all hands that were worked out, and by session in the order of play; ``waiting`` hands are not yet."""

    hands: int
    left: float
    luck: float
    evenings: list[Evening]
    waiting: int

    @property
    def left_a_hand(self) -> float:
        return self.left / self.hands if self.hands else 0.0


def luck_of(player: Player) -> Luck:
    """What is known of the player's last sessions, under every name; a fixed number of queries."""
    setups = _last_setups(player)
    known = setups.filter(worth__isnull=False).order_by()
    # A column's type is told, because whole numbers and floats are summed together.
    lucky = Sum(Cast("net_points", FloatField()) - F("worth__expected"))
    rows = known.values("version__hand__session").annotate(
        hands=Count("pk"), left=Sum(F("worth__best") - F("worth__expected")), luck=lucky
    )
    by_session = {row["version__hand__session"]: row for row in rows}
    sessions = list(Session.objects.filter(pk__in=by_session).order_by("started_at", "pk"))
    running = accumulate(by_session[session.pk]["luck"] for session in sessions)
    evenings = [
        Evening(session, row["hands"], row["left"], row["luck"], so_far)
        for session, so_far in zip(sessions, running, strict=True)
        for row in [by_session[session.pk]]
    ]
    return Luck(
        hands=sum(one.hands for one in evenings),
        left=sum(one.left for one in evenings),
        luck=sum(one.luck for one in evenings),
        evenings=evenings,
        waiting=len(_waiting(setups)),
    )


def latest_job(player: Player) -> Job | None:
    """The last job that was asked for."""
    return Job.objects.filter(kind=WORTH, subject_id=player.pk).order_by("-created_at").first()


def request_luck(*, player: Player) -> Job:
    """Ask for everything of the player that is not worked out yet; a job that is under way is the one."""
    job = latest_job(player)
    if job is not None and not job.is_over:
        return job
    return queue.enqueue(kind=WORTH, key=f"{WORTH}/{uuid.uuid4()}", subject_id=player.pk, club_id=player.club_id)


def run_luck(*, claim: Claim) -> None:
    """Work out the player's next hands, the newest first, and put the job back while there are more."""
    waiting = _waiting(_last_setups(Player.objects.get(pk=claim.subject_id)))
    some = waiting[:TURN]
    found = _work_out(some)
    done, more = claim.progress_done + len(some), len(waiting) > len(some)
    with claim.block():
        # Another turn, or a job of a merged name, may have been quicker.
        SetupWorth.objects.bulk_create(found, ignore_conflicts=True)
        claim.report(done=done, total=claim.progress_done + len(waiting))
    with claim.again_after(timedelta()) if more else claim.finish():
        pass


def _last_setups(player: Player) -> QuerySet[Setup]:
    """Setups of the player's last sessions that count now and of which something can be said: with cards, Taiwanese."""
    # Sessions are looked up first, because every hand of a long life would take a third of a second.
    sessions = _last_sessions(player)
    return Setup.objects.filter(
        seat__player__in=names_of(player.pk),
        seat__session__in=sessions,
        version__hand__session__in=sessions,
        version__hand__current=F("version"),
        version__is_void=False,
        version__has_cards=True,
    )


def _last_sessions(player: Player) -> list[uuid.UUID]:
    """The player's last sessions that have the most hands together, and perhaps more of one."""
    last_hand = Hand.objects.filter(session=OuterRef("pk")).order_by("-number").values("number")[:1]
    rows = sessions_of(names_of(player.pk)).filter(rule_set__game="taiwanese").order_by("-started_at", "pk")
    found, hands = [], 0
    for session_id, count in rows.values_list("pk", Subquery(last_hand)):
        found.append(session_id)
        hands += count or 0
        if hands >= MOST_HANDS:
            break
    return found


def _waiting(setups: QuerySet[Setup]) -> list[int]:
    """Which of the last hands are not worked out, the newest first."""
    newest = setups.order_by("-version__played_at", "-pk").values_list("pk", "worth")[:MOST_HANDS]
    return [setup for setup, known in newest if known is None]


def _work_out(setup_ids: Sequence[int]) -> list[SetupWorth]:
    rows = Setup.objects.filter(pk__in=setup_ids).select_related("seat", "version__hand__session__rule_set")
    setups = list(rows)
    hands = {hand.version_id: hand for hand in load_versions([setup.version_id for setup in setups])}
    return [_worth_of(setup, hands[setup.version_id]) for setup in setups]


def _worth_of(setup: Setup, hand: StoredHand) -> SetupWorth:
    place = [seat.number for seat in hand.seats].index(setup.seat.number)
    found = worth(
        boards=hand.boards,
        setups=[seat.setup for seat in hand.seats],
        seat=place,
        rules=rules_of(setup.version.hand.session.rule_set),
    )
    return SetupWorth(setup=setup, expected=found.played.expected, best=found.settings[0].expected)
