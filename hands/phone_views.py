"""A phone at the table, without an account: it types a code or scans one, takes a seat, sets and locks its cards.

Its token lies in a signed cookie that goes to this table's addresses alone.
"""

import json
import uuid
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_POST

from accounts.faults import faults_in
from hands import phone_pages, phones
from hands.entry_views import read_sent_draft
from hands.models import Session
from hands.phone_forms import CodeForm, SetupForm
from hands.phone_models import Phone, PhoneTable
from hands.rulesets import rules_of

COOKIE: Final = "homerun_seat"
# An evening and the night after it; at the close of the session the token is dead anyway.
COOKIE_SECONDS: Final = 24 * 3600


def at_the_table(view: Any) -> Any:
    """For everybody, kept by no cache and found by no search."""

    @login_not_required
    @wraps(view)
    def seen(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
        response: HttpResponseBase = view(request, *arguments, **named)
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Referrer-Policy"] = "same-origin"
        response.setdefault("Cache-Control", "private, no-store")
        return response

    return seen


@at_the_table
def code(request: HttpRequest) -> HttpResponse:
    """Where the six characters are typed by who cannot scan."""
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            table = phones.find_table(code=form.cleaned_data["code"], address=request.META.get("REMOTE_ADDR") or "?")
        except ValidationError as error:
            form.add_error("code", error)
        else:
            return redirect("table", table.join_id)
    return render(request, "hands/table_code.html", {"form": form}, status=422 if form.errors else 200)


@at_the_table
def table(request: HttpRequest, join_id: uuid.UUID) -> HttpResponse:
    """The page of a phone: the chairs while it holds none, then whatever its seat has to do."""
    found = _table_or_404(join_id)
    phone = _phone(request, join_id)
    if phone is None:
        response = render(request, "hands/table_seats.html", phone_pages.choose_page(found))
        # Before a seat is chosen: of two presses the browser drops the first answer, and the second must know its own.
        return _with_token(response, join_id, phones.new_token())
    page = phone_pages.phone_page(phone)
    if "entry" in page:
        page["form"] = SetupForm(seat=phone.seat, rules=rules_of(found.session.rule_set), facts=page["entry"]["facts"])
        page["is_plain"] = "plain" in request.GET
    return render(request, "hands/phone.html", page)


@at_the_table
def state(request: HttpRequest, join_id: uuid.UUID) -> HttpResponse:
    """The part of the page that asks for itself: 304 while nothing has changed, and the whole page anew for a new hand.

    ``?setting=`` names the hand for which the phone shows its keys; those no fragment may take away.
    """
    phone = _phone(request, join_id)
    if phone is None:
        # After the close of a session its last showdown may be read on; keys lead nowhere any more.
        if "setting" not in request.GET:
            _table_or_404(join_id)
        return HttpResponse(headers={"HX-Refresh": "true"})
    tag = quote_etag(phone_pages.phone_tag(phone))
    response = get_conditional_response(request, etag=tag)
    if response is None:
        page = phone_pages.phone_page(phone)
        if page.get("shows", "") != request.GET.get("setting", ""):
            return HttpResponse(headers={"HX-Refresh": "true"})
        response = render(request, "hands/_phone.html", page)
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response


@at_the_table
@require_POST
def take_seat(request: HttpRequest, join_id: uuid.UUID) -> HttpResponse:
    found = _table_or_404(join_id)
    number = request.POST.get("seat", "")
    try:
        token = phones.take_seat(
            table=found,
            number=int(number) if number in {"1", "2", "3", "4", "5", "6"} else 0,
            token=_token(request, join_id),
        )
    except ValidationError as error:
        page = phone_pages.choose_page(found) | {"sentences": error.messages}
        return render(request, "hands/table_seats.html", page, status=422)
    return _with_token(redirect("table", join_id), join_id, token)


@at_the_table
@require_POST
def keep_setup(request: HttpRequest, join_id: uuid.UUID, round_key: uuid.UUID) -> HttpResponse:
    """Keep what was tapped, as drafts of the host are kept: ``{"based_on": 3, "facts": {...}}``."""
    phone = _phone_or_404(request, join_id)
    try:
        sent = read_sent_draft(request)
        revision = phones.keep_setup(phone=phone, round_key=round_key, **sent)
    except phones.SetupChanged as error:
        theirs = {"revision": error.theirs.revision, "facts": json.loads(error.theirs.facts)}
        return JsonResponse({"code": "changed", "theirs": theirs}, status=409)
    except ValidationError as error:
        return _refusal(error, join_id)
    return JsonResponse({"revision": revision})


@at_the_table
@require_POST
def confirm(request: HttpRequest, join_id: uuid.UUID, round_key: uuid.UUID) -> HttpResponse:
    """Lock the setup: sent by the script as facts, or as a plain form of one field a row."""
    phone = _phone_or_404(request, join_id)
    if request.content_type == "application/json":
        try:
            facts = read_sent_draft(request)["facts"]
            phones.confirm_setup(phone=phone, round_key=round_key, facts=facts)
        except ValidationError as error:
            return _refusal(error, join_id)
        return JsonResponse({"url": reverse("table", args=[join_id])})
    form = SetupForm(request.POST, seat=phone.seat, rules=rules_of(phone.table.session.rule_set))
    if form.is_valid():
        try:
            phones.confirm_setup(phone=phone, round_key=round_key, facts=form.facts())
        except ValidationError as error:
            if next(faults_in(error))[1] in GONE_ON:
                return redirect("table", join_id)
            form.add_error(None, error)
        else:
            return redirect("table", join_id)
    page = phone_pages.phone_page(phone)
    if "entry" not in page:
        return redirect("table", join_id)
    return render(request, "hands/phone.html", page | {"form": form, "is_plain": True}, status=422)


@at_the_table
@require_POST
def give_part(request: HttpRequest, join_id: uuid.UUID, round_key: uuid.UUID) -> HttpResponse:
    """The seat's part of the house's deal, drawn by its script or typed."""
    phone = _phone_or_404(request, join_id)
    try:
        phones.give_part(phone=phone, round_key=round_key, text=request.POST.get("part", ""))
    except ValidationError as error:
        page = phone_pages.phone_page(phone)
        if page["phase"] == "part" and next(faults_in(error))[1] not in GONE_ON:
            return render(request, "hands/phone.html", page | {"sentences": error.messages}, status=422)
    return redirect("table", join_id)


# The hand went on without this phone's knowing: its page says how.
GONE_ON: Final = ("not_setting", "locked")


def _refusal(error: ValidationError, join_id: uuid.UUID) -> JsonResponse:
    _pointer, fault_code, sentence = next(faults_in(error))
    if fault_code in GONE_ON:
        url = reverse("table", args=[join_id])
        return JsonResponse({"code": "recorded", "sentence": sentence, "url": url}, status=409)
    return JsonResponse({"code": fault_code, "sentence": sentence}, status=422)


def _table_or_404(join_id: uuid.UUID) -> PhoneTable:
    tables = PhoneTable.objects.select_related("session__club", "session__rule_set")
    return get_object_or_404(
        tables, join_id=join_id, session__state=Session.State.OPEN, session__club__put_away_at=None
    )


def _token(request: HttpRequest, join_id: uuid.UUID) -> str:
    return request.get_signed_cookie(COOKIE, default="", salt=str(join_id), max_age=COOKIE_SECONDS) or ""


def _with_token(response: HttpResponse, join_id: uuid.UUID, token: str) -> HttpResponse:
    response.set_signed_cookie(
        COOKIE,
        token,
        salt=str(join_id),
        max_age=COOKIE_SECONDS,
        path=reverse("table", args=[join_id]),
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def _phone(request: HttpRequest, join_id: uuid.UUID) -> Phone | None:
    token = _token(request, join_id)
    return phones.find_phone(join_id=join_id, token=token) if token else None


def _phone_or_404(request: HttpRequest, join_id: uuid.UUID) -> Phone:
    phone = _phone(request, join_id)
    return phone or get_object_or_404(Phone.objects.none())
