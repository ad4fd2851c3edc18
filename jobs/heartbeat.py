"""That a worker lives: a row of its own, touched every few seconds. Clocks are the database's."""

import os
import socket
import uuid
from datetime import timedelta
from typing import Final

from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Now

from jobs.models import Job, Worker

BEAT_EVERY_SECONDS: Final = 5.0
# The row of a worker that was killed stays this long, for whoever looks what happened.
FORGET_AFTER: Final = timedelta(days=1)


def beat(worker_id: uuid.UUID) -> None:
    """Say that this worker lives; the first time, also who it is."""
    if Worker.objects.filter(pk=worker_id).update(seen_at=Now()):
        return
    Worker.objects.create(pk=worker_id, name=f"{socket.gethostname()[:150]}, process {os.getpid()}")
    Worker.objects.filter(seen_at__lt=Now() - FORGET_AFTER).delete()


def say_goodbye(worker_id: uuid.UUID) -> None:
    """Take the row of a worker that ends properly away."""
    Worker.objects.filter(pk=worker_id).delete()


def seconds_since_newest_beat() -> float | None:
    """How long ago the liveliest worker was seen; None when there is none."""
    ages = Worker.objects.order_by("-seen_at").values_list(_age("seen_at"), flat=True)
    return _seconds(ages.first())


def seconds_of_oldest_due_job() -> float | None:
    """How long the job that waits longest could have begun; None when none waits."""
    due = Job.objects.filter(status=Job.Status.QUEUED, not_before__lte=Now()).order_by("not_before")
    return _seconds(due.values_list(_age("not_before"), flat=True).first())


def _age(field: str) -> ExpressionWrapper:
    return ExpressionWrapper(Now() - F(field), DurationField())


def _seconds(age: timedelta | None) -> float | None:
    return None if age is None else max(0.0, age.total_seconds())
