"""Balances and the transfers behind them."""

import uuid
from typing import Any, Final

import django_filters
from django.db.models import Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.etags import etag_of
from accounts.api.filters import ClubFilters, MomentFilter
from accounts.api.shapes import identifier, moment, money, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import Account, Transfer
from settlement.payments import holder_name

BALANCE: Final = shapes.shape(
    "Balance",
    account=identifier(),
    kind=text(help_text="player, house, bank or table."),
    player=identifier(allow_null=True),
    name=text(),
    balance=money(help_text="Above zero: the others owe this one."),
)
TRANSFER: Final = shapes.shape(
    "Transfer",
    id=identifier(),
    sequence=number(),
    kind=text(),
    debit_account=identifier(),
    credit_account=identifier(),
    amount=money(),
    source=identifier(help_text="The settlement, payment or merge that caused it."),
    reverses=identifier(allow_null=True),
    occurred_at=moment(),
    posted_at=moment(),
    hash=text(),
)


def balance_body(account: Account) -> dict[str, Any]:
    return {
        "account": str(account.pk),
        "kind": account.kind,
        "player": str(account.player_id) if account.player_id else None,
        "name": holder_name(account),
        "balance": {"amount_minor": account.balance_minor, "currency": account.currency},
    }


def transfer_body(transfer: Transfer) -> dict[str, Any]:
    return {
        "id": str(transfer.pk),
        "sequence": transfer.sequence,
        "kind": transfer.kind,
        "debit_account": str(transfer.debit_account_id),
        "credit_account": str(transfer.credit_account_id),
        "amount": {"amount_minor": transfer.amount_minor, "currency": transfer.currency},
        "source": str(transfer.source_id),
        "reverses": str(transfer.reverses_id) if transfer.reverses_id else None,
        "occurred_at": transfer.occurred_at.isoformat(),
        "posted_at": transfer.posted_at.isoformat(),
        "hash": transfer.hash,
    }


class BalanceFilters(ClubFilters):
    player = django_filters.UUIDFilter()
    currency = django_filters.CharFilter(max_length=3)
    kind = django_filters.ChoiceFilter(choices=Account.Kind.choices)

    class Meta:
        model = Account
        fields: list[str] = []


class BalanceListView(ClubListView):
    ordering = ("pk",)
    filterset_class = BalanceFilters

    def rows(self) -> QuerySet[Account]:
        return Account.objects.filter(club=self.club).select_related("player")

    def body_of(self, row: Account) -> dict[str, Any]:
        return balance_body(row)

    @shapes.lists(
        BALANCE,
        "Every account with its balance",
        operation_id="list_balances",
        tags=["balances"],
        filters=shapes.filters_of(player="A player's id.", currency="Such as USD.", kind="player, house, bank, table."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)


class TransferFilters(ClubFilters):
    kind = django_filters.ChoiceFilter(choices=Transfer.Kind.choices)
    account = django_filters.UUIDFilter(method="of_account")
    source = django_filters.UUIDFilter(field_name="source_id")
    occurred_after = MomentFilter(field_name="occurred_at", lookup_expr="gte")
    occurred_before = MomentFilter(field_name="occurred_at", lookup_expr="lt")

    class Meta:
        model = Transfer
        fields: list[str] = []

    def of_account(self, rows: QuerySet[Transfer], name: str, value: uuid.UUID) -> QuerySet[Transfer]:
        return rows.filter(Q(debit_account=value) | Q(credit_account=value))


class TransferListView(ClubListView):
    ordering = ("-sequence",)
    filterset_class = TransferFilters

    def rows(self) -> QuerySet[Transfer]:
        return Transfer.objects.filter(club=self.club)

    def body_of(self, row: Transfer) -> dict[str, Any]:
        return transfer_body(row)

    @shapes.lists(
        TRANSFER,
        "The book's entries, the newest first",
        operation_id="list_transfers",
        tags=["transfers"],
        filters=shapes.filters_of(
            kind="settlement, payment and so on.",
            account="One side of it.",
            source="What caused it.",
            occurred_after="Then or later.",
            occurred_before="Before then.",
        ),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)


class TransferView(ClubView):
    @shapes.reads(TRANSFER, "One entry", operation_id="get_transfer", tags=["transfers"])
    def get(self, request: Request, transfer_id: uuid.UUID) -> Response:
        transfer = self.one(Transfer.objects.filter(club=self.club), transfer_id)
        return self.answer(transfer_body(transfer), etag=etag_of(transfer.hash))
