"""Files of the book are asked for once, made whole or not at all, and given out to its keepers alone."""

import io
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import FileSystemStorage, default_storage
from django.urls import reverse
from openpyxl import load_workbook

from accounts.csv_files import BOM
from accounts.models import User
from accounts.services import claim_player, players_named
from jobs import queue
from jobs.models import Job
from settlement import book_files
from settlement.book_files import request_ledger_file, request_session_file
from settlement.models import BookFile
from tests.deals import EVENING, done, play, settle
from tests.settlement.book_files import NOVEMBER, ledger_of, made, opened

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
BOTH = pytest.mark.both_databases


def stored() -> set[str]:
    root = Path(default_storage.location)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@BOTH
def test_asking_twice_while_it_is_made_is_one_file(club, owner):
    settle(play(club))

    def ask() -> BookFile:
        return request_ledger_file(club=club, currency="USD", author=owner, **NOVEMBER)

    first = ask()
    assert ask() == first
    made(first)
    assert ask() != first


@pytest.mark.parametrize(
    ("currency", "days", "sentence"),
    [
        ("USD", {"first_day": date(2026, 12, 1)}, "ends before it begins"),
        ("USD", {"first_day": date(1, 1, 1)}, "within the years"),
        ("XXX", {}, "not a currency in use"),
    ],
)
def test_what_is_no_period_or_currency_is_refused(club, currency, days, sentence):
    with pytest.raises(ValidationError, match=sentence):
        request_ledger_file(club=club, currency=currency, author=None, **NOVEMBER | days)
    assert not BookFile.objects.exists()


def test_a_failed_file_leaves_none_behind_and_can_be_tried_again(club, monkeypatch):
    settle(play(club))
    found = request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER)
    job, save = Job.objects.get(subject_id=found.pk), FileSystemStorage.save

    def fail_at_csv(storage: FileSystemStorage, name: str, *rest: Any) -> str:
        if name.endswith(".csv"):
            raise OSError("the disk is full")
        return save(storage, name, *rest)

    monkeypatch.setattr(FileSystemStorage, "save", fail_at_csv)
    assert done(job).status == "queued"
    found.refresh_from_db()
    assert (stored(), bool(found.workbook), bool(found.csv)) == (set(), False, False)
    monkeypatch.setattr(FileSystemStorage, "save", save)
    Job.objects.update(not_before=EVENING)
    made(found)
    assert stored() == {found.workbook.name, found.csv.name}


def test_a_worker_that_lost_the_job_takes_its_own_files_away_and_no_other(club, monkeypatch):
    settle(play(club))
    found = request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER)
    job = Job.objects.get(subject_id=found.pk)
    write = book_files.write_ledger

    def write_while_another_takes_over(*args: Any) -> None:
        monkeypatch.setattr(book_files, "write_ledger", write)
        Job.objects.filter(pk=job.pk).update(status="queued", lease_token=None)
        queue.run(job.pk)
        write(*args[:3], lambda _done, _total: None)

    monkeypatch.setattr(book_files, "write_ledger", write_while_another_takes_over)
    assert done(job).status == "done"
    found.refresh_from_db()
    assert stored() == {found.workbook.name, found.csv.name}


def test_a_job_says_how_far_it_is(club):
    settle(play(club))
    found = made(request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER))
    job = Job.objects.get(subject_id=found.pk)
    assert (job.progress_done, job.progress_total) == (3, 3)


