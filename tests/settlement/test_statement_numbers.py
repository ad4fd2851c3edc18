"""A statement keeps its number; what corrects it says so; and whether one is genuine can be told."""

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import Account, Player, Transfer, User
from accounts.services import claim_player
from hands.models import Session
from jobs import queue
from jobs.models import Job
from settlement import services, statement_pages
from settlement.corrections import reopen_session
from settlement.models import Statement
from settlement.payments import Wanted, cancel_payment, record_payments
from settlement.statement_checks import check_statement
from settlement.statement_words import file_name
from settlement.statements import PAGE
from tests.deals import ANA, BEN, EVENING, THREE, play, settle
from tests.statements import ask, foot, lines, opened, request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def pay(club, owner, amount_minor: int, paid_at: datetime, payer: str = "Ben", payee: str = "Ana"):
    accounts = [Account.objects.get(player__club=club, player__name=name) for name in (payer, payee)]
    (payment,) = record_payments(
        club=club, wanted=[Wanted(uuid.uuid4(), *accounts, amount_minor, paid_at=paid_at)], author=owner
    )
    return payment


# Numbers


def test_statements_are_numbered_within_the_club_and_name_the_books_head(club, stranger):
    theirs = stranger.memberships.get().club
    settle(play(club))
    settle(play(theirs))
    numbers = [ask(club).number, ask(club, "Ben").number, ask(theirs).number]
    assert numbers == [1, 2, 1]
    statement = ask(club, "Chi")
    last = Transfer.objects.filter(club=club).order_by("-sequence").first()
    assert (statement.head_sequence, statement.head_hash) == (3, last.hash)
    about = {row[0].value: row[1].value for row in opened(statement)["About"].iter_rows(min_row=2)}
    assert (about["Number"], about["Replaces"], about["Ledger head"]) == ("3", "none", f"3: {last.hash}")


@pytest.mark.both_databases
def test_asked_again_it_is_the_same_statement_and_the_same_file(club):
    settle(play(club))
    first = ask(club)
    again = ask(club)
    assert (again.pk, again.number, again.sha256, again.file.name) == (
        first.pk,
        first.number,
        first.sha256,
        first.file.name,
    )
    assert Job.objects.filter(kind="statement").count() == 1


def test_what_is_of_another_period_player_or_currency_changes_nothing(club, owner):
    settle(play(club))
    first = ask(club)
    # December's session, a payment of the others, and a game for yen.
    settle(play(club, started_at=datetime(2026, 12, 3, 12, tzinfo=UTC)))
    pay(club, owner, 100, EVENING + timedelta(hours=2), payer="Ben", payee="Chi")
    settle(play(club, point_value_minor=1, currency="JPY"))
    assert ask(club) == first


@pytest.mark.both_databases
@pytest.mark.parametrize("what", ["a payment", "a payment taken back", "a correction", "an earlier session", "zone"])
def test_what_changes_the_periods_lines_makes_a_new_one_that_says_what_it_replaces(club, owner, what):
    session = play(club)
    settle(session)
    if what == "a payment taken back":
        payment = pay(club, owner, 600, EVENING + timedelta(hours=2))
    first = ask(club)
    with time_machine.travel(datetime(2026, 11, 30, 10, tzinfo=UTC), tick=False):
        if what == "a payment":
            pay(club, owner, 600, EVENING + timedelta(hours=2))
        elif what == "a payment taken back":
            cancel_payment(payment=payment, reason="It never came.", author=owner)
        elif what == "a correction":
            reopen_session(session=session, reason="A hand is missing")
            settle(Session.objects.get(pk=session.pk))
        elif what == "an earlier session":
            settle(play(club, started_at=datetime(2026, 10, 3, 12, tzinfo=UTC)))
        else:
            club.time_zone = "Europe/Paris"
            club.save()
    second = ask(club)
    assert (second.number, second.replaces, second.pk != first.pk) == (2, first, True)
    assert "Statement number 2, which replaces number 1." in opened(second)["Statement"]["A4"].value
    assert ask(club) == second, "and that one stays"
    first.refresh_from_db()
    assert Path(first.file.path).is_file(), "what was taken home is kept"


