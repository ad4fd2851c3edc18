"""Where an evening begins: the list of sessions, a new one, the same as last time, and a demo to look at."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Club, Player
from accounts.money import check_currency, parse_money
from accounts.services import players_named
from accounts.views import club_or_404, for_member
from hands import demo, pages, services
from hands.forms import SessionForm, worth_words
from hands.heads import check_point_value
from hands.models import Seat
from hands.rulesets import rules_by_name
from hands.stakes import stakes_page


def sessions(request: HttpRequest) -> HttpResponse:
    clubs = list(for_member(Club.objects.order_by("created_at"), request.user, path=""))
    asked = next((club for club in clubs if str(club.pk) == request.GET.get("club")), None)
    # A test club is only looked at where somebody asks for it.
    clubs = [club for club in clubs if club.test_of_id is None or club == asked]
    chosen = asked or next((club for club in clubs if club.demo_of_id is None), None)
    if chosen is None:
        if player := Player.objects.filter(user=request.user).order_by("created_at").first():
            return redirect("player", player.pk)
        return render(request, "hands/first_start.html")
    last = services.last_session(chosen)
    context = {
        "club": chosen,
        "clubs": clubs,
        "section": "tables",
        "sessions": pages.session_list(chosen, request.user),
        "last": last,
        "last_names": Seat.objects.filter(session=last, last_hand=None).values_list("player__name", flat=True),
        "next_id": uuid.uuid4(),
    }
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
            # Under table stakes the next thing to say is what everybody begins with.
            return redirect("seats" if stakes_page(session) else "session", session.pk)
    context = {"club": club, "form": form, "known": club.players.values_list("name", flat=True)}
    return render(request, "hands/session_new.html", context, status=422 if form.errors else 200)


@require_POST
def same_as_last_time(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Start a session like the club's last one. The id comes with the page, so that a double tap starts one."""
    club = club_or_404(request, club_id)
    try:
        session_id = uuid.UUID(request.POST.get("session_id", ""))
        with transaction.atomic():
            session = services.open_session_again(club=club, author=request.user, session_id=session_id)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except (ValueError, IntegrityError):
        # No id, or that of a session of another club: no browser sends that by itself.
        messages.error(request, _("Open this page again, then start the session."))
    else:
        return redirect("session", session.pk)
    return redirect(f"{reverse('sessions')}?club={club.pk}")


def point_worth(request: HttpRequest) -> HttpResponse:
    """What the form means so far, like "20 points = $10.00"; a sentence where it holds no point value."""
    currency = request.GET.get("currency", "")
    try:
        check_currency(currency)
        minor = parse_money(request.GET.get("point_value", ""), currency)
        check_point_value(minor)
    except ValidationError as error:
        return HttpResponse(escape(error.messages[0]))
    return HttpResponse(escape(worth_words(minor, currency)))


@require_POST
def show_demo(request: HttpRequest) -> HttpResponse:
    return redirect("session", demo.show_demo(user=request.user).pk)


@require_POST
def put_demo_away(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    club = get_object_or_404(Club, pk=club_id, demo_of=request.user)
    demo.put_demo_away(club=club)
    messages.success(request, _("The demo is put away."))
    return redirect("sessions")
