"""Statements: asked for, made by a job, downloaded as Excel or CSV."""

import uuid
from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.http import FileResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of
from accounts.api.filters import ClubFilters
from accounts.api.shapes import example, flag, identifier, moment, money, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.csv_files import csv_answer
from accounts.models import Player
from settlement import services
from settlement.book_files import EXCEL
from settlement.models import Statement
from settlement.statement_pages import csv_rows
from settlement.statement_words import file_name

STATEMENT: Final = shapes.shape(
    "Statement",
    id=identifier(),
    player=identifier(),
    currency=text(),
    first_day=text(),
    last_day=text(),
    time_zone=text(),
    requested_at=moment(),
    made_at=moment(allow_null=True),
    number=number(allow_null=True),
    opening=money(allow_null=True),
    closing=money(allow_null=True),
    head=shapes.shape("StatementHead", sequence=number(), hash=text())(allow_null=True),
    replaces=identifier(allow_null=True),
    replaced_by=identifier(allow_null=True),
    sha256=text(allow_blank=True),
    is_ready=flag(),
    **shapes.WARNINGS,
)
NEW_STATEMENT: Final = shapes.shape(
    "NewStatement", player=identifier(), currency=text(), first_day=text(), last_day=text()
)


def statement_body(one: Statement) -> dict[str, Any]:
    def amount(minor: int | None) -> dict[str, Any] | None:
        return None if minor is None else {"amount_minor": minor, "currency": one.currency}

    return {
        "id": str(one.pk),
        "player": str(one.player_id),
        "currency": one.currency,
        "first_day": one.first_day.isoformat(),
        "last_day": one.last_day.isoformat(),
        "time_zone": one.time_zone,
        "requested_at": one.requested_at.isoformat(),
        "made_at": one.made_at.isoformat() if one.made_at else None,
        "number": one.number,
        "opening": amount(one.opening_minor),
        "closing": amount(one.closing_minor),
        "head": {"sequence": one.head_sequence, "hash": one.head_hash} if one.head_hash else None,
        "replaces": str(one.replaces_id) if one.replaces_id else None,
        "replaced_by": str(one.replaced_by.pk) if hasattr(one, "replaced_by") else None,
        "sha256": one.sha256,
        "is_ready": bool(one.file),
    }


class StatementFilters(ClubFilters):
    player = django_filters.UUIDFilter()
    currency = django_filters.CharFilter(max_length=3)

    class Meta:
        model = Statement
        fields: list[str] = []


class StatementListView(ClubListView):
    ordering = ("-requested_at", "pk")
    filterset_class = StatementFilters

    def rows(self) -> QuerySet[Statement]:
        return Statement.objects.filter(club=self.club).select_related("replaced_by")

    def body_of(self, row: Statement) -> dict[str, Any]:
        return statement_body(row)

    @shapes.lists(
        STATEMENT,
        "Statements, the newest first",
        operation_id="list_statements",
        tags=["statements"],
        filters=shapes.filters_of(player="A player's id.", currency="Such as USD."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        STATEMENT,
        "Ask for a statement; a job makes it",
        body=NEW_STATEMENT,
        created=True,
        also={200: STATEMENT},
        description="201 for a new statement. Asked again it is the same one (200), until the book has something"
        " else for that player, currency and period: then a new one replaces it.",
        operation_id="request_statement",
        tags=["statements"],
        examples=[
            example(
                "A month",
                {
                    "player": "00000000-0000-4000-8000-00000000000c",
                    "currency": "USD",
                    "first_day": "2026-11-01",
                    "last_day": "2026-11-30",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        players = Player.objects.filter(club=self.club).select_related("club")
        player = body.row("player", players, "no_such_player", _("The club has no such player."))
        currency, first_day, last_day = body.text("currency"), body.day("first_day"), body.day("last_day")
        body.finish()
        there = set(Statement.objects.filter(player=player).values_list("pk", flat=True))
        statement = services.request_statement(
            player=player, currency=currency, first_day=first_day, last_day=last_day, author=None
        )
        answer = statement_body(statement)
        where = reverse("api-statement", args=[statement.pk])
        status = 200 if statement.pk in there else 201
        return self.answer(answer | body.warnings(), etag=etag_of(answer), status=status, where=where)


class StatementView(ClubView):
    @shapes.reads(STATEMENT, "One statement", operation_id="get_statement", tags=["statements"])
    def get(self, request: Request, statement_id: uuid.UUID) -> Response:
        rows = Statement.objects.filter(club=self.club).select_related("replaced_by")
        body = statement_body(self.one(rows, statement_id))
        return self.answer(body, etag=etag_of(body))


class StatementFileView(ClubView):
    @extend_schema(
        summary="The statement as an Excel workbook",
        operation_id="download_statement",
        tags=["statements"],
        responses={(200, EXCEL): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, statement_id: uuid.UUID) -> Any:
        statement = _made(self, statement_id)
        file = statement.file.open("rb")
        return FileResponse(file, as_attachment=True, filename=file_name(statement), content_type=EXCEL)


class StatementCsvView(ClubView):
    @extend_schema(
        summary="The statement's lines as CSV",
        operation_id="download_statement_csv",
        tags=["statements"],
        responses={(200, "text/csv"): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, statement_id: uuid.UUID) -> Any:
        statement = _made(self, statement_id)
        return csv_answer(csv_rows(statement), file_name(statement, "csv"))


def _made(view: ClubView, statement_id: uuid.UUID) -> Statement:
    """One of the club's statements that has its file, else 404."""
    made = Statement.objects.filter(club=view.club).exclude(file="").select_related("player")
    statement: Statement = view.one(made, statement_id)
    return statement
