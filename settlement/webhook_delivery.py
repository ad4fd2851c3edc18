"""Delivering: one attempt a turn of the job, and when the next one is due."""

import time
from datetime import timedelta
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext as _

from jobs.queue import Claim
from settlement.models import Attempt, Delivery
from settlement.webhook_client import Answer, post
from settlement.webhook_secrets import SecretChanged, signed_headers
from settlement.webhooks import disable_webhook

# After each attempt that failed, how long until the next; after the last of them it is given up. The specification's
# example, up to a day.
WAITS: Final = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=10),
]
# A receiver may ask for a longer wait (Retry-After), up to this.
LONGEST_WAIT: Final = timedelta(days=1)
GONE: Final = 410


def deliver(*, claim: Claim) -> None:
    """Try once. The job is done when the message arrived or is given up, and otherwise waits for its next turn.

    The message leaves before that is written, so after a crash it may be sent twice, under the same id.
    """
    delivery = Delivery.objects.select_related("webhook").get(pk=claim.subject_id)
    if delivery.webhook.disabled_at is not None:
        with claim.finish():
            Delivery.objects.filter(pk=delivery.pk).update(state=Delivery.State.GIVEN_UP, next_at=None)
        return
    began, clock = timezone.now(), time.monotonic()
    answer = _send(delivery)
    attempt = Attempt(
        delivery=delivery,
        at=began,
        duration_ms=int((time.monotonic() - clock) * 1000),
        status=answer.status,
        answer=answer.body,
        error=answer.error,
    )
    wait = _wait_after(delivery.tries, answer)
    if wait is None:
        with claim.finish():
            # The webhook's row before any delivery's: two that are answered so at once do not wait for each other.
            if answer.status == GONE:
                disable_webhook(webhook=delivery.webhook, reason=_("The receiver answered 410 Gone."))
            _write(delivery, attempt, Delivery.State.DELIVERED if answer.is_success else Delivery.State.GIVEN_UP, None)
    else:
        with claim.again_after(wait):
            _write(delivery, attempt, Delivery.State.WAITING, wait)


def _send(delivery: Delivery) -> Answer:
    body = delivery.body.encode()
    try:
        headers = signed_headers(delivery.webhook, delivery.message_id, body, timezone.now())
    except SecretChanged:
        return Answer(error=_("The secret key of this installation was changed. Rotate the secret of this webhook."))
    return post(
        delivery.webhook.url, body, {"Content-Type": "application/json", "User-Agent": "Homerun-Webhooks", **headers}
    )


def _wait_after(tries: int, answer: Answer) -> timedelta | None:
    """How long until the next attempt, after ``tries`` that failed before this one; None when there is none."""
    if answer.is_success or answer.status == GONE or tries >= len(WAITS):
        return None
    return max(WAITS[tries], min(timedelta(seconds=answer.retry_after_seconds), LONGEST_WAIT))


def _write(delivery: Delivery, attempt: Attempt, state: str, wait: timedelta | None) -> None:
    attempt.save()
    Delivery.objects.filter(pk=delivery.pk).update(
        state=state, tries=delivery.tries + 1, next_at=timezone.now() + wait if wait else None
    )
