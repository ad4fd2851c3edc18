"""A hand that the house deals: what nobody may read while it is played, and what is kept of it for everybody."""

from django.db import models


class HouseDeal(models.Model):
    """The deal of the hand that is being set on own phones. Only ``committed`` may be shown before the hand is over."""

    table = models.OneToOneField("hands.PhoneTable", models.CASCADE, related_name="house_deal")
    # 64 hexadecimal digits each: 32 random bytes, and their SHA-256.
    secret = models.CharField(max_length=64)
    committed = models.CharField(max_length=64)
    # The parts by seat number, hexadecimal: from the moment in which the cards were dealt.
    parts = models.JSONField(null=True)
    # How many cards of every board the host has shown: 0, 3, 4 or 5.
    known = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.committed


class DealProof(models.Model):
    """What shows that a hand was dealt fairly. It is never edited, and names seats, no players."""

    hand = models.OneToOneField("hands.Hand", models.PROTECT, related_name="deal_proof")
    # As `hands.deal_proofs.proof_facts` makes them.
    facts = models.JSONField()

    def __str__(self) -> str:
        return f"{self.hand_id}"
