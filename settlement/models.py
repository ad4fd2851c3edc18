"""What is owed, what was paid, and what was taken home: settlements, payments and statements."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Account, Club, Player, Transfer
from accounts.money import MOST_MINOR
from hands.models import Hand, Session
from settlement import notice_models  # noqa: F401  (Django looks for models in this module)

# Rows of files have modules of their own; Django looks for them here.
from settlement.file_models import BookFile, ClubExport
from settlement.statement_models import Statement, StatementBundle

__all__ = [
    "Attempt",
    "BookFile",
    "ClubExport",
    "Delivery",
    "Dispute",
    "Payment",
    "Reminder",
    "SettledPair",
    "Settlement",
    "Statement",
    "StatementBundle",
    "Verification",
    "Webhook",
]


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
    """What two players owed each other in a settlement, before it became a transfer (none when nothing is paid)."""

    settlement = models.ForeignKey(Settlement, models.PROTECT, related_name="pairs")
    winner = models.ForeignKey(Player, models.PROTECT, related_name="+")
    loser = models.ForeignKey(Player, models.PROTECT, related_name="+")
    hands = models.PositiveIntegerField()
    # The winner's. Below zero where table stakes paid more to who has fewer points.
    points = models.IntegerField()
    transfer = models.OneToOneField(Transfer, models.PROTECT, null=True, related_name="settled_pair")

    class Meta:
        ordering = ["settlement", "id"]
        constraints = [models.UniqueConstraint(fields=["settlement", "winner", "loser"], name="one_row_per_pair")]

    def __str__(self) -> str:
        return f"{self.points}"


class Payment(models.Model):
    """Money that one holder hands to another outside the book: cash, a bank transfer, chips bought.

    In the book it is a transfer the other way (payee debit, payer credit), there from the moment that the payee
    or the host says so; while only the payer says so it is pending and moves nothing.
    """

    class Kind(models.TextChoices):
        PAYMENT = "payment", _("payment")
        BUY_IN = "buy_in", _("buy-in")
        CASH_OUT = "cash_out", _("cash-out")

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        PAID = "paid", _("paid")
        CANCELLED = "cancelled", _("cancelled")

    # Made by the client, so that sending a payment twice makes one.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PAYMENT)
    state = models.CharField(max_length=10, choices=State)
    payer = models.ForeignKey(Account, models.PROTECT, related_name="payments_made")
    payee = models.ForeignKey(Account, models.PROTECT, related_name="payments_received")
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    # What it was paid for; none when it squares the club's balances.
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="payments")
    note = models.CharField(max_length=200, blank=True)
    paid_at = models.DateTimeField()
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    recorded_at = models.DateTimeField(auto_now_add=True)
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    cancelled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    cancelled_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=500, blank=True)
    transfer = models.OneToOneField(Transfer, models.PROTECT, null=True, related_name="payment")

    class Meta:
        ordering = ["-recorded_at", "id"]
        indexes = [
            models.Index(fields=["club", "-recorded_at"], name="payment_by_time"),
            models.Index(fields=["session", "kind"], name="payment_by_session"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount_minor__gt=0, amount_minor__lte=MOST_MINOR), name="payment_is_positive"
            ),
            models.CheckConstraint(condition=~Q(payer=F("payee")), name="payment_between_two"),
            models.CheckConstraint(
                condition=Q(state="paid", transfer__isnull=False)
                | Q(state="pending", transfer__isnull=True)
                | Q(state="cancelled"),
                name="paid_is_in_the_book",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount_minor} {self.currency}"


class Reminder(models.Model):
    """A friendly word to somebody who owes, told as a notice; at most one a day for the same two."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="reminders")
    payer = models.ForeignKey(Account, models.PROTECT, related_name="+")
    payee = models.ForeignKey(Account, models.PROTECT, related_name="+")
    amount_minor = models.BigIntegerField()
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="+")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    day = models.DateField()

    class Meta:
        ordering = ["-asked_at"]
        constraints = [models.UniqueConstraint(fields=["payer", "payee", "day"], name="one_reminder_a_day")]

    def __str__(self) -> str:
        return f"{self.amount_minor}"


class Dispute(models.Model):
    """What somebody doubts, in a sentence: a hand or a payment. Open until corrected, or declined with a reason."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        CORRECTED = "corrected", _("corrected")
        DECLINED = "declined", _("declined")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="disputes")
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="disputes")
    hand = models.ForeignKey(Hand, models.PROTECT, null=True, related_name="disputes")
    payment = models.ForeignKey(Payment, models.PROTECT, null=True, related_name="disputes")
    # Who doubts it; a host may write it down for them.
    player = models.ForeignKey(Player, models.PROTECT, null=True, related_name="disputes")
    raised_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    raised_at = models.DateTimeField(auto_now_add=True)
    sentence = models.CharField(max_length=500)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    answer = models.CharField(max_length=500, blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-raised_at"]
        indexes = [models.Index(fields=["club", "state", "-raised_at"], name="dispute_by_state")]
        constraints = [
            models.CheckConstraint(
                condition=Q(hand__isnull=False, payment__isnull=True) | Q(hand__isnull=True, payment__isnull=False),
                name="dispute_of_one_thing",
            )
        ]

    def __str__(self) -> str:
        return self.sentence


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


class Webhook(models.Model):
    """An address of a club's own that is told what happened. Its secret is worked out, not kept: `webhook_secrets`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="webhooks")
    url = models.CharField(max_length=500)
    # Names of events, sorted.
    events = models.JSONField()
    nonce = models.CharField(max_length=32)
    # The secret before the last rotation, which signs too until then.
    previous_nonce = models.CharField(max_length=32, blank=True)
    previous_until = models.DateTimeField(null=True)
    # Tells whether this installation still works out the secret that was shown.
    secret_sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    disabled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["club", "url"], condition=Q(disabled_at=None), name="one_live_webhook_per_address"
            )
        ]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event for one webhook, written in the transaction of what happened; its body never changes."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        GIVEN_UP = "given_up", _("given up")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, models.PROTECT, related_name="deliveries")
    event = models.CharField(max_length=50)
    # What it happened to: the import, the settlement, the statement.
    subject_id = models.UUIDField()
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    # Sending it again begins a new round, with all attempts before it.
    round = models.PositiveIntegerField(default=1)
    tries = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "id"]
        indexes = [models.Index(fields=["webhook", "-created_at", "id"], name="delivery_by_time")]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event", "subject_id"], name="one_delivery_per_cause")
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.state}"

    @property
    def message_id(self) -> str:
        """The same for every webhook and attempt, so that a receiver can tell what it has seen already."""
        return f"msg_{uuid.uuid5(self.subject_id, self.event).hex}"

    def is_due_by(self, moment: datetime) -> bool:
        return self.next_at is not None and self.next_at <= moment


class Attempt(models.Model):
    """One try to deliver: when, how long it took, and what came back."""

    delivery = models.ForeignKey(Delivery, models.PROTECT, related_name="attempts")
    at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField()
    status = models.PositiveIntegerField(null=True)
    # The beginning of what was answered; or why there was no answer.
    answer = models.CharField(max_length=1024, blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["delivery", "id"]

    def __str__(self) -> str:
        return f"{self.status or self.error}"
