"""Notices by mail: what stands in them, when they do not go out, and how they are stopped."""

import email
import email.policy
import smtplib
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import Player, User
from accounts.services import invitation
from hands.models import Hand, Session
from jobs import queue
from jobs.models import Job
from settlement import notices
from settlement.corrections import correct_hand
from settlement.models import Payment
from settlement.notice_models import Muted, Notice
from settlement.payments import confirm_payment
from settlement.reminders import ask_reminder
from tests.deals import done, play, settle
from tests.settlement.test_notices import account, pay, person

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def _site(settings):
    settings.SITE_URL = "https://scores.example"


@pytest.fixture
def session(club):
    """The published deal at 50 cents a point: Ana +11.00, Ben -20.00, Chi +9.00."""
    return play(club)


@pytest.fixture
def ben(club, session):
    return person("Ben", club)


def post(notice: Notice) -> Job:
    """What the worker does with the notice's job."""
    return done(Job.objects.get(kind="notice", subject_id=notice.pk))


def letters() -> list[EmailMessage]:
    """What was sent, as it goes over the wire."""
    policy = email.policy.default
    return [email.message_from_bytes(one.message().as_bytes(), policy=policy) for one in mail.outbox]


def subject(letter: EmailMessage) -> str:
    return str(letter["Subject"]).strip()


def body(letter: EmailMessage) -> str:
    return letter.get_content()


def test_a_mail_is_plain_text_with_the_amount_in_words_and_a_way_to_stop_it(session, ben):
    settle(session)
    notice = Notice.objects.get()
    assert post(notice).status == "done"
    (letter,) = letters()
    assert (letter["To"], letter.get_content_type()) == ("ben@example.com", "text/plain")
    assert subject(letter) == "Thursday table: you owe the others $20.00"
    off = "https://scores.example" + reverse("notice-off", args=[notices.off_text(ben.pk, "session.settled")])
    assert body(letter) == (
        "Thursday table: you owe the others $20.00.\n\n"
        "26 Nov 2026. Settled after 1 hand.\n\n"
        f"Harbour Card Room: https://scores.example/notices/{notice.pk}\n\n"
        f"To get no more mails like this one: {off}\n"
    )
    assert letter["List-Unsubscribe"].strip() == f"<{off}>"
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert letter["Message-ID"] == f"<{notice.pk}@scores.example>"
    notice.refresh_from_db()
    assert notice.mailed_at is not None


def test_one_click_is_offered_over_https_alone(session, ben):
    settle(session)
    with override_settings(SITE_URL="http://127.0.0.1:8000"):
        post(Notice.objects.get())
    (letter,) = letters()
    assert "List-Unsubscribe-Post" not in letter
    assert letter["List-Unsubscribe"].strip().startswith("<http://127.0.0.1:8000/notices/off/")


def test_a_reminder_says_what_is_open_by_now_and_how_to_pay_it(club, owner, session, ben):
    settle(session)
    Player.objects.filter(name="Ana").update(payment_note="cash on Thursday", payment_link="https://pay.example/ana")
    ask_reminder(payer=account("Ben"), payee=account("Ana"), session=session, author=owner)
    pay(club, owner, amount_minor=400)
    post(Notice.objects.get(kind="payment.reminded"))
    (letter,) = letters()
    # 11.00 less the 4.00 that were paid before it went out.
    assert subject(letter) == "A reminder: you owe Ana $7.00"
    assert "It is for Thursday table. How to pay: cash on Thursday, https://pay.example/ana\n" in body(letter)


def test_what_does_not_hold_any_more_is_not_mailed(club, owner, session, ben):
    ana = person("Ana", club)
    settle(session)
    ask_reminder(payer=account("Ben"), payee=account("Ana"), session=session, author=owner)
    payment = pay(club, ben)
    confirm_payment(payment=payment, author=ana)
    correct_hand(hand=Hand.objects.get(), based_on=1, deal=None, reason="not this table", author=owner)
    for notice in Notice.objects.exclude(kind="payment.confirmed"):
        assert post(notice).status == "done"
    # Of settled, reminded, asked and settled anew only the last still holds, for both.
    assert sorted((letter["To"], subject(letter)) for letter in letters()) == [
        ("ana@example.com", "Thursday table: you are even"),
        ("ben@example.com", "Thursday table: you are even"),
    ]
    assert Payment.objects.get().state == "paid"


def test_what_was_switched_off_meanwhile_is_not_mailed(session, ben):
    settle(session)
    notices.stop_mail(user=ben, kind="session.settled")
    assert post(Notice.objects.get()).status == "done"
    assert mail.outbox == []


def test_who_may_not_sign_in_any_more_gets_no_mail(session, ben):
    settle(session)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    post(Notice.objects.get())
    assert mail.outbox == []


