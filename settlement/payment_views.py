"""Who pays whom, payments and reminders on pages."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.faults import faults_in
from accounts.models import Account, Club
from accounts.views import club_or_404, kept_clubs
from hands.access import own_players, readable_sessions
from hands.forms import ReasonForm
from hands.models import Session
from settlement import payment_pages, payments, reminders
from settlement.models import Payment
from settlement.payment_forms import PaymentForm, read_listed
from settlement.payments import Wanted


def owed(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Who pays whom across all open balances of the club in a currency."""
    club = club_or_404(request, club_id)
    return render(request, "settlement/owed.html", payment_pages.owed_page(club, request.GET.get("currency", "")))


def club_of_payer_or_404(request: HttpRequest, club_id: uuid.UUID) -> Club:
    """A club whose books this person keeps, or in which this person plays."""
    mine = Q(pk__in=kept_clubs(request.user)) | Q(pk__in=own_players(request.user).values("club"))
    return get_object_or_404(Club.objects.filter(mine), pk=club_id)


def why(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Where one payment of a list comes from: what its two people owe and are owed."""
    club = club_or_404(request, club_id)
    accounts = _accounts(club, request.GET.get("payer"), request.GET.get("payee"))
    session = _session(request, club, request.GET.get("session"))
    return render(request, "settlement/why.html", payment_pages.why_page(club, accounts, session))


def _accounts(club: Club, *keys: str | None) -> list[Account]:
    try:
        wanted = [uuid.UUID(key or "") for key in keys]
    except ValueError:
        raise Http404 from None
    found = Account.objects.filter(club=club).select_related("player").in_bulk(wanted)
    if len(found) < len(wanted):
        raise Http404
    return [found[key] for key in wanted]


def _session(request: HttpRequest, club: Club, key: str | None) -> Session | None:
    """The session that a payment is for; one that this person may not look at is 404."""
    if not key:
        return None
    try:
        return get_object_or_404(readable_sessions(request.user), club=club, pk=uuid.UUID(key))
    except ValueError:
        raise Http404 from None


@require_POST
def record_listed(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """One or many of a list, as it was shown: mark them paid."""
    club = club_or_404(request, club_id)
    session = _session(request, club, request.POST.get("session"))
    back = redirect("settle", session.pk) if session else redirect("owed", club.pk)
    accounts = Account.objects.filter(club=club).select_related("player").in_bulk()
    try:
        wanted = [
            Wanted(payment_id, payer, payee, amount_minor, session=session)
            for payment_id, payer, payee, amount_minor in read_listed(request.POST.getlist("pay"), accounts)
        ]
        made = payments.record_payments(club=club, wanted=wanted, author=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return back
    words = ngettext("%(count)d payment is written down.", "%(count)d payments are written down.", len(made))
    messages.success(request, words % {"count": len(made)})
    return back


def new_payment(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Any payment, in full or in part; what the payer alone says waits for the other side."""
    club = club_of_payer_or_404(request, club_id)
    session = _session(request, club, request.POST.get("session") or request.GET.get("session"))
    context = payment_pages.new_payment_page(club, request.user, request.GET, session)
    form = PaymentForm(
        request.POST or None, accounts=context["accounts"], currency=context["currency"], initial=context["initial"]
    )
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        wanted = Wanted(
            data["payment_id"], data["payer"], data["payee"], data["amount"], session=session, note=data["note"]
        )
        try:
            (payment,) = payments.record_payments(
                club=club, wanted=[wanted], author=request.user, accept_more=data["accept_more"]
            )
        except ValidationError as error:
            _add_faults(form, error)
        else:
            return redirect("payment", payment.pk)
    is_too_much = any(error.code == "more_than_owed" for errors in form.errors.as_data().values() for error in errors)
    context |= {"form": form, "is_too_much": is_too_much}
    return render(request, "settlement/payment_new.html", context, status=422 if form.errors else 200)


def _add_faults(form: Any, error: ValidationError) -> None:
    for pointer, code, sentence in faults_in(error):
        field = pointer.strip("/")
        form.add_error(field if field in form.fields else None, ValidationError(sentence, code=code))


def payment_or_404(request: HttpRequest, payment_id: uuid.UUID) -> Payment:
    """A payment of a club that this person keeps, or one that is their own."""
    mine = own_players(request.user)
    rows = Payment.objects.filter(
        Q(club__in=kept_clubs(request.user)) | Q(payer__player__in=mine) | Q(payee__player__in=mine)
    )
    rows = rows.select_related("club", "session", "payer__player", "payee__player", "transfer", "recorded_by")
    return get_object_or_404(rows, pk=payment_id)


def payment(request: HttpRequest, payment_id: uuid.UUID) -> HttpResponse:
    found = payment_or_404(request, payment_id)
    context = payment_pages.payment_page(found, request.user) | {"form": ReasonForm()}
    return render(request, "settlement/payment.html", context)


@require_POST
def confirm(request: HttpRequest, payment_id: uuid.UUID) -> HttpResponse:
    found = payment_or_404(request, payment_id)
    try:
        payments.confirm_payment(payment=found, author=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("payment", found.pk)


@require_POST
def cancel(request: HttpRequest, payment_id: uuid.UUID) -> HttpResponse:
    found = payment_or_404(request, payment_id)
    form = ReasonForm(request.POST)
    if form.is_valid():
        try:
            payments.cancel_payment(payment=found, reason=form.cleaned_data["reason"], author=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect("payment", found.pk)
    context = payment_pages.payment_page(found, request.user) | {"form": form}
    return render(request, "settlement/payment.html", context, status=422)


@require_POST
def remind(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """Send the payer of one line a friendly word."""
    club = club_or_404(request, club_id)
    payer, payee = _accounts(club, request.POST.get("payer"), request.POST.get("payee"))
    session = _session(request, club, request.POST.get("session"))
    try:
        reminders.ask_reminder(payer=payer, payee=payee, session=session, author=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, _("%(name)s gets a reminder.") % {"name": payments.holder_name(payer)})
    return redirect("settle", session.pk) if session else redirect("owed", club.pk)
