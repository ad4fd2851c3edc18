"""What is owed, and what was taken home: settlements and statements."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Club, Player, Transfer
from hands.models import Session


class Settlement(models.Model):
    """A session turned into money once: which revision of it, and the digest of the hands that were paid."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, models.PROTECT, related_name="settlements")
    revision = models.PositiveIntegerField()
    hands_digest = models.CharField(max_length=64)
    hands = models.PositiveIntegerField()
    settled_at = models.DateTimeField()
    # The date of its transfers: when the last hand was played.
    occurred_at = models.DateTimeField()
    reversed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["session", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["session", "revision"], name="one_settlement_per_revision"),
            models.UniqueConstraint(fields=["session"], condition=Q(reversed_at=None), name="one_live_settlement"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.revision}"


class SettledPair(models.Model):
    """What two players owed each other in a settlement, before it became a transfer (none when even)."""

    settlement = models.ForeignKey(Settlement, models.PROTECT, related_name="pairs")
    winner = models.ForeignKey(Player, models.PROTECT, related_name="+")
    loser = models.ForeignKey(Player, models.PROTECT, related_name="+")
    hands = models.PositiveIntegerField()
    points = models.PositiveIntegerField()
    transfer = models.OneToOneField(Transfer, models.PROTECT, null=True, related_name="settled_pair")

    class Meta:
        ordering = ["settlement", "id"]
        constraints = [models.UniqueConstraint(fields=["settlement", "winner", "loser"], name="one_row_per_pair")]

    def __str__(self) -> str:
        return f"{self.points}"


class Statement(models.Model):
    """A player's account over a period in one currency, as a workbook. Made by a job, kept for ever."""

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
    made_at = models.DateTimeField(null=True)
    # Filled when it is made.
    number = models.PositiveIntegerField(null=True)
    opening_minor = models.BigIntegerField(null=True)
    closing_minor = models.BigIntegerField(null=True)
    head_sequence = models.BigIntegerField(null=True)
    head_hash = models.CharField(max_length=64, blank=True)
    file = models.FileField(upload_to="statements/%Y/%m/")
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-requested_at"]
        constraints = [
            models.UniqueConstraint(fields=["club", "number"], name="one_statement_per_number"),
            models.CheckConstraint(condition=Q(last_day__gte=models.F("first_day")), name="period_is_forward"),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class Verification(models.Model):
    """A club's books held against themselves and against the cards: how far that is, and what it found first.

    Whether it still runs is its job's to say.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="verifications")
    # Nobody: it was due by itself.
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    # How far the chain is right, and the hash there: the next block goes on from it.
    transfers = models.BigIntegerField(default=0)
    chain_hash = models.CharField(max_length=64, blank=True)
    # How many settlements are right, and the last of them in the order of their ids.
    settlements = models.PositiveIntegerField(default=0)
    after = models.UUIDField(null=True)
    # The first thing that differs, in a sentence; empty while there is none.
    finding = models.TextField(blank=True)

    class Meta:
        ordering = ["-requested_at"]
        indexes = [models.Index(fields=["club", "-requested_at"], name="verification_by_time")]

    def __str__(self) -> str:
        return self.finding or f"{self.transfers}"
