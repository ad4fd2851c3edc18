"""Sessions and hands on pages."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.faults import faults_in
from accounts.models import Club
from accounts.services import players_named
from accounts.views import club_or_404, for_member
from hands import drafts, pages, services
from hands.forms import RuleSetForm, SessionForm
from hands.models import Hand, Session
from hands.queries import load_hands
from hands.rulesets import create_rule_set, rules_by_name


def sessions(request: HttpRequest) -> HttpResponse:
    clubs = list(for_member(Club.objects.order_by("created_at"), request.user, path=""))
    if not clubs:
        return render(request, "hands/first_start.html")
    chosen = next((club for club in clubs if str(club.pk) == request.GET.get("club")), clubs[0])
    context = {"club": chosen, "clubs": clubs, "section": "tables", "sessions": pages.session_list(chosen)}
    return render(request, "hands/sessions.html", context)


def new_session(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = club_or_404(request, club_id)
    rule_sets = rules_by_name(club)
    form = SessionForm(request.POST or None, rule_sets=rule_sets)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            with transaction.atomic():
                session = services.open_session(
                    club=club,
                    table=data["table"],
                    rules=rule_sets[data["rule_set"]],
                    rule_set_name=data["rule_set"],
                    point_value_minor=data["point_value_minor"],
                    currency=data["currency"],
                    started_at=timezone.now(),
                    players=players_named(club=club, names=data["names"]),
                    author=request.user,
                    session_id=data["session_id"],
                )
        except ValidationError as error:
            form.add_error(None, error)
        except IntegrityError:
            # The id is a session of another club: no browser sends that by itself.
            form.add_error(None, _("Open this page again, then start the session."))
        else:
            return redirect("session", session.pk)
    context = {"club": club, "form": form, "players": club.players.values_list("name", flat=True)}
    return render(request, "hands/session_new.html", context, status=422 if form.errors else 200)


def rule_sets(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """The rules that this club may play by, and the form for a house's own."""
    club = club_or_404(request, club_id)
    form = RuleSetForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = create_rule_set(club=club, name=form.cleaned_data["name"], parameters=form.parameters())
        except ValidationError as error:
            for pointer, _code, sentence in faults_in(error):
                field = pointer.strip("/")
                form.add_error(field if field in form.fields else None, sentence)
        else:
            messages.success(request, _("The rules “%(name)s” are kept.") % {"name": made.name})
            return redirect("rule-sets", club.pk)
    context = {"club": club, "section": "rules", "rule_sets": rules_by_name(club), "form": form}
    return render(request, "hands/rule_sets.html", context, status=422 if form.errors else 200)


def session_or_404(request: HttpRequest, session_id: uuid.UUID) -> Session:
    rows = for_member(Session.objects.select_related("club", "rule_set"), request.user)
    return get_object_or_404(rows, pk=session_id)


def session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    found = session_or_404(request, session_id)
    page = pages.session_board(found) | {"open_drafts": drafts.open_drafts(found)}
    return render(request, "hands/session.html", page)


def hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    rows = for_member(
        Hand.objects.select_related("current", "session__club", "session__rule_set"), request.user, "session__club"
    )
    found = get_object_or_404(rows, pk=hand_id)
    stored = next(load_hands(Hand.objects.filter(pk=found.pk)), None)
    chosen = pages.Chosen.read(request.GET.get("row", ""), request.GET.get("pair", ""))
    return render(request, "hands/hand.html", pages.hand_page(found, stored, chosen))


@require_POST
def close_session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    found = session_or_404(request, session_id)
    services.close_session(session=found)
    return redirect("settle", found.pk)
