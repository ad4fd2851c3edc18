"""What may be done with clubs, players and keys."""

import hashlib
import secrets
import uuid
from datetime import timedelta
from typing import Final

from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.ledger import open_book
from accounts.models import ApiKey, Call, Club, Membership, Player, User, check_time_zone
from accounts.names import NAME_LENGTH, check_name, clean_name, fold_name


@transaction.atomic
def create_club(*, owner: User, name: str, time_zone: str = "UTC", is_demo: bool = False) -> Club:
    """Found a club with its owner and its empty book. Raises ``ValidationError`` for name or zone."""
    check_name(name)
    check_time_zone(time_zone)
    club = Club.objects.create(name=clean_name(name), time_zone=time_zone, demo_of=owner if is_demo else None)
    Membership.objects.create(club=club, user=owner, role=Membership.Role.OWNER)
    open_book(club)
    audit.note(club.pk, "club.founded", club.pk, name=club.name)
    return club


@transaction.atomic
def add_host(*, club: Club, email: str) -> Membership:
    """Make a person who has an account a host of the club. Raises ``ValidationError`` when there is none."""
    user = User.objects.filter(email__iexact=email.strip()).first()
    if user is None:
        raise fault(
            "/email",
            "no_such_user",
            _("Nobody has signed up as %(email)s yet. Ask them to, then add them.") % {"email": email},
        )
    membership, created = Membership.objects.get_or_create(
        club=club, user=user, defaults={"role": Membership.Role.HOST}
    )
    if not created:
        raise fault("/email", "member_already", _("%(email)s is a member already.") % {"email": user.email})
    audit.note(club.pk, "host.added", name=user.email)
    return membership


@transaction.atomic
def add_player(*, club: Club, name: str) -> Player:
    """Add a person to the club's players. Raises ``ValidationError`` when the name is bad or there already."""
    check_name(name)
    key = fold_name(name)
    # The club's row is the lock, so that a double tap makes one player.
    lock_club(club.pk)
    if there := Player.objects.filter(club=club, name_key=key).first():
        raise fault("/name", "name_taken", _("%(name)s is a player of this club already.") % {"name": there.name})
    player = Player.objects.create(club=club, name=clean_name(name), name_key=key)
    audit.note(club.pk, "player.added", player.pk, name=player.name)
    return player


def lock_club(club_id: uuid.UUID) -> None:
    """Hold the club's row until this transaction ends: nobody else adds players or changes them meanwhile."""
    Club.objects.filter(pk=club_id).update(created_at=F("created_at"))


def players_named(*, club: Club, names: dict[int, str]) -> dict[int, Player]:
    """The club's players of these names by seat number, added where they are new.

    A name that was merged means the one that was kept. Raises ``ValidationError`` for somebody deactivated.
    """
    found: dict[int, Player] = {}
    for number, name in names.items():
        player = Player.objects.filter(club=club, name_key=fold_name(name)).order_by("created_at").first()
        if player is None:
            player = add_player(club=club, name=name)
        elif merge := player.merged_into.filter(undone_at=None).select_related("kept").first():
            player = merge.kept
        if player.deactivated_at is not None:
            raise fault(
                f"/seats/{number}",
                "deactivated",
                _("%(name)s is deactivated. Activate the player again, or seat somebody else.") % {"name": player.name},
            )
        found[number] = player
    return found


@transaction.atomic
def describe_payment(*, player: Player, payment_note: str, payment_link: str) -> None:
    """Keep how this player likes to be paid."""
    Player.objects.filter(pk=player.pk).update(payment_note=payment_note.strip(), payment_link=payment_link)
    audit.note(player.club_id, "player.payment_noted", player.pk, name=player.name)


@transaction.atomic
def set_active(*, player: Player, is_active: bool) -> None:
    """Let a player go, or take them back. Sessions and balance stay; only new seats need an active player."""
    now = None if is_active else timezone.now()
    rows = Player.objects.filter(pk=player.pk, deactivated_at__isnull=not is_active)
    if rows.update(deactivated_at=now):
        action = "player.activated" if is_active else "player.deactivated"
        audit.note(player.club_id, action, player.pk, name=player.name)


TEST_PREFIX: Final = "test_"
_TEST_NAME: Final = " (test)"
# How long an invitation can be taken up.
INVITATION: Final = timedelta(days=30)
_INVITATION_SALT: Final = "accounts.invitation"


def invitation(player: Player) -> str:
    """A text that lets whoever has it say "this player is me", once, for 30 days; nothing is stored for it."""
    return signing.dumps(str(player.pk), salt=_INVITATION_SALT)


