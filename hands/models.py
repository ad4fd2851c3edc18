"""What was dealt, set and shown. Facts are stored; pair results are worked out whenever someone asks."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Club, Player
from accounts.money import MOST_MINOR
from accounts.names import NAME_LENGTH, check_name
from hands import deal_models, phone_models, worth_models  # noqa: F401  (Django looks for models in this module)

# Rows of imports have a module of their own; Django looks for them here.
from hands.import_models import Discrepancy, Import, ImportProblem

__all__ = [
    "Board",
    "Discrepancy",
    "Draft",
    "Hand",
    "HandVersion",
    "Import",
    "ImportProblem",
    "Rescore",
    "RescoreDifference",
    "RuleSet",
    "Seat",
    "Session",
    "Setup",
    "Tally",
]


class RuleSet(models.Model):
    """A club's named choice of a game's parameters. Never edited: another choice is another row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="rule_sets")
    name = models.CharField(_("name"), max_length=NAME_LENGTH, validators=[check_name])
    game = models.CharField(max_length=20, default="taiwanese")
    parameters = models.JSONField()
    # What the house takes and caps, as `hands/house_money.py` writes it; empty where it does neither.
    money = models.JSONField(default=dict)
    # The parameters in canonical form, so that the same rules under one name are one row.
    digest = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["club", "name", "digest"], name="one_rule_set_per_name_and_rules")
        ]

    def __str__(self) -> str:
        return self.name


class Session(models.Model):
    """One sitting of a table: one rule set, one point value, one currency."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")
        SETTLED = "settled", _("settled")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="sessions")
    table = models.CharField(_("table"), max_length=NAME_LENGTH, validators=[check_name])
    external_id = models.CharField(max_length=100, null=True, blank=True)
    rule_set = models.ForeignKey(RuleSet, models.PROTECT, related_name="sessions")
    point_value_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    # Raised by every change of a hand or a seat and by closing: what a settlement paid is named by it.
    revision = models.PositiveIntegerField(default=0)
    # Of which revision its tallies are; where it is another, they are worked out anew.
    tallied_revision = models.PositiveIntegerField(null=True)
    # Where the host has put the dealer button for the next hand; else it moves on from the last one's.
    button = models.PositiveSmallIntegerField(null=True)
    # The address of the read-only page for the table, which whoever knows it may open; none while it is off.
    live_id = models.UUIDField(null=True, unique=True)
    started_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["-started_at", "id"]
        indexes = [models.Index(fields=["club", "-started_at"], name="session_by_start")]
        constraints = [
            models.UniqueConstraint(fields=["club", "external_id"], name="one_session_per_external_id"),
            models.CheckConstraint(
                condition=Q(point_value_minor__gt=0, point_value_minor__lte=MOST_MINOR),
                name="point_value_is_positive",
            ),
        ]

    def __str__(self) -> str:
        return self.table


class Seat(models.Model):
    """An occupancy: who sat on which seat of a session from its first hand to its last (open: still there)."""

    session = models.ForeignKey(Session, models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, models.PROTECT, related_name="seats")
    first_hand = models.PositiveIntegerField()
    last_hand = models.PositiveIntegerField(null=True)
    # Under table stakes what the player began with, the same in every seat that they have in the session.
    stake_minor = models.BigIntegerField(null=True)

    class Meta:
        ordering = ["number", "first_hand"]
        constraints = [
            models.UniqueConstraint(
                fields=["session", "number"], condition=Q(last_hand=None), name="one_player_sits_on_a_seat"
            ),
            models.UniqueConstraint(
                fields=["session", "player"], condition=Q(last_hand=None), name="a_player_sits_on_one_seat"
            ),
            models.CheckConstraint(
                condition=Q(last_hand=None) | Q(last_hand__gte=F("first_hand")), name="seat_span_is_forward"
            ),
            models.CheckConstraint(
                condition=Q(stake_minor=None) | Q(stake_minor__gt=0, stake_minor__lte=MOST_MINOR),
                name="stake_is_positive",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class Hand(models.Model):
    """The identity of one deal. What was set is in its versions; the current one counts."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(Session, models.PROTECT, related_name="hands")
    number = models.PositiveIntegerField()
    external_id = models.CharField(max_length=100, null=True, blank=True)
    # Made by the client, so that sending a hand twice makes one hand.
    client_key = models.UUIDField(null=True, blank=True)
    current = models.OneToOneField("HandVersion", models.PROTECT, related_name="+")

    class Meta:
        ordering = ["session", "number"]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="one_hand_per_number"),
            models.UniqueConstraint(fields=["session", "external_id"], name="one_hand_per_external_id"),
            models.UniqueConstraint(fields=["session", "client_key"], name="one_hand_per_client_key"),
        ]

    def __str__(self) -> str:
        return f"{self.number}"


class HandVersion(models.Model):
    """The facts of a hand as somebody wrote them down. Inserting the next one is the optimistic lock."""

    # Made before it is stored, so that a hand and its first version go in together.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hand = models.ForeignKey(Hand, models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    # A person, or none where a club's program sent it.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    reason = models.TextField(blank=True)
    is_void = models.BooleanField(default=False)
    # False: nobody kept the cards, and the points of its setups are the fact.
    has_cards = models.BooleanField(default=True, db_default=True)
    # A void within seconds of saving: the cards went back into a draft.
    is_undone = models.BooleanField(default=False)
    played_at = models.DateTimeField()
    button = models.PositiveSmallIntegerField(null=True)
    # Who placed which cards when (`hands.street_document`), where somebody told it.
    streets = models.JSONField(null=True)
    # Of the canonical content: the same hand sent again is recognised by it.
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["hand", "version"]
        constraints = [models.UniqueConstraint(fields=["hand", "version"], name="one_row_per_version")]

    def __str__(self) -> str:
        return f"{self.version}"


