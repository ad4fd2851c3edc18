"""Everything a club has, in one file: asked for, made by a job, downloaded."""

import uuid
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.http import FileResponse, Http404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.etags import etag_of
from accounts.api.shapes import flag, identifier, moment, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import ApiKey
from settlement.api.jobs import JOB, job_body, with_job
from settlement.exports import file_name, request_export
from settlement.models import ClubExport

EXPORT: Final = shapes.shape(
    "Export",
    id=identifier(),
    requested_at=moment(),
    made_at=moment(allow_null=True),
    lines=number(),
    size_bytes=number(allow_null=True),
    sha256=text(allow_blank=True),
    is_ready=flag(),
    **JOB,
)
GZIP: Final = "application/gzip"


def export_body(one: Any) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "requested_at": one.requested_at.isoformat(),
        "made_at": one.made_at.isoformat() if one.made_at else None,
        "lines": one.lines,
        "size_bytes": one.size_bytes,
        "sha256": one.sha256,
        "is_ready": bool(one.file),
    } | job_body(one)


class ExportListView(ClubListView):
    needs = ApiKey.Scope.SETTLE
    ordering = ("-requested_at", "pk")

    def rows(self) -> QuerySet[ClubExport]:
        return with_job(ClubExport.objects.filter(club=self.club))

    def body_of(self, row: ClubExport) -> dict[str, Any]:
        return export_body(row)

    @shapes.lists(EXPORT, "Exports, the newest first", operation_id="list_exports", tags=["exports"])
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        EXPORT,
        "Export the whole club; a job writes it",
        created=True,
        operation_id="request_export",
        tags=["exports"],
        description="While one is being written, that is the one.",
    )
    @transaction.atomic
    def post(self, request: Request) -> Response:
        key = request_export(club=self.club, author=None).pk
        body = export_body(self.one(self.rows(), key))
        return self.answer(body, etag=etag_of(body), status=201, where=reverse("api-export", args=[key]))


class ExportView(ClubView):
    @shapes.reads(EXPORT, "One export, and how far it is", operation_id="get_export", tags=["exports"])
    def get(self, request: Request, export_id: uuid.UUID) -> Response:
        body = export_body(self.one(with_job(ClubExport.objects.filter(club=self.club)), export_id))
        return self.answer(body, etag=etag_of(body))


class ExportFileView(ClubView):
    @extend_schema(
        summary="The club as NDJSON, packed with gzip",
        operation_id="download_export",
        tags=["exports"],
        responses={(200, GZIP): OpenApiTypes.BINARY} | shapes.problems((401, 404, 429)),
    )
    def get(self, request: Request, export_id: uuid.UUID) -> Any:
        found = self.one(ClubExport.objects.filter(club=self.club).select_related("club"), export_id)
        if not found.file:
            raise Http404
        return FileResponse(found.file.open("rb"), as_attachment=True, filename=file_name(found), content_type=GZIP)
