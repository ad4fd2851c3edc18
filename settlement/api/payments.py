"""Payments: a club's program says for the club that money changed hands, so it counts at once."""

import uuid
from typing import Any, Final

import django_filters
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import ledger
from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of, need_match
from accounts.api.filters import ClubFilters
from accounts.api.shapes import example, flag, identifier, moment, money, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import Account, ApiKey
from hands.models import Session
from settlement import payments
from settlement.models import Payment
from settlement.payments import NOTE_LENGTH, Wanted, holder_name

PARTY: Final = shapes.shape("Party", account=identifier(), name=text())
PAYMENT: Final = shapes.shape(
    "Payment",
    id=identifier(),
    kind=text(help_text="payment, buy_in or cash_out."),
    state=text(help_text="pending, paid or cancelled."),
    payer=PARTY(),
    payee=PARTY(),
    amount=money(),
    session=identifier(allow_null=True),
    note=text(allow_blank=True),
    paid_at=moment(),
    reason=text(allow_blank=True),
    transfer=identifier(allow_null=True),
    **shapes.WARNINGS,
)
NEW_PAYMENT: Final = shapes.shape(
    "NewPayment",
    id=identifier(required=False, help_text="Made by you, so that sending it twice makes one payment."),
    payer=identifier(help_text="An account, from balances."),
    payee=identifier(),
    amount=money(),
    session=identifier(required=False, allow_null=True),
    note=text(required=False, allow_blank=True, max_length=NOTE_LENGTH),
    accept_more=flag(required=False, help_text="Write it down although it is more than is owed."),
)


def party_body(account: Account) -> dict[str, str]:
    return {"account": str(account.pk), "name": holder_name(account)}


def payment_body(one: Payment) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "kind": one.kind,
        "state": one.state,
        "payer": party_body(one.payer),
        "payee": party_body(one.payee),
        "amount": {"amount_minor": one.amount_minor, "currency": one.currency},
        "session": str(one.session_id) if one.session_id else None,
        "note": one.note,
        "paid_at": one.paid_at.isoformat(),
        "reason": one.reason,
        "transfer": str(one.transfer_id) if one.transfer_id else None,
    }


def payment_tag(one: Payment) -> str:
    return etag_of(one.pk, one.state)


class PaymentFilters(ClubFilters):
    state = django_filters.ChoiceFilter(choices=Payment.State.choices)
    session = django_filters.UUIDFilter()
    payer = django_filters.UUIDFilter()
    payee = django_filters.UUIDFilter()

    class Meta:
        model = Payment
        fields: list[str] = []


class PaymentListView(ClubListView):
    needs = ApiKey.Scope.SETTLE
    ordering = ("-recorded_at", "pk")
    filterset_class = PaymentFilters

    def rows(self) -> QuerySet[Payment]:
        return Payment.objects.filter(club=self.club).select_related("payer__player", "payee__player")

    def body_of(self, row: Payment) -> dict[str, Any]:
        return payment_body(row)

    @shapes.lists(
        PAYMENT,
        "Payments, the newest first",
        operation_id="list_payments",
        tags=["payments"],
        filters=shapes.filters_of(
            state="pending, paid or cancelled.",
            session="A session's id.",
            payer="An account's id.",
            payee="An account's id.",
        ),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        PAYMENT,
        "Write a payment down",
        body=NEW_PAYMENT,
        created=True,
        operation_id="record_payment",
        tags=["payments"],
        examples=[
            example(
                "Part of a debt",
                {
                    "payer": "00000000-0000-4000-8000-00000000000a",
                    "payee": "00000000-0000-4000-8000-00000000000b",
                    "amount": {"amount_minor": 100, "currency": "USD"},
                    "note": "cash",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        accounts = Account.objects.filter(club=self.club).select_related("player")
        no_account = _("The club has no such account; balances lists them.")
        payer, payee = (body.row(name, accounts, "no_such_account", no_account) for name in ("payer", "payee"))
        amount_minor, currency = body.money("amount")
        key, note = body.identifier("id", needed=False), body.text("note", needed=False, most=NOTE_LENGTH)
        accept_more, sessions = body.boolean("accept_more"), Session.objects.filter(club=self.club)
        session = body.row("session", sessions, "no_such_session", _("The club has no such session."), needed=False)
        if payer is not None and currency and payer.currency != currency:
            words = _("These accounts are in %(theirs)s.") % {"theirs": payer.currency}
            body.refuse("/amount/currency", "currency", words)
        body.finish()
        wanted = Wanted(key or uuid.uuid4(), payer, payee, amount_minor, session=session, note=note)
        (payment,) = payments.record_payments(club=self.club, wanted=[wanted], author=None, accept_more=accept_more)
        where = reverse("api-payment", args=[payment.pk])
        answer = payment_body(payment) | body.warnings()
        return self.answer(answer, etag=payment_tag(payment), status=201, where=where)


class PaymentView(ClubView):
    needs = ApiKey.Scope.SETTLE

    def payment(self, key: uuid.UUID) -> Payment:
        rows = Payment.objects.select_related("payer__player", "payee__player", "transfer")
        found: Payment = self.one(rows.filter(club=self.club), key)
        return found

    @shapes.reads(PAYMENT, "One payment", operation_id="get_payment", tags=["payments"])
    def get(self, request: Request, payment_id: uuid.UUID) -> Response:
        one = self.payment(payment_id)
        return self.answer(payment_body(one), etag=payment_tag(one))


class PaymentConfirmView(PaymentView):
    http_method_names = ["post", "options"]

    @shapes.writes(PAYMENT, "It arrived", needs_match=True, operation_id="confirm_payment", tags=["payments"])
    @transaction.atomic
    def post(self, request: Request, payment_id: uuid.UUID) -> Response:
        ledger.lock_book(self.club.pk)
        one = self.payment(payment_id)
        need_match(request, payment_tag(one))
        one = payments.confirm_payment(payment=one, author=None)
        return self.answer(payment_body(one), etag=payment_tag(one))


class PaymentCancelView(PaymentView):
    http_method_names = ["post", "options"]

    @shapes.writes(
        PAYMENT,
        "Take it back, with a reason",
        body=shapes.REASON,
        needs_match=True,
        operation_id="cancel_payment",
        tags=["payments"],
        examples=[example("It bounced", {"reason": "It bounced."})],
    )
    @transaction.atomic
    def post(self, request: Request, payment_id: uuid.UUID) -> Response:
        body = Body(request.data)
        reason = body.text("reason")
        body.finish()
        ledger.lock_book(self.club.pk)
        one = self.payment(payment_id)
        need_match(request, payment_tag(one))
        one = payments.cancel_payment(payment=one, reason=reason, author=None)
        return self.answer(payment_body(one) | body.warnings(), etag=payment_tag(one))
