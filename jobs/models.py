"""A job is a row; Celery only carries its id. A worker is a row too, for as long as it lives."""

import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class Job(models.Model):
    """Work to be done once, written in the transaction of what caused it.

    ``key`` says what the work is, so that asking twice makes one job. ``subject_id`` is what the handler of
    ``kind`` works on. A worker holds the job while its ``lease_token`` is the row's.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    key = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=50)
    subject_id = models.UUIDField(db_index=True)
    # Whose job it is, where it is somebody's: this app knows no clubs, only that its jobs are listed by one.
    club_id = models.UUIDField(null=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    # A raised error and a lost lease are counted apart: the one is the work's fault, the other the machine's.
    attempts = models.PositiveIntegerField(default=0)
    lost_leases = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    lease_token = models.UUIDField(null=True)
    progress_done = models.BigIntegerField(default=0)
    progress_total = models.BigIntegerField(default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["status", "not_before"],
                condition=models.Q(status__in=["queued", "running"]),
                name="jobs_to_do",
            ),
            models.Index(fields=["club_id", "-created_at"], name="jobs_of_a_club"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.status}"

    @property
    def is_over(self) -> bool:
        return self.status in {self.Status.DONE, self.Status.FAILED}


class Worker(models.Model):
    """A worker process that lives, or lived a moment ago: its relay says so every few seconds."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Host and process, so that a person can find it.
    name = models.CharField(max_length=200)
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name
