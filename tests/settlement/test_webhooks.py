"""Webhooks: what a club's program is told, once for each cause, signed, again when it did not arrive, and logged."""

import base64
import hashlib
import hmac
import json
import re
import runpy
import uuid
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import F
from django.test import override_settings

from accounts.models import AuditRow, Player
from hands.imports import request_import
from hands.models import Import
from jobs import events, queue
from jobs.models import Job
from settlement import webhooks
from settlement.corrections import reopen_session
from settlement.models import Attempt, Delivery, Settlement, Statement, Webhook
from settlement.services import request_settlement, request_statement
from settlement.webhook_secrets import sign
from tests.deals import EVENING, ask_to_settle, done, play, settle
from tests.histories import numbered
from tests.receiver import receiving

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVERY = ["import.finished", "session.settled", "settlement.reversed", "statement.ready"]


@pytest.fixture
def receiver():
    with override_settings(WEBHOOK_ALLOW_PRIVATE=True), receiving() as found:
        yield found


@pytest.fixture
def hook(club, owner, receiver) -> tuple[Webhook, str]:
    return webhooks.create_webhook(club=club, url=receiver.url, events=EVERY, author=owner)


def turn(delivery: Delivery) -> Delivery:
    """Let the delivery's job have a turn, where it is due."""
    for job_id in Job.objects.filter(subject_id=delivery.pk, status="queued").values_list("pk", flat=True):
        queue.run(job_id)
    delivery.refresh_from_db()
    return delivery


def pass_time(delivery: Delivery, wait: timedelta) -> None:
    """As if so much time had passed: the clock of jobs is the database's and cannot be set."""
    Job.objects.filter(subject_id=delivery.pk).update(not_before=F("not_before") - wait)


def signature(secret: str, headers: dict[str, str], body: bytes) -> str:
    """By the specification's words alone: HMAC-SHA256 of id.timestamp.body with the decoded secret, in base64."""
    key = base64.b64decode(secret.split("_")[1])
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), body])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_the_signature_is_that_of_the_published_vector():
    # The reference vector of the Standard Webhooks libraries (standard-webhooks/standard-webhooks, test of `sign`).
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    signed = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_settled_session_is_told_once_with_ids_and_counts(club, hook, receiver):
    _webhook, secret = hook
    with time_machine.travel(datetime(2026, 11, 30, 9, 0, 5, tzinfo=UTC), tick=False):
        session = play(club)
        settle(session)
        delivery = turn(Delivery.objects.get())
    (got,) = receiver.got
    settlement = Settlement.objects.get()
    assert json.loads(got.body) == {
        "type": "session.settled",
        "timestamp": "2026-11-30T09:00:05+00:00",
        "data": {
            "club_id": str(club.pk),
            "session_id": str(session.pk),
            "settlement_id": str(settlement.pk),
            "revision": settlement.revision,
            "hands": 1,
        },
    }
    assert got.headers["content-type"] == "application/json"
    assert got.headers["webhook-timestamp"] == str(int(datetime(2026, 11, 30, 9, 0, 5, tzinfo=UTC).timestamp()))
    assert got.headers["webhook-signature"] == signature(secret, got.headers, got.body)
    assert (delivery.state, delivery.next_at, Job.objects.get(kind="webhook").status) == ("delivered", None, "done")
    attempt = Attempt.objects.get()
    assert (attempt.delivery, attempt.status, attempt.error) == (delivery, 204, "")
    # A secret is 32 bytes of its webhook's own; the specification asks for 24 to 64.
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32


def test_the_code_that_the_documentation_gives_to_receivers_takes_our_messages_and_no_others(hook, receiver, tmp_path):
    webhook, old = hook
    new = webhooks.rotate_secret(webhook=webhook)
    turn(webhooks.send_ping(webhook=webhook))
    (got,) = receiver.got
    (code,) = re.findall(r"```python\n(.+?)```", (settings.BASE_DIR / "docs" / "webhooks.md").read_text(), re.DOTALL)
    (tmp_path / "receiver.py").write_text(code)
    is_genuine = runpy.run_path(str(tmp_path / "receiver.py"))["is_genuine"]
    assert is_genuine(old, got.headers, got.body)
    assert is_genuine(new, got.headers, got.body)
    assert not is_genuine(new, got.headers, got.body + b" ")
    assert not is_genuine("whsec_" + base64.b64encode(b"another").decode(), got.headers, got.body)
    later = str(int(got.headers["webhook-timestamp"]) - 301)
    assert not is_genuine(new, got.headers | {"webhook-timestamp": later}, got.body)


