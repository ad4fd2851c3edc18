"""Notices: who is told of what happened, on the page and by mail, once for each cause, and what they can switch off."""

import uuid
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

from django.core import signing
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Club, Player, User
from hands.access import people_of
from jobs import queue
from jobs.events import listens
from settlement.models import Dispute, Payment, Reminder, Statement
from settlement.notice_models import Muted, Notice

NOTICE: Final = "notice"
# What a notice is about stays where it is; that somebody was told of it is of no use for longer.
KEPT: Final = timedelta(days=90)
_OFF_SALT: Final = "settlement.notices.off"


@listens(*Notice.Kind.values)
def write_notices(event: str, *, club_id: uuid.UUID, subject_id: uuid.UUID) -> None:
    """Write a notice for everybody concerned who wants one, and the job that mails it; told again, nothing new.

    No mail leaves a demo, a test club, or a club that is put away.
    """
    users = _WHO[event](subject_id)
    if not users:
        return
    muted = set(Muted.objects.filter(user__in=users, kind=event).values_list("user", "way"))
    has_mail = Club.objects.filter(pk=club_id, demo_of=None, test_of=None, put_away_at=None).exists()
    for user_id in sorted(users):
        is_on_page = (user_id, Muted.Way.PAGE) not in muted
        is_mailed = has_mail and (user_id, Muted.Way.MAIL) not in muted
        if not (is_on_page or is_mailed):
            continue
        defaults = {"club_id": club_id, "is_on_page": is_on_page}
        notice, is_new = Notice.objects.get_or_create(
            user_id=user_id, kind=event, subject_id=subject_id, defaults=defaults
        )
        if is_new and is_mailed:
            queue.enqueue(kind=NOTICE, key=f"{NOTICE}/{notice.pk}", subject_id=notice.pk, club_id=club_id)


# Whom each event concerns, by the ids of their log-ins. Nobody is told of what they did themselves.


def _settled(settlement_id: uuid.UUID) -> set[int]:
    return people_of(Player.objects.filter(seats__session__settlements=settlement_id))


def _asked(payment_id: uuid.UUID) -> set[int]:
    payment = Payment.objects.get(pk=payment_id)
    return people_of(Player.objects.filter(accounts=payment.payee_id)) - {payment.recorded_by_id}


def _reminded(reminder_id: uuid.UUID) -> set[int]:
    return people_of(Player.objects.filter(accounts=Reminder.objects.get(pk=reminder_id).payer_id))


def _confirmed(payment_id: uuid.UUID) -> set[int]:
    payment = Payment.objects.get(pk=payment_id)
    return people_of(Player.objects.filter(accounts=payment.payer_id)) - {payment.confirmed_by_id}


def _statement_ready(statement_id: uuid.UUID) -> set[int]:
    return people_of(Player.objects.filter(pk=Statement.objects.get(pk=statement_id).player_id))


def _answered(dispute_id: uuid.UUID) -> set[int]:
    """Who doubts it; where that player has no log-in, who wrote it down for them."""
    dispute = Dispute.objects.get(pk=dispute_id)
    people = people_of(Player.objects.filter(pk=dispute.player_id))
    if not people and dispute.raised_by_id is not None:
        people = {dispute.raised_by_id}
    return people - {dispute.answered_by_id}


_WHO: Final[dict[str, Callable[[uuid.UUID], set[int]]]] = {
    Notice.Kind.SESSION_SETTLED: _settled,
    Notice.Kind.PAYMENT_ASKED: _asked,
    Notice.Kind.PAYMENT_REMINDED: _reminded,
    Notice.Kind.PAYMENT_CONFIRMED: _confirmed,
    Notice.Kind.STATEMENT_READY: _statement_ready,
    Notice.Kind.DISPUTE_ANSWERED: _answered,
}


def notices_of(user: User, *, before: Notice | None = None) -> QuerySet[Notice]:
    """What the person was told on the page, of all their clubs, the newest first; or what came before one."""
    rows = Notice.objects.filter(user=user, is_on_page=True, club__put_away_at=None).select_related("club")
    if before is None:
        return rows
    same_moment = Q(created_at=before.created_at, pk__gt=before.pk)
    return rows.filter(Q(created_at__lt=before.created_at) | same_moment)


def count_unread(user: User) -> int:
    return Notice.objects.filter(user=user, is_on_page=True, read_at=None, club__put_away_at=None).count()


def mark_read(*, user: User, notice: Notice | None = None) -> None:
    """The person has seen this one; without one, all. Again changes nothing."""
    rows = Notice.objects.filter(user=user, read_at=None)
    if notice is not None:
        rows = rows.filter(pk=notice.pk)
    rows.update(read_at=timezone.now())


@transaction.atomic
def choose_notices(*, user: User, page: Collection[str], mail: Collection[str]) -> None:
    """From now on tell the person of these kinds on the page, of those by mail, and of no others."""
    Muted.objects.filter(user=user).filter(
        Q(way=Muted.Way.PAGE, kind__in=page) | Q(way=Muted.Way.MAIL, kind__in=mail)
    ).delete()
    wanted = {Muted.Way.PAGE: page, Muted.Way.MAIL: mail}
    off = [(kind, way) for way, kinds in wanted.items() for kind in Notice.Kind.values if kind not in kinds]
    # The same form sent twice at once makes the same rows.
    Muted.objects.bulk_create([Muted(user=user, kind=kind, way=way) for kind, way in off], ignore_conflicts=True)


def chosen_notices(user: User) -> dict[str, list[str]]:
    """The kinds that the person is told of, by way."""
    muted = set(Muted.objects.filter(user=user).values_list("kind", "way"))
    return {way: [kind for kind in Notice.Kind.values if (kind, way) not in muted] for way in Muted.Way.values}


def off_text(user_id: int, kind: str) -> str:
    """What stands in a mail's link by which its kind is switched off without signing in. It is good for ever."""
    return signing.Signer(salt=_OFF_SALT).sign_object([user_id, kind])


def read_off_text(text: str) -> tuple[User, Notice.Kind] | None:
    """Whose mails of which kind such a text switches off; None when it is none."""
    try:
        user_id, kind = signing.Signer(salt=_OFF_SALT).unsign_object(text)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=user_id).first()
    return (user, Notice.Kind(kind)) if user and kind in Notice.Kind.values else None


def stop_mail(*, user: User, kind: str) -> None:
    """Mail this person nothing of that kind any more. Again changes nothing."""
    Muted.objects.get_or_create(user=user, kind=kind, way=Muted.Way.MAIL)


def forget_old_notices() -> None:
    """Once an hour: what is older than 90 days, read or not."""
    Notice.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
