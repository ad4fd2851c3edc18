"""Own phones at a table: who holds which seat, and the setups that nobody may see yet. No facts: the book has those.

All of it goes away when its session is closed, and a hand's setups as soon as the hand is recorded.
"""

import uuid

from django.db import models


class PhoneTable(models.Model):
    """A session whose players set their cards on their own phones."""

    session = models.OneToOneField("hands.Session", models.CASCADE, related_name="phone_table")
    # The address in the QR code, and what is typed instead of it.
    join_id = models.UUIDField(unique=True, default=uuid.uuid4)
    code = models.CharField(max_length=6, unique=True)
    # Raised by everything that a phone may see but the boards being entered: that draft has a revision of its own.
    # Taps of seats are not among it.
    revision = models.PositiveIntegerField(default=1)
    # The key under which the hand that is being set will be recorded; none between two hands.
    round_key = models.UUIDField(null=True)
    # When all were locked and no card was claimed twice: from then on the setups are open.
    revealed_at = models.DateTimeField(null=True)
    # The hand that was recorded last: its showdown is on the phones until the next one is set.
    hand = models.ForeignKey("hands.Hand", models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.join_id}"


class Phone(models.Model):
    """A phone that holds a seat. Its token is known to it alone."""

    table = models.ForeignKey(PhoneTable, models.CASCADE, related_name="phones")
    seat = models.OneToOneField("hands.Seat", models.CASCADE, related_name="phone")
    secret_sha256 = models.CharField(max_length=64, unique=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.seat_id}"


class HiddenSetup(models.Model):
    """How a seat sets its cards in the hand that is being set. Before the reveal only ``phone`` may read it."""

    table = models.ForeignKey(PhoneTable, models.CASCADE, related_name="setups")
    seat = models.ForeignKey("hands.Seat", models.CASCADE, related_name="+")
    # The phone that laid the cards; a seat that is given to another phone does not show it what the first one laid.
    phone = models.ForeignKey(Phone, models.SET_NULL, null=True, related_name="+")
    # As `hands.drafts.read_facts` gives them, as JSON text.
    facts = models.TextField()
    revision = models.PositiveIntegerField(default=0)
    locked_at = models.DateTimeField(null=True)
    # The last time that the host unlocked it.
    unlocked_at = models.DateTimeField(null=True)
    # Which of its cards another seat claimed too, at the last try to reveal: `7hKd`.
    claimed = models.CharField(max_length=14, blank=True)
    # Where the house deals: what the seat gave to the deal, 64 hexadecimal digits.
    part = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["seat__number"]
        constraints = [models.UniqueConstraint(fields=["table", "seat"], name="one_hidden_setup_per_seat")]

    def __str__(self) -> str:
        return f"{self.seat_id}"


class CodeTries(models.Model):
    """How many codes were tried from one network address, or from all together (``""``), in a window of time."""

    address = models.CharField(max_length=45, unique=True)
    window = models.BigIntegerField()
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.count}"
