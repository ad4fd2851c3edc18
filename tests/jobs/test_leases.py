"""Leases and counters as the design has them: renewed while there is work, fenced, counted apart, begun again."""

import time
import uuid
from contextlib import nullcontext
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from accounts.models import Club
from jobs import queue, worker
from jobs.models import Job

pytestmark = pytest.mark.both_databases


def enqueue(kind: str = "test", **more) -> Job:
    return queue.enqueue(kind=kind, key=f"{kind}/{uuid.uuid4()}", subject_id=uuid.uuid4(), **more)


def lose_lease(job: Job) -> None:
    """The worker of the job dies, and the sweep comes by."""
    Job.objects.filter(pk=job.pk).update(not_before=Now(), status="queued")
    assert queue.claim(job.pk) is not None
    Job.objects.filter(pk=job.pk).update(lease_until=Now() - timedelta(seconds=1))
    queue.sweep()
    job.refresh_from_db()


def raise_error(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(not_before=Now())
    queue.run(job.pk)
    job.refresh_from_db()


def work_longer_than_a_lease(settings, monkeypatch) -> Job:
    """Two leases of work, with another worker's sweep coming by all the time."""
    settings.JOB_LEASE_SECONDS = 0.6

    def work(claim: queue.Claim) -> None:
        end = time.monotonic() + 1.2
        while time.monotonic() < end:
            queue.sweep()
            time.sleep(0.05)
        with claim.finish():
            Club.objects.create(name="made by the job")

    monkeypatch.setitem(queue.HANDLERS, "test", work)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    return job


def test_a_lease_is_renewed_for_as_long_as_the_work_goes_on(own_database, settings, monkeypatch):
    job = work_longer_than_a_lease(settings, monkeypatch)
    assert (job.status, job.lost_leases, Club.objects.count()) == ("done", 0, 1)


def test_without_renewal_the_same_work_is_taken_for_dead_and_writes_nothing(own_database, settings, monkeypatch):
    monkeypatch.setattr(queue, "_renewing", lambda _claim: nullcontext())
    job = work_longer_than_a_lease(settings, monkeypatch)
    assert (job.status, job.lost_leases, Club.objects.count()) == ("queued", 1, 0)


@pytest.mark.django_db
def test_blocks_and_reports_are_fenced_too(monkeypatch):
    job = enqueue()
    claim = queue.claim(job.pk)
    Job.objects.filter(pk=job.pk).update(lease_token=uuid.uuid4())
    with pytest.raises(queue.LeaseLost), claim.block():
        Club.objects.create(name="must not be")
    with pytest.raises(queue.LeaseLost):
        claim.report(done=1, total=2)
    claim.fail("must not be")
    claim.put_back("must not be")
    job.refresh_from_db()
    assert (job.status, job.error, job.attempts, Club.objects.count()) == ("running", "", 0, 0)


@pytest.mark.django_db
def test_an_error_and_a_lost_lease_are_counted_apart(monkeypatch):
    def work(claim: queue.Claim) -> None:
        raise OSError("disk")

    monkeypatch.setitem(queue.HANDLERS, "test", work)
    job = enqueue()
    raise_error(job)
    assert (job.attempts, job.lost_leases) == (1, 0)
    for _time in range(6):
        lose_lease(job)
    assert (job.status, job.attempts, job.lost_leases) == ("queued", 1, 6), "more losses than there are attempts"
    raise_error(job)
    assert (job.status, job.attempts, job.lost_leases) == ("queued", 2, 6)


@pytest.mark.django_db
def test_what_lost_its_lease_too_often_has_failed_with_the_reason_and_can_begin_again():
    job = enqueue()
    for _time in range(20):
        lose_lease(job)
    assert (job.status, job.error) == ("failed", "The worker died 20 times during this job.")
    assert queue.claim(job.pk) is None
    assert queue.retry(job.pk)
    assert not queue.retry(job.pk), "it waits already"
    job.refresh_from_db()
    assert (job.status, job.lost_leases, job.error, job.finished_at) == ("queued", 0, "", None)
    assert queue.claim(job.pk) is not None


@pytest.mark.django_db
def test_losses_wait_longer_each_time_but_the_first():
    job = enqueue()
    waits = []
    for _time in range(12):
        lose_lease(job)
        now = Job.objects.values_list(Now(), flat=True).get(pk=job.pk)
        waits.append(max(0, round((job.not_before - now).total_seconds())))
    assert waits == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


@pytest.mark.django_db
def test_a_job_says_whose_it_is():
    club_id = uuid.uuid4()
    assert (enqueue(club_id=club_id).club_id, enqueue().club_id) == (club_id, None)


@pytest.mark.django_db
def test_what_looks_hourly_is_called_though_another_raises(monkeypatch):
    calls = []

    def broken() -> None:
        raise OSError("disk")

    monkeypatch.setattr(queue, "HOURLY", [])
    queue.hourly(broken)
    queue.hourly(lambda: calls.append("called"))
    queue.look_hourly()
    assert calls == ["called"]


def test_the_relay_looks_after_a_minute_and_then_hourly(monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(worker.time, "monotonic", lambda: clock[0])
    every = worker.Every(worker.LOOK_EVERY_SECONDS, first=worker.FIRST_LOOK_AFTER_SECONDS)
    due = []
    for second in range(0, 2 * 3600 + 120, 10):
        clock[0] = 1000.0 + second
        if every.is_due():
            due.append(second)
    assert due == [60, 3660, 7260]
