import threading
import uuid
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import Club
from jobs import queue
from jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def enqueue(kind: str = "test") -> Job:
    return queue.enqueue(kind=kind, key=f"{kind}/{uuid.uuid4()}", subject_id=uuid.uuid4())


@pytest.fixture
def handler(monkeypatch):
    """Make a function the handler of `test` jobs for one test."""

    def register(function):
        monkeypatch.setitem(queue.HANDLERS, "test", function)

    return register


def test_asking_twice_under_one_key_is_one_job():
    subject = uuid.uuid4()
    one = queue.enqueue(kind="test", key="same", subject_id=subject)
    assert queue.enqueue(kind="test", key="same", subject_id=subject).pk == one.pk
    assert Job.objects.count() == 1


def test_a_job_is_claimed_by_one_worker_only():
    job = enqueue()
    assert queue.claim(job.pk) is not None
    assert queue.claim(job.pk) is None


def test_the_effect_and_the_end_of_the_job_are_one_transaction(handler):
    def work(claim: queue.Claim) -> None:
        with claim.finish():
            Club.objects.create(name="made by the job")
            raise RuntimeError("the machine stumbles after the effect")

    handler(work)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, job.attempts, Club.objects.count()) == ("queued", 1, 0)


def test_a_worker_that_lost_its_lease_writes_nothing(handler):
    def work(claim: queue.Claim) -> None:
        # Another worker took the job meanwhile: its token stands in the row.
        Job.objects.filter(pk=claim.job_id).update(lease_token=uuid.uuid4())
        with claim.finish():
            Club.objects.create(name="must not be")

    handler(work)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, Club.objects.count()) == ("running", 0)


def test_five_raised_errors_fail_the_job_and_it_can_be_begun_again(handler):
    def work(claim: queue.Claim) -> None:
        raise OSError("disk")

    handler(work)
    job = enqueue()
    for attempt in range(1, 6):
        Job.objects.filter(pk=job.pk).update(not_before=Now())
        queue.run(job.pk)
        job.refresh_from_db()
        assert job.attempts == attempt
    assert (job.status, job.error) == ("failed", "Something went wrong (OSError).")
    assert queue.retry(job.pk)
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("queued", 0)


def test_a_refusal_fails_the_job_at_once_with_its_sentence(handler):
    def work(claim: queue.Claim) -> None:
        raise ValidationError("Close the session first.")

    handler(work)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, job.attempts, job.error) == ("failed", 0, "Close the session first.")


def test_a_lease_is_renewed_again_after_the_database_was_busy(handler, settings, monkeypatch):
    settings.JOB_LEASE_SECONDS = 0.03
    renewals = threading.Semaphore(0)
    answers = iter([OperationalError("database is locked"), None, None])

    def renew(_claim: queue.Claim) -> None:
        renewals.release()
        if (error := next(answers, None)) is not None:
            raise error

    def work(claim: queue.Claim) -> None:
        # The refused one, and two after it.
        assert all(renewals.acquire(timeout=5) for _time in range(3))
        with claim.finish():
            pass

    monkeypatch.setattr(queue.Claim, "renew", renew)
    handler(work)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    assert job.status == "done"


def test_a_handler_that_forgets_to_finish_has_failed_an_attempt(handler):
    handler(lambda claim: None)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, job.attempts) == ("queued", 1)


def test_the_sweep_puts_back_what_a_dead_worker_held_and_counts_it_apart():
    job = enqueue()
    queue.claim(job.pk)
    queue.sweep()
    job.refresh_from_db()
    assert job.status == "running", "its lease still runs"
    Job.objects.filter(pk=job.pk).update(lease_until=Now() - timedelta(seconds=1))
    queue.sweep()
    job.refresh_from_db()
    assert (job.status, job.attempts, job.lost_leases) == ("queued", 0, 1)
    assert queue.claim(job.pk) is not None, "the first loss costs no wait"


