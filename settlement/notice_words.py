"""What a notice says, worked out from what it is about: a sentence with the amount in words, and where it opens."""

import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Transfer, User
from accounts.money import format_money
from hands.access import own_players
from settlement.models import Dispute, Payment, Reminder, Settlement, Statement
from settlement.notice_models import Notice
from settlement.payments import holder_name


@dataclass(frozen=True)
class Words:
    """``title`` is a sentence without its full stop, ``text`` what else there is to say, ``url`` a path."""

    title: str
    text: str
    url: str


_BEFORE = Settlement.objects.filter(session=OuterRef("session"), revision__lt=OuterRef("revision"))
_SIDES: Final = ("payer__player", "payee__player")
_SUBJECTS: Final = {
    Notice.Kind.SESSION_SETTLED: Settlement.objects.select_related("session__club").annotate(is_again=Exists(_BEFORE)),
    Notice.Kind.PAYMENT_ASKED: Payment.objects.select_related(*_SIDES),
    Notice.Kind.PAYMENT_REMINDED: Reminder.objects.select_related("session", *_SIDES),
    Notice.Kind.PAYMENT_CONFIRMED: Payment.objects.select_related(*_SIDES),
    Notice.Kind.STATEMENT_READY: Statement.objects.select_related("player"),
    Notice.Kind.DISPUTE_ANSWERED: Dispute.objects.select_related("hand__session", "payment"),
}


def subjects_of(notices: Iterable[Notice]) -> dict[uuid.UUID, Any]:
    """What the notices are about, by the notice's id: one query a kind. A settlement has the person's ``net_minor``.

    All of them are one person's.
    """
    listed = list(notices)
    wanted: dict[str, set[uuid.UUID]] = {}
    for notice in listed:
        wanted.setdefault(notice.kind, set()).add(notice.subject_id)
    rows = {kind: _SUBJECTS[Notice.Kind(kind)].in_bulk(keys) for kind, keys in wanted.items()}
    if settlements := rows.get(Notice.Kind.SESSION_SETTLED):
        nets = _nets(listed[0].user, settlements)
        for key, settlement in settlements.items():
            settlement.net_minor = nets.get(key, 0)
    return {notice.pk: rows[notice.kind][notice.subject_id] for notice in listed}


def _nets(user: User, settlements: Iterable[uuid.UUID]) -> dict[uuid.UUID, int]:
    """What each settlement came to for this person, under all their names, with what the house took."""
    mine = set(own_players(user).values_list("pk", flat=True))
    moved = Transfer.objects.filter(source_id__in=settlements, reverses=None).filter(
        Q(debit_account__player__in=mine) | Q(credit_account__player__in=mine)
    )
    nets: dict[uuid.UUID, int] = {}
    rows = moved.values_list("source_id", "debit_account__player", "credit_account__player", "amount_minor")
    for source_id, payer, payee, amount_minor in rows.order_by():
        nets[source_id] = nets.get(source_id, 0) + amount_minor * ((payee in mine) - (payer in mine))
    return nets


def tell(notices: Sequence[Notice]) -> list[tuple[Notice, Words]]:
    """The notices of one person with their words, in a fixed number of queries."""
    subjects = subjects_of(notices)
    return [(notice, words_of(notice, subjects[notice.pk])) for notice in notices]


def words_of(notice: Notice, subject: Any) -> Words:
    return _WORDS[Notice.Kind(notice.kind)](subject)


def _settled(settlement: Any) -> Words:
    session = settlement.session
    words = {"table": session.table, "amount": format_money(abs(settlement.net_minor), session.currency)}
    if settlement.net_minor > 0:
        title = _("%(table)s: the others owe you %(amount)s") % words
    elif settlement.net_minor < 0:
        title = _("%(table)s: you owe the others %(amount)s") % words
    else:
        title = _("%(table)s: you are even") % words
    if settlement.reversed_at is not None:
        text = _("This settlement was taken back since.")
    elif settlement.is_again:
        text = _("Settled anew, after a change.")
    else:
        text = ngettext("Settled after %(count)d hand.", "Settled after %(count)d hands.", settlement.hands)
        text %= {"count": settlement.hands}
    evening = session.started_at.astimezone(zoneinfo.ZoneInfo(session.club.time_zone))
    return Words(title, f"{date_format(evening, 'j M Y')}. {text}", reverse("settle", args=[session.pk]))


