"""A session's bank, its end, and what is doubted of it, on pages."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.views import club_or_404, for_member
from hands.access import own_players, readable_hands, readable_session_or_404
from hands.models import Session
from hands.views import session_or_404
from settlement import bank, closing, disputes
from settlement.models import Dispute, Payment
from settlement.payment_forms import AnswerForm, BankForm, DisputeForm
from settlement.payment_pages import payment_line
from settlement.payment_views import payment_or_404
from settlement.payments import Wanted, holder_name, payments_of


def session_bank(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Chips bought and cashed, and whether the bank is even."""
    session = session_or_404(request, session_id)
    form = BankForm(request.POST or None, holders=bank.holders(session), currency=session.currency)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        sides = (bank.account_of(session, data["holder"]), bank.bank_of(session))
        payer, payee = sides if data["kind"] == Payment.Kind.BUY_IN else sides[::-1]
        one = Wanted(data["payment_id"], payer, payee, data["amount"], kind=data["kind"], session=session)
        try:
            bank.record_at_bank(session=session, one=one, author=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("session-bank", session.pk)
    moves = [one for one in payments_of(session) if one.kind != Payment.Kind.PAYMENT]
    context = {
        "club": session.club,
        "session": session,
        "form": form,
        **_bank_of(session),
        "moves": [(one, holder_name(one.payer if one.kind == "buy_in" else one.payee)) for one in moves[::-1]],
    }
    return render(request, "settlement/bank.html", context, status=422 if form.errors else 200)


def _bank_of(session: Session) -> dict[str, Any]:
    """The bank, or why it cannot be said what everybody has."""
    try:
        return {"bank": bank.look_into_bank(session)}
    except ValidationError as error:
        return {"fault": " ".join(error.messages)}


@require_POST
def close_session(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    session = session_or_404(request, session_id)
    try:
        closing.close_session(session=session, anyway="anyway" in request.POST)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("settle", session.pk)


def dispute_hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    hand = get_object_or_404(readable_hands(request.user), pk=hand_id)
    session = readable_session_or_404(request, hand.session_id)
    player = own_players(request.user).filter(club=session.club).first()
    form = DisputeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            disputes.raise_dispute(
                club=session.club,
                sentence=form.cleaned_data["sentence"],
                author=request.user,
                player=player,
                hand=hand,
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _("The host sees it now, on every page of this session."))
            return redirect("hand", hand.pk)
    context = {"club": session.club, "session": session, "hand": hand, "form": form}
    return render(request, "settlement/dispute.html", context, status=422 if form.errors else 200)


def dispute_payment(request: HttpRequest, payment_id: uuid.UUID) -> HttpResponse:
    payment = payment_or_404(request, payment_id)
    player = own_players(request.user).filter(club=payment.club).first()
    form = DisputeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            disputes.raise_dispute(
                club=payment.club,
                sentence=form.cleaned_data["sentence"],
                author=request.user,
                player=player,
                payment=payment,
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _("The host sees it now."))
            return redirect("payment", payment.pk)
    context = {"club": payment.club, "payment": payment, "line": payment_line(payment), "form": form}
    return render(request, "settlement/dispute.html", context, status=422 if form.errors else 200)


def disputes_of_club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """What is open, and what was answered lately."""
    club = club_or_404(request, club_id)
    rows = Dispute.objects.filter(club=club).select_related(
        "session", "hand", "payment__payer__player", "payment__payee__player", "player", "raised_by", "answered_by"
    )
    is_open = Q(state=Dispute.State.OPEN)
    context = {
        "club": club,
        "section": "owed",
        "open": rows.filter(is_open).order_by("raised_at"),
        "answered": rows.exclude(is_open).order_by("-answered_at")[:50],
        "form": AnswerForm(),
    }
    return render(request, "settlement/disputes.html", context)


@require_POST
def decline_dispute(request: HttpRequest, dispute_id: uuid.UUID) -> HttpResponse:
    dispute = get_object_or_404(for_member(Dispute.objects.select_related("club"), request.user), pk=dispute_id)
    form = AnswerForm(request.POST)
    try:
        reason = form.cleaned_data["reason"] if form.is_valid() else ""
        disputes.decline_dispute(dispute=dispute, reason=reason, author=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("disputes", dispute.club_id)
