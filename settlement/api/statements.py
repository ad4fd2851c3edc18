"""Statements: asked for, made by a job, downloaded as Excel."""

import uuid
from typing import Any, Final

import django_filters
from django.db.models import QuerySet
from django.http import FileResponse, Http404
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
from accounts.models import Player
from settlement import services
from settlement.book_files import EXCEL
from settlement.models import Statement
from settlement.pages import file_name

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
        return Statement.objects.filter(club=self.club)

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
        statement = services.request_statement(
            player=player, currency=currency, first_day=first_day, last_day=last_day, author=None
        )
        answer = statement_body(statement)
        where = reverse("api-statement", args=[statement.pk])
        return self.answer(answer | body.warnings(), etag=etag_of(answer), status=201, where=where)


class StatementView(ClubView):
    @shapes.reads(STATEMENT, "One statement", operation_id="get_statement", tags=["statements"])
    def get(self, request: Request, statement_id: uuid.UUID) -> Response:
        body = statement_body(self.one(Statement.objects.filter(club=self.club), statement_id))
        return self.answer(body, etag=etag_of(body))


class StatementFileView(ClubView):
    @extend_schema(
        summary="The statement as an Excel workbook",
        operation_id="download_statement",
        tags=["statements"],
        responses={(200, EXCEL): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, statement_id: uuid.UUID) -> Any:
        rows = Statement.objects.filter(club=self.club).select_related("player")
        statement = self.one(rows, statement_id)
        if not statement.file:
            raise Http404
        file = statement.file.open("rb")
        return FileResponse(file, as_attachment=True, filename=file_name(statement), content_type=EXCEL)
