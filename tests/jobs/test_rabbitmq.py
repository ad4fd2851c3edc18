"""The same jobs carried by RabbitMQ: whatever dies, nothing is lost and nothing is done twice.

The broker is started by this file, on a port and in a folder of its own. On PostgreSQL the worker has two
children, on SQLite it is one process. Leases last a second; a lost message is sent
again after one.
"""

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
from jobs.models import Job, Worker
from jobs.worker import run_job
from settlement.celery import app
from settlement.models import Settlement, Statement
from settlement.services import request_statement
from tests.conftest import OwnDatabase
from tests.deals import ask_to_settle, play, settle
from tests.processes import Processes, free_port, until
from tests.rabbitmq import Broker
from tests.reckoning import faults

pytestmark = [pytest.mark.both_databases, pytest.mark.xdist_group("rabbitmq")]
on_rabbitmq = pytest.mark.rabbitmq

IS_PREFORK = connection.vendor == "postgresql"


class Workers(Processes):
    def worker(self, trap: str = "nothing") -> subprocess.Popen[bytes]:
        return self.start("-m", "tests.jobs.rabbit_worker", trap, self.folder)

    def reached(self) -> int:
        """The id of the process that stands in its trap, as soon as one does."""
        flag = self.folder / "reached"
        return int(until(lambda: flag.exists() and flag.read_text()))


def children(pid: int) -> list[int]:
    found = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for words in found for child in words]


@pytest.fixture(scope="session")
def one_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = Broker(tmp_path_factory.mktemp("rabbitmq"))
    try:
        broker.start()
        yield broker
    finally:
        broker.end()


@pytest.fixture
def broker(one_broker: Broker) -> Broker:
    if not one_broker.answers():
        one_broker.start()
    one_broker.drop()
    return one_broker


@pytest.fixture
def workers(own_database: OwnDatabase, broker: Broker, tmp_path: Path) -> Iterator[Workers]:
    environment = own_database.environment | {"JOB_LEASE_SECONDS": "1", "CELERY_BROKER_URL": broker.url}
    with Workers(tmp_path, environment) as begun:
        yield begun


@pytest.fixture
def room(own_database: OwnDatabase) -> Club:
    return create_club(owner=User.objects.create_user("owner@example.com"), name="Harbour Card Room")


