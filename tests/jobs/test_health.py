"""Whether it lives and whether it can work: what a watcher is told, on both databases."""

import os
import signal
import uuid
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now

from accounts import guards
from jobs import heartbeat, queue
from jobs.models import Job, Worker
from tests.processes import Processes, until

pytestmark = [pytest.mark.both_databases, pytest.mark.xdist_group("workers")]


@pytest.fixture
def worker_id(db) -> uuid.UUID:
    """A worker that has just been seen."""
    made = uuid.uuid4()
    heartbeat.beat(made)
    return made


def test_alive_is_said_without_database_host_name_cookie_or_tls(client, settings):
    # This test may not touch a database at all: without the mark, pytest-django lets none be opened.
    settings.BEHIND_TLS = settings.SECURE_SSL_REDIRECT = True
    client.cookies[settings.SESSION_COOKIE_NAME] = "a session that would have to be read"
    answer = client.get("/livez", headers={"host": "10.1.2.3:8000"})
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert answer["Cache-Control"] == "no-store"


def test_ready_with_database_guards_and_a_worker(client, worker_id):
    answer = client.get("/readyz", headers={"host": "10.1.2.3:8000"})
    assert answer.status_code == 200
    told = answer.json()
    assert 0 <= told.pop("worker_seen_seconds") < 5
    assert told == {
        "status": "ready",
        "database": True,
        "guards_missing": [],
        "oldest_due_job_seconds": None,
        "problems": [],
    }


def problems(client) -> list[str]:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "not ready"
    return answer.json()["problems"]


def test_without_a_worker_nothing_is_ready(client, db):
    assert problems(client) == ["No worker is there."]


def test_a_worker_that_was_not_seen_for_long_is_told(client, worker_id):
    Worker.objects.update(seen_at=Now() - timedelta(seconds=31))
    assert problems(client) == ["No worker was seen for 31 s."]
    heartbeat.beat(uuid.uuid4())
    assert client.get("/readyz").status_code == 200, "the liveliest one counts"


def test_a_job_that_waited_too_long_is_told(client, worker_id, settings):
    settings.READY_JOB_SECONDS = 60.0
    job = queue.enqueue(kind="test", key="test", subject_id=uuid.uuid4())
    assert client.get("/readyz").json()["oldest_due_job_seconds"] < 5
    Job.objects.filter(pk=job.pk).update(not_before=Now() - timedelta(seconds=61))
    assert problems(client) == ["A job has waited for 61 s."]
    # What is not due yet waits for nobody.
    Job.objects.filter(pk=job.pk).update(not_before=Now() + timedelta(seconds=61))
    assert client.get("/readyz").status_code == 200


def test_missing_guards_are_told(client, worker_id):
    with connection.cursor() as cursor:
        on = "" if connection.vendor == "sqlite" else " ON accounts_transfer"
        cursor.execute(f"DROP TRIGGER transfer_kept{on}")
    assert problems(client) == ["The database does not guard its ledger."]
    assert client.get("/readyz").json()["guards_missing"] == ["transfer_kept"]


def test_a_database_that_cannot_be_read_is_told(client, worker_id, monkeypatch):
    def missing(_connection) -> list[str]:
        raise OperationalError("disk I/O error")

    monkeypatch.setattr(guards, "missing", missing)
    assert problems(client) == ["The database cannot be read (OperationalError)."]


def test_a_beat_is_one_row_and_old_ones_are_forgotten(worker_id):
    Worker.objects.update(seen_at=Now() - timedelta(days=2))
    other = uuid.uuid4()
    heartbeat.beat(other)
    heartbeat.beat(other)
    assert [row.pk for row in Worker.objects.all()] == [other]
    heartbeat.say_goodbye(other)
    assert not Worker.objects.exists()


def test_a_worker_beats_until_it_ends(own_database, tmp_path):
    with Processes(tmp_path, own_database.environment) as workers:
        process = workers.start("manage.py", "worker")
        row = until(lambda: Worker.objects.first())
        assert row.name.endswith(f", process {process.pid}")
        first = row.seen_at
        until(lambda: Worker.objects.get().seen_at > first)
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
        assert not Worker.objects.exists()
        killed = workers.start("manage.py", "worker")
        until(lambda: Worker.objects.exists())
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        assert Worker.objects.get().name.endswith(f", process {killed.pid}"), "for whoever looks what happened"
