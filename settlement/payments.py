"""Payments: money that changes hands outside the book, written down once and never edited.

Every service locks the club's book first, so that what is owed cannot change while it is looked at.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit, ledger, merging
from accounts.faults import fault
from accounts.ledger import Entry
from accounts.models import Account, Club, Membership, Transfer, User
from accounts.money import format_money, too_large
from hands.models import Session
from jobs import events
from settlement.amounts import MOST_MINOR
from settlement.disputes import correct_disputes
from settlement.models import Payment

NOTE_LENGTH: Final = 200


@dataclass(frozen=True)
class Wanted:
    """One payment to be written down: ``id`` is made by the client, so that a double tap makes one."""

    id: uuid.UUID
    payer: Account
    payee: Account
    amount_minor: int
    kind: str = Payment.Kind.PAYMENT
    session: Session | None = None
    note: str = ""
    paid_at: datetime | None = None
    # It waits for the payee's word, whoever writes it down.
    is_pending: bool = False


def holder_name(account: Account) -> str:
    """Who an account belongs to, as people say it: the player's name, or the house."""
    return account.player.name if account.player else str(account.get_kind_display()).capitalize()


def speaks_for(user: User, account: Account) -> bool:
    """Whether the person is the player whose account it is."""
    return account.player is not None and account.player.user_id == user.pk


@transaction.atomic
def record_payments(
    *, club: Club, wanted: Sequence[Wanted], author: User | None, accept_more: bool = False
) -> list[Payment]:
    """Write the payments down, all or none: in the book, or pending where the author is only the payer.

    Who may say so is the club's host, the payee and the payer (``author`` None is the club's own program).
    Raises ``ValidationError`` for an amount that is none, accounts that do not pay each other, somebody who may
    not say so, and with code ``more_than_owed`` when that is too much and not ``accept_more``. A payment whose id
    is there already is returned as it stands, if it is the same.
    """
    ledger.lock_book(club.pk)
    known = Payment.objects.in_bulk([one.id for one in wanted])
    is_host = author is None or Membership.objects.filter(club=club, user=author).exists()
    payments = []
    for one in wanted:
        there = known.get(one.id)
        if there is not None:
            payments.append(_same(there, one, club))
            continue
        _check(club, one)
        if one.kind == Payment.Kind.PAYMENT and not accept_more:
            _refuse_more_than_owed(one)
        is_final = is_host or (author is not None and speaks_for(author, one.payee))
        if not is_final and not (author is not None and speaks_for(author, one.payer)):
            raise fault("", "not_yours", _("Only the host and the two people of a payment can write it down."))
        payment = Payment.objects.create(
            id=one.id,
            club=club,
            kind=one.kind,
            state=Payment.State.PENDING,
            payer=one.payer,
            payee=one.payee,
            amount_minor=one.amount_minor,
            currency=one.payer.currency,
            session=one.session,
            note=one.note.strip(),
            paid_at=one.paid_at or timezone.now(),
            recorded_by=author,
        )
        if is_final and not one.is_pending:
            _post(payment)
        else:
            events.announce("payment.asked", club_id=club.pk, subject_id=payment.pk)
        _note(payment, "payment.recorded")
        payments.append(payment)
    return payments


@transaction.atomic
def confirm_payment(*, payment: Payment, author: User | None) -> Payment:
    """The payee or the host says that it arrived: now it is in the book. Confirming it again changes nothing.

    Raises ``ValidationError`` when it was cancelled, or when the author may not say so.
    """
    ledger.lock_book(payment.club_id)
    payment.refresh_from_db()
    if payment.state == Payment.State.PAID:
        return payment
    if payment.state == Payment.State.CANCELLED:
        raise fault("", "payment_cancelled", _("This payment was cancelled; write it down anew if it was made."))
    _need_say(payment, author, payer_too=False)
    payment.confirmed_by, payment.confirmed_at = author, timezone.now()
    _post(payment)
    _note(payment, "payment.confirmed")
    events.announce("payment.confirmed", club_id=payment.club_id, subject_id=payment.pk)
    return payment


@transaction.atomic
def cancel_payment(*, payment: Payment, reason: str, author: User | None) -> Payment:
    """Take a payment back, by reversal where it is in the book. Cancelling it again changes nothing.

    The payer may only take back what is still pending. Raises ``ValidationError`` without a reason.
    """
    ledger.lock_book(payment.club_id)
    payment.refresh_from_db()
    if payment.state == Payment.State.CANCELLED:
        return payment
    if not reason.strip():
        raise fault("/reason", "reason", _("Say why the payment is cancelled; both people can read it."))
    _need_say(payment, author, payer_too=payment.state == Payment.State.PENDING)
    if payment.transfer is not None:
        now = timezone.now()
        ledger.reverse(payment.club_id, [payment.transfer], source_id=payment.pk, occurred_at=now)
        _move_on(payment, now)
    payment.state, payment.reason = Payment.State.CANCELLED, reason.strip()
    payment.cancelled_by, payment.cancelled_at = author, timezone.now()
    payment.save(update_fields=["state", "reason", "cancelled_by", "cancelled_at"])
    correct_disputes(payment=payment, reason=payment.reason, author=author)
    _note(payment, "payment.cancelled", reason=payment.reason)
    return payment


