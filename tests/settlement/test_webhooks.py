"""Webhooks: what a club's program is told, once for each cause, and who may change that."""

import base64
import json
from datetime import UTC, datetime

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction

from accounts.models import AuditRow, Player
from hands.imports import request_import
from hands.models import Import
from jobs import events, queue
from jobs.models import Job
from settlement import webhooks
from settlement.corrections import reopen_session
from settlement.models import Attempt, Delivery, Settlement, Statement, Webhook
from settlement.services import request_settlement, request_statement
from tests.deals import EVENING, ask_to_settle, done, play, settle
from tests.histories import numbered
from tests.receiver import signature, turn
from tests.settlement.conftest import EVERY

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


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
        "state": "partly_succeeded",
        "dry_run": False,
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
