"""What becomes of a webhook's message: taken, tried again by the schedule, given up, sent again."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import transaction
from django.test import override_settings

from accounts.models import AuditRow
from jobs import queue
from jobs.models import Job
from settlement import webhooks
from settlement.models import Attempt, Delivery, Webhook
from tests.receiver import pass_time, turn

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


# The specification's example schedule, up to ten hours twice; after the eighth attempt it is given up.
SCHEDULE = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=10),
]


def test_what_does_not_arrive_is_tried_eight_times_by_the_schedule_and_given_up(hook, receiver):
    webhook, _secret = hook
    now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    with time_machine.travel(now, tick=False) as clock:
        delivery = webhooks.send_ping(webhook=webhook)
        for number, wait in enumerate(SCHEDULE, start=1):
            receiver.answer(500, b"no\n\n  room")
            turn(delivery)
            assert (delivery.state, delivery.tries, len(receiver.got)) == ("waiting", number, number)
            assert delivery.next_at == now + wait
            # Not before its time, however often a worker looks: half of it is not enough.
            pass_time(delivery, wait / 2)
            turn(delivery)
            assert len(receiver.got) == number
            pass_time(delivery, wait / 2)
            now += wait
            clock.move_to(now, tick=False)
        receiver.answer(500)
        turn(delivery)
    assert (delivery.state, delivery.tries, delivery.next_at) == ("given_up", 8, None)
    assert Job.objects.get().status == "done", "that nobody takes a message is no failure of the job"
    assert [attempt.status for attempt in delivery.attempts.all()] == [500] * 8
    assert delivery.attempts.first().answer == "no room"
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 1
    assert len({got.body for got in receiver.got}) == 1
    times = [int(got.headers["webhook-timestamp"]) for got in receiver.got]
    assert times[-1] - times[0] == (27 * 60 + 35) * 60 + 5, "each attempt is signed for its own time"


def test_a_failure_and_then_a_success_is_delivered(hook, receiver):
    delivery = webhooks.send_ping(webhook=hook[0])
    receiver.answer(503)
    turn(delivery)
    pass_time(delivery, timedelta(seconds=5))
    turn(delivery)
    assert delivery.state == "delivered"
    assert [attempt.status for attempt in delivery.attempts.all()] == [503, 204]


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("90", timedelta(seconds=90)),
        ("1", timedelta(seconds=5)),
        ("99999999", timedelta(days=1)),
        ("soon", timedelta(seconds=5)),
        ("-1", timedelta(seconds=5)),
        ("٩٠", timedelta(seconds=5)),
        ("9" * 400, timedelta(seconds=5)),
    ],
)
def test_a_receiver_may_ask_for_a_longer_wait_up_to_a_day(hook, receiver, said, wait):
    delivery = webhooks.send_ping(webhook=hook[0])
    receiver.answer(429, Retry_After=said.encode().decode("latin-1"))
    with time_machine.travel(datetime(2026, 11, 30, 9, 0, tzinfo=UTC), tick=False):
        turn(delivery)
    assert delivery.next_at == datetime(2026, 11, 30, 9, 0, tzinfo=UTC) + wait


def test_a_redirect_and_an_address_inside_are_failures_in_the_log(hook, receiver):
    webhook, _secret = hook
    one = webhooks.send_ping(webhook=webhook)
    receiver.answer(301, Location=receiver.url)
    turn(one)
    assert (one.state, one.attempts.get().status, len(receiver.got)) == ("waiting", 301, 1)
    Webhook.objects.filter(pk=webhook.pk).update(url="https://localhost/in")
    with override_settings(WEBHOOK_ALLOW_PRIVATE=False):
        two = turn(webhooks.send_ping(webhook=webhook))
    assert two.state == "waiting"
    assert two.attempts.get().error.startswith("localhost is ")
    assert len(receiver.got) == 1


def test_a_receiver_that_is_gone_switches_its_webhook_off(hook, receiver):
    webhook, _secret = hook
    waiting = webhooks.send_ping(webhook=webhook)
    delivery = webhooks.send_ping(webhook=webhook)
    receiver.answer(410)
    assert turn(delivery).state == "given_up"
    webhook.refresh_from_db()
    assert webhook.disabled_at is not None
    row = AuditRow.objects.get(action="webhook.disabled")
    assert (row.source, row.detail["reason"]) == ("job", "The receiver answered 410 Gone.")
    # What waited is given up without a word to anybody.
    waiting.refresh_from_db()
    assert (waiting.state, waiting.next_at) == ("given_up", None)
    assert turn(waiting).state == "given_up"
    assert (len(receiver.got), waiting.attempts.count()) == (1, 0)
    assert set(Job.objects.values_list("status", flat=True)) == {"done"}


def test_what_arrived_can_be_sent_again_with_the_same_id_and_body(hook, receiver):
    delivery = turn(webhooks.send_ping(webhook=hook[0]))
    receiver.answer(500)
    webhooks.resend(delivery=delivery)
    # A double tap is one.
    webhooks.resend(delivery=Delivery.objects.get())
    assert turn(delivery).state == "waiting"
    assert (delivery.tries, delivery.round) == (1, 2), "with all attempts before it"
    one, two = receiver.got
    assert (one.body, one.headers["webhook-id"]) == (two.body, two.headers["webhook-id"])
    assert AuditRow.objects.filter(action="webhook.resent").count() == 2


def test_what_waits_for_hours_can_be_sent_now(hook, receiver):
    delivery = webhooks.send_ping(webhook=hook[0])
    receiver.answer(500, Retry_After="7200")
    turn(delivery)
    webhooks.resend(delivery=delivery)
    assert turn(delivery).state == "delivered"
    assert [attempt.status for attempt in delivery.attempts.all()] == [500, 204]
    assert Job.objects.count() == 1


def test_a_delivery_whose_job_failed_can_be_sent_now(hook, receiver):
    delivery = webhooks.send_ping(webhook=hook[0])
    Job.objects.update(status="failed", attempts=5)
    webhooks.resend(delivery=delivery)
    assert turn(delivery).state == "delivered"


def test_a_worker_that_lost_its_lease_writes_no_attempt(hook, receiver, monkeypatch):
    delivery = webhooks.send_ping(webhook=hook[0])
    claim = queue.claim(Job.objects.get().pk)
    Job.objects.update(lease_token=uuid.uuid4())
    for answer in (500, 204):
        receiver.answer(answer)
        with pytest.raises(queue.LeaseLost), transaction.atomic():
            queue.HANDLERS["webhook"](claim)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries, Attempt.objects.count()) == ("waiting", 0, 0)
