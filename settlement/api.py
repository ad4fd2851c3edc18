"""Balances and payments through the API: the same services as the pages."""

import uuid
from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.keys import HasKey
from accounts.faults import fault
from accounts.models import Account, Club
from hands.models import Session
from settlement import payments
from settlement.models import Payment
from settlement.payments import Wanted, holder_name


class BalanceListView(APIView):
    """GET /api/v1/balances: every account of the club with its balance."""

    permission_classes = [HasKey]

    def get(self, request: Request) -> Response:
        rows = Account.objects.filter(club=request.auth.club).select_related("player")
        return Response({"results": [balance_body(one) for one in rows.order_by("currency", "kind", "pk")]})


class PaymentListView(APIView):
    """GET and POST /api/v1/payments: what was paid; a club's program says it for the club, so it counts at once."""

    permission_classes = [HasKey]

    def get(self, request: Request) -> Response:
        rows = Payment.objects.filter(club=request.auth.club).select_related("payer__player", "payee__player")
        return Response({"results": [payment_body(one) for one in rows[:200]]})

    def post(self, request: Request) -> Response:
        club: Club = request.auth.club
        body = request.data
        wanted = Wanted(
            id=_uuid(body, "id") if "id" in body else uuid.uuid4(),
            payer=_account(club, body, "payer"),
            payee=_account(club, body, "payee"),
            amount_minor=_amount(body),
            session=get_object_or_404(Session, club=club, pk=_uuid(body, "session")) if body.get("session") else None,
            note=str(body.get("note", "")),
        )
        (payment,) = payments.record_payments(
            club=club, wanted=[wanted], author=None, accept_more=body.get("accept_more") is True
        )
        where = reverse("api-payment", args=[payment.pk])
        return Response(payment_body(payment), status=201, headers={"Location": where})


class PaymentView(APIView):
    permission_classes = [HasKey]

    def get(self, request: Request, payment_id: uuid.UUID) -> Response:
        return Response(payment_body(_payment(request, payment_id)))


class PaymentConfirmView(APIView):
    """POST /api/v1/payments/{id}/confirm"""

    permission_classes = [HasKey]

    def post(self, request: Request, payment_id: uuid.UUID) -> Response:
        found = payments.confirm_payment(payment=_payment(request, payment_id), author=None)
        return Response(payment_body(found))


class PaymentCancelView(APIView):
    """POST /api/v1/payments/{id}/cancel with a ``reason``."""

    permission_classes = [HasKey]

    def post(self, request: Request, payment_id: uuid.UUID) -> Response:
        reason = str(request.data.get("reason", ""))
        found = payments.cancel_payment(payment=_payment(request, payment_id), reason=reason, author=None)
        return Response(payment_body(found))


def balance_body(account: Account) -> dict[str, Any]:
    return {
        "account": str(account.pk),
        "kind": account.kind,
        "player": {"id": str(account.player.pk), "name": account.player.name} if account.player else None,
        "balance": {"amount_minor": account.balance_minor, "currency": account.currency},
    }


def payment_body(one: Payment) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "kind": one.kind,
        "state": one.state,
        "payer": {"account": str(one.payer_id), "name": holder_name(one.payer)},
        "payee": {"account": str(one.payee_id), "name": holder_name(one.payee)},
        "amount": {"amount_minor": one.amount_minor, "currency": one.currency},
        "session": str(one.session_id) if one.session_id else None,
        "note": one.note,
        "paid_at": one.paid_at.isoformat(),
        "reason": one.reason,
    }


def _payment(request: Request, payment_id: uuid.UUID) -> Payment:
    rows = Payment.objects.select_related("payer__player", "payee__player", "transfer")
    return get_object_or_404(rows, pk=payment_id, club=request.auth.club)


def _account(club: Club, body: Any, name: str) -> Account:
    account = Account.objects.filter(club=club, pk=_uuid(body, name)).select_related("player").first()
    if account is None:
        raise fault(f"/{name}", "no_such_account", _("The club has no such account; GET /balances lists them."))
    return account


def _uuid(body: Any, name: str) -> uuid.UUID:
    try:
        return uuid.UUID(body[name])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise fault(f"/{name}", "uuid", _("%(name)s is missing, or is no UUID.") % {"name": name}) from None


def _amount(body: Any) -> int:
    amount = body.get("amount")
    value = amount.get("amount_minor") if isinstance(amount, dict) else None
    if isinstance(value, bool) or not isinstance(value, int):
        raise fault(
            "/amount/amount_minor", "amount", _("amount_minor is missing, or is no whole number of minor units.")
        )
    return value
