"""What the pages of payments show."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import Account, Club, Membership, User
from accounts.money import format_plain
from hands.access import own_players
from hands.models import Session
from settlement import owing
from settlement.models import Dispute, Payment, Settlement
from settlement.owing import DueLine
from settlement.payments import holder_name, owed_between, speaks_for

LATEST = 20
PAYMENT_STATES = {Payment.State.PAID: "paid", Payment.State.PENDING: "claimed", Payment.State.CANCELLED: "cancelled"}


def payment_line(one: Payment) -> dict[str, Any]:
    """A payment that was written down, in the shape of `parts/_payment.html`."""
    waits = one.state == Payment.State.PENDING
    return {
        "payer": holder_name(one.payer),
        "payee": holder_name(one.payee),
        "amount_minor": one.amount_minor,
        "currency": one.currency,
        "state": PAYMENT_STATES[Payment.State(one.state)],
        "note": _("%(payee)s has not confirmed yet") % {"payee": holder_name(one.payee)} if waits else one.note,
        "url": one.pk,
    }


def due_line(line: DueLine) -> dict[str, Any]:
    """A payment that is still to be made, in the shape of `parts/_payment.html`."""
    player = line.payee.player
    return {
        "payer": holder_name(line.payer),
        "payee": holder_name(line.payee),
        "amount_minor": line.amount_minor,
        "currency": line.payer.currency,
        "state": "open" if line.is_open else "square",
        "due": line,
        "how": player.payment_note if player else "",
        "link": player.payment_link if player else "",
    }


def lines_of(found: owing.Owing) -> list[dict[str, Any]]:
    """What was written down first, then what is open; the largest first in each."""
    made = sorted(found.payments, key=lambda one: -one.amount_minor)
    return [payment_line(one) for one in made] + [due_line(line) for line in found.dues]


def owed_page(club: Club, currency: str) -> dict[str, Any]:
    currencies = owing.currencies_in_use(club)
    chosen = currency if currency in currencies else next(iter(currencies), "")
    context = {"club": club, "section": "owed", "currencies": currencies, "currency": chosen}
    if not chosen:
        return context
    found = owing.club_owing(club, chosen)
    balances = sorted(
        ((holder_name(found.accounts[key]), found.accounts[key]) for key in found.accounts),
        key=lambda line: (-line[1].balance_minor, line[0].casefold()),
    )
    latest = Payment.objects.filter(club=club, currency=chosen).exclude(state=Payment.State.PENDING)
    return context | {
        "lines": lines_of(found),
        "total_minor": found.total_minor,
        "pay_values": [line.value for line in found.dues],
        "balances": balances,
        "balances_sum": sum(account.balance_minor for _name, account in balances),
        "text": owing.as_text(_("%(club)s, %(currency)s") % {"club": club.name, "currency": chosen}, found.dues),
        "latest": [payment_line(one) for one in latest.select_related("payer__player", "payee__player")[:LATEST]],
    }


def why_page(club: Club, accounts: Sequence[Account], session: Session | None) -> dict[str, Any]:
    """Of payer and payee each: the entries that make up what they owe or are owed, with their sum."""
    settlement = Settlement.objects.filter(session=session, reversed_at=None).first() if session else None
    sides = []
    for account in accounts:
        reasons = owing.reasons_in(settlement, account) if settlement else owing.reasons_of_balance(account)
        sides.append(
            {
                "name": holder_name(account),
                "account": account,
                "reasons": [(holder_name(reason.other), reason) for reason in reasons],
                "sum_minor": sum(reason.amount_minor for reason in reasons),
            }
        )
    payer, payee = (side["name"] for side in sides)
    return {
        "club": club,
        "session": session,
        "sides": sides,
        "payer": payer,
        "payee": payee,
        "currency": accounts[0].currency,
        "owed_minor": owed_between(*accounts),
    }


def new_payment_page(club: Club, user: User, query: Mapping[str, str], session: Session | None) -> dict[str, Any]:
    """Whom a payment can be between, and what is known of it already from the address."""
    is_keeper = Membership.objects.filter(club=club, user=user).exists()
    currencies = owing.currencies_in_use(club)
    currency = session.currency if session else query.get("currency", "")
    currency = currency if currency in currencies else next(iter(currencies), "USD")
    kinds = [Account.Kind.PLAYER, Account.Kind.HOUSE]
    accounts: QuerySet[Account] = Account.objects.filter(club=club, currency=currency, kind__in=kinds)
    accounts = accounts.select_related("player").order_by("player__name_key", "pk")
    if not is_keeper:
        # A player sees those with whom they played, and no others of the club.
        mine = own_players(user)
        met = Q(player__in=mine) | Q(player__seats__session__seats__player__in=mine)
        accounts = accounts.filter(met).distinct()
    initial: dict[str, Any] = {}
    for side in ("payer", "payee"):
        account = accounts.filter(pk=_key(query.get(side))).first()
        if account is not None:
            initial[side] = account
    if len(initial) == 2 and (owed_minor := owed_between(initial["payer"], initial["payee"])):
        initial["amount"] = format_plain(owed_minor, currency)
    return {
        "club": club,
        "session": session,
        "is_keeper": is_keeper,
        "section": "owed" if is_keeper else "",
        "accounts": accounts,
        "currency": currency,
        "currencies": currencies,
        "initial": initial,
    }


def _key(text: str | None) -> uuid.UUID | None:
    try:
        return uuid.UUID(text or "")
    except ValueError:
        return None


def payment_page(one: Payment, user: User) -> dict[str, Any]:
    """A payment, what this person may do with it, and what is doubted of it."""
    is_keeper = Membership.objects.filter(club=one.club, user=user).exists()
    is_payee = speaks_for(user, one.payee)
    waits = one.state == Payment.State.PENDING
    return {
        "club": one.club,
        "section": "owed" if is_keeper else "",
        "is_keeper": is_keeper,
        "payment": one,
        "line": payment_line(one),
        "payer": holder_name(one.payer),
        "payee": holder_name(one.payee),
        "may_confirm": waits and (is_keeper or is_payee),
        "may_cancel": one.state != Payment.State.CANCELLED and (is_keeper or is_payee or waits),
        "disputes": Dispute.objects.filter(payment=one).select_related("raised_by", "player"),
    }
