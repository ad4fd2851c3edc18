"""A hand for which nobody kept the cards, on a page."""

import uuid

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from hands import services
from hands.forms import PointsForm
from hands.models import Seat, Session
from hands.seating import next_number
from hands.views import session_or_404


def new_points(request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
    session = session_or_404(request, session_id)
    if session.state != Session.State.OPEN:
        messages.error(request, _("This session is closed; no hand can be added to it."))
        return redirect("session", session.pk)
    seats = list(Seat.objects.filter(session=session, last_hand=None).select_related("player"))
    form = PointsForm(request.POST or None, seats=seats)
    if request.method == "POST" and form.is_valid() and form.deal is not None:
        try:
            answer = services.record_hand(session=session, deal=form.deal, author=request.user)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            if answer.result != "conflict":
                return redirect("hand", answer.hand.pk)
            form.add_error(None, answer.sentence)
    context = {"club": session.club, "session": session, "form": form, "number": next_number(session)}
    return render(request, "hands/points_new.html", context, status=422 if form.errors else 200)