def is_over(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_over


def ask_for_statement() -> Job:
    statement = request_statement(
        player=Player.objects.get(name="Ana"),
        currency="USD",
        first_day=date(2026, 11, 1),
        last_day=date(2026, 11, 30),
        author=None,
    )
    return Job.objects.get(subject_id=statement.pk)


def assert_all_done_once(jobs: list[Job], folder: Path) -> None:
    """Every session settled once, every statement made once: Ana +22 points a session at 50 cents, and so on."""
    assert [(job.status, job.attempts, job.error) for job in jobs] == [("done", 0, "")] * len(jobs)
    sessions, statements = Session.objects.count(), Statement.objects.count()
    assert (Settlement.objects.count(), Transfer.objects.count()) == (sessions, 3 * sessions)
    balances = dict(Account.objects.values_list("player__name", "balance_minor"))
    assert balances == {"Ana": sessions * 1100, "Ben": sessions * -2000, "Chi": sessions * 900}
    assert sorted(Statement.objects.values_list("number", flat=True)) == list(range(1, statements + 1))
    assert len([path for path in (folder / "files").rglob("*") if path.is_file()]) == statements
    assert faults() == []


def test_a_worker_is_one_process_on_sqlite_and_has_children_on_postgresql(own_database, tmp_path):
    """SQLite does not survive a fork: a child believes that it holds its parent's locks. The broker is away here."""
    away = {"CELERY_BROKER_URL": f"amqp://127.0.0.1:{free_port()}//"}
    with Workers(tmp_path, own_database.environment | away) as begun:
        worker = begun.start("manage.py", "worker")
        # The relay beats after the children were started.
        until(Worker.objects.exists)
        assert len(children(worker.pid)) == (2 if IS_PREFORK else 0)


@on_rabbitmq
def test_settlements_and_exports_are_done(room, workers, broker):
    settle(play(room))
    jobs = [ask_to_settle(play(room)) for _session in range(6)] + [ask_for_statement() for _export in range(2)]
    workers.worker()
    until(lambda: all(is_over(job) for job in jobs))
    assert_all_done_once(jobs, workers.folder)
    assert broker.waiting() == 0


@on_rabbitmq
@pytest.mark.parametrize(
    ("trap", "victim"),
    [("posted", "everything"), ("uncommitted", "everything")]
    + [("posted", "child"), ("uncommitted", "parent")] * IS_PREFORK,
)
def test_the_death_of_a_worker_loses_nothing_and_doubles_nothing(room, workers, trap, victim):
    settle(play(room))
    jobs = [ask_to_settle(play(room)) for _session in range(4)] + [ask_for_statement()]
    worker = workers.worker(trap)
    standing = workers.reached()
    if victim == "everything":
        os.killpg(worker.pid, signal.SIGKILL)
    else:
        os.kill(worker.pid if victim == "parent" else standing, signal.SIGKILL)
    assert Transfer.objects.count() == 3, "what was not committed never was"
    (workers.folder / "go").touch()
    if victim != "child":
        workers.worker()
    until(lambda: all(is_over(job) for job in jobs))
    assert_all_done_once(jobs, workers.folder)
    if victim != "parent":
        assert any(job.lost_leases for job in jobs)


@on_rabbitmq
def test_a_broker_that_dies_during_a_commit_loses_nothing(room, workers, broker):
    jobs = [ask_to_settle(play(room)) for _session in range(4)]
    worker = workers.worker("uncommitted")
    workers.reached()
    broker.kill()
    (workers.folder / "go").touch()
    until(lambda: any(is_over(job) for job in jobs))
    # Also what is asked for while there is no broker waits for it.
    jobs += [ask_to_settle(play(room)), ask_for_statement()]
    until(lambda: "the relay could not look for jobs" in workers.said(worker))
    broker.start()
    until(lambda: all(is_over(job) for job in jobs), 60)
    assert worker.poll() is None, "it is the same worker that goes on"
    assert_all_done_once(jobs, workers.folder)


@on_rabbitmq
def test_a_job_that_kills_every_worker_fails_and_the_others_go_on(workers):
    deadly = queue.enqueue(kind="deadly", key="deadly", subject_id=uuid.uuid4())
    patient = queue.enqueue(kind="effect", key="patient", subject_id=uuid.uuid4())
    workers.worker("deadly")

    def both_are_over() -> bool:
        # What a supervisor does: a worker that died is started again. On PostgreSQL only a child dies.
        if workers.started[-1].poll() is not None:
            workers.worker("deadly")
        return is_over(deadly) and is_over(patient)

    until(both_are_over, 60)
    assert (deadly.status, deadly.lost_leases, deadly.attempts) == ("failed", 3, 0)
    assert deadly.error == "The worker died 3 times during this job."
    assert patient.status == "done"
    assert Club.objects.filter(name=f"founded by {patient.pk}").count() == 1
    assert (len(workers.started) == 1) is IS_PREFORK


def send(broker: Broker, job: Job) -> None:
    """Send what is due as a worker's relay does, which then ends."""
    with app.connection_for_write(broker.url) as opened:
        queue.send_due(lambda job_id: run_job.apply_async([str(job_id)], connection=opened))
    job.refresh_from_db()
    assert job.sent_at is not None


def lose_a_message(broker: Broker, workers: Workers, trap: str) -> Job:
    """A job whose message the broker lost, after a worker has done the job that was sent behind it."""
    lost = queue.enqueue(kind="effect", key="lost", subject_id=uuid.uuid4())
    send(broker, lost)
    assert broker.drop() == 1
    behind = queue.enqueue(kind="effect", key="behind", subject_id=uuid.uuid4())
    send(broker, behind)
    workers.worker(trap)
    until(lambda: is_over(behind))
    return lost


@on_rabbitmq
def test_a_message_that_the_broker_lost_is_sent_again(broker, workers):
    lost = lose_a_message(broker, workers, "effect")
    until(lambda: is_over(lost), 15)
    assert Club.objects.filter(name=f"founded by {lost.pk}").count() == 1


@on_rabbitmq
def test_the_harness_sees_a_message_that_is_lost(broker, workers):
    """The negative control: without the relay's second look the job is never done."""
    lost = lose_a_message(broker, workers, "without_relay")
    with pytest.raises(AssertionError, match="waited in vain"):
        until(lambda: is_over(lost), 3)
    assert lost.status == "queued"