def test_a_session_in_which_nobody_won_anything_changes_it_too(club):
    settle(play(club))
    first = ask(club)
    # Everybody wins what they lose: the same hand with the seats exchanged. No entry in the book.
    settle(play(club, [{"Ana": ANA, "Ben": BEN}, {"Ana": BEN, "Ben": ANA}], table="Even"))
    assert Transfer.objects.count() == 3
    second = ask(club)
    assert second.replaces == first
    assert [row[1].value for row in opened(second)["Sessions"].iter_rows(min_row=2, max_row=3)] == [
        "Thursday table",
        "Even",
    ]


def test_a_statement_that_failed_is_begun_again_when_it_is_asked_for(club, monkeypatch):
    settle(play(club))

    def fail(*_arguments) -> None:
        raise ValidationError("The disk is full.")

    write = services.write_statement
    monkeypatch.setattr(services, "write_statement", fail)
    statement = request(club)
    job = Job.objects.get(subject_id=statement.pk)
    queue.run(job.pk)
    job.refresh_from_db()
    assert (job.status, job.error) == ("failed", "The disk is full.")
    monkeypatch.setattr(services, "write_statement", write)
    assert ask(club) == statement


def test_two_who_ask_at_once_get_one(club):
    settle(play(club))
    assert request(club) == request(club)
    assert Statement.objects.count() == 1


# Its page


def page_of(client, statement: Statement, query: str = "") -> str:
    answer = client.get(reverse("statement", args=[statement.pk]) + query)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def test_the_page_shows_what_the_file_says_whatever_came_later(client, club, owner):
    client.force_login(owner)
    settle(play(club))
    first = ask(club)
    pay(club, owner, 600, EVENING + timedelta(hours=2))
    second = ask(club)
    old, new = page_of(client, first), page_of(client, second)
    assert "Payment from Ben" in new
    assert "Payment from Ben" not in old
    assert f'<a href="/statements/{second.pk}/">Statement number 2</a> replaces this one.' in old
    assert "Statement number 2, which replaces number 1." in new
    assert "1 hand, +22 points" in new


def test_while_the_new_one_is_being_made_the_old_one_says_so(client, club, owner):
    client.force_login(owner)
    settle(play(club))
    first = ask(club)
    pay(club, owner, 600, EVENING + timedelta(hours=2))
    second = request(club)
    assert f'<a href="/statements/{second.pk}/">A new statement</a> is being made' in page_of(client, first)
    assert "The statement: waiting" in page_of(client, second)


@pytest.fixture
def long(club, monkeypatch) -> Statement:
    """Sixteen evenings of two lines each, on pages of ten; the last two lines are too few for a page of their own."""
    monkeypatch.setattr(services, "paged", lambda lines, pages: PAGED(lines, pages, 10))
    for day in range(1, 17):
        settle(play(club, [THREE], started_at=datetime(2026, 11, day, 12, tzinfo=UTC)))
    return ask(club)


PAGED = services.paged


def test_pages_of_a_long_statement_lead_through_all_of_it(client, owner, long):
    client.force_login(owner)
    # An evening is three entries, of which Ana has the first two, and 11.00.
    assert [place[1:] for place in long.pages] == [[14, 5500], [29, 11000]]
    pages = [page_of(client, long, f"?page={number}") for number in (1, 2, 3)]
    assert ["Closing balance" in page for page in pages] == [True, False, False]
    assert ["Opening balance" in page for page in pages] == [False, False, True]
    assert [page.count('class="line-when"') for page in pages] == [6, 5, 5]
    for page, (closing, opening) in zip(
        pages, [("+$176.00", "+$110.00"), ("+$110.00", "+$55.00"), ("+$55.00", "$0.00")], strict=True
    ):
        # The sums at the head and at the foot of the page.
        sums = [part.partition("</p>")[0] for part in page.split('<p class="statement-sum">')[1:]]
        assert closing in sums[0]
        assert opening in sums[1]
    assert "This is page 2 of 3 of the statement." in pages[1]
    # What is no page is the nearest.
    for query, page in (("?page=99", "Page 3 of 3"), ("?page=x", "Page 1 of 3"), ("?page=0", "Page 1 of 3")):
        assert page in page_of(client, long, query)


