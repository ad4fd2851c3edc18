"""Entering a hand: the page with its grid of keys, the drafts behind it, the check before saving, and undo.

Without JavaScript the page is a form of one text field a row. With it the same form goes to `check_hand` and
`save_hand`, and every tap to `draft`.
"""

import json
import time
import uuid
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.faults import faults_in
from accounts.views import for_member
from hands import drafts, entry_pages, services
from hands.deal_models import DealProof
from hands.drafts import AlreadyRecorded, DraftChanged
from hands.forms import HandForm
from hands.models import Hand, Seat, Session
from hands.rulesets import rules_of
from hands.views import session_or_404

# Far more than a full table of cards needs.
LONGEST_DRAFT: Final = 10_000


def new_hand(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    found = session_or_404(request, session_id)
    if found.state != Session.State.OPEN:
        messages.error(request, _("This session is closed; no hand can be added to it."))
        return redirect("session", found.pk)
    form = _hand_form(request, found)
    if request.method == "POST" and form.is_valid() and form.deal is not None:
        try:
            answer = services.record_hand(session=found, deal=form.deal, author=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            if answer.result != "conflict":
                _tell(request, answer)
                return redirect("hand", answer.hand.pk)
            form.add_error(None, answer.sentence)
    page = entry_pages.entry_page(found, form, request.GET, request.user)
    return render(request, "hands/hand_new.html", page, status=422 if form.errors else 200)


def _hand_form(request: HttpRequest, session: Session) -> HandForm:
    seats = list(Seat.objects.filter(session=session, last_hand=None).select_related("player"))
    proposed = {} if request.method == "POST" else drafts.proposed_marks(session, seats)
    return HandForm(request.POST or None, seats=seats, rules=rules_of(session.rule_set), initial=proposed)


def _tell(request: HttpRequest, answer: services.Recorded) -> None:
    """Say that the hand is saved, with its Undo; a second tap on Save says nothing new."""
    if answer.result == "accepted":
        words = _("Hand %(number)d saved") % {"number": answer.hand.number}
        is_dealt = DealProof.objects.filter(hand=answer.hand).exists()
        messages.success(request, words, extra_tags="" if is_dealt else f"undo {answer.hand.pk} {int(time.time())}")


@require_POST
def check_hand(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """What the cards would score, as a fragment; nothing is written."""
    found = session_or_404(request, session_id)
    form = _hand_form(request, found)
    if not form.is_valid() or form.deal is None:
        return _what_is_wrong(request, form)
    return render(request, "hands/_check.html", entry_pages.check_page(found, form.deal))


def _what_is_wrong(request: HttpRequest, form: HandForm) -> HttpResponse:
    return render(request, "hands/_check_errors.html", {"form": form}, status=422)


@require_POST
def save_hand(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """Record the hand of a draft. Answers where to go on, what is wrong (a fragment), or what somebody else changed."""
    found = session_or_404(request, session_id)
    form = _hand_form(request, found)
    if form.is_valid() and form.deal is not None:
        based_on = request.POST.get("based_on", "")
        try:
            answer = drafts.record_draft(
                session=found,
                deal=form.deal,
                based_on=int(based_on) if based_on.isdecimal() and len(based_on) < 10 else 0,
                author=request.user,
            )
        except DraftChanged as error:
            return _changed(error)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            if answer.result != "conflict":
                _tell(request, answer)
                return JsonResponse({"url": reverse("session", args=[found.pk])})
            form.add_error(None, answer.sentence)
    return _what_is_wrong(request, form)


@require_POST
def draft(request: HttpRequest, session_id: uuid.UUID, client_key: uuid.UUID) -> HttpResponse:
    """Keep the facts of a draft, or throw it away where they are null: ``{"based_on": 3, "facts": {...}}``."""
    found = session_or_404(request, session_id)
    try:
        sent = read_sent_draft(request)
        if sent["facts"] is None:
            drafts.throw_away_draft(session=found, client_key=client_key, based_on=sent["based_on"])
            return JsonResponse({"revision": 0})
        kept = drafts.keep_draft(session=found, client_key=client_key, author=request.user, **sent)
    except DraftChanged as error:
        return _changed(error)
    except AlreadyRecorded as error:
        words = _("Hand %(number)d is in the book already.") % {"number": error.hand.number}
        url = reverse("hand", args=[error.hand.pk])
        return JsonResponse({"code": "recorded", "sentence": words, "url": url}, status=409)
    except ValidationError as error:
        _pointer, code, sentence = next(faults_in(error))
        return JsonResponse({"code": code, "sentence": sentence}, status=422)
    return JsonResponse({"revision": kept.revision})


def read_sent_draft(request: HttpRequest) -> dict[str, Any]:
    """What a script sends to be kept: ``based_on``, a revision, and ``facts``. Raises ``ValidationError``."""
    try:
        sent = json.loads(request.body) if len(request.body) <= LONGEST_DRAFT else None
    except (ValueError, RecursionError):
        sent = None
    based_on = sent.get("based_on") if isinstance(sent, dict) else None
    if type(based_on) is not int or not 0 <= based_on < 10**9 or "facts" not in sent:
        raise drafts.no_draft()
    return {"based_on": based_on, "facts": sent["facts"]}


def _changed(error: DraftChanged) -> JsonResponse:
    return JsonResponse({"code": "changed", "theirs": drafts.answer_of(error.theirs)}, status=409)


@require_POST
def undo_hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    """Take a hand back right after it was saved, and go on with its cards."""
    rows = for_member(Hand.objects.select_related("session__rule_set"), request.user, "session__club")
    hand = get_object_or_404(rows, pk=hand_id)
    try:
        kept = drafts.undo_hand(hand=hand, author=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("hand", hand.pk)
    return redirect(f"{reverse('hand-new', args=[hand.session_id])}?{urlencode({'draft': kept.client_key})}")
