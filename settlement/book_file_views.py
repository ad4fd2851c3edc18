"""The ledger and sessions as workbooks and CSV, on pages; for those who keep the club's books."""

import io
import uuid
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.views import club_or_404, for_member
from hands.models import Session
from hands.views import session_or_404
from jobs.queue import with_jobs
from settlement import book_files, owing
from settlement.book_files import CSV, EXCEL, file_name, is_small, session_file_name
from settlement.forms import PeriodForm
from settlement.models import BookFile

SHOWN: Final = 20


def ledger_files(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Ask for the ledger of a period, and what was asked before."""
    club = club_or_404(request, club_id)
    currencies = owing.currencies_in_use(club)
    form = PeriodForm(request.POST or None, club=club, currencies=currencies)
    if request.method == "POST" and form.is_valid():
        try:
            book_files.request_ledger_file(club=club, author=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("ledger-files", club.pk)
    files = with_jobs(BookFile.objects.filter(club=club, session=None)[:SHOWN])
    context = {"club": club, "section": "books", "form": form, "currencies": currencies} | _listed(files)
    return render(request, "settlement/ledger_files.html", context, status=422 if form.errors else 200)


def session_files(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """A session of few hands is given out at once; a longer one is made by a job."""
    session = session_or_404(request, session_id)
    if request.method == "POST":
        book_files.request_session_file(session=session, author=request.user)
        return redirect("session-files", session.pk)
    files = with_jobs(BookFile.objects.filter(session=session)[:SHOWN])
    context = {"club": session.club, "session": session, "is_small": is_small(session)} | _listed(files)
    return render(request, "settlement/session_files.html", context)


def _listed(files: list[tuple[BookFile, Any]]) -> dict[str, Any]:
    return {"files": files, "is_working": any(not job.is_over for _file, job in files)}


def session_workbook(request: HttpRequest, session_id: uuid.UUID) -> HttpResponseBase:
    return _at_once(request, session_or_404(request, session_id), "xlsx")


def session_csv(request: HttpRequest, session_id: uuid.UUID) -> HttpResponseBase:
    return _at_once(request, session_or_404(request, session_id), "csv")


def _at_once(request: HttpRequest, session: Session, suffix: str) -> HttpResponseBase:
    if not is_small(session):
        return redirect("session-files", session.pk)
    try:
        content = book_files.workbook_at_once(session) if suffix == "xlsx" else book_files.csv_at_once(session)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("session-files", session.pk)
    return _answer(io.BytesIO(content), session_file_name(session, suffix), suffix)


def download_workbook(request: HttpRequest, book_file_id: uuid.UUID) -> HttpResponseBase:
    found = _file_or_404(request, book_file_id)
    return give_out(found, found.workbook, "xlsx")


def download_csv(request: HttpRequest, book_file_id: uuid.UUID) -> HttpResponseBase:
    found = _file_or_404(request, book_file_id)
    return give_out(found, found.csv, "csv")


def _file_or_404(request: HttpRequest, book_file_id: uuid.UUID) -> BookFile:
    return get_object_or_404(
        for_member(BookFile.objects.select_related("session__club"), request.user), pk=book_file_id
    )


def give_out(found: BookFile, file: Any, suffix: str) -> FileResponse:
    """One of the two files; 404 while it is not made."""
    if not file:
        raise Http404
    return _answer(file.open("rb"), file_name(found, suffix), suffix)


def _answer(file: Any, name: str, suffix: str) -> FileResponse:
    kind = EXCEL if suffix == "xlsx" else CSV
    return FileResponse(file, as_attachment=True, filename=name, content_type=kind)