def _sides(one: Payment | Reminder) -> dict[str, str]:
    return {
        "payer": holder_name(one.payer),
        "payee": holder_name(one.payee),
        "amount": format_money(one.amount_minor, one.payer.currency),
    }


def _asked(payment: Payment) -> Words:
    title = _("%(payer)s says that you were paid %(amount)s") % _sides(payment)
    if payment.state == Payment.State.PENDING:
        text = _("Confirm it when it has arrived; only then it is in the book.")
    elif payment.state == Payment.State.PAID:
        text = _("It is confirmed.")
    else:
        text = _("It was cancelled.")
    return Words(title, text, reverse("payment", args=[payment.pk]))


def _reminded(reminder: Reminder) -> Words:
    text = []
    if reminder.session is not None:
        text.append(_("It is for %(table)s.") % {"table": reminder.session.table})
    player = reminder.payee.player
    if player is not None and (how := ", ".join(filter(None, [player.payment_note, player.payment_link]))):
        text.append(_("How to pay: %(how)s") % {"how": how})
    query = {"payer": reminder.payer_id, "payee": reminder.payee_id, "currency": reminder.payer.currency}
    url = f"{reverse('payment-new', args=[reminder.club_id])}?{urlencode(query)}"
    return Words(_("A reminder: you owe %(payee)s %(amount)s") % _sides(reminder), " ".join(text), url)


def _confirmed(payment: Payment) -> Words:
    title = _("Confirmed: you paid %(payee)s %(amount)s") % _sides(payment)
    text = _("It was cancelled since.") if payment.state == Payment.State.CANCELLED else _("It is in the book.")
    return Words(title, text, reverse("payment", args=[payment.pk]))


def _statement_ready(statement: Statement) -> Words:
    words = {
        "name": statement.player.name,
        "first": date_format(statement.first_day, "j M Y"),
        "last": date_format(statement.last_day, "j M Y"),
    }
    title = _("Statement %(number)d is ready") % {"number": statement.number}
    return Words(title, _("%(name)s, %(first)s to %(last)s.") % words, reverse("statement", args=[statement.pk]))


def _answered(dispute: Dispute) -> Words:
    if dispute.hand is not None:
        words = {"number": dispute.hand.number, "table": dispute.hand.session.table}
        what = _("hand %(number)d of %(table)s") % words
        url = reverse("hand", args=[dispute.hand.pk])
    else:
        payment = dispute.payment
        what = _("a payment of %(amount)s") % {"amount": format_money(payment.amount_minor, payment.currency)}
        url = reverse("payment", args=[payment.pk])
    if dispute.state == Dispute.State.CORRECTED:
        title = _("What you disputed is corrected: %(what)s") % {"what": what}
    else:
        title = _("What you disputed stays as it is: %(what)s") % {"what": what}
    text = _("You wrote “%(sentence)s” The answer is “%(answer)s”")
    return Words(title, text % {"sentence": dispute.sentence, "answer": dispute.answer}, url)


_WORDS: Final[dict[Notice.Kind, Callable[[Any], Words]]] = {
    Notice.Kind.SESSION_SETTLED: _settled,
    Notice.Kind.PAYMENT_ASKED: _asked,
    Notice.Kind.PAYMENT_REMINDED: _reminded,
    Notice.Kind.PAYMENT_CONFIRMED: _confirmed,
    Notice.Kind.STATEMENT_READY: _statement_ready,
    Notice.Kind.DISPUTE_ANSWERED: _answered,
}
