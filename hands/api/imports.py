"""Imports: a hand history in the body or as a file, its state, its faulty lines, and what was claimed otherwise."""

import uuid
from typing import Any, Final

import django_filters
from django.core.files import File
from django.db.models import QuerySet
from django.http import Http404, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.etags import etag_of
from accounts.api.filters import ClubFilters
from accounts.api.shapes import anything, flag, identifier, moment, number, text
from accounts.api.uploads import FileParser, FormParser, TakesFile
from accounts.api.views import ClubListView, ClubView
from accounts.faults import fault
from hands.api.hands import HAND_DOCUMENT
from hands.discrepancies import Filters, discrepancies_of
from hands.import_report import failed_lines, jobs_of, with_state
from hands.imports import cancel_import, request_import
from hands.models import Discrepancy, Import, ImportProblem

COUNTS: Final = ("lines", "accepted", "duplicates", "conflicts", "rejected", "differing")
IMPORT: Final = shapes.shape(
    "Import",
    id=identifier(),
    state=text(help_text="queued, running, succeeded, partly_succeeded, failed or cancelled."),
    file_name=text(),
    sha256=text(),
    dry_run=flag(),
    on_error=text(),
    created_at=moment(),
    finished_at=moment(allow_null=True),
    **{name: number() for name in COUNTS},
    unknown_fields=anything(help_text="By pointer: the first line, and how often."),
    failure=text(allow_blank=True),
    progress=shapes.shape("ImportProgress", done=number(), total=number())(allow_null=True),
)
PROBLEM: Final = shapes.shape(
    "ImportError",
    line=number(),
    external_id=text(allow_blank=True),
    result=text(help_text="conflict, rejected, or accepted for a hand that is in the book and worth a look."),
    pointer=text(allow_blank=True),
    code=text(),
    detail=text(),
)
DISCREPANCY: Final = shapes.shape(
    "Discrepancy",
    hand=identifier(),
    hand_external_id=text(allow_null=True),
    session=identifier(),
    seat=number(),
    player=text(allow_blank=True),
    claimed_points=number(),
    our_points=number(),
    points_now=number(allow_null=True),
    state=text(help_text="open, mended or void."),
    history=identifier(allow_null=True, help_text="The import that brought it."),
)
_OPTIONS = [
    OpenApiParameter("dry_run", bool, description="Only check: nothing is written."),
    OpenApiParameter("on_error", str, enum=Import.OnError.values, description="skip the line, or abort."),
]


def import_body(history: Import, job: Any) -> dict[str, Any]:
    """As the API answers it; ``history`` is of ``with_state``."""
    total = job.progress_total if job else 0
    return {
        "id": str(history.pk),
        "state": history.current_state,  # type: ignore[attr-defined]  # annotated
        "file_name": history.file_name,
        "sha256": history.sha256,
        "dry_run": history.is_dry_run,
        "on_error": history.on_error,
        "created_at": history.created_at.isoformat(),
        "finished_at": history.finished_at.isoformat() if history.finished_at else None,
        **{name: getattr(history, name) for name in COUNTS},
        "unknown_fields": history.unknown_fields,
        "failure": history.failure,
        "progress": {"done": job.progress_done, "total": total} if job and not history.finished_at else None,
    }


class ImportListView(TakesFile, ClubListView):
    parser_classes = [FormParser, FileParser]

    def rows(self) -> QuerySet[Import]:
        return with_state(Import.objects.filter(club=self.club))

    def body_of(self, row: Import) -> dict[str, Any]:
        return import_body(row, None)

    @shapes.lists(IMPORT, "Imports, the newest first", operation_id="list_imports", tags=["imports"])
    def get(self, request: Request) -> Response:
        return super().get(request)

    @extend_schema(
        summary="Import a hand history",
        description=(
            "NDJSON (a hand a line) or a JSON array of hands, also packed with gzip, as the body or as the field "
            "`file` of a form. It is a job: ask its Location how it goes."
        ),
        operation_id="start_import",
        tags=["imports"],
        parameters=[shapes.IDEMPOTENCY, *_OPTIONS],
        request={
            "application/x-ndjson": OpenApiTypes.BINARY,
            "application/json": HAND_DOCUMENT(many=True),
            "application/gzip": OpenApiTypes.BINARY,
            "multipart/form-data": {
                "type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}},
                "required": ["file"],
            },
        },
        responses={202: IMPORT} | shapes.problems((400, 401, 403, 409, 413, 422, 429)),
    )
    def post(self, request: Request) -> Response:
        file = request.data.get("file")
        if not isinstance(file, File):
            raise fault("/file", "file", _("Send the history as the body, or as the field “file” of a form."))
        on_error = request.query_params.get("on_error", Import.OnError.SKIP)
        dry_run = request.query_params.get("dry_run", "false")
        if on_error not in Import.OnError.values:
            raise fault("/on_error", "choice", _("on_error is skip or abort."))
        if dry_run not in {"true", "false"}:
            raise fault("/dry_run", "boolean", _("dry_run is true or false."))
        history = request_import(
            club=self.club,
            file=file,
            file_name=file.name or "upload",
            author=None,
            on_error=on_error,
            is_dry_run=dry_run == "true",
        )
        return _answer(self, history, status=202)