def test_a_short_session_is_given_out_at_once_and_a_long_one_is_made_by_a_job(client, club, owner, monkeypatch):
    client.force_login(owner)
    session = play(club)
    workbook, csv_file = (reverse(f"session-{kind}", args=[session.pk]) for kind in ("workbook", "csv"))
    answer = client.get(workbook)
    assert load_workbook(io.BytesIO(b"".join(answer.streaming_content))).sheetnames[0] == "Scoreboard"
    assert answer["Content-Disposition"] == 'attachment; filename="session-Thursday-table-2026-11-26.xlsx"'
    assert b"".join(client.get(csv_file).streaming_content).decode().startswith(BOM)
    monkeypatch.setattr(book_files, "MOST_HANDS_AT_ONCE", 0)
    page = reverse("session-files", args=[session.pk])
    assert {client.get(url)["Location"] for url in (workbook, csv_file)} == {page}
    assert "Make the files" in client.get(page).text
    for _tap in range(2):
        assert client.post(page)["Location"] == page
    found = made(BookFile.objects.get())
    assert opened(found).sheetnames[0] == "Scoreboard"
    assert reverse("book-file-workbook", args=[found.pk]) in client.get(page).text


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("Fish & 🐟", "session-Fish-2026-11-26.csv"),
        ("🐟", "session-table-2026-11-26.csv"),
        ("../up", "session-up-2026-11-26.csv"),
        # Letters of four bytes each: a name on a disk has 255.
        ("\U00020000" * 100, "session-" + "\U00020000" * 40 + "-2026-11-26.csv"),
    ],
)
def test_a_download_is_called_by_the_table_and_its_evening(club, table, named):
    assert book_files.session_file_name(play(club, table=table), "csv") == named
    assert len(named.encode()) < 255


def test_the_evening_is_that_of_the_clubs_clock(club):
    # 20:00 in Los Angeles.
    session = play(club, started_at=datetime(2026, 11, 27, 4, tzinfo=UTC))
    session.club.time_zone = "America/Los_Angeles"
    assert book_files.session_file_name(session, "csv") == "session-Thursday-table-2026-11-26.csv"


def test_an_amount_that_cannot_be_kept_is_said_and_is_no_error_of_the_page(client, club, owner):
    client.force_login(owner)
    # 40 points of a value whose 40-fold is beyond what the book keeps.
    session = play(club, point_value_minor=10**14)
    for kind in ("workbook", "csv"):
        answer = client.get(reverse(f"session-{kind}", args=[session.pk]), follow=True)
        assert "An amount of this session is too large to be kept." in answer.text
    job = done(Job.objects.get(subject_id=request_session_file(session=session, author=owner).pk))
    assert (job.status, job.error) == ("failed", "An amount of this session is too large to be kept.")
    assert stored() == set()


def test_the_page_asks_for_a_period_and_gives_out_what_was_made(client, club, owner):
    client.force_login(owner)
    page = reverse("ledger-files", args=[club.pk])
    assert "No entries yet" in client.get(page).text
    settle(play(club))
    wrong = client.post(page, {"currency": "USD", "first_day": "2026-11-30", "last_day": "2026-11-01"})
    assert (wrong.status_code, "The period ends before it begins." in wrong.text) == (422, True)
    sent = client.post(page, {"currency": "USD", "first_day": "2026-11-01", "last_day": "2026-11-30"})
    assert sent["Location"] == page
    found = BookFile.objects.get()
    for kind in ("workbook", "csv"):
        assert client.get(reverse(f"book-file-{kind}", args=[found.pk])).status_code == 404, "it is not made yet"
    made(found)
    answer = client.get(reverse("book-file-csv", args=[found.pk]))
    assert answer["Content-Disposition"] == 'attachment; filename="ledger-USD-2026-11-01-2026-11-30.csv"'
    assert b"".join(answer.streaming_content) == Path(found.csv.path).read_bytes()
    answer = client.get(reverse("book-file-workbook", args=[found.pk]))
    assert b"".join(answer.streaming_content) == Path(found.workbook.path).read_bytes()


def test_only_those_who_keep_the_books_are_given_the_files(client, club, owner, stranger):
    session = play(club)
    settle(session)
    files = [ledger_of(club), made(request_session_file(session=session, author=owner))]
    urls = [reverse(f"session-{kind}", args=[session.pk]) for kind in ("files", "workbook", "csv")]
    urls += [reverse("ledger-files", args=[club.pk])]
    urls += [reverse(f"book-file-{kind}", args=[found.pk]) for found in files for kind in ("workbook", "csv")]
    ben = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=players_named(club=club, names={1: "Ben"})[1], user=ben)
    for person in (stranger, ben):
        client.force_login(person)
        assert {client.get(url).status_code for url in urls} == {404}


@pytest.mark.parametrize("where", ["../../manage.py", "%2e%2e/%2e%2e/manage.py", "%00", "..%2fcsv", "1"])
def test_a_download_is_by_id_and_nothing_else(client, owner, where):
    client.force_login(owner)
    assert client.get(f"/book-files/{where}/workbook").status_code == 404
