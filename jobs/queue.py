"""The queue: enqueue, claim, renew, finish, sweep. Every step is one conditional UPDATE of the job's row.

Exactly once comes from two things. A claim carries a token, and every transaction of the work begins by
touching the row *where the token is still its own*, so a worker that lost its lease cannot write. And the
transaction that writes the effect is the one that sets the job done. Clocks are the database's.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, models, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from jobs.models import Job

Row = TypeVar("Row", bound=models.Model)

log = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 5
MOST_LOST_LEASES: Final = 20
# A message that was sent and not claimed for this long is taken for lost, and sent again.
SEND_AGAIN: Final = timedelta(seconds=30)
LONGEST_WAIT: Final = timedelta(minutes=5)


class LeaseLost(Exception):
    """Another worker holds the job now: whatever was being written is rolled back."""


@dataclass
class Claim:
    """The right to work on one job, for as long as its token is the row's."""

    job_id: uuid.UUID
    key: str
    kind: str
    subject_id: uuid.UUID
    token: uuid.UUID
    progress_done: int

    def _held(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job_id, status=Job.Status.RUNNING, lease_token=self.token)

    def _write(self, **fields: object) -> None:
        if not self._held().update(**fields):
            raise LeaseLost(str(self.job_id))

    def renew(self) -> None:
        """Hold the job for another lease. Raises ``LeaseLost``."""
        self._write(lease_until=_lease_end())

    @contextmanager
    def block(self) -> Iterator[None]:
        """One transaction of long work; what it writes counts only if the job is still ours."""
        with transaction.atomic():
            self.renew()
            yield

    def report(self, *, done: int, total: int) -> None:
        """Say how far the work is. Raises ``LeaseLost``."""
        self._write(progress_done=done, progress_total=total)

    @contextmanager
    def finish(self) -> Iterator[None]:
        """The last transaction: it writes the effect and sets the job done, both or neither."""
        with transaction.atomic():
            self._write(status=Job.Status.DONE, lease_token=None, lease_until=None, finished_at=Now(), error="")
            yield

    @contextmanager
    def again_after(self, wait: timedelta) -> Iterator[None]:
        """Put the job back for another turn later, with what is written here, both or neither.

        That is no error of the job: what went wrong before is forgotten.
        """
        with transaction.atomic():
            self._write(
                status=Job.Status.QUEUED,
                attempts=0,
                lost_leases=0,
                not_before=Now() + wait,
                sent_at=None,
                lease_token=None,
                lease_until=None,
                error="",
            )
            yield

    def fail(self, sentence: str) -> None:
        """End the job without a further attempt, because trying again cannot help."""
        self._held().update(
            status=Job.Status.FAILED, lease_token=None, lease_until=None, finished_at=Now(), error=sentence
        )

    def put_back(self, sentence: str) -> None:
        """Count a raised error: the job waits for its next attempt, or has had its last."""
        attempts = Job.objects.values_list("attempts", flat=True).get(pk=self.job_id) + 1
        if attempts >= MOST_ATTEMPTS:
            self._held().update(attempts=attempts)
            self.fail(sentence)
            return
        self._held().update(
            status=Job.Status.QUEUED,
            attempts=attempts,
            not_before=Now() + _wait(attempts),
            sent_at=None,
            lease_token=None,
            lease_until=None,
            error=sentence,
        )


Handler = Callable[[Claim], None]
HANDLERS: Final[dict[str, Handler]] = {}
HOURLY: Final[list[Callable[[], None]]] = []


def handles(kind: str) -> Callable[[Handler], Handler]:
    """Make a function the handler of a kind of job.

    It must end with ``with claim.finish(): ...``, or with ``with claim.again_after(wait): ...``.
    """

    def register(handler: Handler) -> Handler:
        HANDLERS[kind] = handler
        return handler

    return register


def hourly(look: Callable[[], None]) -> Callable[[], None]:
    """Have every worker's relay call this about once an hour.

    It looks what is due and enqueues that, under a key that says for which day: several workers make one job.
    """
    HOURLY.append(look)
    return look


def look_hourly() -> None:
    """Call what is registered; one that raises keeps no other from its turn."""
    for look in HOURLY:
        try:
            look()
        except Exception:
            log.exception("%s.%s raised", look.__module__, look.__qualname__)


def enqueue(*, kind: str, key: str, subject_id: uuid.UUID, club_id: uuid.UUID | None = None) -> Job:
    """Write the job, once per ``key``, in the transaction of what causes it; return the row of that key.

    ``club_id`` says in whose list it stands; without one it is nobody's but the operator's.
    """
    job, _created = Job.objects.get_or_create(
        key=key, defaults={"kind": kind, "subject_id": subject_id, "club_id": club_id}
    )
    return job


def under_way(*kinds: str, club_id: uuid.UUID) -> QuerySet[Job]:
    """A club's jobs of these kinds that wait or run."""
    return Job.objects.filter(club_id=club_id, kind__in=kinds, status__in=[Job.Status.QUEUED, Job.Status.RUNNING])


def with_jobs(rows: Iterable[Row]) -> list[tuple[Row, Job]]:
    """The rows in their order, each with the one job that works on it; a row without one is left out."""
    listed = list(rows)
    jobs = {job.subject_id: job for job in Job.objects.filter(subject_id__in=[row.pk for row in listed])}
    return [(row, jobs[row.pk]) for row in listed if row.pk in jobs]


