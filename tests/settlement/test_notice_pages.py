"""The list of notices, its count in the bar, and the page where a person says what they want to be told."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hands.models import Hand
from settlement import notices
from settlement.disputes import decline_dispute, raise_dispute
from settlement.notice_models import Notice
from settlement.reminders import ask_reminder
from tests.deals import play, settle
from tests.settlement.test_notices import account, pay, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(club):
    return play(club)


@pytest.fixture
def ben(client, club, session):
    user = person("Ben", club)
    client.force_login(user)
    return user


def test_the_list_says_what_happened_where_and_when(client, session, ben):
    settle(session)
    text = client.get(reverse("notices")).text
    assert "Thursday table: you owe the others $20.00" in text
    assert re.search(r"Harbour Card Room · \d+ \w+ 20\d\d, \d\d:\d\d", text)
    assert "Mark all as read" in text


def test_a_notice_opens_what_it_is_about_and_is_read_by_that(client, club, owner, session, ben):
    settle(session)
    ask_reminder(payer=account("Ben"), payee=account("Ana"), session=session, author=owner)
    payment = pay(club, None, payer="Ben", payee="Chi", amount_minor=900)
    doubted = raise_dispute(club=club, sentence="No.", author=ben, player=None, payment=payment)
    decline_dispute(dispute=doubted, reason="Yes.", author=owner)
    flagged = raise_dispute(club=club, sentence="No.", author=ben, player=None, hand=Hand.objects.get())
    decline_dispute(dispute=flagged, reason="Yes.", author=owner)
    ben_account, ana_account = account("Ben"), account("Ana")
    leads = {
        notice.subject_id: client.get(reverse("notice", args=[notice.pk]))["Location"]
        for notice in Notice.objects.filter(user=ben)
    }
    assert set(leads.values()) == {
        f"/sessions/{session.pk}/settle",
        f"/clubs/{club.pk}/payments/new?payer={ben_account.pk}&payee={ana_account.pk}&currency=USD",
        f"/payments/{payment.pk}/",
        f"/hands/{flagged.hand_id}/",
    }
    for place in leads.values():
        assert client.get(place).status_code == 200
    assert notices.count_unread(ben) == 0
    assert "Mark all as read" not in client.get(reverse("notices")).text


def test_the_bar_of_every_page_counts_what_is_new(client, session, ben):
    page = reverse("session", args=[session.pk])
    assert "bell-count" not in client.get(page).text
    settle(session)
    assert 'class="bell-count" aria-hidden="true">1<' in client.get(page).text
    assert client.post(reverse("notices-read"))["Location"] == "/notices/"
    assert "bell-count" not in client.get(page).text


def test_counting_is_one_query_and_none_for_who_is_not_signed_in(client, session, ben):
    settle(session)

    def counts(url: str) -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            client.get(url)
        return [query["sql"] for query in queries if "settlement_notice" in query["sql"]]

    assert len(counts(reverse("session", args=[session.pk]))) == 1
    client.logout()
    assert counts("/accounts/login/") == []


def test_a_longer_list_costs_the_same_number_of_queries(client, club, owner, session, ben):
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("notices")).status_code == 200
        return len(queries)

    settle(session)
    before = cost()
    for number in range(3):
        settle(play(club, table=f"Table {number}"))
    assert Notice.objects.filter(user=ben).count() == 4
    assert cost() == before


def test_older_notices_are_on_pages_of_their_own(client, club, session, ben):
    for number in range(51):
        doubted = raise_dispute(club=club, sentence=f"No {number}.", author=ben, player=None, hand=Hand.objects.get())
        decline_dispute(dispute=doubted, reason="Yes.", author=None)
    first = client.get(reverse("notices")).text
    (link,) = re.findall(r'href="(\?before=[^"]+)"', first)
    second = client.get(reverse("notices") + link).text
    told = [re.findall(r"You wrote “No (\d+)", text) for text in (first, second)]
    assert told == [[str(number) for number in range(50, 0, -1)], ["0"]]
    for nonsense in ("x", "00000000-0000-0000-0000-000000000000"):
        assert client.get(reverse("notices"), {"before": nonsense}).status_code == 200


def test_another_persons_notice_is_not_there_and_stays_new(client, club, owner, session, ben):
    settle(session)
    client.force_login(owner)
    assert client.get(reverse("notice", args=[Notice.objects.get().pk])).status_code == 404
    client.post(reverse("notices-read"))
    assert notices.count_unread(ben) == 1
    assert "Nothing to tell" in client.get(reverse("notices")).text


def test_the_page_keeps_what_a_person_wants_to_be_told(client, ben):
    url = reverse("notices-chosen")
    assert client.get(url).text.count(" checked") == 12
    assert (
        client.post(url, {"page": ["payment.asked"], "mail": ["payment.asked", "statement.ready"]}).status_code == 302
    )
    assert notices.chosen_notices(ben) == {"page": ["payment.asked"], "mail": ["payment.asked", "statement.ready"]}
    assert client.get(url).text.count(" checked") == 3
    client.post(url, {})
    assert notices.chosen_notices(ben) == {"page": [], "mail": []}


def test_a_kind_that_is_none_is_refused_with_a_sentence(client, ben):
    answer = client.post(reverse("notices-chosen"), {"page": ["payment.asked", "gossip"]})
    assert answer.status_code == 422
    assert "gossip is not one of the available choices" in answer.text
    assert notices.chosen_notices(ben)["page"] == Notice.Kind.values


def test_names_are_no_markup_in_the_list(client, club, owner, ben, session):
    settle(session)
    session.table = "<b>Bold</b>"
    session.save(update_fields=["table"])
    assert "&lt;b&gt;Bold" in client.get(reverse("notices")).text
