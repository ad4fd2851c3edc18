"""Webhooks on pages: for the owner, with what was sent, and a secret that is shown once."""

import re
import uuid

import pytest
from django.urls import reverse

from accounts.models import Membership, User
from jobs import queue
from jobs.models import Job
from settlement import webhook_views
from settlement.models import Delivery, Webhook
from settlement.webhooks import create_webhook, disable_webhook, send_ping
from tests.receiver import receiving

pytestmark = pytest.mark.django_db

FORM = {"url": "https://example.com/in", "events": ["session.settled", "import.finished"]}


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def webhook(club, owner) -> Webhook:
    made, _secret = create_webhook(club=club, url=FORM["url"], events=["session.settled"], author=owner)
    return made


def secret_on(text: str) -> str:
    return re.search(r'<code id="secret">(whsec_[\w+/=]+)</code>', text)[1]


def test_the_owner_makes_a_webhook_and_sees_its_secret_once(signed_in, club):
    answer = signed_in.post(reverse("webhooks", args=[club.pk]), FORM)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    secret = secret_on(answer.text)
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.events) == (FORM["url"], ["import.finished", "session.settled"])
    for url in (reverse("webhook", args=[webhook.pk]), reverse("webhooks", args=[club.pk])):
        page = signed_in.get(url)
        assert FORM["url"] in page.text
        assert secret not in page.text
    assert reverse("webhooks", args=[club.pk]) in signed_in.get(reverse("club", args=[club.pk])).text


