"""What was asked of the books as files: how far each is, and where it lies once it is made."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import Club
from hands.models import Session


class ClubExport(models.Model):
    """Everything a club has, in one file: how far it is written, and where it lies once it is.

    It is written in blocks, each a part of its own, so that a worker that died loses one block. Whether it still
    runs is its job's to say.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="exports")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    # What the club's rows were when the first block was written: where they differ at the end, it begins anew.
    moment = models.JSONField(default=dict)
    begun = models.PositiveSmallIntegerField(default=0)
    # Where the next block begins: a section of the file, and a place in it as that section tells it.
    section = models.CharField(max_length=20, blank=True)
    after = models.CharField(max_length=100, blank=True)
    parts = models.JSONField(default=list)
    lines = models.PositiveIntegerField(default=0)
    # Filled when it is made.
    made_at = models.DateTimeField(null=True)
    file = models.FileField(upload_to="exports/%Y/%m/")
    size_bytes = models.BigIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-requested_at"]
        indexes = [models.Index(fields=["club", "-requested_at"], name="export_by_time")]

    def __str__(self) -> str:
        return f"{self.lines}"


class BookFile(models.Model):
    """A part of the book that somebody asked for as files: a session, or the ledger of a period in one currency.

    A workbook and the CSV beside it, made by a job, which also says how far it is.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="book_files")
    # Of one session; without one it is the ledger's.
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="book_files")
    currency = models.CharField(max_length=3)
    # Of a ledger: both days belong to the period, in the club's time zone as it was then.
    first_day = models.DateField(null=True)
    last_day = models.DateField(null=True)
    time_zone = models.CharField(max_length=64)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    # Filled when it is made.
    made_at = models.DateTimeField(null=True)
    head_sequence = models.BigIntegerField(null=True)
    head_hash = models.CharField(max_length=64, blank=True)
    workbook = models.FileField(upload_to="book-files/%Y/%m/")
    workbook_sha256 = models.CharField(max_length=64, blank=True)
    csv = models.FileField(upload_to="book-files/%Y/%m/")
    csv_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-requested_at"]
        indexes = [models.Index(fields=["club", "-requested_at"], name="book_file_by_time")]
        constraints = [
            models.CheckConstraint(
                condition=Q(session__isnull=False, first_day__isnull=True, last_day__isnull=True)
                | Q(session__isnull=True, first_day__isnull=False, last_day__gte=F("first_day")),
                name="book_file_of_a_session_or_a_period",
            )
        ]

    def __str__(self) -> str:
        return f"{self.first_day} {self.last_day}" if self.session_id is None else f"{self.session_id}"
