"""Histories that were sent, and what was found in them."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Club


class Import(models.Model):
    """A hand history that somebody sent: where its file is, how far it was read, and what became of its lines.

    Where the file is one JSON array, its elements are the lines.
    """

    class OnError(models.TextChoices):
        SKIP = "skip", _("leave the line out and go on")
        ABORT = "abort", _("stop at the line")

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("reading")
        SUCCEEDED = "succeeded", _("done")
        PARTLY_SUCCEEDED = "partly_succeeded", _("partly done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="imports")
    file_name = models.CharField(max_length=200)
    file = models.FileField(upload_to="imports/%Y/%m/")
    sha256 = models.CharField(max_length=64)
    on_error = models.CharField(max_length=10, choices=OnError, default=OnError.SKIP)
    # Everything is looked at, against the book and within the file, and nothing but this report is written.
    is_dry_run = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    # Of what the import itself knows; whether its job has failed meanwhile, only the job does.
    state = models.CharField(max_length=20, choices=State, default=State.QUEUED)
    # Why the file as a whole could not be read.
    failure = models.TextField(blank=True)
    cancel_asked_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # Where the next block begins: a byte of the file (unpacked), and the number of the line before it.
    next_byte = models.BigIntegerField(default=0)
    line_number = models.PositiveIntegerField(default=0)
    # Lines that were not blank; each is one of the four below.
    lines = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    conflicts = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    # Hands that went in (or would), of which the sender claims other points for a seat.
    differing = models.PositiveIntegerField(default=0)
    # Fields that mean nothing here: pointer to the first line that has it, and how many have.
    unknown_fields = models.JSONField(default=dict)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["club", "-created_at"], name="imports_of_a_club")]

    def __str__(self) -> str:
        return self.file_name

    @property
    def is_over(self) -> bool:
        return self.finished_at is not None


class ImportProblem(models.Model):
    """One fault in one line of an import, in the words of the pages."""

    class Result(models.TextChoices):
        CONFLICT = "conflict", _("conflict")
        REJECTED = "rejected", _("rejected")
        # The hand is in the book; something about it is worth a look.
        ACCEPTED = "accepted", _("accepted")

    history = models.ForeignKey(Import, models.PROTECT, related_name="problems")
    line = models.PositiveIntegerField()
    # What became of the line.
    result = models.CharField(max_length=10, choices=Result, default=Result.REJECTED)
    external_id = models.CharField(max_length=100, blank=True)
    pointer = models.CharField(max_length=200, blank=True)
    code = models.CharField(max_length=50)
    sentence = models.TextField()

    class Meta:
        ordering = ["history", "line", "id"]

    def __str__(self) -> str:
        return f"{self.line}: {self.sentence}"


class Discrepancy(models.Model):
    """A seat of a hand for which the sender claimed other points than the cards give.

    It stays as it was found. Whether a later version of the hand has what was claimed is worked out when asked.
    """

    version = models.ForeignKey("hands.HandVersion", models.PROTECT, related_name="discrepancies")
    # The import that brought it; none where a single hand was sent.
    history = models.ForeignKey(Import, models.PROTECT, null=True, related_name="discrepancies")
    seat_number = models.PositiveSmallIntegerField()
    claimed_points = models.IntegerField()
    our_points = models.IntegerField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["version", "seat_number"], name="one_discrepancy_per_seat"),
            models.CheckConstraint(condition=~Q(claimed_points=F("our_points")), name="a_discrepancy_is_a_difference"),
        ]

    def __str__(self) -> str:
        return f"{self.claimed_points} {self.our_points}"