@pytest.mark.parametrize(
    ("wrong", "field", "sentence"),
    [
        ({"url": "http://example.com"}, "url", "begins with https://"),
        ({"url": "https://192.168.0.1/in"}, "url", "That address is not on the public internet."),
        ({"url": ""}, "url", "Write the address that is to be told."),
        ({"events": []}, "events", "Choose at least one event."),
        ({"url": "ftp://example.com", "events": []}, "url", "begins with https://"),
        ({"events": ["ping"]}, "events", "ping is not one of the available choices."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(signed_in, club, wrong, field, sentence):
    answer = signed_in.post(reverse("webhooks", args=[club.pk]), FORM | wrong)
    assert answer.status_code == 422
    assert re.search(rf'id="id_{field}_error">.*{sentence}', answer.text)
    assert Webhook.objects.count() == 0


def test_a_new_secret_is_shown_once_and_says_until_when_the_old_one_signs(signed_in, webhook):
    answer = signed_in.post(reverse("webhook-rotate", args=[webhook.pk]))
    assert answer["Cache-Control"] == "no-store"
    assert "the secret before it signs as well" in answer.text
    assert secret_on(answer.text) not in signed_in.get(reverse("webhook", args=[webhook.pk])).text


def test_a_ping_is_sent_listed_and_sent_again(signed_in, club, owner, settings):
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        webhook, _secret = create_webhook(club=club, url=receiver.url, events=["session.settled"], author=owner)
        page = reverse("webhook", args=[webhook.pk])
        receiver.answer(500, b"<b>out of tea</b>")
        answer = signed_in.post(reverse("webhook-ping", args=[webhook.pk]), follow=True)
        assert "The ping is on its way." in answer.text
        assert 'hx-trigger="load delay:2s"' in answer.text, "the page looks again while something is under way"
        queue.run(Job.objects.get().pk)
        text = signed_in.get(page).text
        assert "<b>500</b>" in text
        assert "&lt;b&gt;out of tea&lt;/b&gt;" in text
        assert "1 attempt · next " in text
        delivery = Delivery.objects.get()
        assert delivery.message_id in text
        answer = signed_in.post(reverse("webhook-resend", args=[webhook.pk, delivery.pk]), follow=True)
        assert "It is sent again." in answer.text
        queue.run(Job.objects.get().pk)
        text = signed_in.get(page).text
        assert "<b>204</b>" in text
        assert "Delivered" in text
        assert "hx-trigger" not in text
    assert [got.headers["webhook-id"] for got in receiver.got] == [delivery.message_id] * 2


def test_the_log_goes_back_to_the_first_message(signed_in, webhook, monkeypatch):
    monkeypatch.setattr(webhook_views, "DELIVERIES", 2)
    ids = [send_ping(webhook=webhook).message_id for _number in range(5)]
    url, pages = reverse("webhook", args=[webhook.pk]), []
    while url:
        text = signed_in.get(url).text
        pages.append(re.findall(r"<code>(msg_\w+)</code>", text))
        older = re.search(r'href="(\?before=[\w-]+)"', text)
        url = reverse("webhook", args=[webhook.pk]) + older[1] if older else ""
    assert pages == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]


@pytest.mark.parametrize("before", ["nonsense", "2c9f2d3e-5d0a-4d36-9a1b-0c6f3f6f1d11", "x" * 5000])
def test_a_page_that_is_not_there_is_not_found(signed_in, webhook, before):
    assert signed_in.get(reverse("webhook", args=[webhook.pk]), {"before": before}).status_code == 404


def test_a_webhook_that_is_switched_off_shows_its_log_and_offers_nothing(signed_in, club, webhook):
    send_ping(webhook=webhook)
    signed_in.post(reverse("webhook-disable", args=[webhook.pk]))
    assert FORM["url"] not in signed_in.get(reverse("webhooks", args=[club.pk])).text
    text = signed_in.get(reverse("webhook", args=[webhook.pk])).text
    assert "Switched off" in text
    assert "A ping" in text
    assert "Given up" in text
    assert 'method="post"' not in text.partition("<main")[2]
    for name in ("webhook-ping", "webhook-rotate"):
        answer = signed_in.post(reverse(name, args=[webhook.pk]), follow=True)
        assert "This webhook is switched off; make a new one." in answer.text


def test_a_host_who_is_no_owner_finds_none_of_it(client, club, webhook):
    host = User.objects.create_user("host@example.com", "a long password")
    Membership.objects.create(club=club, user=host, role=Membership.Role.HOST)
    client.force_login(host)
    delivery = send_ping(webhook=webhook)
    assert client.get(reverse("webhooks", args=[club.pk])).status_code == 404
    assert client.get(reverse("webhook", args=[webhook.pk])).status_code == 404
    for name in ("webhook-rotate", "webhook-disable", "webhook-ping"):
        assert client.post(reverse(name, args=[webhook.pk])).status_code == 404
    assert client.post(reverse("webhook-resend", args=[webhook.pk, delivery.pk])).status_code == 404
    webhook.refresh_from_db()
    assert (webhook.disabled_at, webhook.previous_nonce, Delivery.objects.count()) == (None, "", 1)


def test_a_delivery_of_another_webhook_is_not_there(signed_in, club, owner, webhook):
    other, _secret = create_webhook(club=club, url="https://example.com/b", events=FORM["events"], author=owner)
    delivery = send_ping(webhook=other)
    assert signed_in.post(reverse("webhook-resend", args=[webhook.pk, delivery.pk])).status_code == 404
    assert signed_in.post(reverse("webhook-resend", args=[other.pk, uuid.uuid4()])).status_code == 404


def test_the_page_costs_the_same_number_of_queries_however_many_messages(
    signed_in, webhook, django_assert_num_queries, django_assert_max_num_queries
):
    page = reverse("webhook", args=[webhook.pk])
    send_ping(webhook=webhook)
    with django_assert_max_num_queries(12) as first:
        signed_in.get(page)
    for _number in range(5):
        send_ping(webhook=webhook)
    with django_assert_num_queries(len(first)):
        signed_in.get(page)


def test_the_address_of_a_webhook_that_is_switched_off_is_free_again(signed_in, club, webhook):
    url = reverse("webhooks", args=[club.pk])
    assert "There is a webhook to this address already." in signed_in.post(url, FORM).text
    disable_webhook(webhook=webhook)
    assert signed_in.post(url, FORM).status_code == 200