class Draft(models.Model):
    """A hand that is being entered: the cards so far. It is gone as soon as the hand is recorded."""

    session = models.ForeignKey(Session, models.PROTECT, related_name="drafts")
    # The key under which the hand will be recorded.
    client_key = models.UUIDField()
    # As `hands.drafts.read_facts` gives them, as JSON text: two drafts are the same where their texts are.
    facts = models.TextField()
    cards = models.PositiveSmallIntegerField()
    # Raised by every change, so that two who enter one hand notice each other.
    revision = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-updated_at"]
        constraints = [models.UniqueConstraint(fields=["session", "client_key"], name="one_draft_per_client_key")]

    def __str__(self) -> str:
        return f"{self.client_key}"


class Board(models.Model):
    """Five shared cards, as `KhQd2c9s9h`."""

    version = models.ForeignKey(HandVersion, models.PROTECT, related_name="boards")
    number = models.PositiveSmallIntegerField()
    cards = models.CharField(max_length=10)

    class Meta:
        ordering = ["version", "number"]
        constraints = [models.UniqueConstraint(fields=["version", "number"], name="one_board_per_number")]

    def __str__(self) -> str:
        return self.cards


class Setup(models.Model):
    """How one seat set its cards, row by row, and the net points that follow (a cache: `rescore` proves it).

    In a hand for which nobody kept the cards the rows are empty, and the points are the fact.
    """

    version = models.ForeignKey(HandVersion, models.PROTECT, related_name="setups")
    seat = models.ForeignKey(Seat, models.PROTECT, related_name="setups")
    top = models.CharField(max_length=6, blank=True)
    middle = models.CharField(max_length=10, blank=True)
    bottom = models.CharField(max_length=10, blank=True)
    # Of the Chinese family: what was discarded (or nobody wrote it down), how many cards a seat in Fantasyland was
    # dealt (0 outside), and a seat that gave its hand up.
    discards = models.CharField(max_length=8, blank=True, default="", db_default="")
    fantasyland = models.PositiveSmallIntegerField(default=0, db_default=0)
    surrendered = models.BooleanField(default=False, db_default=False)
    net_points = models.IntegerField()

    class Meta:
        ordering = ["version", "seat__number"]
        constraints = [models.UniqueConstraint(fields=["version", "seat"], name="one_setup_per_seat")]

    def __str__(self) -> str:
        return f"{self.top} {self.middle} {self.bottom}"


class Tally(models.Model):
    """What a player did in a session against one opponent, or against all (none): a cache, see `hands/tallies.py`.

    Rows are counted pair by pair; what was neither won nor lost of those compared was tied. Hands without cards count
    in ``hands`` and ``points`` of the line against all, and nowhere else.
    """

    session = models.ForeignKey(Session, models.PROTECT, related_name="tallies")
    player = models.ForeignKey(Player, models.PROTECT, related_name="tallies")
    opponent = models.ForeignKey(Player, models.PROTECT, null=True, related_name="+")
    hands = models.PositiveIntegerField()
    points = models.BigIntegerField()
    homeruns_won = models.PositiveIntegerField()
    homeruns_lost = models.PositiveIntegerField()
    # How often a row was compared on each board.
    compared_1 = models.PositiveIntegerField()
    compared_2 = models.PositiveIntegerField()
    won_top_1, won_middle_1, won_bottom_1 = (models.PositiveIntegerField() for _row in range(3))
    won_top_2, won_middle_2, won_bottom_2 = (models.PositiveIntegerField() for _row in range(3))
    lost_top_1, lost_middle_1, lost_bottom_1 = (models.PositiveIntegerField() for _row in range(3))
    lost_top_2, lost_middle_2, lost_bottom_2 = (models.PositiveIntegerField() for _row in range(3))

    class Meta:
        indexes = [models.Index(fields=["player", "opponent"], name="tally_by_player")]
        constraints = [
            models.UniqueConstraint(fields=["session", "player", "opponent"], name="one_tally_per_opponent"),
            models.UniqueConstraint(fields=["session", "player"], condition=Q(opponent=None), name="one_tally_of_all"),
        ]

    def __str__(self) -> str:
        return f"{self.points}"


class Rescore(models.Model):
    """A re-score of everything in a scope: how far it is, and (in its differences) what it found."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Neither: every club.
    club = models.ForeignKey(Club, models.PROTECT, null=True, related_name="rescores")
    session = models.ForeignKey(Session, models.PROTECT, null=True, related_name="rescores")
    is_check = models.BooleanField()
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    # Where the next block begins: after this version, in the order of their ids.
    after = models.UUIDField(null=True)
    hands = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-requested_at"]

    def __str__(self) -> str:
        return f"{self.hands}"


class RescoreDifference(models.Model):
    """A seat whose stored net points are not what its hand's cards say. In a settled session only reported."""

    rescore = models.ForeignKey(Rescore, models.PROTECT, related_name="differences")
    setup = models.ForeignKey(Setup, models.PROTECT, related_name="+")
    stored_points = models.IntegerField()
    right_points = models.IntegerField()
    is_written = models.BooleanField()

    class Meta:
        ordering = ["rescore", "id"]

    def __str__(self) -> str:
        return f"{self.stored_points} {self.right_points}"
