"""Sessions and hands on pages."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from accounts.views import for_member
from hands import hand_pages, services
from hands.access import readable_session_or_404, readable_sessions
from hands.forms import HandForm
from hands.models import Hand, Seat, Session
from hands.rulesets import rules_of
from hands.seating import next_number


def session_or_404(request: HttpRequest, session_id: uuid.UUID) -> Session:
    rows = for_member(Session.objects.select_related("club", "rule_set"), request.user)
    return get_object_or_404(rows, pk=session_id)


def new_hand(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    found = session_or_404(request, session_id)
    if found.state != Session.State.OPEN:
        messages.error(request, _("This session is closed; no hand can be added to it."))
        return redirect("session", found.pk)
    seats = list(Seat.objects.filter(session=found, last_hand=None).select_related("player"))
    form = HandForm(request.POST or None, seats=seats, rules=rules_of(found.rule_set))
    if request.method == "POST" and form.is_valid() and form.deal is not None:
        try:
            answer = services.record_hand(session=found, deal=form.deal, author=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            if answer.result != "conflict":
                if answer.result == "accepted":
                    messages.success(request, _("Hand %(number)d saved") % {"number": answer.hand.number})
                return redirect("hand", answer.hand.pk)
            form.add_error(None, answer.sentence)
    context = {"club": found.club, "session": found, "form": form, "number": next_number(found)}
    return render(request, "hands/hand_new.html", context, status=422 if form.errors else 200)


def hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    """A hand as it counts now; with ``?version=`` an earlier one, as it was."""
    rows = Hand.objects.filter(session__in=readable_sessions(request.user).values("pk")).select_related("current")
    found = get_object_or_404(rows, pk=hand_id)
    found.session = readable_session_or_404(request, found.session_id)
    versions = list(found.versions.select_related("author"))
    asked = request.GET.get("version", "")
    version = next((version for version in versions if str(version.version) == asked), found.current)
    old = None if version.pk == found.current_id else version.version
    chosen = hand_pages.Chosen.read(request.GET.get("row", ""), request.GET.get("pair", ""), old)
    return render(request, "hands/hand.html", hand_pages.hand_page(found, version, versions, chosen))
