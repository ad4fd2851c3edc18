"""Imports on pages, for people who would rather click than program."""

import uuid
from typing import TypeVar

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.csv_files import csv_answer
from accounts.views import club_or_404, for_member
from hands import import_pages
from hands.discrepancies import Filters, csv_rows, discrepancies_of
from hands.forms import ImportForm
from hands.import_report import failed_lines, with_state
from hands.import_sample import sample_lines
from hands.imports import cancel_import, request_import
from hands.models import Import

Answer = TypeVar("Answer", HttpResponse, StreamingHttpResponse)


def imports(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id)
    return render(request, "hands/imports.html", import_pages.imports_page(club))


def new_import(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """A file to import; with ``check`` in the address the dry run is chosen."""
    club = club_or_404(request, club_id)
    initial = {"is_dry_run": "check" in request.GET}
    form = ImportForm(request.POST or None, request.FILES or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            history = request_import(
                club=club,
                file=data["file"],
                file_name=data["file"].name,
                author=request.user,
                on_error=data["on_error"],
                is_dry_run=data["is_dry_run"],
            )
        except ValidationError as error:
            form.add_error("file", error)
        else:
            return redirect("import", history.pk)
    context = {"club": club, "section": "imports", "form": form}
    return render(request, "hands/import_new.html", context, status=422 if form.errors else 200)


def sample(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club_or_404(request, club_id)
    return _download(HttpResponse(sample_lines()), "hands-sample.ndjson", "application/x-ndjson")


def import_or_404(request: HttpRequest, import_id: uuid.UUID) -> Import:
    rows = for_member(with_state(Import.objects.select_related("club")), request.user)
    return get_object_or_404(rows, pk=import_id)


def one_import(request: HttpRequest, import_id: uuid.UUID) -> HttpResponse:
    history = import_or_404(request, import_id)
    return render(request, "hands/import.html", import_pages.import_page(history, request.GET.get("after", "")))


@require_POST
def cancel(request: HttpRequest, import_id: uuid.UUID) -> HttpResponse:
    history = import_or_404(request, import_id)
    if not cancel_import(history=history):
        messages.error(request, _("The import is over already."))
    return redirect("import", history.pk)


def download_failed_lines(request: HttpRequest, import_id: uuid.UUID) -> StreamingHttpResponse:
    history = import_or_404(request, import_id)
    if not history.file or not history.file.storage.exists(history.file.name):
        raise Http404
    name = f"{history.file_name.rpartition('.')[0] or history.file_name}-to-mend.ndjson"
    return _download(StreamingHttpResponse(failed_lines(history)), name, "application/x-ndjson")


def discrepancies(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id)
    page = import_pages.discrepancies_page(club, _filters(request), request.GET.get("before", ""))
    return render(request, "hands/discrepancies.html", page)


def download_discrepancies(request: HttpRequest, club_id: uuid.UUID) -> StreamingHttpResponse:
    club = club_or_404(request, club_id)
    return csv_answer(csv_rows(discrepancies_of(club, _filters(request))), "discrepancies.csv")


def _filters(request: HttpRequest) -> Filters:
    return Filters.read(*(request.GET.get(name, "") for name in ("session", "import", "state")))


def _download(answer: Answer, name: str, kind: str) -> Answer:
    answer["Content-Type"] = kind
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    return answer
