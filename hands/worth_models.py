"""What is kept of the worth of setups."""

from django.db import models


class SetupWorth(models.Model):
    """What a setup could expect before any board was known, and what the best way to set its cards could: a cache.

    Setups and rules are never edited, so it never grows old; see `hands/luck.py`.
    """

    setup = models.OneToOneField("hands.Setup", models.PROTECT, related_name="worth")
    expected = models.FloatField()
    best = models.FloatField()

    class Meta:
        ordering = ["setup"]

    def __str__(self) -> str:
        return f"{self.expected:.1f}"