def owed_between(payer: Account, payee: Account) -> int:
    """How much the payer can give the payee until one of the two is square, in minor units; never below zero.

    Payments that wait for a confirmation count as made.
    """
    waiting = Payment.objects.filter(state=Payment.State.PENDING)
    made = waiting.filter(payer=payer).aggregate(sum=Sum("amount_minor"))["sum"] or 0
    expected = waiting.filter(payee=payee).aggregate(sum=Sum("amount_minor"))["sum"] or 0
    balances = dict(Account.objects.filter(pk__in=[payer.pk, payee.pk]).values_list("pk", "balance_minor"))
    return max(0, min(-balances[payer.pk] - made, balances[payee.pk] - expected))


def _same(there: Payment, one: Wanted, club: Club) -> Payment:
    kept = (there.club_id, there.payer_id, there.payee_id, there.amount_minor, there.kind)
    if kept != (club.pk, one.payer.pk, one.payee.pk, one.amount_minor, one.kind):
        raise fault("", "conflict", _("This payment was written down before, with another amount or other people."))
    return there


def _check(club: Club, one: Wanted) -> None:
    if one.amount_minor <= 0:
        raise fault("/amount", "amount", _("A payment needs an amount above zero."))
    if one.amount_minor > MOST_MINOR:
        raise too_large()
    if {one.payer.club_id, one.payee.club_id} != {club.pk} or one.payer.currency != one.payee.currency:
        raise fault("", "two_currencies", _("Both people of a payment are of one club, and it is in one currency."))
    if one.payer.pk == one.payee.pk:
        raise fault("/payee", "same_account", _("Nobody pays themselves; choose two people."))
    if len(one.note) > NOTE_LENGTH:
        raise fault("/note", "text_length", _("A note has at most %(most)d characters.") % {"most": NOTE_LENGTH})
    if one.session is not None and (one.session.club_id, one.session.currency) != (club.pk, one.payer.currency):
        raise fault("/session", "two_currencies", _("The payment is not in the currency of the session."))


def _refuse_more_than_owed(one: Wanted) -> None:
    owed_minor = owed_between(one.payer, one.payee)
    if one.amount_minor > owed_minor:
        raise fault(
            "/amount",
            "more_than_owed",
            _("%(payer)s and %(payee)s are square after %(owed)s; %(amount)s is more. Confirm that it is meant.")
            % {
                "payer": holder_name(one.payer),
                "payee": holder_name(one.payee),
                "owed": format_money(owed_minor, one.payer.currency),
                "amount": format_money(one.amount_minor, one.payer.currency),
            },
        )


def _need_say(payment: Payment, author: User | None, *, payer_too: bool) -> None:
    if author is None or Membership.objects.filter(club=payment.club_id, user=author).exists():
        return
    if speaks_for(author, payment.payee) or (payer_too and speaks_for(author, payment.payer)):
        return
    raise fault("", "not_yours", _("That is for the host and for %(payee)s.") % {"payee": holder_name(payment.payee)})


def _post(payment: Payment) -> None:
    """A payment of cash is a transfer the other way."""
    (payment.transfer,) = ledger.post(
        payment.club_id,
        [
            Entry(
                debit=payment.payee,
                credit=payment.payer,
                amount_minor=payment.amount_minor,
                kind=Transfer.Kind(payment.kind),
                source_id=payment.pk,
                source_key=f"payment/{payment.pk}",
                occurred_at=payment.paid_at,
            )
        ],
    )
    payment.state = Payment.State.PAID
    payment.save(update_fields=["state", "transfer", "confirmed_by", "confirmed_at"])
    _move_on(payment, payment.paid_at)


def _move_on(payment: Payment, occurred_at: datetime) -> None:
    players = [account.player_id for account in (payment.payer, payment.payee) if account.player_id is not None]
    merging.move_balances(club_id=payment.club_id, player_ids=players, occurred_at=occurred_at)


def _note(payment: Payment, action: str, **detail: str) -> None:
    session = {"session": str(payment.session_id)} if payment.session_id else {}
    words = {
        "payer": holder_name(payment.payer),
        "payee": holder_name(payment.payee),
        "amount": format_money(payment.amount_minor, payment.currency),
    }
    name = _("%(payer)s to %(payee)s, %(amount)s") % words
    audit.note(payment.club_id, action, payment.pk, name=name, **session, **detail)


def payments_of(session: Session) -> list[Payment]:
    """What was written down for a session and not cancelled, the first one first."""
    rows = Payment.objects.filter(session=session).exclude(state=Payment.State.CANCELLED)
    return list(rows.select_related("payer__player", "payee__player").order_by("recorded_at", "pk"))


def lock_open_session(session: Session) -> None:
    """Hold the session's row for a buy-in or cash-out; raises ``ValidationError`` when the session is not open."""
    if not Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(revision=F("revision")):
        raise fault("", "session_closed", _("This session is closed; open it again to change its bank."))
