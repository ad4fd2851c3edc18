"""Webhooks: what a club's own program is told, by whom it is asked for, and that it is told once for each cause."""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit
from accounts.faults import fault, sayable
from accounts.models import Club, User
from accounts.services import lock_club
from hands.models import Import
from jobs import queue
from jobs.events import listens
from settlement.models import Delivery, Settlement, Statement, Webhook
from settlement.webhook_client import check_url
from settlement.webhook_secrets import digest_of, new_nonce, secret_of

WEBHOOK: Final = "webhook"
PING: Final = "ping"
MOST_WEBHOOKS: Final = 10
# How long the secret before a rotation signs too.
OVERLAP: Final = timedelta(hours=24)
EVENTS: Final = {
    "import.finished": gettext_lazy("A hand history was read"),
    "session.settled": gettext_lazy("A session was settled"),
    "settlement.reversed": gettext_lazy("A settlement was reversed"),
    "statement.ready": gettext_lazy("A statement is ready"),
}


def webhooks_of(club: Club) -> QuerySet[Webhook]:
    """The club's webhooks that are not switched off, in the order in which they were made."""
    return Webhook.objects.filter(club=club, disabled_at=None)


def deliveries_of(webhook: Webhook, *, before: Delivery | None = None) -> QuerySet[Delivery]:
    """What a webhook was told or is to be told, the newest first, with every attempt; or what came before one."""
    rows = Delivery.objects.filter(webhook=webhook).prefetch_related("attempts").order_by("-created_at", "id")
    if before is None:
        return rows
    same_moment = Q(created_at=before.created_at, pk__gt=before.pk)
    return rows.filter(Q(created_at__lt=before.created_at) | same_moment)


@transaction.atomic
def create_webhook(*, club: Club, url: str, events: Sequence[str], author: User | None) -> tuple[Webhook, str]:
    """Tell ``url`` of these events from now on; the secret that signs is returned once.

    Raises ``ValidationError`` when the address or an event is none, or when the club has that address already or
    too many.
    """
    check_url(url)
    _check_events(events)
    # The club's row is the lock, so that a double tap makes one webhook.
    lock_club(club.pk)
    live = webhooks_of(club)
    if live.filter(url=url).exists():
        raise fault("/url", "url_taken", _("There is a webhook to this address already."))
    if live.count() >= MOST_WEBHOOKS:
        raise fault(
            "", "webhooks", _("A club has at most %(most)d webhooks; switch one off first.") % {"most": MOST_WEBHOOKS}
        )
    nonce = new_nonce()
    secret = secret_of(nonce)
    webhook = Webhook.objects.create(
        club=club,
        url=url,
        events=sorted(set(events)),
        nonce=nonce,
        secret_sha256=digest_of(secret),
        created_by=author,
    )
    audit.note(club.pk, "webhook.made", webhook.pk, name=url, events=webhook.events)
    return webhook, secret


def _check_events(events: Sequence[str]) -> None:
    if not events:
        raise fault("/events", "events", _("Choose at least one event."))
    for event in events:
        if event not in EVENTS:
            raise fault(
                "/events",
                "events",
                _("“%(event)s” is no event. There are: %(events)s.")
                % {"event": sayable(event, 50), "events": ", ".join(EVENTS)},
            )


@transaction.atomic
def rotate_secret(*, webhook: Webhook) -> str:
    """Make a new secret and return it, once; for 24 hours the one before signs too. Raises ``ValidationError``.

    A second rotation ends the first secret at once: that is what to do with one that others have seen.
    """
    nonce = new_nonce()
    secret = secret_of(nonce)
    rotated = Webhook.objects.filter(pk=webhook.pk, disabled_at=None).update(
        previous_nonce=F("nonce"),
        previous_until=timezone.now() + OVERLAP,
        nonce=nonce,
        secret_sha256=digest_of(secret),
    )
    if not rotated:
        raise _switched_off()
    audit.note(webhook.club_id, "webhook.rotated", webhook.pk, name=webhook.url)
    return secret


@transaction.atomic
def disable_webhook(*, webhook: Webhook, reason: str = "") -> None:
    """Tell this address nothing any more; what waits is given up. Its log stays. Again changes nothing."""
    if Webhook.objects.filter(pk=webhook.pk, disabled_at=None).update(disabled_at=timezone.now()):
        waiting = Delivery.objects.filter(webhook=webhook, state=Delivery.State.WAITING)
        waiting.update(state=Delivery.State.GIVEN_UP, next_at=None)
        audit.note(webhook.club_id, "webhook.disabled", webhook.pk, name=webhook.url, reason=reason)


