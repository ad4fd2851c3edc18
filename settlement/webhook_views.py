"""Webhooks on pages, for the owner of the club."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.faults import faults_in
from accounts.models import Membership
from accounts.views import club_or_404
from settlement import webhooks
from settlement.forms import WebhookForm
from settlement.models import Delivery, Webhook

DELIVERIES: Final = 50


def webhooks_of_club(request: HttpRequest, club_id: uuid.UUID) -> HttpResponse:
    """The club's webhooks, and a form for another; who makes one sees its page with the secret, this once."""
    club = club_or_404(request, club_id, owner=True)
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            webhook, secret = webhooks.create_webhook(club=club, author=request.user, **form.cleaned_data)
        except ValidationError as error:
            for pointer, code, sentence in faults_in(error):
                form.add_error(pointer.strip("/") or None, ValidationError(sentence, code=code))
        else:
            return _page(request, webhook, secret=secret)
    context = {"club": club, "section": "keys", "webhooks": webhooks.webhooks_of(club), "form": form}
    return render(request, "settlement/webhooks.html", context, status=422 if form.errors else 200)


def webhook_or_404(request: HttpRequest, webhook_id: uuid.UUID) -> Webhook:
    """A webhook of a club that this person owns; one that is switched off keeps its log."""
    mine = Webhook.objects.filter(
        club__memberships__user=request.user, club__memberships__role=Membership.Role.OWNER
    ).select_related("club", "created_by")
    return get_object_or_404(mine, pk=webhook_id)


def webhook(request: HttpRequest, webhook_id: uuid.UUID) -> HttpResponse:
    return _page(request, webhook_or_404(request, webhook_id))


def _page(request: HttpRequest, found: Webhook, secret: str = "") -> HttpResponse:
    deliveries = list(webhooks.deliveries_of(found, before=_before(request, found))[:DELIVERIES])
    # What waits for a later hour changes nothing in front of who looks.
    soon = timezone.now() + timedelta(minutes=1)
    context: dict[str, Any] = {
        "club": found.club,
        "section": "keys",
        "webhook": found,
        "event_words": [webhooks.EVENTS[event] for event in found.events],
        "deliveries": [(delivery, webhooks.EVENTS.get(delivery.event, _("A ping"))) for delivery in deliveries],
        "is_waiting": "before" not in request.GET and any(delivery.is_due_by(soon) for delivery in deliveries),
        "next": deliveries[-1].pk if len(deliveries) == DELIVERIES else None,
        "secret": secret,
    }
    response = render(request, "settlement/webhook.html", context)
    if secret:
        response["Cache-Control"] = "no-store"
    return response


def _before(request: HttpRequest, found: Webhook) -> Delivery | None:
    """The message that the last page ended with; none for the first page."""
    if not (key := request.GET.get("before")):
        return None
    try:
        return get_object_or_404(Delivery, webhook=found, pk=uuid.UUID(key))
    except ValueError:
        raise Http404 from None


@require_POST
def rotate_secret(request: HttpRequest, webhook_id: uuid.UUID) -> HttpResponse:
    """Answers with the page itself, not a redirect: the secret is shown this once."""
    found = webhook_or_404(request, webhook_id)
    try:
        secret = webhooks.rotate_secret(webhook=found)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("webhook", found.pk)
    found.refresh_from_db()
    return _page(request, found, secret=secret)


@require_POST
def disable_webhook(request: HttpRequest, webhook_id: uuid.UUID) -> HttpResponse:
    found = webhook_or_404(request, webhook_id)
    webhooks.disable_webhook(webhook=found)
    messages.success(request, _("The webhook is switched off."))
    return redirect("webhooks", found.club_id)


@require_POST
def ping_webhook(request: HttpRequest, webhook_id: uuid.UUID) -> HttpResponse:
    found = webhook_or_404(request, webhook_id)
    return _done(request, found, lambda: webhooks.send_ping(webhook=found), _("The ping is on its way."))


@require_POST
def resend_delivery(request: HttpRequest, webhook_id: uuid.UUID, delivery_id: uuid.UUID) -> HttpResponse:
    found = webhook_or_404(request, webhook_id)
    delivery = get_object_or_404(Delivery.objects.select_related("webhook"), pk=delivery_id, webhook=found)
    return _done(request, found, lambda: webhooks.resend(delivery=delivery), _("It is sent again."))


def _done(request: HttpRequest, found: Webhook, act: Callable[[], object], words: str) -> HttpResponse:
    """Back to the webhook's page, with what was done or why it was not."""
    try:
        act()
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, words)
    return redirect("webhook", found.pk)