def test_a_finished_import_a_reversal_and_a_statement_are_told(club, owner, hook, receiver):
    history = b"".join(json.dumps(numbered(number)).encode() + b"\n" for number in (1, 2, 2)) + b"{}\n"
    request_import(club=club, file=ContentFile(history), file_name="night.ndjson", author=owner)
    session = play(club)
    settle(session)
    reopen_session(session=session, reason="A hand is missing.")
    day = EVENING.date()
    request_statement(
        player=Player.objects.get(name="Ana", accounts__currency="USD"),
        currency="USD",
        first_day=day,
        last_day=day,
        author=owner,
    )
    for kind in ("import", "statement", "webhook"):
        for job in Job.objects.filter(kind=kind):
            done(job)
    told = {(body := json.loads(got.body))["type"]: body["data"] for got in receiver.got}
    assert len(receiver.got) == len(told) == 4
    assert told["import.finished"] == {
        "club_id": str(club.pk),
        "import_id": str(Import.objects.get().pk),
        "lines": 4,
        "accepted": 2,
        "duplicate": 1,
        "conflict": 0,
        "rejected": 1,
    }
    assert told["settlement.reversed"] == told["session.settled"]
    assert told["statement.ready"] == {
        "club_id": str(club.pk),
        "statement_id": str(Statement.objects.get().pk),
        "player_id": str(Player.objects.get(name="Ana", accounts__currency="USD").pk),
        "number": 1,
    }
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 4
    assert not any(b"Ana" in got.body or b"As" in got.body for got in receiver.got)


def test_an_import_that_stops_at_a_faulty_line_is_told_too(club, owner, hook, receiver):
    history = ContentFile(b"{}\n" + json.dumps(numbered(1)).encode() + b"\n" * 600)
    request_import(club=club, file=history, file_name="night.ndjson", author=owner, on_error="abort")
    done(Job.objects.get(kind="import"))
    turn(Delivery.objects.get())
    assert json.loads(receiver.got[0].body)["data"]["rejected"] == 1


def test_only_who_asked_is_told_and_only_of_their_own_club(club, owner, stranger, receiver):
    other = stranger.memberships.get().club
    for place, names, path in [
        (club, ["import.finished"], "/a"),
        (club, ["session.settled"], "/b"),
        (club, EVERY, "/c"),
        (other, EVERY, "/d"),
    ]:
        webhooks.create_webhook(club=place, url=receiver.url.replace("/hooks", path), events=names, author=owner)
    off, _secret = webhooks.create_webhook(club=club, url=receiver.url, events=EVERY, author=owner)
    webhooks.disable_webhook(webhook=off)
    settle(play(club))
    for delivery in Delivery.objects.all():
        turn(delivery)
    assert sorted(got.path for got in receiver.got) == ["/b?club=7", "/c?club=7"]
    # One event is one message, whoever is told.
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 1


def test_what_is_rolled_back_is_not_told(club, hook):
    session = play(club)
    ask_to_settle(session)
    claim = queue.claim(Job.objects.get(kind="settle").pk)
    with transaction.atomic():
        queue.HANDLERS["settle"](claim)
        assert Delivery.objects.count() == Job.objects.filter(kind="webhook").count() == 1
        transaction.set_rollback(True)  # the machine stumbles after the effect
    assert Delivery.objects.count() == Job.objects.filter(kind="webhook").count() == 0
    queue.HANDLERS["settle"](claim)
    assert Delivery.objects.count() == Job.objects.filter(kind="webhook").count() == 1


def test_settling_what_is_settled_tells_nothing_new(club, hook):
    session = play(club)
    settle(session)
    done(request_settlement(session=session))
    with transaction.atomic():
        events.announce("session.settled", club_id=club.pk, subject_id=Settlement.objects.get().pk)
    assert Delivery.objects.count() == Job.objects.filter(kind="webhook").count() == 1


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


def test_for_a_day_after_a_rotation_both_secrets_sign(club, owner, receiver):
    start = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    with time_machine.travel(start, tick=False) as clock:
        webhook, old = webhooks.create_webhook(club=club, url=receiver.url, events=EVERY, author=owner)
        new = webhooks.rotate_secret(webhook=webhook)
        turn(webhooks.send_ping(webhook=webhook))
        clock.move_to(start + timedelta(hours=23, minutes=59, seconds=59), tick=False)
        turn(webhooks.send_ping(webhook=webhook))
        clock.move_to(start + timedelta(hours=24), tick=False)
        turn(webhooks.send_ping(webhook=webhook))
    assert old != new
    at_once, last_second, after = receiver.got
    for got in (at_once, last_second):
        both = [signature(secret, got.headers, got.body) for secret in (new, old)]
        assert got.headers["webhook-signature"].split(" ") == both
    assert after.headers["webhook-signature"] == signature(new, after.headers, after.body)


