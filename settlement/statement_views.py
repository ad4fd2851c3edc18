"""Statements on pages: one, its files, everybody's, and whether one is genuine."""

import uuid

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify

from accounts.csv_files import csv_answer
from accounts.models import Club
from accounts.views import club_or_404, for_member, kept_clubs
from hands.access import own_players
from settlement import statement_pages
from settlement.bundles import request_bundle
from settlement.forms import PeriodForm, VerifyForm
from settlement.models import Statement, StatementBundle
from settlement.statement_checks import check_statement
from settlement.statement_words import file_name


def statement_or_404(request: HttpRequest, statement_id: uuid.UUID, *, made: bool = False) -> Statement:
    """A statement of a club that this person keeps, or their own; with ``made`` only one that has its file."""
    mine = Q(club__in=kept_clubs(request.user)) | Q(player__in=own_players(request.user), club__put_away_at=None)
    rows = Statement.objects.filter(mine).select_related("club", "player", "replaces")
    found = get_object_or_404(rows, pk=statement_id)
    if made and not found.file:
        raise Http404
    return found


def statement(request: HttpRequest, statement_id: uuid.UUID) -> HttpResponse:
    found = statement_or_404(request, statement_id)
    context = statement_pages.statement_page(found, request.GET.get("page", ""), whole="all" in request.GET)
    is_kept = kept_clubs(request.user).filter(pk=found.club_id).exists()
    return render(request, "settlement/statement.html", context | {"section": "players" if is_kept else ""})


def download_statement(request: HttpRequest, statement_id: uuid.UUID) -> FileResponse:
    found = statement_or_404(request, statement_id, made=True)
    return FileResponse(found.file.open("rb"), as_attachment=True, filename=file_name(found))


def download_csv(request: HttpRequest, statement_id: uuid.UUID) -> StreamingHttpResponse:
    found = statement_or_404(request, statement_id, made=True)
    return csv_answer(statement_pages.csv_rows(found), file_name(found, "csv"))


def statements_of_club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Everybody's statements for a period, as one file."""
    club = club_or_404(request, club_id)
    form = PeriodForm(
        request.POST if request.method == "POST" else None, club=club, currencies=statement_pages.currencies_of(club)
    )
    if request.method == "POST" and form.is_valid():
        try:
            request_bundle(club=club, author=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("statements", club.pk)
    context = statement_pages.bundles_page(club) | {"form": form}
    return render(request, "settlement/statements.html", context, status=422 if form.errors else 200)


def download_bundle(request: HttpRequest, bundle_id: uuid.UUID) -> FileResponse:
    rows = for_member(StatementBundle.objects.select_related("club"), request.user)
    found = get_object_or_404(rows, pk=bundle_id)
    if not found.file:
        raise Http404
    club = slugify(found.club.name) or "club"
    name = f"statements-{club}-{found.currency}-{found.first_day}-{found.last_day}.zip"
    return FileResponse(found.file.open("rb"), as_attachment=True, filename=name, content_type="application/zip")


def verify_statement(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """For whoever keeps the club's books or is one of its players."""
    mine = Q(pk__in=kept_clubs(request.user)) | Q(players__in=own_players(request.user), put_away_at=None)
    club = get_object_or_404(Club.objects.filter(mine).distinct(), pk=club_id)
    is_sent = request.method == "POST"
    form = VerifyForm(request.POST if is_sent else None, request.FILES if is_sent else None, initial=request.GET.dict())
    is_kept = kept_clubs(request.user).filter(pk=club.pk).exists()
    context = {"club": club, "section": "statements" if is_kept else "", "form": form, "is_kept": is_kept}
    if is_sent and form.is_valid():
        number, digest = form.cleaned_data["number"], form.cleaned_data["digest"]
        context |= {"digest": digest, "verdict": check_statement(club=club, number=number, digest=digest)}
    return render(request, "settlement/statement_verify.html", context, status=422 if form.errors else 200)
