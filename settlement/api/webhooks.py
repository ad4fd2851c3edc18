"""Webhooks and the log of what they were told; what a receiver must know is in docs/webhooks.md."""

import uuid
from typing import Any, Final

import django_filters
from django.db import transaction
from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import shapes
from accounts.api.bodies import Body
from accounts.api.etags import etag_of, need_match
from accounts.api.filters import ClubFilters
from accounts.api.shapes import anything, example, identifier, moment, number, text
from accounts.api.views import ClubListView, ClubView
from accounts.models import ApiKey
from settlement import webhooks
from settlement.models import Delivery, Webhook

WEBHOOK: Final = shapes.shape(
    "Webhook",
    id=identifier(),
    url=text(),
    events=shapes.serializers.ListField(child=text()),
    created_at=moment(),
    disabled_at=moment(allow_null=True),
    secret=text(required=False, help_text="Shown this once."),
    **shapes.WARNINGS,
)
NEW_WEBHOOK: Final = shapes.shape(
    "NewWebhook", url=text(max_length=500), events=shapes.serializers.ListField(child=text())
)
DELIVERY: Final = shapes.shape(
    "Delivery",
    id=identifier(),
    message_id=text(),
    event=text(),
    state=text(help_text="waiting, delivered or given_up."),
    created_at=moment(),
    next_at=moment(allow_null=True),
    tries=number(),
    body=text(),
    attempts=anything(),
)


def webhook_body(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": str(webhook.pk),
        "url": webhook.url,
        "events": webhook.events,
        "created_at": webhook.created_at.isoformat(),
        "disabled_at": webhook.disabled_at.isoformat() if webhook.disabled_at else None,
    }


def webhook_tag(webhook: Webhook) -> str:
    return etag_of(webhook.pk, webhook.nonce, webhook.disabled_at)


class WebhookListView(ClubListView):
    needs = ApiKey.Scope.SETTLE
    answer_is_secret = True

    def rows(self) -> QuerySet[Webhook]:
        return webhooks.webhooks_of(self.club)

    def body_of(self, row: Webhook) -> dict[str, Any]:
        return webhook_body(row)

    @shapes.lists(WEBHOOK, "Webhooks that are not switched off", operation_id="list_webhooks", tags=["webhooks"])
    def get(self, request: Request) -> Response:
        return super().get(request)

    @shapes.writes(
        WEBHOOK,
        "Tell an address what happens",
        body=NEW_WEBHOOK,
        created=True,
        operation_id="create_webhook",
        tags=["webhooks"],
        description="The secret that signs is in this answer alone, which is therefore not kept for its key.",
        examples=[example("Imports", {"url": "https://club.example/hooks", "events": ["import.finished"]})],
    )
    def post(self, request: Request) -> Response:
        body = Body(request.data)
        url, events = body.text("url"), body.take("events")
        if not isinstance(events, list) or not all(isinstance(event, str) for event in events):
            body.refuse("/events", "events", _("events is a list of names."))
        body.finish()
        webhook, secret = webhooks.create_webhook(club=self.club, url=url, events=events, author=None)
        where = reverse("api-webhook", args=[webhook.pk])
        answer = webhook_body(webhook) | {"secret": secret} | body.warnings()
        return self.answer(answer, etag=webhook_tag(webhook), status=201, where=where)


class _WebhookView(ClubView):
    needs = ApiKey.Scope.SETTLE

    def webhook(self, key: uuid.UUID) -> Webhook:
        found: Webhook = self.one(Webhook.objects.filter(club=self.club), key)
        return found

    def locked(self, request: Request, key: uuid.UUID) -> Webhook:
        """The webhook as the caller saw it, held until the transaction ends."""
        Webhook.objects.filter(pk=key, club=self.club).update(nonce=F("nonce"))
        webhook = self.webhook(key)
        need_match(request, webhook_tag(webhook))
        return webhook


