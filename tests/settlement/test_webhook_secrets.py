"""What a webhook's secret signs, and how it is changed."""

import base64
import json
import re
import runpy
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.test import override_settings

from accounts.models import AuditRow
from settlement import webhooks
from settlement.models import Webhook
from settlement.webhook_secrets import sign
from tests.receiver import pass_time, signature, turn
from tests.settlement.conftest import EVERY

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_the_signature_is_that_of_the_published_vector():
    # The reference vector of the Standard Webhooks libraries (standard-webhooks/standard-webhooks, test of `sign`).
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    signed = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


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