def test_twenty_lost_leases_fail_the_job():
    job = enqueue()
    for _time in range(20):
        Job.objects.filter(pk=job.pk).update(not_before=Now(), status="queued")
        queue.claim(job.pk)
        Job.objects.filter(pk=job.pk).update(lease_until=Now() - timedelta(seconds=1))
        queue.sweep()
    job.refresh_from_db()
    assert (job.status, job.error) == ("failed", "The worker died 20 times during this job.")


def test_each_due_job_is_sent_once_and_again_when_the_broker_lost_it():
    job = enqueue()
    sent: list[uuid.UUID] = []
    assert queue.send_due(sent.append) == 1
    assert queue.send_due(sent.append) == 0
    Job.objects.filter(pk=job.pk).update(sent_at=Now() - timedelta(seconds=31))
    queue.send_due(sent.append)
    assert sent == [job.pk, job.pk]


def test_what_could_not_be_sent_is_sent_at_the_next_look():
    """The broker is away: the mark does not stand for a message that there is not."""
    job = enqueue()

    def fail(_job_id: uuid.UUID) -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        queue.send_due(fail)
    sent: list[uuid.UUID] = []
    assert queue.send_due(sent.append) == 1
    assert sent == [job.pk]


def test_a_job_rolled_back_with_its_cause_was_never_there():
    with transaction.atomic():
        enqueue()
        transaction.set_rollback(True)
    assert Job.objects.count() == 0


def test_reported_progress_stands_in_the_row(handler):
    def work(claim: queue.Claim) -> None:
        with claim.block():
            claim.report(done=3, total=10)
        with claim.finish():
            pass

    handler(work)
    job = enqueue()
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, job.progress_done, job.progress_total) == ("done", 3, 10)


def test_a_job_that_goes_on_later_is_not_due_before_and_counts_no_error(handler):
    def work(claim: queue.Claim) -> None:
        with claim.again_after(timedelta(hours=2)):
            Club.objects.create(name="first turn")

    handler(work)
    job = enqueue()
    Job.objects.filter(pk=job.pk).update(attempts=4, lost_leases=3, sent_at=Now())
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, job.attempts, job.lost_leases, job.sent_at, job.error) == ("queued", 0, 0, None, "")
    assert queue.claim(job.pk) is None
    Job.objects.filter(pk=job.pk).update(not_before=F("not_before") - timedelta(hours=2))
    assert queue.claim(job.pk) is not None


def test_what_is_written_before_a_later_turn_counts_only_with_it(handler):
    def stumble(claim: queue.Claim) -> None:
        with claim.again_after(timedelta(hours=2)):
            Club.objects.create(name="must not be")
            raise RuntimeError("the machine stumbles")

    def lose(claim: queue.Claim) -> None:
        Job.objects.filter(pk=claim.job_id).update(lease_token=uuid.uuid4())
        with claim.again_after(timedelta(hours=2)):
            Club.objects.create(name="must not be")

    for work, status in ((stumble, "queued"), (lose, "running")):
        handler(work)
        job = enqueue()
        queue.run(job.pk)
        job.refresh_from_db()
        assert (job.status, Club.objects.count()) == (status, 0)


@pytest.mark.parametrize(
    ("fields", "is_due"),
    [
        ({"not_before": Now() + timedelta(hours=2), "sent_at": Now()}, True),
        ({"status": "failed", "attempts": 5}, True),
        ({"status": "running", "lease_until": Now() + timedelta(hours=2)}, False),
        ({"status": "done"}, False),
    ],
    ids=["waiting", "failed", "running", "done"],
)
def test_a_job_that_waits_or_failed_is_hastened_and_no_other(fields, is_due):
    job, other = enqueue(), enqueue()
    Job.objects.filter(pk__in=[job.pk, other.pk]).update(**fields)
    queue.hasten(job.key)
    assert (queue.claim(job.pk) is not None) is is_due
    assert queue.claim(other.pk) is None
