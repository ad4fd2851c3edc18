"""The books of a club on a page: who may read, who may have them verified, and what a long book costs."""

import re
import uuid
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts import ledger, services
from accounts.models import Account, Book, Membership, Transfer, User
from jobs.models import Job
from settlement import books
from settlement.corrections import reopen_session
from settlement.models import Verification
from tests.deals import done, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVENING = datetime(2026, 11, 26, 22, 14, tzinfo=UTC)


@pytest.fixture
def url(club) -> str:
    return reverse("books", args=[club.pk])


@pytest.fixture
def host(club) -> User:
    user = User.objects.create_user("host@example.com", "a long password")
    Membership.objects.create(club=club, user=user, role="host")
    return user


def fill(club, count: int) -> None:
    """So many entries between two people."""
    players = [services.add_player(club=club, name=name) for name in ("Ana", "Ben")]
    ana, ben = ledger.player_accounts(players, "USD").values()
    entries = [
        ledger.Entry(
            debit=ana,
            credit=ben,
            amount_minor=100 + number,
            kind="settlement",
            source_id=uuid.uuid4(),
            source_key=str(number),
            occurred_at=EVENING,
        )
        for number in range(1, count + 1)
    ]
    ledger.post(club.pk, entries)


def test_an_empty_book_says_so(client, owner, url):
    client.force_login(owner)
    text = client.get(url).text
    assert "No entries yet" in text
    assert "Not yet. From the first entry on, this happens every night." in text


def test_the_entries_of_a_session_that_was_settled_and_taken_back(client, owner, club, url):
    session = play(club)
    settle(session)
    reopen_session(session=session, reason="A hand is missing")
    client.force_login(owner)
    text = client.get(url).text
    assert "Up to entry 6" in text
    assert Book.objects.get(club=club).head_hash[:12] in text
    # Newest first: the reversal of Ben's 20 points to Ana at 50 cents stands above them.
    assert text.index("Entry 6 ") < text.index("Entry 1 ")
    assert text.count("$10.00") == 4
    assert text.count("session settled, Thursday table") == 3
    assert text.count("reversed, Thursday table") == 3


def test_a_host_reads_and_does_not_start_and_a_stranger_finds_nothing(client, host, stranger, club, url):
    start = reverse("books-verify", args=[club.pk])
    client.force_login(host)
    answer = client.get(url)
    assert answer.status_code == 200
    assert start not in answer.text
    assert client.post(start).status_code == 404
    client.force_login(stranger)
    assert client.get(url).status_code == client.post(start).status_code == 404
    assert not Verification.objects.exists()


def test_the_owner_has_the_books_verified(client, owner, club, url):
    settle(play(club))
    client.force_login(owner)
    for _tap in range(2):
        assert client.post(reverse("books-verify", args=[club.pk]))["Location"] == url
    verification = Verification.objects.get()
    assert verification.requested_by == owner
    waiting = client.get(url).text
    assert "Waiting" in waiting
    assert 'hx-trigger="load delay:1s"' in waiting
    assert "disabled" in waiting
    done(Job.objects.get(subject_id=verification.pk))
    over = client.get(url).text
    assert "Clean" in over
    assert "3 entries, 1 settlement" in over
    assert "hx-trigger" not in over


def test_what_differs_is_said_on_the_page(client, owner, club, url):
    settle(play(club))
    Book.objects.update(head_hash="f" * 64)
    client.force_login(owner)
    client.post(reverse("books-verify", args=[club.pk]))
    done(Job.objects.get(kind="verify"))
    text = client.get(url).text
    assert "Differs" in text
    assert "The book&#x27;s head: its hash is not that of the last entry." in text


def test_how_far_it_is_stands_on_the_page(client, owner, club, url):
    client.force_login(owner)
    client.post(reverse("books-verify", args=[club.pk]))
    Job.objects.filter(kind="verify").update(status="running", progress_done=5000, progress_total=12000)
    text = client.get(url).text
    assert "5,000 of 12,000" in text
    assert '<progress class="meter mt-1" value="5000" max="12000">' in text


def test_the_link_stands_in_the_clubs_navigation(client, owner, club, url):
    client.force_login(owner)
    assert f'href="{url}"' in client.get(reverse("players", args=[club.pk])).text


def test_older_entries_are_a_link_away_and_none_is_left_out(client, owner, club, url, monkeypatch):
    monkeypatch.setattr(books, "ENTRIES", 4)
    fill(club, 10)
    client.force_login(owner)
    seen, address = [], url
    while address:
        answer = client.get(address)
        seen += [entry.transfer.sequence for entry in answer.context["entries"]]
        address = f"{url}?before={answer.context['next']}" if answer.context["next"] else ""
    assert seen == list(range(10, 0, -1))


@pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "0", "", "%00", "²"])
def test_whatever_stands_in_the_address_is_answered(client, owner, club, url, before):
    client.force_login(owner)
    assert client.get(f"{url}?before={before}").status_code == 200


def test_a_long_book_costs_no_more_than_a_short_one(client, owner, club, url):
    fill(club, 60)
    client.force_login(owner)
    counts = []
    for round_number in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url).status_code == 200
        counts.append(len(queries))
        counted = [query["sql"] for query in queries if "COUNT(" in query["sql"]]
        assert all("settlement_notice" in sql for sql in counted), "only what one person has not read is counted"
        ana, ben = Account.objects.order_by("player__name")
        more = [
            ledger.Entry(
                debit=ana,
                credit=ben,
                amount_minor=1,
                kind="settlement",
                source_id=uuid.uuid4(),
                source_key=f"more {round_number} {number}",
                occurred_at=EVENING,
            )
            for number in range(3000)
        ]
        ledger.post(club.pk, more)
    assert counts[0] == counts[1]


@pytest.mark.parametrize("before", ["", "1500"])
def test_the_entries_are_one_range_of_the_index(client, owner, club, url, before):
    fill(club, 3000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_transfer")
    client.force_login(owner)
    with CaptureQueriesContext(connection) as queries:
        client.get(f"{url}?before={before}")
    listed = [query["sql"] for query in queries if 'FROM "accounts_transfer"' in query["sql"]]
    assert len(listed) == 1
    plan = Transfer.objects.filter(club=club).order_by("-sequence")
    plan = (plan.filter(sequence__lt=int(before)) if before else plan)[: books.ENTRIES].explain()
    if connection.vendor == "sqlite":
        # Nothing but the range itself: a sort would be a line of its own.
        by = "club_id=? AND sequence<?" if before else "club_id=?"
        assert re.fullmatch(rf"\d+ 0 \d+ SEARCH accounts_transfer USING INDEX \S+ \({re.escape(by)}\)", plan)
    else:
        assert "Index Scan Backward using one_transfer_per_sequence" in plan
        assert "Sort" not in plan
