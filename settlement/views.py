"""Settling, balances and statements on pages."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import Account, Player
from accounts.views import for_member
from hands.views import session_or_404
from jobs.models import Job
from settlement import pages, services
from settlement.forms import StatementForm
from settlement.models import Statement


def settle(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    session = session_or_404(request, session_id)
    if request.method == "POST":
        try:
            services.request_settlement(session=session, author=request.user)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        return redirect("settle", session.pk)
    return render(request, "settlement/settle.html", pages.settle_page(session))


def player(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    found = get_object_or_404(for_member(Player.objects.select_related("club"), request.user), pk=player_id)
    accounts = list(Account.objects.filter(player=found).order_by("currency"))
    form = StatementForm(request.POST or None, player=found, accounts=accounts)
    if request.method == "POST" and form.is_valid():
        try:
            statement = services.request_statement(player=found, author=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("statement", statement.pk)
    context = pages.player_page(found, accounts, request.GET.get("currency")) | {"form": form}
    return render(request, "settlement/player.html", context, status=422 if form.errors else 200)


def statement_or_404(request: HttpRequest, statement_id: uuid.UUID) -> Statement:
    rows = for_member(Statement.objects.select_related("club", "player"), request.user)
    return get_object_or_404(rows, pk=statement_id)


def statement(request: HttpRequest, statement_id: uuid.UUID) -> HttpResponse:
    found = statement_or_404(request, statement_id)
    job = Job.objects.get(subject_id=found.pk)
    context = pages.statement_page(found) | {"job": job}
    return render(request, "settlement/statement.html", context)


def download_statement(request: HttpRequest, statement_id: uuid.UUID) -> FileResponse:
    found = statement_or_404(request, statement_id)
    if not found.file:
        raise Http404
    return FileResponse(found.file.open("rb"), as_attachment=True, filename=pages.file_name(found))
