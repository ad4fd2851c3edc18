"""Sessions and hands on pages."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.views import for_member
from hands import hand_pages
from hands.access import readable_hands, readable_session_or_404
from hands.models import Session
from hands.replay import replay_shown


def session_or_404(request: HttpRequest, session_id: uuid.UUID) -> Session:
    rows = for_member(Session.objects.select_related("club", "rule_set"), request.user)
    return get_object_or_404(rows, pk=session_id)


def hand(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    """A hand as it counts now; with ``?version=`` an earlier one, as it was."""
    found = get_object_or_404(readable_hands(request.user).select_related("current", "deal_proof"), pk=hand_id)
    found.session = readable_session_or_404(request, found.session_id)
    versions = list(found.versions.select_related("author"))
    asked = request.GET.get("version", "")
    version = next((version for version in versions if str(version.version) == asked), found.current)
    old = None if version.pk == found.current_id else version.version
    chosen = hand_pages.Chosen.read(request.GET.get("row", ""), request.GET.get("pair", ""), old)
    context = hand_pages.hand_page(found, version, versions, chosen)
    context["replay"] = replay_shown(context["stored"], request.GET.get("street", ""), old)
    return render(request, "hands/hand.html", context)