def test_printed_it_has_all_its_lines_in_their_order(client, owner, long):
    client.force_login(owner)
    page = page_of(client, long, "?all=1")
    assert page.count('class="line-when"') == 16
    days = [page.index(f">{day} Nov<") for day in range(1, 17)]
    assert days == sorted(days)
    assert page.index("Opening balance") < days[0] < days[-1] < page.index("Closing balance")


def test_what_no_browser_holds_is_printed_from_the_workbook(client, owner, long, monkeypatch):
    monkeypatch.setattr(statement_pages, "MOST_PRINTED", 2 * PAGE)
    client.force_login(owner)
    page = page_of(client, long, "?all=1")
    assert "Too long for one page: print it from the workbook." in page
    assert page.count('class="line-when"') == 6


def test_every_page_costs_the_same_queries(client, owner, long, django_assert_max_num_queries):
    client.force_login(owner)
    for number in (1, 2, 3):
        with django_assert_max_num_queries(24):
            page_of(client, long, f"?page={number}")


# Whose it is


@pytest.mark.parametrize("name", ["statement", "statement-download", "statement-csv"])
def test_a_statement_is_its_owners_and_the_clubs(client, club, owner, stranger, name):
    settle(play(club))
    statement = ask(club)
    url = reverse(name, args=[statement.pk])
    people = {}
    for player in ("Ana", "Ben"):
        people[player] = User.objects.create_user(f"{player}@example.com".lower(), "a long password")
        claim_player(player=Player.objects.get(name=player), user=people[player])
    for user, status in ((owner, 200), (people["Ana"], 200), (people["Ben"], 404), (stranger, 404)):
        client.force_login(user)
        answer = client.get(url)
        assert answer.status_code == status
        answer.getvalue()
    client.logout()
    assert client.get(url).status_code == 302


@pytest.mark.parametrize(
    "path",
    [
        "/statements/../{id}/download",
        "/statements/%2e%2e/{id}/download",
        "/statements/{id}/%2e%2e/download",
        "/statements/{id}%00/download",
        "/statements/..%2f..%2fhomerun.sqlite3/download",
        "/statements/%252e%252e%252f{id}/download",
        "/statements/{id}/download%00",
        "/statements/{id}/download/../../../../etc/passwd",
        "/statements/{other}/download",
        "/bundles/{id}/download",
        "/statements/{id}.xlsx/download",
    ],
)
def test_nothing_but_its_id_leads_to_a_file(client, club, owner, path):
    client.force_login(owner)
    settle(play(club))
    url = path.format(id=ask(club).pk, other=uuid.uuid4())
    assert client.get(url).status_code == 404


def test_what_is_not_made_yet_is_not_there(client, club, owner):
    client.force_login(owner)
    settle(play(club))
    statement = request(club)
    for name in ("statement-download", "statement-csv"):
        assert client.get(reverse(name, args=[statement.pk])).status_code == 404


def test_a_long_name_makes_a_file_name_that_a_disk_takes(client, club, owner):
    client.force_login(owner)
    name = "歐陽娜娜" * 15
    settle(play(club, [{"Ana": ANA, name: BEN}]))
    answer = client.get(reverse("statement-download", args=[ask(club, name).pk]))
    assert answer.getvalue().startswith(b"PK")
    # 255 bytes is what most of them take.
    assert len(file_name(Statement.objects.get()).encode()) < 255


