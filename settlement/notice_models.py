"""What a person is told of, and what they do not want to be told of."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Club


class Notice(models.Model):
    """One person told of one thing that happened, once. What it says is worked out from the thing when it is read.

    ``kind`` is the event's name, ``subject_id`` what it happened to: a settlement, a payment, a reminder, a
    statement, a dispute. No fact of the book: old ones are forgotten.
    """

    class Kind(models.TextChoices):
        SESSION_SETTLED = "session.settled", _("A session that I played in is settled")
        PAYMENT_ASKED = "payment.asked", _("Somebody says that they paid me")
        PAYMENT_REMINDED = "payment.reminded", _("The host reminds me of a payment")
        PAYMENT_CONFIRMED = "payment.confirmed", _("A payment of mine is confirmed")
        STATEMENT_READY = "statement.ready", _("A statement of mine is ready")
        DISPUTE_ANSWERED = "dispute.answered", _("What I disputed is answered")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Without an index of its own: others below begin with it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices", db_index=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind)
    subject_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)
    # As the person wished when it was written; one that is not on the page goes out by mail alone.
    is_on_page = models.BooleanField()
    read_at = models.DateTimeField(null=True)
    mailed_at = models.DateTimeField(null=True)
    mail_tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["-created_at", "id"]
        indexes = [
            models.Index(fields=["user", "-created_at", "id"], name="notice_by_time"),
            models.Index(fields=["user"], condition=Q(is_on_page=True, read_at=None), name="notice_unread"),
            models.Index(fields=["created_at"], name="notice_by_age"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "subject_id"], name="one_notice_per_person_and_cause")
        ]

    def __str__(self) -> str:
        return self.kind


class Muted(models.Model):
    """A kind of notice that a person has switched off, on the page or by mail; what has no row is on."""

    class Way(models.TextChoices):
        PAGE = "page", _("on the page")
        MAIL = "mail", _("by email")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="muted", db_index=False)
    kind = models.CharField(max_length=20, choices=Notice.Kind)
    way = models.CharField(max_length=4, choices=Way)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind", "way"], name="a_kind_is_muted_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.way}"
