"""Workers that die, stall or run side by side: nothing is lost, and nothing is done twice.

Real processes, killed with SIGKILL at a place that `stumbling.py` makes sure of. Leases last a second.
"""

import hashlib
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from django.db import connection

from accounts.models import Account, Club, Player, Transfer, User
from accounts.services import create_club
from hands.models import Session
from jobs import queue
from jobs.models import Job
from settlement.models import SettledPair, Settlement, Statement
from settlement.services import request_statement
from tests.conftest import OwnDatabase
from tests.deals import ask_to_settle, play, settle
from tests.processes import Processes, until

pytestmark = [pytest.mark.both_databases, pytest.mark.xdist_group("processes")]


class Workers(Processes):
    """Workers on a database of the test's own."""

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("manage.py", "worker")

    def stumbling_worker(self, trap: str) -> subprocess.Popen[bytes]:
        return self.start("-m", "tests.jobs.stumbling", trap, self.folder)

    def reached(self) -> int:
        """The id of the worker that stands in its trap, as soon as one does."""
        flag = self.folder / "reached"
        return int(until(lambda: flag.exists() and flag.read_text()))


@pytest.fixture
def workers(own_database: OwnDatabase, tmp_path: Path) -> Iterator[Workers]:
    with Workers(tmp_path, own_database.environment | {"JOB_LEASE_SECONDS": "1"}) as begun:
        yield begun


@pytest.fixture
def room(own_database: OwnDatabase) -> Club:
    return create_club(owner=User.objects.create_user("owner@example.com"), name="Harbour Card Room")


def is_over(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_over


def balances() -> dict[str, int]:
    return {account.player.name: account.balance_minor for account in Account.objects.select_related("player")}


def ask_for_statement() -> tuple[Statement, Job]:
    statement = request_statement(
        player=Player.objects.get(name="Ana"),
        currency="USD",
        first_day=date(2026, 11, 1),
        last_day=date(2026, 11, 30),
        author=None,
    )
    return statement, Job.objects.get(subject_id=statement.pk)


def assert_settled_once(session: Session, job: Job) -> None:
    assert (job.status, job.attempts, job.error) == ("done", 0, "")
    session.refresh_from_db()
    assert session.state == "settled"
    assert (Settlement.objects.count(), SettledPair.objects.count(), Transfer.objects.count()) == (1, 3, 3)
    # The published deal at 50 cents: Ana +22 points, Ben -40, Chi +18.
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}


def assert_made_once(statement: Statement, job: Job, folder: Path) -> None:
    assert (job.status, job.attempts, job.error) == ("done", 0, "")
    statement.refresh_from_db()
    assert (Statement.objects.count(), statement.number, statement.closing_minor) == (1, 1, 1100)
    content = (folder / "files" / statement.file.name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == statement.sha256
    files = [path for path in (folder / "files").rglob("*") if path.is_file()]
    assert [str(path.relative_to(folder / "files")) for path in files] == [statement.file.name]


@pytest.mark.parametrize("trap", ["posted", "uncommitted"])
def test_a_settlement_survives_the_death_of_its_worker(room, workers, trap):
    session = play(room)
    job = ask_to_settle(session)
    workers.stumbling_worker(trap)
    os.kill(workers.reached(), signal.SIGKILL)
    assert not Transfer.objects.exists(), "what was not committed never was"
    workers.worker()
    until(lambda: is_over(job))
    assert_settled_once(session, job)
    assert job.lost_leases == 1


@pytest.mark.parametrize("trap", ["numbered", "half_written", "half_stored", "stored", "uncommitted"])
def test_an_export_survives_the_death_of_its_worker(room, workers, trap):
    settle(play(room))
    statement, job = ask_for_statement()
    workers.stumbling_worker(trap)
    os.kill(workers.reached(), signal.SIGKILL)
    statement.refresh_from_db()
    assert not statement.file, "a file that was not finished is nobody's"
    workers.worker()
    until(lambda: is_over(job))
    assert_made_once(statement, job, workers.folder)
    assert job.lost_leases == 1


def test_a_worker_that_slept_through_its_lease_writes_nothing(room, workers):
    """The computer was closed in the middle of an export: another worker has made the statement meanwhile."""
    settle(play(room))
    statement, job = ask_for_statement()
    sleeper = workers.stumbling_worker("asleep")
    workers.reached()
    workers.worker()
    until(lambda: is_over(job))
    (workers.folder / "go").touch()
    until(lambda: "lease lost" in workers.said(sleeper))
    assert_made_once(statement, job, workers.folder)


def sleep_through_the_lease(workers: Workers, trap: str) -> Job:
    """Let a worker fall asleep in the middle of a job, another one do it, and the first one go on."""
    job = queue.enqueue(kind="effect", key="effect/once", subject_id=uuid.uuid4())
    workers.stumbling_worker(trap)
    workers.reached()
    workers.stumbling_worker("effect")
    until(lambda: is_over(job))
    (workers.folder / "go").touch()
    # It has gone on when it does the next job, which waits for it alone.
    os.killpg(workers.started[-1].pid, signal.SIGKILL)
    last = queue.enqueue(kind="effect", key="effect/last", subject_id=uuid.uuid4())
    until(lambda: is_over(last))
    return job


def effects(job: Job) -> int:
    return Club.objects.filter(name=f"founded by {job.pk}").count()


def test_an_effect_without_a_constraint_of_its_own_happens_once(workers):
    assert effects(sleep_through_the_lease(workers, "slow_effect")) == 1


def test_the_harness_sees_an_effect_that_happens_twice(workers):
    """The negative control: without the fence the same course of events doubles the effect."""
    assert effects(sleep_through_the_lease(workers, "slow_effect_without_fence")) == 2


def test_a_job_that_kills_every_worker_fails_and_the_others_go_on(workers):
    deadly = queue.enqueue(kind="deadly", key="deadly", subject_id=uuid.uuid4())
    patient = queue.enqueue(kind="effect", key="patient", subject_id=uuid.uuid4())

    def both_are_over() -> bool:
        # What the supervisor does: a worker that died is started again.
        if workers.started[-1].poll() is not None:
            workers.stumbling_worker("deadly")
        return is_over(deadly) and is_over(patient)

    workers.stumbling_worker("deadly")
    until(both_are_over, 60)
    assert (deadly.status, deadly.lost_leases, deadly.attempts) == ("failed", 3, 0)
    assert deadly.error == "The worker died 3 times during this job."
    assert (patient.status, effects(patient)) == ("done", 1)


def test_two_workers_do_each_job_once(room, workers):
    jobs = [ask_to_settle(play(room)) for _session in range(20)]
    for _worker in range(2):
        workers.stumbling_worker("greedy")
    until(lambda: all(is_over(job) for job in jobs))
    runs = [line.split() for line in (workers.folder / "runs").read_text().splitlines()]
    assert sorted(job for job, _worker in runs) == sorted(str(job.pk) for job in jobs)
    assert len({worker for _job, worker in runs}) == 2
    assert {job.status for job in jobs} == {"done"}
    assert (Settlement.objects.count(), Transfer.objects.count()) == (20, 60)
    assert balances() == {"Ana": 20 * 1100, "Ben": -20 * 2000, "Chi": 20 * 900}


def test_a_worker_refuses_to_start_on_a_ledger_without_guards(own_database, workers):
    with connection.cursor() as cursor:
        on = "" if connection.vendor == "sqlite" else " ON accounts_transfer"
        cursor.execute(f"DROP TRIGGER transfer_kept{on}")
    worker = workers.worker()
    assert worker.wait(30) != 0
    assert "transfer_kept" in workers.said(worker)
