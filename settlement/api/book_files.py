"""A session or the ledger of a period as workbook and CSV: asked for, made by a job, downloaded."""

import uuid
from typing import Any, Final

import django_filters
from django.db import transaction
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
from accounts.api.shapes import example, flag, identifier, moment, number, text
from accounts.api.views import ClubListView, ClubView
from hands.models import Session
from settlement.api.jobs import JOB, job_body, with_job
from settlement.book_files import EXCEL, file_name, request_ledger_file, request_session_file
from settlement.models import BookFile

BOOK_FILE: Final = shapes.shape(
    "BookFile",
    id=identifier(),
    session=identifier(allow_null=True),
    currency=text(),
    first_day=text(allow_null=True),
    last_day=text(allow_null=True),
    time_zone=text(),
    requested_at=moment(),
    made_at=moment(allow_null=True),
    head_sequence=number(allow_null=True),
    head_hash=text(allow_blank=True),
    workbook_sha256=text(allow_blank=True),
    csv_sha256=text(allow_blank=True),
    is_ready=flag(),
    **JOB,
    **shapes.WARNINGS,
)
NEW_BOOK_FILE: Final = shapes.shape(
    "NewBookFile",
    session=identifier(required=False, help_text="Of one session; then nothing else is needed."),
    currency=text(required=False, help_text="Of the ledger, together with both days."),
    first_day=text(required=False),
    last_day=text(required=False),
)
# As the answers say it.
CSV: Final = "text/csv"


def book_file_body(one: Any) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "session": str(one.session_id) if one.session_id else None,
        "currency": one.currency,
        "first_day": one.first_day.isoformat() if one.first_day else None,
        "last_day": one.last_day.isoformat() if one.last_day else None,
        "time_zone": one.time_zone,
        "requested_at": one.requested_at.isoformat(),
        "made_at": one.made_at.isoformat() if one.made_at else None,
        "head_sequence": one.head_sequence,
        "head_hash": one.head_hash,
        "workbook_sha256": one.workbook_sha256,
        "csv_sha256": one.csv_sha256,
        "is_ready": bool(one.workbook),
    } | job_body(one)


class BookFileFilters(ClubFilters):
    session = django_filters.UUIDFilter()
    currency = django_filters.CharFilter(max_length=3)

    class Meta:
        model = BookFile
        fields: list[str] = []


class BookFileListView(ClubListView):
    ordering = ("-requested_at", "pk")
    filterset_class = BookFileFilters

    def rows(self) -> QuerySet[BookFile]:
        return with_job(BookFile.objects.filter(club=self.club))

    def body_of(self, row: BookFile) -> dict[str, Any]:
        return book_file_body(row)

    @shapes.lists(
        BOOK_FILE,
        "Files of the books, the newest first",
        operation_id="list_book_files",
        tags=["book-files"],
        filters=shapes.filters_of(session="A session's id.", currency="Such as USD."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        BOOK_FILE,
        "Ask for a session, or for the ledger of a period; a job makes a workbook and a CSV",
        body=NEW_BOOK_FILE,
        created=True,
        operation_id="request_book_file",
        tags=["book-files"],
        examples=[
            example("A month of the ledger", {"currency": "USD", "first_day": "2026-11-01", "last_day": "2026-11-30"}),
            example("A session", {"session": "00000000-0000-4000-8000-00000000000d"}),
        ],
    )
    @transaction.atomic
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        if "session" in body:
            sessions = Session.objects.filter(club=self.club).select_related("club")
            session = body.row("session", sessions, "no_such_session", _("The club has no such session."))
            body.finish()
            found = request_session_file(session=session, author=None)
        else:
            currency, first_day, last_day = body.text("currency"), body.day("first_day"), body.day("last_day")
            body.finish()
            found = request_ledger_file(
                club=self.club, currency=currency, first_day=first_day, last_day=last_day, author=None
            )
        answer = book_file_body(self.one(self.rows(), found.pk))
        where = reverse("api-book-file", args=[found.pk])
        return self.answer(answer | body.warnings(), etag=etag_of(answer), status=201, where=where)


class BookFileView(ClubView):
    @shapes.reads(BOOK_FILE, "One file, and how far it is", operation_id="get_book_file", tags=["book-files"])
    def get(self, request: Request, book_file_id: uuid.UUID) -> Response:
        body = book_file_body(self.one(with_job(BookFile.objects.filter(club=self.club)), book_file_id))
        return self.answer(body, etag=etag_of(body))


class _DownloadView(ClubView):
    def give_out(self, key: uuid.UUID, field: str, suffix: str, kind: str) -> FileResponse:
        found = self.one(BookFile.objects.filter(club=self.club).select_related("session__club"), key)
        file = getattr(found, field)
        if not file:
            raise Http404
        name = file_name(found, suffix)
        return FileResponse(file.open("rb"), as_attachment=True, filename=name, content_type=kind)


class BookFileWorkbookView(_DownloadView):
    @extend_schema(
        summary="The file as an Excel workbook",
        operation_id="download_book_file_workbook",
        tags=["book-files"],
        responses={(200, EXCEL): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, book_file_id: uuid.UUID) -> Any:
        return self.give_out(book_file_id, "workbook", "xlsx", EXCEL)


class BookFileCsvView(_DownloadView):
    @extend_schema(
        summary="Its entries, or its session's hands, as CSV",
        operation_id="download_book_file_csv",
        tags=["book-files"],
        responses={(200, CSV): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, book_file_id: uuid.UUID) -> Any:
        return self.give_out(book_file_id, "csv", "csv", f"{CSV}; charset=utf-8")
