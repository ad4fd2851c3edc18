"""Settling, balances and corrections on pages."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Account
from accounts.player_views import own_player_or_404
from accounts.views import for_member, kept_clubs
from hands.access import own_players, readable_session_or_404
from hands.forms import CorrectionForm, PointsCorrectionForm, ReasonForm
from hands.luck import request_luck
from hands.models import Hand, Session
from hands.queries import StoredHand, load_hands
from hands.rulesets import rules_of
from hands.views import session_or_404
from settlement import corrections, pages, services
from settlement.forms import StatementForm
from settlement.player_pages import chosen_account, player_page


def settle(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        session = session_or_404(request, session_id)
        try:
            services.request_settlement(session=session)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        return redirect("settle", session.pk)
    session = readable_session_or_404(request, session_id)
    context = pages.settle_page(session, with_pairs="pairs" in request.GET)
    return render(request, "settlement/settle.html", context)


def player(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    found = own_player_or_404(request, player_id)
    accounts = list(Account.objects.filter(player=found).select_related("club").order_by("currency"))
    account = chosen_account(found, accounts, request.GET.get("currency"))
    form = StatementForm(request.POST or None, player=found, accounts=accounts, chosen=account)
    if request.method == "POST" and form.is_valid():
        try:
            statement = services.request_statement(player=found, author=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("statement", statement.pk)
    context = player_page(found, accounts, account, request.user, request.GET) | {"form": form}
    return render(request, "settlement/player.html", context, status=422 if form.errors else 200)


@require_POST
def work_out_luck(request: HttpRequest, player_id: uuid.UUID) -> HttpResponse:
    """Ask for what is not worked out yet of a player's luck."""
    found = own_player_or_404(request, player_id)
    request_luck(player=found)
    return redirect("player", found.pk)


def correct_hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    """Write a hand down anew: the effect is shown first, the second button does it."""
    hand, stored = _hand_and_version(request, hand_id)
    if stored is None:
        messages.error(request, _("This hand is void; record it again as a new one."))
        return redirect("hand", hand.pk)
    rules = rules_of(hand.session.rule_set)
    seats = pages.seats_for_correction(hand)
    # Of a hand without cards the points are corrected, or the cards that turned up are written down.
    if stored.has_cards or "cards" in request.GET:
        form = CorrectionForm(request.POST or None, stored=stored, seats=seats, rules=rules)
    else:
        form = PointsCorrectionForm(request.POST or None, stored=stored, seats=seats)
    context = {"club": hand.session.club, "session": hand.session, "hand": hand, "form": form}
    if request.method == "POST" and form.is_valid() and form.deal is not None:
        context |= pages.correction_preview(hand, stored, form.deal, rules)
        if "confirm" in request.POST:
            try:
                corrections.correct_hand(
                    hand=hand,
                    based_on=form.cleaned_data["based_on"],
                    deal=form.deal,
                    reason=form.cleaned_data["reason"],
                    author=request.user,
                )
            except ValidationError as error:
                form.add_error(None, error)
                context |= pages.changed_meanwhile(hand, form.cleaned_data["based_on"], form.deal)
            else:
                messages.success(request, _("Hand %(number)d is corrected.") % {"number": hand.number})
                return redirect("hand", hand.pk)
    return render(request, "settlement/correct_hand.html", context, status=422 if form.errors else 200)


def void_hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    hand, stored = _hand_and_version(request, hand_id)
    based_on = stored.version if stored else hand.current.version
    form = ReasonForm(request.POST or None, initial={"based_on": based_on})
    if request.method == "POST" and form.is_valid():
        try:
            corrections.correct_hand(
                hand=hand,
                based_on=form.cleaned_data["based_on"] or based_on,
                deal=None,
                reason=form.cleaned_data["reason"],
                author=request.user,
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _("Hand %(number)d is void.") % {"number": hand.number})
            return redirect("hand", hand.pk)
    context = {"club": hand.session.club, "session": hand.session, "hand": hand, "stored": stored, "form": form}
    context |= pages.correction_preview(hand, stored, None, rules_of(hand.session.rule_set))
    return render(request, "settlement/void_hand.html", context, status=422 if form.errors else 200)


def _hand_and_version(request: HttpRequest, hand_id: uuid.UUID) -> tuple[Hand, StoredHand | None]:
    rows = for_member(
        Hand.objects.select_related("current", "session__club", "session__rule_set"), request.user, "session__club"
    )
    hand = get_object_or_404(rows, pk=hand_id)
    return hand, next(load_hands(Hand.objects.filter(pk=hand.pk)), None)


def reopen_session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Ask why, then let recording go on; a settlement is reversed with it."""
    session = session_or_404(request, session_id)
    if request.method == "GET" and session.state == Session.State.OPEN:
        messages.info(request, _("This session is open."))
        return redirect("session", session.pk)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        corrections.reopen_session(session=session, reason=form.cleaned_data["reason"])
        messages.success(request, _("The session is open again."))
        return redirect("session", session.pk)
    context = {"club": session.club, "session": session, "form": form}
    return render(request, "settlement/reopen.html", context, status=422 if form.errors else 200)


def hand_history(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    hand, _stored = _hand_and_version(request, hand_id)
    return render(request, "settlement/hand_history.html", pages.hand_history(hand))


def session_history(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    session = session_or_404(request, session_id)
    return render(request, "settlement/session_history.html", pages.session_history(session))


def account(request: HttpRequest, account_id: uuid.UUID) -> HttpResponse:
    mine = Q(club__in=kept_clubs(request.user)) | Q(player__in=own_players(request.user), club__put_away_at=None)
    rows = Account.objects.filter(mine).select_related("club", "player")
    found = get_object_or_404(rows, pk=account_id)
    context = pages.account_page(found, request.GET.get("before", ""))
    # A player's own account leads nowhere into the club.
    is_kept = kept_clubs(request.user).filter(pk=found.club_id).exists()
    return render(request, "settlement/account.html", context | {"section": "players" if is_kept else ""})
