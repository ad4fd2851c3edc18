"""Disputes: what somebody doubts stays open, and in sight, until it is corrected or declined with a reason."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Club, Player, User
from hands.models import Hand, Session
from jobs import events
from settlement.models import Dispute, Payment

SENTENCE_LENGTH = 500


@transaction.atomic
def raise_dispute(
    *,
    club: Club,
    sentence: str,
    author: User | None,
    player: Player | None,
    hand: Hand | None = None,
    payment: Payment | None = None,
) -> Dispute:
    """Write down what is doubted: a hand or a payment. Who doubts the same twice is told that it is open already.

    Raises ``ValidationError`` without a sentence, or when the thing is void or cancelled already.
    """
    sentence = sentence.strip()
    if not sentence:
        raise fault("/sentence", "sentence", _("Say in a sentence what is wrong; the host reads it."))
    if len(sentence) > SENTENCE_LENGTH:
        raise fault("/sentence", "text_length", _("At most %(most)d characters.") % {"most": SENTENCE_LENGTH})
    if payment is not None and payment.state == Payment.State.CANCELLED:
        raise fault("", "payment_cancelled", _("This payment is cancelled already."))
    # The club's row is the lock of its disputes: a double tap makes one.
    Club.objects.filter(pk=club.pk).update(created_at=club.created_at)
    same = Dispute.objects.filter(hand=hand, payment=payment, state=Dispute.State.OPEN, player=player)
    if there := same.filter(raised_by=author).first():
        if there.sentence == sentence:
            return there
        raise fault(
            "",
            "disputed_before",
            _("You have an open dispute of this already: “%(sentence)s”") % {"sentence": there.sentence},
        )
    session_id = hand.session_id if hand else payment.session_id if payment else None
    dispute = Dispute.objects.create(
        club=club,
        session_id=session_id,
        hand=hand,
        payment=payment,
        player=player,
        raised_by=author,
        sentence=sentence,
    )
    session = {"session": str(session_id)} if session_id else {}
    audit.note(club.pk, "dispute.raised", dispute.pk, name=sentence[:80], **session)
    return dispute


@transaction.atomic
def decline_dispute(*, dispute: Dispute, reason: str, author: User | None) -> None:
    """The host says why it stays as it is. Raises ``ValidationError`` without a reason; an answered one is kept."""
    if not reason.strip():
        raise fault("/reason", "reason", _("Say why it stays as it is; who doubted it reads this."))
    if _answer(dispute, Dispute.State.DECLINED, reason, author):
        session = {"session": str(dispute.session_id)} if dispute.session_id else {}
        audit.note(dispute.club_id, "dispute.declined", dispute.pk, name=dispute.sentence[:80], **session)


def correct_disputes(
    *, reason: str, author: User | None, hand: Hand | None = None, payment: Payment | None = None
) -> None:
    """A hand was corrected or voided, or a payment cancelled: what was doubted of it is answered by that."""
    for dispute in Dispute.objects.filter(hand=hand, payment=payment, state=Dispute.State.OPEN):
        _answer(dispute, Dispute.State.CORRECTED, reason, author)


def _answer(dispute: Dispute, state: str, reason: str, author: User | None) -> bool:
    """Answer it, and say so; False, and nothing changed, when it was answered before."""
    answered = Dispute.objects.filter(pk=dispute.pk, state=Dispute.State.OPEN).update(
        state=state, answer=reason.strip(), answered_by=author, answered_at=timezone.now()
    )
    if answered:
        events.announce("dispute.answered", club_id=dispute.club_id, subject_id=dispute.pk)
    return bool(answered)


def open_disputes(session: Session) -> list[Dispute]:
    """What is doubted of a session's hands and payments and not answered yet, the oldest first."""
    rows = Dispute.objects.filter(session=session, state=Dispute.State.OPEN)
    return list(rows.select_related("hand", "payment", "player", "raised_by").order_by("raised_at"))
