"""A hand's chances, what its setups were worth, and practice, on pages."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from hands.access import readable_hands, readable_session_or_404, with_chances
from hands.chances import chances_page, street_named, worth_page
from hands.deal_proofs import proof_page
from hands.models import Hand
from hands.practice_pages import DealForm, PracticeForm, answer, deal, read_dealt


def hand_of_cards_or_404(request: HttpRequest, hand_id: uuid.UUID) -> Hand:
    """A hand that this person may look at and of which chances can be told."""
    found: Hand = get_object_or_404(with_chances(readable_hands(request.user)), pk=hand_id)
    found.session = readable_session_or_404(request, found.session_id)
    return found


def chances(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    """The hand street by street: ``?street=`` deal, flop, turn or river."""
    found = hand_of_cards_or_404(request, hand_id)
    street = street_named(request.GET.get("street", ""))
    return render(request, "hands/chances.html", chances_page(found, street))


def dealt(request: HttpRequest, hand_id: uuid.UUID) -> HttpResponse:
    """How the house dealt this hand, with everything that shows that it was fair."""
    found = get_object_or_404(readable_hands(request.user).exclude(deal_proof=None), pk=hand_id)
    found.session = readable_session_or_404(request, found.session_id)
    return render(request, "hands/dealt.html", proof_page(found))


def worth(request: HttpRequest, hand_id: uuid.UUID, number: int) -> HttpResponse:
    """What the setup of one seat was worth."""
    page = worth_page(hand_of_cards_or_404(request, hand_id), number)
    if page is None:
        raise Http404
    return render(request, "hands/worth.html", page)


def practice(request: HttpRequest) -> HttpResponse:
    """Seven cards to set: ``?rules=`` deals them, ``?deal=`` are they, and with ``?set=`` each has its row."""
    if "rules" in request.GET:
        asked = DealForm(request.GET)
        if asked.is_valid():
            return redirect(reverse("practice", query={"deal": deal(asked.cleaned_data["rules"]).signed}))
        return render(request, "hands/practice.html", {"form": asked}, status=422)
    if "deal" not in request.GET:
        return render(request, "hands/practice.html", {"form": DealForm()})
    dealt = read_dealt(request.GET["deal"])
    if dealt is None:
        messages.error(request, _("These cards were not dealt here; deal anew."))
        return redirect("practice")
    form = PracticeForm(request.GET if "set" in request.GET else None, dealt=dealt)
    context = {"form": form, "dealt": dealt}
    if form.is_valid():
        return render(request, "hands/practice_answer.html", context | answer(dealt, form.setup))
    return render(request, "hands/practice_set.html", context, status=422 if form.is_bound else 200)