def invited_player(*, text: str, user: User) -> Player:
    """The player that an invitation is for, this person's or nobody's yet; of a merged name, the one that was kept.

    Raises ``ValidationError`` when it is none, too old, or taken up by somebody else.
    """
    try:
        key = signing.loads(text, salt=_INVITATION_SALT, max_age=INVITATION)
    except signing.SignatureExpired:
        raise fault(
            "",
            "invitation_old",
            _("This invitation is older than %(days)d days. Ask the host of your game for a new one.")
            % {"days": INVITATION.days},
        ) from None
    except signing.BadSignature:
        raise fault(
            "",
            "no_invitation",
            _("This is no invitation: a part of the link is missing. Open it again from the message, or ask the host."),
        ) from None
    player = Player.objects.filter(pk=key, club__put_away_at=None).select_related("club").first()
    if player is not None and (merge := player.merged_into.filter(undone_at=None).first()):
        player = Player.objects.select_related("club").get(pk=merge.kept_id)
    if player is None or hasattr(player, "erasure"):
        raise fault("", "invitation_over", _("This invitation is over. Ask the host of your game for a new one."))
    if player.user_id not in {None, user.pk}:
        raise _claimed_before()
    return player


def _claimed_before() -> ValidationError:
    sentence = _("Somebody has taken up this invitation already. If that was not you, tell the host of your game.")
    return fault("", "claimed_before", sentence)


@transaction.atomic
def claim_player(*, player: Player, user: User) -> None:
    """The person is this player from now on, with all past seats.

    Raises ``ValidationError`` when somebody was quicker, or when the person is another player of the club.
    """
    lock_club(player.club_id)
    if mine := Player.objects.filter(club=player.club_id, user=user).first():
        raise fault(
            "",
            "player_already",
            _("You are %(mine)s at this club already. If %(name)s is you too, ask the host to merge the two.")
            % {"mine": mine.name, "name": player.name},
        )
    if not Player.objects.filter(pk=player.pk, user=None).update(user=user):
        raise _claimed_before()
    audit.note(player.club_id, "player.claimed", player.pk, name=player.name)


@transaction.atomic
def create_api_key(
    *, club: Club, name: str, scope: str, author: User | None, is_test: bool = False
) -> tuple[ApiKey, str]:
    """Make a key; the text that it is used by is returned once and kept nowhere.

    One for tests sees the club's test club instead, which is made with the first of them.
    """
    check_name(name)
    if scope not in ApiKey.Scope.values:
        raise ValidationError(_("Choose what the key may do."), code="scope")
    if club.test_of_id is not None:
        raise ValidationError(_("This is a test club. Make its keys on the page of the real one."), code="test_club")
    secret = secrets.token_urlsafe(32)
    key = ApiKey.objects.create(
        club=_test_club(club) if is_test else club,
        name=clean_name(name),
        prefix=TEST_PREFIX * is_test + secrets.token_hex(6),
        is_test=is_test,
        secret_sha256=hashlib.sha256(secret.encode()).hexdigest(),
        scope=scope,
        created_by=author,
    )
    audit.note(club.pk, "key.made", key.pk, name=key.name, scope=scope)
    return key, f"{key.prefix}.{secret}"


def _test_club(club: Club) -> Club:
    """The club's test club, founded when there is none: its owners' own, with an empty book."""
    # The club's row is the lock, so that two keys make one.
    lock_club(club.pk)
    if there := Club.objects.filter(test_of=club, put_away_at=None).first():
        return there
    name = club.name[: NAME_LENGTH - len(_TEST_NAME)] + _TEST_NAME
    made = Club.objects.create(name=name, time_zone=club.time_zone, test_of=club)
    owners = Membership.objects.filter(club=club, role=Membership.Role.OWNER)
    Membership.objects.bulk_create(Membership(club=made, user_id=one.user_id, role=one.role) for one in owners)
    open_book(made)
    audit.note(made.pk, "club.founded", made.pk, name=made.name)
    return made


@transaction.atomic
def wipe_test_club(*, club: Club) -> Club | None:
    """Put the club's test club away and let its keys go on with a fresh one; None where there is none."""
    lock_club(club.pk)
    worn = Club.objects.filter(test_of=club, put_away_at=None).first()
    if worn is None:
        return None
    Club.objects.filter(pk=worn.pk).update(put_away_at=timezone.now())
    fresh = _test_club(club)
    # What was answered of the worn club is no answer of the fresh one.
    Call.objects.filter(api_key__club=worn).delete()
    ApiKey.objects.filter(club=worn).update(club=fresh)
    audit.note(club.pk, "test.wiped", worn.pk, name=worn.name)
    return fresh


def keys_of(club: Club) -> QuerySet[ApiKey]:
    """The club's keys that are not revoked, those for tests among them."""
    return ApiKey.objects.filter(Q(club=club) | Q(club__test_of=club), revoked_at=None)


@transaction.atomic
def revoke_api_key(*, key: ApiKey) -> None:
    """The key opens nothing any more; revoking it again changes nothing."""
    if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now()):
        # A test key is made and revoked by the club that it stands for.
        audit.note(key.club.test_of_id or key.club_id, "key.revoked", key.pk, name=key.name)