def test_a_notice_that_was_forgotten_ends_its_job(session, ben):
    settle(session)
    job = Job.objects.get(kind="notice")
    Notice.objects.all().delete()
    assert done(job).status == "done"


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("Ana\r\nBcc: everybody@example.com", "Thursday\nTo: everybody@example.com"),
        ("Ana\x0bX-Mailer: me", "Thursday\x1f\x85\u2028Subject: free"),
    ],
)
def test_what_people_typed_makes_no_line_of_its_own(club, owner, session, ben, name, table):
    settle(session)
    # Past the doors, which refuse such names.
    Player.objects.filter(name="Ana").update(name=name)
    Session.objects.update(table=table)
    ask_reminder(payer=account("Ben"), payee=account(name), session=session, author=owner)
    for notice in Notice.objects.all():
        assert post(notice).status == "done"
    assert len(letters()) == 2
    for letter in letters():
        assert letter["To"] == "ben@example.com"
        assert {"Bcc", "X-Mailer"}.isdisjoint(letter.keys())
        assert (len(letter.get_all("To")), len(letter.get_all("Subject"))) == (1, 1)
        assert subject(letter).isprintable()
        assert not any(line.startswith(("Bcc", "To:", "Subject", "X-Mailer")) for line in body(letter).splitlines())


def test_names_of_every_script_arrive_whole(club, owner, session, ben):
    settle(session)
    Player.objects.filter(name="Ana").update(name="歐陽娜娜 🐟")
    ask_reminder(payer=account("Ben"), payee=account("歐陽娜娜 🐟"), session=None, author=owner)
    post(Notice.objects.get(kind="payment.reminded"))
    assert subject(letters()[0]) == "A reminder: you owe 歐陽娜娜 🐟 $11.00"


class Refusing(EmailBackend):
    """A mail server that takes nothing."""

    def send_messages(self, messages):
        raise smtplib.SMTPServerDisconnected("gone")


def test_a_mail_server_that_is_away_is_tried_for_hours_and_then_the_job_says_so(session, ben):
    settle(session)
    notice = Notice.objects.get()
    job = Job.objects.get(kind="notice")
    waits = []
    with override_settings(EMAIL_BACKEND="tests.settlement.test_notice_mail.Refusing"):
        while not done(job).is_over:
            waits.append(job.not_before - datetime.now(UTC))
            queue.hasten(job.key)
    assert [round(wait / timedelta(minutes=1)) for wait in waits] == [1, 10, 60, 360]
    assert (job.status, job.error) == ("failed", "The mail server did not take it (SMTPServerDisconnected).")
    # Tried again by hand, it goes out.
    queue.retry(job.pk)
    assert done(job).status == "done"
    notice.refresh_from_db()
    assert (notice.mailed_at is not None, len(mail.outbox)) == (True, 1)


def test_a_mail_that_went_out_before_the_worker_died_goes_out_again_as_the_same_message(session, ben):
    settle(session)
    job = Job.objects.get(kind="notice")
    claim = queue.claim(job.pk)
    taken = Job.objects.filter(pk=job.pk)
    taken.update(lease_token=None, lease_until=None, status="queued")
    with pytest.raises(queue.LeaseLost):
        queue.HANDLERS["notice"](claim)
    assert Notice.objects.get().mailed_at is None
    assert done(job).status == "done"
    first, second = letters()
    assert first["Message-ID"] == second["Message-ID"]


def test_one_click_stops_a_kind_without_a_log_in_or_a_token_of_ours(ben):
    url = reverse("notice-off", args=[notices.off_text(ben.pk, "payment.asked")])
    client = Client(enforce_csrf_checks=True)
    assert client.get(url).status_code == 200
    assert not Muted.objects.exists(), "a look changes nothing"
    for _click in range(2):
        answer = client.post(url, {"List-Unsubscribe": "One-Click"})
        assert (answer.status_code, answer.cookies.get("homerun_login")) == (200, None)
    assert list(Muted.objects.values_list("user", "kind", "way")) == [(ben.pk, "payment.asked", "mail")]
    # The list of notices goes on.
    assert "payment.asked" in notices.chosen_notices(ben)["page"]


@pytest.mark.parametrize("text", ["x", "x:y", "WzEsInBheW1lbnQuYXNrZWQiXQ:forged", "%00", "☃"])
def test_what_is_no_such_link_is_not_there(client, text):
    assert client.get(f"/notices/off/{text}").status_code == 404
    assert client.post(f"/notices/off/{text}").status_code == 404


def test_a_link_for_somebody_who_is_gone_is_not_there(client):
    assert client.post(reverse("notice-off", args=[notices.off_text(10**6, "payment.asked")])).status_code == 404


def test_a_link_of_an_invitation_switches_nothing_off(client, club, session):
    text = invitation(Player.objects.get(name="Ana"))
    assert client.post(reverse("notice-off", args=[text])).status_code == 404
