"""A storm: hosts record, correct, void, close, settle and reopen, while workers are killed all the time.

Afterwards everything that was answered is in the books once, and the books are what the cards say. Real
processes, kill -9, on both databases; twenty kills, or as many as HOMERUN_STORM says.
"""

import hashlib
import os
import random
import signal
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import permutations
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.db.models import F

from accounts import ledger
from accounts.ledger import Entry
from accounts.models import Account, Club, Player, Transfer, User
from accounts.services import create_club
from hands.history import read_deal
from hands.models import Hand, HandVersion, Session, Setup
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session
from jobs import queue
from jobs.models import Job
from settlement import corrections
from settlement.models import Settlement, Statement
from settlement.services import request_settlement, request_statement
from tests.conftest import OwnDatabase
from tests.deals import ANA, BEN, CHI, EVENING, add_hand, document, play, settle
from tests.processes import Processes, until
from tests.reckoning import faults

pytestmark = [pytest.mark.both_databases, pytest.mark.xdist_group("processes")]

KILLS = int(os.environ.get("HOMERUN_STORM", "20"))
WORKERS = 3
HOSTS = 4
SESSIONS = 8
DEALS = [dict(zip(("Ana", "Ben", "Chi"), cards, strict=True)) for cards in permutations((ANA, BEN, CHI))]


@pytest.fixture
def club(own_database: OwnDatabase) -> Club:
    return create_club(owner=User.objects.create_user("owner@example.com"), name="Harbour Card Room")


