"""PokerNow's ledger on a page: look at who won what, then save it."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from accounts.views import club_or_404
from hands.pokernow_form import PokerNowForm
from hands.pokernow_import import import_pokernow


def pokernow(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id)
    form = PokerNowForm(request.POST or None, request.FILES or None)
    context = {"club": club, "section": "imports"}
    if request.method == "POST" and form.is_valid() and form.ledger is not None:
        asked = {name: form.cleaned_data[name] for name in ("text", "unit", "currency", "table", "point_value_minor")}
        if "save" in request.POST:
            try:
                imported = import_pokernow(club=club, author=request.user, **asked)
            except ValidationError as error:
                form.add_error(None, error)
            else:
                words = _("This ledger is in the book already.") if imported.is_duplicate else _("The ledger is saved.")
                messages.success(request, words)
                return redirect("session", imported.session.pk)
        context |= {"ledger": form.ledger, "hands": len(form.deals)}
    shown = form.looked_at() if "ledger" in context and not form.errors else form
    return render(
        request, "hands/pokernow.html", context | {"form": shown}, status=422 if form.is_bound and form.errors else 200
    )