@transaction.atomic
def resend(*, delivery: Delivery) -> None:
    """Send it again from the first attempt on, with the same id and body; what waits is sent now.

    Raises ``ValidationError`` when the webhook is switched off.
    """
    if not Webhook.objects.filter(pk=delivery.webhook_id, disabled_at=None).exists():
        raise _switched_off()
    delivery.refresh_from_db(fields=["state", "round"])
    if delivery.state == Delivery.State.WAITING:
        queue.hasten(_job_key(delivery))
    else:
        over = Delivery.objects.filter(pk=delivery.pk, round=delivery.round).exclude(state=Delivery.State.WAITING)
        if not over.update(state=Delivery.State.WAITING, round=F("round") + 1, tries=0, next_at=timezone.now()):
            return  # the other tap was quicker
        delivery.refresh_from_db()
        _enqueue(delivery)
    audit.note(delivery.webhook.club_id, "webhook.resent", delivery.pk, name=delivery.event)


@transaction.atomic
def send_ping(*, webhook: Webhook) -> Delivery:
    """Send a message of no meaning, to see whether it arrives. Raises ``ValidationError`` when it is switched off."""
    if not Webhook.objects.filter(pk=webhook.pk, disabled_at=None).exists():
        raise _switched_off()
    return _write_delivery(webhook, PING, uuid.uuid4(), _body(PING, webhook.club_id, {"webhook_id": str(webhook.pk)}))


def _switched_off() -> Exception:
    return fault("", "webhook_disabled", _("This webhook is switched off; make a new one."))


@listens(*EVENTS)
def write_deliveries(event: str, *, club_id: uuid.UUID, subject_id: uuid.UUID) -> None:
    """Write what every webhook of the club that asked for this event is to be told, and the jobs that tell it."""
    asked = [webhook for webhook in Webhook.objects.filter(club=club_id, disabled_at=None) if event in webhook.events]
    if asked:
        body = _body(event, club_id, _DATA[event](subject_id))
        for webhook in asked:
            _write_delivery(webhook, event, subject_id, body)


def _write_delivery(webhook: Webhook, event: str, subject_id: uuid.UUID, body: str) -> Delivery:
    delivery, is_new = Delivery.objects.get_or_create(
        webhook=webhook, event=event, subject_id=subject_id, defaults={"body": body, "next_at": timezone.now()}
    )
    if is_new:
        _enqueue(delivery)
    return delivery


def _enqueue(delivery: Delivery) -> None:
    queue.enqueue(kind=WEBHOOK, key=_job_key(delivery), subject_id=delivery.pk, club_id=delivery.webhook.club_id)


def _job_key(delivery: Delivery) -> str:
    return f"{WEBHOOK}/{delivery.pk}/{delivery.round}"


def _body(event: str, club_id: uuid.UUID, data: Mapping[str, Any]) -> str:
    document = {"type": event, "timestamp": timezone.now().isoformat(), "data": {"club_id": str(club_id), **data}}
    return json.dumps(document, separators=(",", ":"))


# What each event says of its subject: ids and counts. No cards, no names, no money: who may know more asks the API.


def _import_finished(import_id: uuid.UUID) -> dict[str, Any]:
    history = Import.objects.get(pk=import_id)
    return {
        "import_id": str(import_id),
        "state": history.state,
        "dry_run": history.is_dry_run,
        "lines": history.lines,
        "accepted": history.accepted,
        "duplicate": history.duplicates,
        "conflict": history.conflicts,
        "rejected": history.rejected,
    }


def _settlement(settlement_id: uuid.UUID) -> dict[str, Any]:
    settlement = Settlement.objects.get(pk=settlement_id)
    return {
        "settlement_id": str(settlement_id),
        "session_id": str(settlement.session_id),
        "revision": settlement.revision,
        "hands": settlement.hands,
    }


def _statement_ready(statement_id: uuid.UUID) -> dict[str, Any]:
    statement = Statement.objects.get(pk=statement_id)
    return {"statement_id": str(statement_id), "player_id": str(statement.player_id), "number": statement.number}


_DATA: Final[dict[str, Callable[[uuid.UUID], dict[str, Any]]]] = {
    "import.finished": _import_finished,
    "session.settled": _settlement,
    "settlement.reversed": _settlement,
    "statement.ready": _statement_ready,
}