# Genuine or not


def test_a_statement_is_genuine_until_another_replaces_it(club, owner, stranger):
    settle(play(club))
    first = ask(club)
    assert check_statement(club=club, number=1, digest=first.sha256).word == "genuine"
    assert check_statement(club=club, number=None, digest=first.sha256).word == "genuine"
    pay(club, owner, 600, EVENING + timedelta(hours=2))
    ask(club)
    pay(club, owner, 100, EVENING + timedelta(hours=3))
    third = ask(club)
    verdict = check_statement(club=club, number=1, digest=first.sha256)
    assert (verdict.word, verdict.statement, verdict.later) == ("superseded", first, third)
    for number, digest in ((2, first.sha256), (1, "0" * 64), (1, ""), (1, "x")):
        assert check_statement(club=club, number=number, digest=digest).word == "not_ours"
    # Another club's is nobody's here.
    theirs = stranger.memberships.get().club
    assert check_statement(club=theirs, number=1, digest=first.sha256).word == "not_ours"


def verify(client, club, **data) -> str:
    answer = client.post(reverse("statement-verify", args=[club.pk]), data)
    return f"{answer.status_code} " + " ".join(answer.text.split())


def test_the_page_tells_by_the_digest_or_by_the_file(client, club, owner):
    client.force_login(owner)
    settle(play(club))
    statement = ask(club)
    content = Path(statement.file.path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == statement.sha256
    digest = " ".join(statement.sha256.upper()[start : start + 8] for start in range(0, 64, 8))
    assert "<b>Genuine.</b> This is statement number 1" in verify(client, club, number="1", digest=digest)
    assert "<b>Genuine.</b>" in verify(client, club, file=SimpleUploadedFile("s.xlsx", content))
    assert "<b>Not ours.</b>" in verify(client, club, file=SimpleUploadedFile("s.xlsx", content + b" "))
    assert "<b>Not ours.</b>" in verify(client, club, file=SimpleUploadedFile("s.xlsx", b""))
    pay(club, owner, 600, EVENING + timedelta(hours=2))
    ask(club)
    assert "number 2 has replaced it" in verify(client, club, number="1", digest=statement.sha256)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({}, "Write the digest, or choose the file."),
        ({"number": "1", "digest": "abc"}, "A SHA-256 digest has 64 letters and digits, 0 to 9 and a to f."),
        ({"number": "one", "digest": "0" * 64}, "Enter a whole number."),
        ({"number": "1", "digest": "\x00" + "0" * 64}, "Null characters are not allowed."),
        ({"number": "9" * 30, "digest": "0" * 64}, "Ensure this value is less than or equal to 2147483647."),
    ],
)
def test_what_cannot_be_verified_is_said(client, club, owner, data, sentence):
    client.force_login(owner)
    page = verify(client, club, **data)
    assert page.startswith("422")
    assert sentence in page


def test_a_player_may_verify_and_a_stranger_finds_no_page(client, club, stranger):
    settle(play(club))
    statement = ask(club)
    ben = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=Player.objects.get(name="Ben"), user=ben)
    client.force_login(ben)
    assert "<b>Genuine.</b>" in verify(client, club, digest=statement.sha256)
    client.force_login(stranger)
    assert verify(client, club, digest=statement.sha256).startswith("404")
    theirs = stranger.memberships.get().club
    assert "<b>Not ours.</b>" in verify(client, theirs, number="1", digest=statement.sha256)


def test_a_statement_of_nobodys_entries_is_all_zero(club):
    settle(play(club))
    Player.objects.create(club=club, name="Dora", name_key="dora")
    statement = ask(club, "Dora")
    book = opened(statement)
    assert (statement.opening_minor, statement.closing_minor) == (0, 0)
    assert len(lines(book["Statement"])) == 1
    assert foot(book["Statement"])["Closing balance"][8] == 0
