"""Any order of record, correct, void, close, settle, reopen and crash, held against a small pure model.

The model is a list of hands with net points by player; points are those of the published deal, worked out by
hand. A crash is the end of the process in the middle of a transaction: an exception that nothing catches,
raised at any of its statements.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import permutations
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models.functions import Now
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from accounts.models import Account, User
from accounts.services import create_club
from hands.history import read_deal
from hands.models import Hand, HandVersion, Session
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session
from jobs import queue
from jobs.models import Job
from settlement import corrections
from settlement.models import Settlement
from settlement.services import request_settlement
from tests.deals import ANA, BEN, CHI, EVENING, add_hand, document, play
from tests.reckoning import faults, nets

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

DEALS = [dict(zip(("Ana", "Ben", "Chi"), cards, strict=True)) for cards in permutations((ANA, BEN, CHI))]
DEALS += [dict(zip(("Ana", "Ben"), cards, strict=True)) for cards in permutations((ANA, BEN, CHI), 2)]

deals = st.sampled_from(DEALS)
reasons = st.sampled_from(["Seats exchanged", "Seats exchanged", "Seats exchanged", "", "  "])
# Which statement is the last one before the power fails. A settlement has about thirty.
crashes = st.sampled_from([None] * 12 + list(range(1, 36, 3)))
picks = st.integers(0, 5)


class Crash(BaseException):
    """The process ends here."""


@contextmanager
def crashing(at: int | None) -> Iterator[None]:
    """End the process at the statement ``at``, counted from 1."""
    left = at or 0

    def count(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        nonlocal left
        # A savepoint stands for the begin or commit of a transaction: one that was reached has happened.
        if not sql.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            left -= 1
            if left == 0:
                raise Crash
        return execute(sql, *arguments)

    with connection.execute_wrapper(count):
        yield


@dataclass
class ModelSession:
    row: Session
    value: int
    state: str = "open"
    # Of each hand every version's net points by player; None: void.
    hands: list[list[dict[str, int] | None]] = field(default_factory=list)
    # How often something changed that a settlement depends on, and the count that each job was asked at.
    changes: int = 0
    paid: int | None = None
    jobs: dict[int, tuple[Job, str]] = field(default_factory=dict)

    def change(self) -> None:
        self.changes += 1


class Books(RuleBasedStateMachine):
    """One club, whose three players meet in two sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = transaction.atomic()
        self.begun.__enter__()
        self.club = create_club(owner=User.objects.create_user("host@example.com"), name="Harbour Card Room")
        self.sessions: list[ModelSession] = []

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.begun.__exit__(None, None, None)

    def attempt(self, act: Callable[[], Any], *, crash: int | None, refused: bool = False) -> bool:
        """Whether ``act`` came to its end; where it is to be refused, or crashed, nothing may have changed."""
        try:
            with crashing(crash):
                act()
        except Crash:
            return False
        except ValidationError:
            assert refused
            return False
        assert not refused, "that should have been refused"
        return True

    def pick(self, number: int) -> ModelSession:
        return self.sessions[number % len(self.sessions)]

    @initialize()
    def first_session(self) -> None:
        self.open_session(50)

    @precondition(lambda self: len(self.sessions) < 2)
    @rule(value=st.sampled_from([7, 50]))
    def open_session(self, value: int) -> None:
        row = play(self.club, [], point_value_minor=value, table=f"Table {len(self.sessions)}")
        self.sessions.append(ModelSession(row, value))

    @rule(number=picks, deal=deals, crash=crashes)
    def record(self, number: int, deal: dict, crash: int | None) -> None:
        session = self.pick(number)
        refused = session.state != "open"
        if self.attempt(lambda: add_hand(session.row, deal, EVENING), crash=crash, refused=refused):
            session.hands.append([nets(deal)])
            session.change()

    @precondition(lambda self: any(session.hands for session in self.sessions))
    @rule(
        number=picks,
        which=picks,
        deal=st.none() | deals,
        is_stale=st.sampled_from([False] * 4 + [True]),
        reason=reasons,
        crash=crashes,
    )
    def correct(
        self, number: int, which: int, deal: dict | None, is_stale: bool, reason: str, crash: int | None
    ) -> None:
        """Also a void, where ``deal`` is None."""
        playable = [session for session in self.sessions if session.hands]
        session = playable[number % len(playable)]
        place = which % len(session.hands)
        versions = session.hands[place]
        is_void_already = deal is None and versions[-1] is None
        hand = Hand.objects.get(session=session.row, number=place + 1)

        def act() -> None:
            corrections.correct_hand(
                hand=hand,
                based_on=len(versions) - is_stale,
                deal=deal and read_deal(document(deal, EVENING), PRESETS["phenom"]),
                reason=reason,
                author=None,
            )

        refused = not reason.strip() or (is_stale and not is_void_already)
        if self.attempt(act, crash=crash, refused=refused) and not is_void_already:
            versions.append(deal and nets(deal))
            session.change()
            if session.state == "settled":
                session.paid = session.changes

    @rule(number=picks, crash=crashes)
    def close(self, number: int, crash: int | None) -> None:
        session = self.pick(number)
        if self.attempt(lambda: close_session(session=session.row), crash=crash) and session.state == "open":
            session.state = "closed"
            session.change()

    @rule(number=picks, reason=reasons, crash=crashes)
    def reopen(self, number: int, reason: str, crash: int | None) -> None:
        session = self.pick(number)
        done = self.attempt(
            lambda: corrections.reopen_session(session=session.row, reason=reason),
            crash=crash,
            refused=not reason.strip(),
        )
        if done and session.state != "open":
            session.state, session.paid = "open", None
            session.change()

    @precondition(lambda self: any(session.state == "settled" for session in self.sessions))
    @rule(number=picks, crash=crashes)
    def take_back(self, number: int, crash: int | None) -> None:
        """The settlement alone is reversed: the session is closed, and can be settled again."""
        settled = [session for session in self.sessions if session.state == "settled"]
        session = settled[number % len(settled)]
        settlement = Settlement.objects.get(session=session.row, reversed_at=None)
        act = partial(corrections.reverse_settlement, settlement=settlement, reason="Too early")
        if self.attempt(act, crash=crash):
            session.state, session.paid = "closed", None
            session.change()
            assert not self.attempt(act, crash=None, refused=True)

    @rule(number=picks, crash=crashes)
    def ask(self, number: int, crash: int | None) -> None:
        session = self.pick(number)
        asked: list[Job] = []
        refused = session.state == "open"
        if self.attempt(lambda: asked.append(request_settlement(session=session.row)), crash=crash, refused=refused):
            at = session.changes if session.paid is None else session.paid
            job, status = session.jobs.get(at, (asked[0], "queued"))
            assert job.pk == asked[0].pk, "asked twice, it is the same job"
            session.jobs[at] = (job, "queued" if status == "failed" else status)

    @precondition(lambda self: any(session.jobs for session in self.sessions))
    @rule(number=picks, which=picks, crash=crashes)
    def work(self, number: int, which: int, crash: int | None) -> None:
        """A worker takes a job, also one that is over: then nothing happens."""
        asked = [session for session in self.sessions if session.jobs]
        session = asked[number % len(asked)]
        at = sorted(session.jobs)[which % len(session.jobs)]
        job, status = session.jobs[at]
        if not self.attempt(lambda: queue.run(job.pk), crash=crash):
            # Nobody renews its lease; the next sweep finds that.
            Job.objects.filter(pk=job.pk, status="running").update(lease_until=Now() - timedelta(seconds=1))
            queue.sweep()
            Job.objects.filter(pk=job.pk).update(not_before=Now())
            job.refresh_from_db()
            if job.status == status:
                return
            # It was over before the crash: then it is whole.
        if status == "queued":
            session.jobs[at] = (job, self.settle(session, at))

    @rule(number=picks)
    def settle_from_the_page(self, number: int) -> None:
        """What hosts do most: close, ask, and the worker does it."""
        self.close(number, None)
        self.ask(number, None)
        session = self.pick(number)
        at = session.changes if session.paid is None else session.paid
        job, status = session.jobs[at]
        queue.run(job.pk)
        if status == "queued":
            session.jobs[at] = (job, self.settle(session, at))

    def settle(self, session: ModelSession, at: int) -> str:
        if session.state == "open" or (session.state == "closed" and at != session.changes):
            return "failed"
        if session.state == "closed":
            session.state, session.paid = "settled", at
        return "done"

    @invariant()
    def every_balance_is_that_of_the_model(self) -> None:
        due = dict.fromkeys(("Ana", "Ben", "Chi"), 0)
        for session in self.sessions:
            if session.state == "settled":
                for versions in session.hands:
                    for name, points in (versions[-1] or {}).items():
                        due[name] += points * session.value
        held = dict.fromkeys(due, 0) | dict(Account.objects.values_list("player__name", "balance_minor"))
        assert held == due
        assert sum(held.values()) == 0

    @invariant()
    def every_state_and_job_is_that_of_the_model(self) -> None:
        states = dict(Session.objects.values_list("pk", "state"))
        assert states == {session.row.pk: session.state for session in self.sessions}
        for session in self.sessions:
            for job, status in session.jobs.values():
                job.refresh_from_db()
                assert (job.status, job.attempts) == (status, 0)
                assert bool(job.error) == (status == "failed")

    @invariant()
    def every_version_of_every_hand_is_there(self) -> None:
        for session in self.sessions:
            kept: list[list[dict[str, int] | None]] = [[] for _versions in session.hands]
            rows = HandVersion.objects.filter(hand__session=session.row).order_by("hand__number", "version")
            for version in rows.select_related("hand").prefetch_related("setups__seat__player"):
                points = {setup.seat.player.name: setup.net_points for setup in version.setups.all()}
                kept[version.hand.number - 1].append(None if version.is_void else points)
            assert kept == session.hands

    @invariant()
    def the_books_are_right(self) -> None:
        assert faults() == []


def test_the_books_follow_any_course_of_events():
    # The same services on either database: PostgreSQL, which takes four times as long, sees fewer courses.
    courses = 25 if connection.vendor == "sqlite" else 8
    run_state_machine_as_test(
        Books,
        settings=settings(
            max_examples=courses, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