@dataclass
class Host:
    """Somebody who does what hosts do, in any order, until told to stop; what was answered is counted."""

    seed: int
    sessions: list[Session]
    over: threading.Event
    answered: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    surprises: list[BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.choice = random.Random(self.seed)
        self.thread = threading.Thread(target=self.work, name=f"host {self.seed}", daemon=True)
        self.thread.start()

    def work(self) -> None:
        deeds: dict[Callable[[Session], None], int] = {
            self.record: 6,
            self.correct: 6,
            self.void: 1,
            self.close: 2,
            self.settle: 8,
            self.reopen: 2,
            self.export: 2,
        }
        try:
            while not self.over.is_set():
                (deed,) = self.choice.choices(list(deeds), weights=list(deeds.values()))
                try:
                    deed(self.choice.choice(self.sessions))
                    self.answered[deed.__name__] += 1
                except ValidationError as error:
                    self.refused[str(error.error_list[0].code)] += 1
                self.over.wait(self.choice.uniform(0, 0.05))
        except BaseException as error:
            self.surprises.append(error)
        finally:
            connections.close_all()

    def record(self, session: Session) -> None:
        add_hand(session, self.choice.choice(DEALS), EVENING)
        self.answered["versions"] += 1

    def correct(self, session: Session, *, is_void: bool = False) -> None:
        hand = Hand.objects.filter(session=session).select_related("current").order_by("?").first()
        if hand is None:
            return
        deal = read_deal(document(self.choice.choice(DEALS), EVENING), PRESETS["phenom"])
        # A reason of its own, by which the version is known again.
        reason = f"A storm, {uuid.uuid4()}"
        version = corrections.correct_hand(
            hand=hand,
            based_on=hand.current.version,
            deal=None if is_void else deal,
            reason=reason,
            author=None,
        )
        # A void of what another host voided meanwhile is answered with that host's version, and writes nothing.
        self.answered["versions"] += version.reason == reason

    def void(self, session: Session) -> None:
        self.correct(session, is_void=True)

    def close(self, session: Session) -> None:
        close_session(session=session)

    def settle(self, session: Session) -> None:
        """Close, ask, and look at the page for a while."""
        close_session(session=session)
        job = request_settlement(session=session)
        end = time.monotonic() + 2
        while time.monotonic() < end and not self.over.wait(0.05):
            job.refresh_from_db()
            if job.is_over:
                return

    def reopen(self, session: Session) -> None:
        corrections.reopen_session(session=session, reason="A storm")

    def export(self, session: Session) -> None:
        request_statement(
            player=self.choice.choice(list(Player.objects.filter(club=session.club_id))),
            currency="USD",
            first_day=date(2026, 11, 1),
            last_day=date(2026, 11, 30),
            author=None,
        )


def wait(condition: Callable[[], object], seconds: float) -> None:
    """Until it is so, or for that long: a storm goes on either way."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition():
        time.sleep(0.002)


def kill_workers(workers: Processes, times: int) -> None:
    """Kill one worker after the other in the middle of a job, all of them now and then as a power cut does."""
    jobs_over = Job.objects.filter(finished_at__isnull=False)
    living: list[subprocess.Popen[bytes]] = []
    killed = 0
    while killed < times:
        while len(living) < WORKERS:
            living.append(workers.start("manage.py", "worker"))
        before = jobs_over.count()
        wait(lambda: jobs_over.count() > before + 3, 2)  # noqa: B023  (called before the loop goes on)
        wait(Job.objects.filter(status=Job.Status.RUNNING).exists, 1)
        # The oldest works; the others may still be starting.
        for victim in living[: times - killed] if killed % 7 == 5 else living[:1]:
            assert victim.poll() is None, workers.said(victim)
            os.killpg(victim.pid, signal.SIGKILL)
            victim.wait()
            living.remove(victim)
            killed += 1
    workers.start("manage.py", "worker")


def all_over() -> bool:
    return not Job.objects.exclude(status__in=[Job.Status.DONE, Job.Status.FAILED]).exists()


def half_made_statements(files: Path) -> Iterator[str]:
    """Statements whose file is not the one that their row names, and files that are nobody's."""
    named = set()
    for statement in Statement.objects.all():
        path = files / statement.file.name
        named.add(path)
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != statement.sha256:
            yield f"statement {statement.number} has not its file"
    for path in files.rglob("*"):
        if path.is_file() and path not in named:
            yield f"{path} is nobody's"


def assert_the_books_are_right() -> None:
    assert faults() == []
    call_command("verify_ledger")


@pytest.fixture
def workers(own_database: OwnDatabase, tmp_path: Path) -> Iterator[Processes]:
    with Processes(tmp_path, own_database.environment | {"JOB_LEASE_SECONDS": "1"}) as begun:
        yield begun


def test_a_storm_loses_nothing_and_doubles_nothing(club, workers, tmp_path):
    sessions = [play(club, [DEALS[number % 6]], table=f"Table {number}") for number in range(SESSIONS)]
    over = threading.Event()
    hosts = [Host(seed, sessions, over) for seed in range(HOSTS)]
    try:
        kill_workers(workers, KILLS)
    finally:
        over.set()
        for host in hosts:
            host.thread.join(30)
    assert [host.surprises for host in hosts] == [[]] * HOSTS
    until(all_over, 60)
    assert Settlement.objects.count() > SESSIONS, "the storm left no time to settle"
    for session in sessions:
        close_session(session=session)
        request_settlement(session=session)
    until(all_over, 60)

    assert Job.objects.filter(lost_leases__gt=0).exists(), "no worker was killed with a job in its hands"
    answered = sum((host.answered for host in hosts), Counter())
    assert all(answered[deed] for deed in ("record", "correct", "void", "close", "settle", "reopen", "export")), (
        answered
    )
    # Whatever a host was told is written, and nothing else: a hand of each session was there before.
    assert HandVersion.objects.count() == SESSIONS + answered["versions"]
    # Asked again, a statement is the same one until the book has something else for it.
    assert 0 < Statement.objects.count() <= answered["export"]
    assert Job.objects.filter(kind="statement").count() == Statement.objects.count()
    assert set(Session.objects.values_list("state", flat=True)) == {"settled"}
    assert Settlement.objects.filter(reversed_at=None).count() == SESSIONS
    refusals = {
        "The session was opened again; close it, then settle.",
        "The session was changed since; settle it as it is now.",
    }
    for job in Job.objects.all():
        assert job.status == "done" or job.error in refusals, (job.kind, job.error)
        assert job.attempts == 0, job.error
    assert list(half_made_statements(tmp_path / "files")) == []
    numbers = sorted(Statement.objects.values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    assert_the_books_are_right()


def posted_twice() -> None:
    with transaction.atomic():
        ledger.post(
            Club.objects.get().pk,
            [
                Entry(
                    debit=transfer.debit_account,
                    credit=transfer.credit_account,
                    amount_minor=transfer.amount_minor,
                    kind=transfer.kind,
                    source_id=transfer.source_id,
                    source_key=f"again/{transfer.source_key}",
                    occurred_at=transfer.occurred_at,
                )
                for transfer in Transfer.objects.order_by("sequence")
            ],
        )


def unpaid() -> None:
    session = Session.objects.get()
    settlement = Settlement.objects.get()
    corrections.reverse_settlement(settlement=settlement, reason="A fault")
    Settlement.objects.update(reversed_at=None)
    Session.objects.filter(pk=session.pk).update(state="settled")


def points_changed() -> None:
    Setup.objects.filter(net_points=22).update(net_points=23)


def cards_changed() -> None:
    one, other = Setup.objects.filter(net_points__in=(22, -40))
    rows = [(setup.top, setup.middle, setup.bottom, setup.net_points) for setup in (one, other)]
    for setup, (top, middle, bottom, points) in zip((other, one), rows, strict=True):
        Setup.objects.filter(pk=setup.pk).update(top=top, middle=middle, bottom=bottom, net_points=points)


def balance_changed() -> None:
    Account.objects.filter(balance_minor=1100).update(balance_minor=F("balance_minor") + 1)


def amount_changed() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DROP TRIGGER transfer_kept" + ("" if connection.vendor == "sqlite" else " ON accounts_transfer")
        )
    Transfer.objects.filter(sequence=2).update(amount_minor=F("amount_minor") + 1)


def version_lost() -> None:
    hand = Hand.objects.get()
    version = hand.current_id
    HandVersion.objects.filter(pk=version).update(version=2)


def session_left_closed() -> None:
    Session.objects.update(state="closed")


@pytest.mark.parametrize(
    ("corrupt", "sentence"),
    [
        (posted_twice, "Ana holds 2200, the cards say 1100"),
        (unpaid, "Ana holds 0, the cards say 1100"),
        (points_changed, "a version's net points are not those of its cards"),
        (cards_changed, "Ana holds 1100, the cards say -2000"),
        (balance_changed, "the balances do not add up to nothing"),
        (amount_changed, "transfer 2 is not what was posted"),
        (version_lost, "hand 1 has versions [2] and shows 2"),
        (session_left_closed, "a session that is closed has 1 live settlements"),
    ],
)
def test_the_harness_sees_what_is_lost_or_doubled(club, corrupt, sentence):
    """The negative control: each of these is seen in books that were right before."""
    settle(play(club))
    assert faults() == []
    corrupt()
    assert sentence in faults()


def test_the_harness_sees_a_statement_that_is_half_made(club, tmp_path):
    settle(play(club))
    statement = request_statement(
        player=Player.objects.get(name="Ana"),
        currency="USD",
        first_day=date(2026, 11, 1),
        last_day=date(2026, 11, 30),
        author=None,
    )
    queue.run(Job.objects.get(subject_id=statement.pk).pk)
    statement.refresh_from_db()
    assert list(half_made_statements(tmp_path / "files")) == []
    path = tmp_path / "files" / statement.file.name
    path.with_name("other.xlsx").write_bytes(b"PK")
    os.truncate(path, 100)
    assert len(list(half_made_statements(tmp_path / "files"))) == 2
