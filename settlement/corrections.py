"""Correcting a hand whose session may be settled: the settlement is reversed and made again in one transaction."""

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit, ledger, merging
from accounts.faults import fault
from accounts.models import Account, Transfer, User
from hands import corrections
from hands.history import Deal
from hands.models import Hand, HandVersion, Session
from jobs import events
from settlement.disputes import correct_disputes
from settlement.models import Settlement
from settlement.services import settle_session


@transaction.atomic
def correct_hand(*, hand: Hand, based_on: int, deal: Deal | None, reason: str, author: User | None) -> HandVersion:
    """Write the hand's next version; where the session is settled, reverse that and settle the next revision.

    Nothing is settled anew when nothing changed (a void of a void). Raises ``ValidationError`` as
    ``hands.corrections.correct_hand`` does; then nothing at all has changed.
    """
    # The session's row first, as everywhere: whoever settles or corrects waits here.
    Session.objects.filter(pk=hand.session_id).update(state=F("state"))
    before = Hand.objects.values_list("current", flat=True).get(pk=hand.pk)
    version = corrections.correct_hand(
        hand=hand, based_on=based_on, deal=deal, reason=reason, author=author, states=Session.State.values
    )
    if version.pk != before:
        correct_disputes(hand=hand, reason=reason, author=author)
    settlement = Settlement.objects.filter(session=hand.session_id, reversed_at=None).first()
    if settlement is not None and version.pk != before:
        reverse_settlement(settlement=settlement, reason=reason)
        settle_session(session_id=hand.session_id)
    return version


@transaction.atomic
def reverse_settlement(*, settlement: Settlement, reason: str) -> None:
    """Take every transfer of a settlement back; the session is closed and can be settled again, as a new revision.

    Raises ``ValidationError`` (code ``reversed_before``) when it was taken back already.
    """
    now = timezone.now()
    session = settlement.session
    # The session's row is the lock. A new revision, so that asking to settle it again is a job of its own.
    Session.objects.filter(pk=session.pk).update(revision=F("revision") + 1)
    if not Settlement.objects.filter(pk=settlement.pk, reversed_at=None).update(reversed_at=now):
        raise fault("", "reversed_before", _("That was reversed before; nothing was changed."))
    Session.objects.filter(pk=session.pk).update(state=Session.State.CLOSED)
    moved = Transfer.objects.filter(source_id=settlement.pk, reverses=None)
    ledger.reverse(
        session.club_id,
        moved.order_by("sequence"),
        source_id=settlement.pk,
        occurred_at=now,
    )
    players = Account.objects.filter(Q(debits__in=moved) | Q(credits__in=moved), kind=Account.Kind.PLAYER)
    merging.move_balances(
        club_id=session.club_id, player_ids=players.values_list("player", flat=True).distinct(), occurred_at=now
    )
    audit.note(
        session.club_id,
        "settlement.reversed",
        settlement.pk,
        session=str(session.pk),
        revision=settlement.revision,
        reason=reason,
    )
    events.announce("settlement.reversed", club_id=session.club_id, subject_id=settlement.pk)


@transaction.atomic
def reopen_session(*, session: Session, reason: str) -> None:
    """Let recording go on in a closed or settled session; a settlement is reversed, which needs a reason.

    Raises ``ValidationError`` without one. A session that is open stays as it is.
    """
    Session.objects.filter(pk=session.pk).update(state=F("state"))
    if not reason.strip():
        raise fault("/reason", "reason", _("Say why the session is opened again; everybody can read it."))
    settlement = Settlement.objects.filter(session=session, reversed_at=None).first()
    if settlement is not None:
        reverse_settlement(settlement=settlement, reason=reason)
    reopened = Session.objects.filter(pk=session.pk, state=Session.State.CLOSED).update(
        state=Session.State.OPEN, revision=F("revision") + 1, closed_at=None
    )
    if reopened:
        audit.note(session.club_id, "session.reopened", session.pk, reason=reason.strip())
