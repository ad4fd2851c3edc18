"""A session's board: for its hosts and players, for the table on a live page, and the seats around it."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.money import parse_money
from hands import drafts, live, phone_pages, seating, stakes
from hands.access import readable_session_or_404
from hands.board import board_tag, seats_page, session_board
from hands.forms import SeatForm
from hands.models import Session
from hands.views import session_or_404


def session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    found = readable_session_or_404(request, session_id)
    context = _board_of_host(request, found)
    if found.is_kept:
        context |= {"open_drafts": drafts.open_drafts(found), "phones": phone_pages.phones_line(found)}
    return render(request, "hands/session.html", context)


def board(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """The part of the board that asks for itself every few seconds: 304 while nothing has changed."""
    found = readable_session_or_404(request, session_id)
    return _answer_changed(request, found, lambda: _board_of_host(request, found))


@login_not_required
def live_page(request: HttpRequest, live_id: uuid.UUID) -> HttpResponse:
    """The board for everybody at the table: without a log-in, without a way into the club."""
    found = _live_or_404(live_id)
    response = render(request, "hands/live.html", _board_of_table(request, found))
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "private, no-store"
    return response


@login_not_required
def live_board(request: HttpRequest, live_id: uuid.UUID) -> HttpResponse:
    found = _live_or_404(live_id)
    return _answer_changed(request, found, lambda: _board_of_table(request, found))


def live_link(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Where the host switches the live page on and off, and shows its address."""
    found = session_or_404(request, session_id)
    if request.method == "POST":
        if request.POST.get("switch") == "on":
            live.switch_live_on(session=found)
        else:
            live.switch_live_off(session=found)
        return redirect("live-link", found.pk)
    context = {"club": found.club, "session": found} | _live_address(request, found)
    return render(request, "hands/live_link.html", context)


def seats(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Who sits where from the next hand on."""
    found = session_or_404(request, session_id)
    context = seats_page(found)
    free = [number for number, seat, _owed in context["chairs"] if seat is None]
    form = SeatForm(request.POST or None, free=free)
    if request.method == "POST" and form.is_valid():
        try:
            seating.seat_player(session=found, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            words = _("%(name)s plays from the next hand on, on seat %(number)d.")
            messages.success(request, words % form.cleaned_data)
            return redirect("seats", found.pk)
    return render(request, "hands/seats.html", context | {"form": form}, status=422 if form.errors else 200)


@require_POST
def change_seat(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Who sits on this chair leaves, gets the button, or has a stake."""
    found = session_or_404(request, session_id)
    try:
        if request.POST.get("do") == "stake":
            stake_minor = parse_money(request.POST.get("stake", ""), found.currency)
            stakes.give_stake(session=found, number=number, player_id=_player_id(request), stake_minor=stake_minor)
        elif request.POST.get("do") == "button":
            seating.put_button(session=found, number=number)
        else:
            seating.unseat_player(session=found, number=number, anyway="anyway" in request.POST)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("seats", found.pk)


def _player_id(request: HttpRequest) -> uuid.UUID | None:
    try:
        return uuid.UUID(request.POST.get("player", ""))
    except ValueError:
        return None


def _live_or_404(live_id: uuid.UUID) -> Session:
    open_clubs = Session.objects.select_related("club", "rule_set").filter(club__put_away_at=None)
    return get_object_or_404(open_clubs, live_id=live_id)


def _board_of_host(request: HttpRequest, found: Session) -> dict[str, Any]:
    poll = reverse("board", args=[found.pk])
    # A player may open the hands, but neither the others' pages nor the live page's address.
    context = _board(request, found, poll) | {"has_links": True, "is_kept": found.is_kept}
    return context | _live_address(request, found) if found.is_kept else context


def _board_of_table(request: HttpRequest, found: Session) -> dict[str, Any]:
    return _board(request, found, reverse("live-board", args=[found.live_id])) | {"has_links": False, "is_kept": False}


def _board(request: HttpRequest, found: Session, poll_url: str) -> dict[str, Any]:
    asked = request.GET.get("seat", "")
    chosen = int(asked) if asked in {"1", "2", "3", "4", "5", "6"} else None
    context = session_board(found, chosen_seat=chosen)
    return context | {"poll_url": f"{poll_url}?seat={chosen}" if chosen else poll_url}


def _live_address(request: HttpRequest, found: Session) -> dict[str, Any]:
    if found.live_id is None:
        return {"live_url": ""}
    url = request.build_absolute_uri(reverse("live", args=[found.live_id]))
    return {"live_url": url, "qr": live.qr_code(url)}


def _answer_changed(request: HttpRequest, found: Session, context: Callable[[], dict[str, Any]]) -> HttpResponse:
    tag = quote_etag(board_tag(found))
    response = get_conditional_response(request, etag=tag)
    if response is None:
        response = render(request, "hands/_board.html", context())
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response
