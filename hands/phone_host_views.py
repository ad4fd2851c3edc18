"""The host's side of own phones: the code, how many have locked, and what to do about a seat."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_POST

from accounts.views import for_member
from hands import live, phone_pages, phones
from hands.drafts import read_key
from hands.models import Session
from hands.phone_models import PhoneTable
from hands.phone_rounds import with_draft
from hands.views import session_or_404

SEAT_ACTS = {"unlock": phones.unlock_seat, "free": phones.free_seat, "sit-out": phones.sit_out}


def own_phones(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """The page beside the table; what is pressed on it."""
    found = session_or_404(request, session_id)
    if request.method == "POST":
        try:
            return _act(request, found)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
            return redirect("phones", found.pk)
    table = with_draft(PhoneTable.objects.filter(session=found)).first()
    page = phone_pages.host_page(found, table)
    if table is not None:
        url = request.build_absolute_uri(reverse("table", args=[table.join_id]))
        page |= {
            "join_url": url,
            "qr": live.qr_code(url),
            "code_url": request.build_absolute_uri(reverse("table-code")),
        }
    return render(request, "hands/phones.html", page)


def _act(request: HttpRequest, session: Session) -> HttpResponse:
    act = request.POST.get("do")
    if act == "boards":
        key = phones.begin_boards(session=session, author=request.user)
        return redirect(f"{reverse('hand-new', args=[session.pk])}?draft={key}")
    if act == "stop" and (key := read_key(request.POST.get("key", ""))):
        phones.stop_round(session=session, round_key=key)
    elif act in {"begin", "deal"}:
        phones.open_round(session=session, is_dealt=act == "deal")
    elif act == "street":
        known = request.POST.get("known", "")
        phones.show_street(session=session, known=int(known) if known in {"0", "3", "4"} else -1)
    return redirect("phones", session.pk)


def state(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    """How far the seats are, as a fragment: 304 while nothing has changed."""
    tables = for_member(PhoneTable.objects.select_related("session__club"), request.user, "session__club")
    table = with_draft(tables).filter(session=session_id).first()
    if table is None:
        # Closed meanwhile: the page says so.
        session_or_404(request, session_id)
        return HttpResponse(headers={"HX-Refresh": "true"})
    tag = quote_etag(phone_pages.host_tag(table, table.session))
    response = get_conditional_response(request, etag=tag)
    if response is None:
        response = render(request, "hands/_phones.html", phone_pages.host_page(table.session, table))
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response


@require_POST
def seat(request: HttpRequest, session_id: uuid.UUID, number: int) -> HttpResponse:
    """Unlock a seat, take it from its phone, or leave it out of the hand."""
    found = session_or_404(request, session_id)
    act = SEAT_ACTS.get(request.POST.get("do", ""))
    try:
        if act is not None:
            act(session=found, number=number)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("phones", found.pk)