def retry(job_id: uuid.UUID) -> bool:
    """Let a failed job begin again from nothing counted; False when it is not failed."""
    return bool(
        Job.objects.filter(pk=job_id, status=Job.Status.FAILED).update(
            status=Job.Status.QUEUED,
            attempts=0,
            lost_leases=0,
            not_before=Now(),
            sent_at=None,
            finished_at=None,
            error="",
        )
    )


def hasten(key: str) -> None:
    """Let the job of this key begin now, where it waits for a later time or has failed."""
    waiting = Job.objects.filter(key=key, status=Job.Status.QUEUED, not_before__gt=Now())
    if waiting.update(not_before=Now(), sent_at=None):
        return
    for job_id in Job.objects.filter(key=key, status=Job.Status.FAILED).values_list("pk", flat=True):
        retry(job_id)


def claim(job_id: uuid.UUID) -> Claim | None:
    """Take a waiting job; None when it is not waiting (taken, over, or not due yet)."""
    token = uuid.uuid4()
    taken = Job.objects.filter(pk=job_id, status=Job.Status.QUEUED, not_before__lte=Now()).update(
        status=Job.Status.RUNNING, lease_token=token, lease_until=_lease_end()
    )
    if not taken:
        return None
    job = Job.objects.get(pk=job_id)
    return Claim(job.pk, job.key, job.kind, job.subject_id, token, job.progress_done)


def run(job_id: uuid.UUID) -> None:
    """Claim the job and work on it until it is done, failed, put back or lost. Never raises for the work."""
    held = claim(job_id)
    if held is None:
        return
    try:
        with _renewing(held):
            HANDLERS[held.kind](held)
        if held._held().exists():
            raise RuntimeError(f"The handler of {held.kind} ended without finishing its job.")
    except LeaseLost:
        log.warning("job %s (%s): lease lost", held.job_id, held.kind)
    except ValidationError as error:
        held.fail(" ".join(error.messages))
    except Exception as error:
        log.exception("job %s (%s) raised", held.job_id, held.kind)
        held.put_back(_("Something went wrong (%(error)s).") % {"error": type(error).__name__})


def run_to_end(job_id: uuid.UUID) -> Job:
    """Work on the job here, or wait for the worker that was quicker; return it when it is over."""
    while True:
        run(job_id)
        job = Job.objects.get(pk=job_id)
        if job.is_over:
            return job
        time.sleep(0.1)


def sweep() -> None:
    """Put back the jobs whose worker died; one that lost its lease too often has failed."""
    lost = Job.objects.filter(status=Job.Status.RUNNING, lease_until__lt=Now())
    for job in lost.only("lease_token", "lost_leases"):
        times = job.lost_leases + 1
        same = lost.filter(pk=job.pk, lease_token=job.lease_token)
        if times >= MOST_LOST_LEASES:
            same.update(
                status=Job.Status.FAILED,
                lost_leases=times,
                lease_token=None,
                lease_until=None,
                finished_at=Now(),
                error=_("The worker died %(times)d times during this job.") % {"times": times},
            )
        else:
            same.update(
                status=Job.Status.QUEUED,
                lost_leases=times,
                lease_token=None,
                lease_until=None,
                not_before=Now() + _wait(times - 1) if times > 1 else Now(),
                sent_at=None,
            )


def send_due(send: Callable[[uuid.UUID], None], *, at_most: int = 100) -> int:
    """Hand every due job to ``send``, each marked first so that several relays do not all send it.

    A mark older than ``SEND_AGAIN`` does not count: the broker lost the message. Where ``send`` raises, its mark is
    taken away, so that the next look is the retry.
    """
    due = Job.objects.filter(
        Q(sent_at=None) | Q(sent_at__lt=Now() - SEND_AGAIN), status=Job.Status.QUEUED, not_before__lte=Now()
    )
    sent = 0
    for job_id in due.order_by("not_before").values_list("pk", flat=True)[:at_most]:
        if due.filter(pk=job_id).update(sent_at=Now()):
            try:
                send(job_id)
            except Exception:
                Job.objects.filter(pk=job_id).update(sent_at=None)
                raise
            sent += 1
    return sent


def forget_sent() -> None:
    """Take every mark away: the broker that held the messages is gone (it lived in a process that ended)."""
    Job.objects.filter(status=Job.Status.QUEUED).exclude(sent_at=None).update(sent_at=None)


def _lease_end() -> object:
    return Now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _wait(times: int) -> timedelta:
    """Back-off: 1, 2, 4, ... seconds, at most five minutes."""
    return min(timedelta(seconds=2 ** min(times - 1, 20)), LONGEST_WAIT)


@contextmanager
def _renewing(held: Claim) -> Iterator[None]:
    """Renew the lease every third of it from a thread, so that long work is not taken for dead."""
    over = threading.Event()

    def keep() -> None:
        while not over.wait(settings.JOB_LEASE_SECONDS / 3):
            try:
                held.renew()
            except LeaseLost:
                return  # the work's own next transaction finds that out, and rolls back
            except DatabaseError:
                # A busy or restarted database: the next look is the retry.
                log.warning("job %s (%s): the lease could not be renewed", held.job_id, held.kind, exc_info=True)
            finally:
                connection.close()

    thread = threading.Thread(target=keep, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