def test_a_second_rotation_ends_the_first_secret(hook, receiver):
    webhook, first = hook
    second, third = (webhooks.rotate_secret(webhook=webhook) for _time in range(2))
    turn(webhooks.send_ping(webhook=webhook))
    (got,) = receiver.got
    both = [signature(secret, got.headers, got.body) for secret in (third, second)]
    assert got.headers["webhook-signature"].split(" ") == both
    assert signature(first, got.headers, got.body) not in both


def test_the_secret_stands_nowhere_in_the_database(hook):
    webhook, secret = hook
    webhook.refresh_from_db()
    kept = json.dumps([str(value) for value in Webhook.objects.values_list().get()])
    assert secret not in kept
    assert secret.removeprefix("whsec_") not in kept
    assert secret not in json.dumps(list(AuditRow.objects.values_list("detail", flat=True)))


def test_under_another_secret_key_nothing_is_sent_until_the_secret_is_rotated(hook, receiver):
    webhook, _secret = hook
    with override_settings(SECRET_KEY="another"):
        delivery = turn(webhooks.send_ping(webhook=webhook))
        assert (delivery.state, receiver.got) == ("waiting", [])
        assert "Rotate the secret" in delivery.attempts.get().error
        fresh = webhooks.rotate_secret(webhook=webhook)
        pass_time(delivery, timedelta(seconds=5))
        assert turn(delivery).state == "delivered"
        (got,) = receiver.got
        assert signature(fresh, got.headers, got.body) in got.headers["webhook-signature"].split(" ")


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


def test_a_webhook_that_is_switched_off_keeps_its_log_and_does_nothing_more(club, owner, hook, receiver):
    webhook, _secret = hook
    delivery = turn(webhooks.send_ping(webhook=webhook))
    webhooks.disable_webhook(webhook=webhook)
    webhooks.disable_webhook(webhook=webhook)
    assert AuditRow.objects.filter(action="webhook.disabled").count() == 1
    for act in (
        lambda: webhooks.resend(delivery=delivery),
        lambda: webhooks.rotate_secret(webhook=webhook),
        lambda: webhooks.send_ping(webhook=webhook),
    ):
        with pytest.raises(ValidationError, match="switched off"):
            act()
    assert list(webhooks.webhooks_of(club)) == []
    assert list(webhooks.deliveries_of(webhook)) == [delivery]
    # Its address may be used again.
    webhooks.create_webhook(club=club, url=receiver.url, events=EVERY, author=owner)


@pytest.mark.parametrize(
    ("wrong", "pointer", "code"),
    [
        ({"url": "https://10.0.0.1/"}, "/url", "url_private"),
        ({"events": []}, "/events", "events"),
        ({"events": ["session.settled", "ping"]}, "/events", "events"),
        ({"url": "https://example.com/taken"}, "/url", "url_taken"),
    ],
)
def test_a_webhook_that_cannot_be_is_refused(club, owner, wrong, pointer, code):
    fields = {"url": "https://example.com/in", "events": ["session.settled"]}
    webhooks.create_webhook(club=club, author=owner, **fields | {"url": "https://example.com/taken"})
    with pytest.raises(ValidationError) as refused:
        webhooks.create_webhook(club=club, author=owner, **fields | wrong)
    (error,) = refused.value.error_list
    assert (error.pointer, error.code) == (pointer, code)
    assert Webhook.objects.count() == 1


def test_a_club_has_at_most_ten(club, owner, stranger):
    for number in range(10):
        webhooks.create_webhook(
            club=club, url=f"https://example.com/{number}", events=["session.settled"], author=owner
        )
    more = {"url": "https://example.com/10", "events": ["session.settled"], "author": owner}
    with pytest.raises(ValidationError, match="at most 10"):
        webhooks.create_webhook(club=club, **more)
    webhooks.create_webhook(club=stranger.memberships.get().club, **more)


def test_every_change_leaves_an_audit_row(hook, receiver):
    webhook, _secret = hook
    delivery = turn(webhooks.send_ping(webhook=webhook))
    webhooks.rotate_secret(webhook=webhook)
    webhooks.resend(delivery=delivery)
    webhooks.disable_webhook(webhook=webhook)
    rows = AuditRow.objects.filter(action__startswith="webhook.").order_by("id").values_list("action", "subject_id")
    assert list(rows) == [
        ("webhook.made", webhook.pk),
        ("webhook.rotated", webhook.pk),
        ("webhook.resent", delivery.pk),
        ("webhook.disabled", webhook.pk),
    ]