class WebhookView(_WebhookView):
    @shapes.reads(WEBHOOK, "One webhook", operation_id="get_webhook", tags=["webhooks"])
    def get(self, request: Request, webhook_id: uuid.UUID) -> Response:
        webhook = self.webhook(webhook_id)
        return self.answer(webhook_body(webhook), etag=webhook_tag(webhook))

    @shapes.writes(
        WEBHOOK,
        "Tell this address nothing any more",
        needs_match=True,
        is_post=False,
        operation_id="disable_webhook",
        tags=["webhooks"],
    )
    @transaction.atomic
    def delete(self, request: Request, webhook_id: uuid.UUID) -> Response:
        webhook = self.locked(request, webhook_id)
        webhooks.disable_webhook(webhook=webhook)
        webhook.refresh_from_db()
        return self.answer(webhook_body(webhook), etag=webhook_tag(webhook))


class WebhookRotateView(_WebhookView):
    answer_is_secret = True

    @shapes.writes(
        WEBHOOK,
        "Make a new secret; for 24 hours the one before signs too",
        needs_match=True,
        operation_id="rotate_webhook_secret",
        tags=["webhooks"],
    )
    @transaction.atomic
    def post(self, request: Request, webhook_id: uuid.UUID) -> Response:
        webhook = self.locked(request, webhook_id)
        secret = webhooks.rotate_secret(webhook=webhook)
        webhook.refresh_from_db()
        return self.answer(webhook_body(webhook) | {"secret": secret}, etag=webhook_tag(webhook))


class WebhookPingView(_WebhookView):
    @shapes.writes(
        DELIVERY, "Send a message of no meaning", created=True, operation_id="ping_webhook", tags=["webhooks"]
    )
    def post(self, request: Request, webhook_id: uuid.UUID) -> Response:
        delivery = webhooks.send_ping(webhook=self.webhook(webhook_id))
        return self.answer(delivery_body(delivery), status=201, where=reverse("api-delivery", args=[delivery.pk]))


def delivery_body(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": str(delivery.pk),
        "message_id": delivery.message_id,
        "event": delivery.event,
        "state": delivery.state,
        "created_at": delivery.created_at.isoformat(),
        "next_at": delivery.next_at.isoformat() if delivery.next_at else None,
        "tries": delivery.tries,
        "body": delivery.body,
        "attempts": [
            {
                "at": attempt.at.isoformat(),
                "status": attempt.status,
                "milliseconds": attempt.duration_ms,
                "error": attempt.error,
                "answer": attempt.answer,
            }
            for attempt in delivery.attempts.all()
        ],
    }


class DeliveryFilters(ClubFilters):
    webhook = django_filters.UUIDFilter()
    state = django_filters.ChoiceFilter(choices=Delivery.State.choices)

    class Meta:
        model = Delivery
        fields: list[str] = []


class DeliveryListView(ClubListView):
    filterset_class = DeliveryFilters

    def rows(self) -> QuerySet[Delivery]:
        return Delivery.objects.filter(webhook__club=self.club).prefetch_related("attempts")

    def body_of(self, row: Delivery) -> dict[str, Any]:
        return delivery_body(row)

    @shapes.lists(
        DELIVERY,
        "What webhooks were told, with every attempt",
        operation_id="list_deliveries",
        tags=["webhooks"],
        filters=shapes.filters_of(webhook="A webhook's id.", state="waiting, delivered or given_up."),
    )
    def get(self, request: Request) -> Response:
        return super().get(request)


class DeliveryView(ClubView):
    @shapes.reads(DELIVERY, "One message and its attempts", operation_id="get_delivery", tags=["webhooks"])
    def get(self, request: Request, delivery_id: uuid.UUID) -> Response:
        body = delivery_body(self.one(Delivery.objects.filter(webhook__club=self.club), delivery_id))
        return self.answer(body, etag=etag_of(body))


class DeliveryResendView(ClubView):
    needs = ApiKey.Scope.SETTLE

    @shapes.writes(DELIVERY, "Send a message again", operation_id="resend_delivery", tags=["webhooks"])
    def post(self, request: Request, delivery_id: uuid.UUID) -> Response:
        rows = Delivery.objects.filter(webhook__club=self.club).select_related("webhook")
        delivery = self.one(rows, delivery_id)
        webhooks.resend(delivery=delivery)
        delivery.refresh_from_db()
        return self.answer(delivery_body(delivery))
