"""Who plays and what each holds: people, clubs, and the ledger's two tables."""

import uuid
import zoneinfo

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from accounts.money import MOST_MINOR
from accounts.names import NAME_LENGTH, check_name


def check_time_zone(name: str) -> None:
    if name not in zoneinfo.available_timezones():
        raise ValidationError(
            _("“%(name)s” is not a time zone. Write one like Asia/Taipei."),
            code="time_zone",
            params={"name": name},
        )


class UserManager(BaseUserManager["User"]):
    """Users are known by e-mail; there is no user name."""

    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractUser):
    username = None
    email = models.EmailField(_("email"), unique=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = []

    objects = UserManager()

    def __str__(self) -> str:
        return self.email


class Club(models.Model):
    """A home game or a card room: it has members, players, sessions and one book."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=NAME_LENGTH, validators=[check_name])
    time_zone = models.CharField(_("time zone"), max_length=64, default="UTC", validators=[check_time_zone])
    # Whose demo it is: made-up games to look at, one such club for a person.
    demo_of = models.OneToOneField(User, models.PROTECT, null=True, related_name="demo_club")
    # Where programs try things out: a club of its own beside the one that keeps real books.
    test_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="test_clubs")
    # Facts are never deleted: a demo or a test that is put away is still there, but nobody is shown it.
    put_away_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["test_of"], condition=Q(put_away_at=None), name="one_test_club_at_a_time")
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """What a user may do in a club. An owner may do all; a host keeps score and settles."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        HOST = "host", _("host")

    club = models.ForeignKey(Club, models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["club", "user"], name="one_membership_per_user")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role}"


class Player(models.Model):
    """A person at the tables of one club, with or without a log-in."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="players")
    user = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="players")
    name = models.CharField(_("name"), max_length=NAME_LENGTH, validators=[check_name])
    # The name folded for comparison, so that two spellings of one name are found.
    name_key = models.CharField(max_length=4 * NAME_LENGTH, editable=False)
    external_id = models.CharField(max_length=100, null=True, blank=True)
    # How this person likes to be paid, in their own words, and where: shown beside their name.
    payment_note = models.CharField(_("payment note"), max_length=100, blank=True)
    payment_link = models.URLField(_("payment link"), max_length=300, blank=True)
    # Who has left the club: their sessions stay theirs, and what is owed can still be paid.
    deactivated_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name_key", "id"]
        indexes = [models.Index(fields=["club", "name_key"], name="player_by_name")]
        constraints = [
            models.UniqueConstraint(fields=["club", "user"], name="one_player_per_user"),
            models.UniqueConstraint(fields=["club", "external_id"], name="one_player_per_external_id"),
        ]

    def __str__(self) -> str:
        return self.name


class Merge(models.Model):
    """Two names that are one person: what ``merged`` owes and is owed moves to ``kept``, until it is undone.

    Sessions, seats and transfers stay as they were written. See `accounts/merging.py`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="merges")
    kept = models.ForeignKey(Player, models.PROTECT, related_name="merges")
    merged = models.ForeignKey(Player, models.PROTECT, related_name="merged_into")
    merged_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-merged_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["merged"], condition=Q(undone_at=None), name="a_player_is_merged_into_one_other"
            ),
            models.CheckConstraint(condition=~Q(kept=F("merged")), name="two_players_are_merged"),
        ]

    def __str__(self) -> str:
        return f"{self.merged_id} {self.kept_id}"


class ApiKey(models.Model):
    """A club's key for programs. Only a digest of its secret is kept."""

    class Scope(models.TextChoices):
        READ = "read", _("read")
        WRITE = "write", _("read and write")
        SETTLE = "settle", _("read, write and settle")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="api_keys")
    name = models.CharField(_("name"), max_length=NAME_LENGTH, validators=[check_name])
    # That of a test key begins with `test_`, so that a program's configuration tells which one it has.
    prefix = models.CharField(max_length=17, unique=True)
    # Its club is then the test club.
    is_test = models.BooleanField(_("for tests"), default=False, db_default=False)
    secret_sha256 = models.CharField(max_length=64)
    scope = models.CharField(_("may"), max_length=10, choices=Scope, default=Scope.WRITE)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.prefix


class Book(models.Model):
    """The head of a club's chain of transfers. Raising it is the lock of every posting.

    It stands apart from the club so that saving a club's name can never write an old head back.
    """

    club = models.OneToOneField(Club, models.PROTECT, primary_key=True, related_name="book")
    head_sequence = models.BigIntegerField(default=0)
    head_hash = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.head_sequence} {self.head_hash[:12]}"


