"""What was taken home: statements, and everybody's at once. A part of this app's models."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import Club, Player


class Statement(models.Model):
    """A player's account over a period in one currency, as a workbook. Made by a job, kept for ever.

    What it says is what the book said at its head: the entries up to ``head_sequence``, whatever is posted later.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="statements")
    player = models.ForeignKey(Player, models.PROTECT, related_name="statements")
    currency = models.CharField(max_length=3)
    # Both days belong to the period, in the club's time zone as it was then.
    first_day = models.DateField()
    last_day = models.DateField()
    time_zone = models.CharField(max_length=64)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    # The statement of the same player, currency and period that this one corrects.
    replaces = models.OneToOneField("self", models.PROTECT, null=True, related_name="replaced_by")
    made_at = models.DateTimeField(null=True)
    # Filled when it is made.
    number = models.PositiveIntegerField(null=True)
    opening_minor = models.BigIntegerField(null=True)
    closing_minor = models.BigIntegerField(null=True)
    head_sequence = models.BigIntegerField(null=True)
    head_hash = models.CharField(max_length=64, blank=True)
    # Of the sessions that it lists: they can change without an entry, where nobody won anything.
    sessions_digest = models.CharField(max_length=64, blank=True)
    # Where each page of its lines begins: the last entry before it (time, sequence) and the balance there.
    pages = models.JSONField(default=list)
    file = models.FileField(upload_to="statements/%Y/%m/")
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-requested_at"]
        indexes = [models.Index(fields=["club", "sha256"], name="statement_by_digest")]
        constraints = [
            models.UniqueConstraint(fields=["club", "number"], name="one_statement_per_number"),
            models.CheckConstraint(condition=Q(last_day__gte=F("first_day")), name="period_is_forward"),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class StatementBundle(models.Model):
    """The statements of all players of a club for one currency and period, in one ZIP.

    Whether it still runs, and how far it is, is its job's to say.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="statement_bundles")
    currency = models.CharField(max_length=3)
    first_day = models.DateField()
    last_day = models.DateField()
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    # The players who get one, in the order of their names, and how many of them are over.
    players = models.JSONField(default=list)
    done = models.PositiveIntegerField(default=0)
    # Ids of the statements that were made; and who got none, each with the reason.
    statements = models.JSONField(default=list)
    failures = models.JSONField(default=list)
    # Filled when it is made.
    made_at = models.DateTimeField(null=True)
    file = models.FileField(upload_to="statement-bundles/%Y/%m/")
    size_bytes = models.BigIntegerField(null=True)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-requested_at"]
        indexes = [models.Index(fields=["club", "-requested_at"], name="bundle_by_time")]
        constraints = [
            models.CheckConstraint(condition=Q(last_day__gte=F("first_day")), name="bundle_period_is_forward")
        ]

    def __str__(self) -> str:
        return f"{self.first_day} {self.last_day}"