def _answer(view: ClubView, history: Import, *, status: int = 200) -> Response:
    found = with_state(Import.objects.filter(pk=history.pk)).get()
    job = jobs_of([found]).get(found.pk)
    body = import_body(found, job)
    return view.answer(body, etag=etag_of(body), status=status, where=reverse("api-import", args=[found.pk]))


class ImportView(ClubView):
    @shapes.reads(IMPORT, "How an import stands", operation_id="get_import", tags=["imports"])
    def get(self, request: Request, import_id: uuid.UUID) -> Response:
        return _answer(self, self.one(Import.objects.filter(club=self.club), import_id))


class ImportCancelView(ClubView):
    @shapes.writes(IMPORT, "Stop an import before its next block", operation_id="cancel_import", tags=["imports"])
    def post(self, request: Request, import_id: uuid.UUID) -> Response:
        history = self.one(Import.objects.filter(club=self.club), import_id)
        if not cancel_import(history=history):
            raise fault("", "import_over", _("The import is over already."))
        return _answer(self, history)


class ImportErrorListView(ClubListView):
    ordering = ("line", "pk")

    def rows(self) -> QuerySet[ImportProblem]:
        history = self.one(Import.objects.filter(club=self.club), self.kwargs["import_id"])
        return ImportProblem.objects.filter(history=history)

    def body_of(self, row: ImportProblem) -> dict[str, Any]:
        return {
            "line": row.line,
            "external_id": row.external_id,
            "result": row.result,
            "pointer": row.pointer,
            "code": row.code,
            "detail": row.sentence,
        }

    @shapes.lists(PROBLEM, "What is wrong, line by line", operation_id="list_import_errors", tags=["imports"])
    def get(self, request: Request, import_id: uuid.UUID) -> Response:
        return super().get(request)


class FailedLinesView(ClubView):
    @extend_schema(
        summary="The lines that did not go in, ready to be mended and sent again",
        operation_id="get_failed_lines",
        tags=["imports"],
        responses={(200, "application/x-ndjson"): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, import_id: uuid.UUID) -> Any:
        history = self.one(Import.objects.filter(club=self.club), import_id)
        if not history.file or not history.file.storage.exists(history.file.name):
            raise Http404
        return StreamingHttpResponse(failed_lines(history), content_type="application/x-ndjson")


class DiscrepancyFilters(ClubFilters):
    session = django_filters.UUIDFilter(field_name="version__hand__session")
    history = django_filters.UUIDFilter(field_name="history")
    state = django_filters.ChoiceFilter(choices=[(name, name) for name in ("open", "mended", "void")])

    class Meta:
        model = Discrepancy
        fields: list[str] = []


class DiscrepancyListView(ClubListView):
    ordering = ("-pk",)
    filterset_class = DiscrepancyFilters

    def rows(self) -> QuerySet[Discrepancy]:
        return discrepancies_of(self.club, Filters())

    def body_of(self, row: Any) -> dict[str, Any]:
        hand = row.version.hand
        return {
            "hand": str(hand.pk),
            "hand_external_id": hand.external_id,
            "session": str(hand.session_id),
            "seat": row.seat_number,
            "player": row.player_name,
            "claimed_points": row.claimed_points,
            "our_points": row.our_points,
            "points_now": row.points_now,
            "state": row.state,
            "history": str(row.history_id) if row.history_id else None,
        }

    @shapes.lists(
        DISCREPANCY,
        "Points that were claimed and that the cards do not give",
        operation_id="list_discrepancies",
        tags=["discrepancies"],
        filters=shapes.filters_of(session="A session's id.", history="An import's id.", state="open, mended or void."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)