class Account(models.Model):
    """What one holder has in one currency: the sum of its credits less its debits, kept beside them.

    A player's balance above zero means that the others owe this player.
    """

    class Kind(models.TextChoices):
        PLAYER = "player", _("player")
        HOUSE = "house", _("house")
        BANK = "bank", _("bank")
        TABLE = "table", _("table")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="accounts")
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=10, choices=Kind)
    player = models.ForeignKey(Player, models.PROTECT, null=True, blank=True, related_name="accounts")
    # Which session a table account belongs to; the ledger does not know sessions.
    reference = models.UUIDField(null=True, blank=True)
    balance_minor = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "currency"], condition=Q(kind="player"), name="one_account_per_player"
            ),
            models.UniqueConstraint(
                fields=["club", "currency", "kind"],
                condition=Q(kind__in=["house", "bank"]),
                name="one_house_and_bank_account",
            ),
            models.UniqueConstraint(
                fields=["reference", "currency"], condition=Q(kind="table"), name="one_table_account"
            ),
            models.CheckConstraint(
                condition=Q(kind="player", player__isnull=False) | (~Q(kind="player") & Q(player__isnull=True)),
                name="account_has_its_holder",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.currency}"


class Transfer(models.Model):
    """Money moved once from one account to another. Never edited, never deleted: reversed.

    Besides what is declared here, triggers (`accounts/guards.py`) hold club and currency equal on both sides
    and refuse any change of a row.
    """

    class Kind(models.TextChoices):
        SETTLEMENT = "settlement", _("session settled")
        RAKE = "rake", _("rake")
        FEE = "fee", _("seat fee")
        PAYMENT = "payment", _("payment")
        BUY_IN = "buy_in", _("buy-in")
        CASH_OUT = "cash_out", _("cash-out")
        MERGE = "merge", _("two names merged")
        REVERSAL = "reversal", _("reversed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="transfers")
    sequence = models.BigIntegerField()
    debit_account = models.ForeignKey(Account, models.PROTECT, related_name="debits")
    credit_account = models.ForeignKey(Account, models.PROTECT, related_name="credits")
    amount_minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=12, choices=Kind)
    # What caused it (a settlement, a payment) and the key that makes it happen once.
    source_id = models.UUIDField(db_index=True)
    source_key = models.CharField(max_length=200)
    reverses = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="reversed_by")
    occurred_at = models.DateTimeField()
    posted_at = models.DateTimeField()
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["club", "sequence"]
        indexes = [
            models.Index(fields=["debit_account", "sequence"], name="transfer_by_debit"),
            models.Index(fields=["credit_account", "sequence"], name="transfer_by_credit"),
            # Statements go by the date of entries.
            models.Index(fields=["debit_account", "occurred_at", "sequence"], name="transfer_by_debit_date"),
            models.Index(fields=["credit_account", "occurred_at", "sequence"], name="transfer_by_credit_date"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["club", "sequence"], name="one_transfer_per_sequence"),
            models.UniqueConstraint(fields=["club", "source_key"], name="one_transfer_per_source_key"),
            models.CheckConstraint(
                condition=Q(amount_minor__gt=0, amount_minor__lte=MOST_MINOR), name="amount_is_positive"
            ),
            models.CheckConstraint(condition=~Q(debit_account=F("credit_account")), name="two_different_accounts"),
        ]

    def __str__(self) -> str:
        return f"{self.sequence} {self.amount_minor} {self.currency}"


class AuditRow(models.Model):
    """What was done, by whom, from where: written with the change, never edited (see `accounts/guards.py`)."""

    club = models.ForeignKey(Club, models.PROTECT, related_name="audit_rows")
    at = models.DateTimeField(db_default=Now())
    action = models.CharField(max_length=40)
    subject_id = models.UUIDField(null=True)
    detail = models.JSONField(default=dict)
    source = models.CharField(max_length=10)
    user = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    api_key = models.ForeignKey(ApiKey, models.PROTECT, null=True, related_name="+")
    address = models.GenericIPAddressField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["club", "-id"], name="audit_by_club"),
            models.Index(fields=["subject_id", "-id"], name="audit_by_subject"),
        ]

    def __str__(self) -> str:
        return self.action


class Erasure(models.Model):
    """A player's name and everything personal, taken out of a club's records for good; see `settlement/erasure.py`.

    While it is not finished, which is never longer than its own transaction, the guards let the audit's words change.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="erasures")
    player = models.OneToOneField(Player, models.PROTECT, related_name="erasure")
    requested_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.player_id}"


class Call(models.Model):
    """A POST of the API that came with an Idempotency-Key: claimed first, answered with its effect."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="calls")
    key = models.CharField(max_length=255)
    # SHA-256 of method, path and body: the same key with another call is refused.
    fingerprint = models.CharField(max_length=64)
    claimed_at = models.DateTimeField()
    # Whose claim it is: one that was taken for dead must not answer any more.
    token = models.UUIDField()
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.JSONField(null=True)

    class Meta:
        indexes = [models.Index(fields=["claimed_at"], name="call_by_claim")]
        constraints = [models.UniqueConstraint(fields=["api_key", "key"], name="one_call_per_idempotency_key")]

    def __str__(self) -> str:
        return self.key


class CallCount(models.Model):
    """How many calls a key made in the window that is under way."""

    api_key = models.OneToOneField(ApiKey, models.CASCADE, primary_key=True, related_name="call_count")
    window = models.BigIntegerField()
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.count}"
