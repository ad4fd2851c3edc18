"""Everybody's statements in one ZIP: all that can be made, and the names of those that cannot."""

import hashlib
import io
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.urls import reverse
from openpyxl import load_workbook

from jobs import queue
from jobs.models import Job
from settlement import bundles, services
from settlement.bundles import request_bundle
from settlement.models import Statement, StatementBundle
from tests.deals import ANA, BEN, EVENING, play, settle
from tests.statements import FIRST, LAST, ask

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def ask_all(club, author=None, currency="USD", first=FIRST, last=LAST) -> StatementBundle:
    return request_bundle(club=club, currency=currency, first_day=first, last_day=last, author=author)


def made(bundle: StatementBundle) -> StatementBundle:
    job = queue.run_to_end(Job.objects.get(subject_id=bundle.pk).pk)
    assert (job.status, job.error) == ("done", "")
    bundle.refresh_from_db()
    return bundle


def stored() -> list[str]:
    root = Path(default_storage.location)
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


@pytest.mark.both_databases
def test_everybody_concerned_is_in_it_once(club):
    settle(play(club, [{"Ana": ANA, "Ben": BEN}], started_at=datetime(2026, 10, 1, 12, tzinfo=UTC)))
    settle(play(club, [{"Chi": ANA, "Dora": BEN}]))
    # Emil plays in December, and the two of yen are of another currency.
    settle(play(club, [{"Dora": ANA, "Emil": BEN}], started_at=datetime(2026, 12, 1, 12, tzinfo=UTC)))
    settle(play(club, [{"Fay": ANA, "Gil": BEN}], currency="JPY"))
    bundle = made(ask_all(club))
    with zipfile.ZipFile(bundle.file.path) as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        books = [load_workbook(io.BytesIO(packed.read(name))) for name in names]
    # Ana and Ben had a balance when November began.
    assert names == [
        f"statement-{number}-{name}-2026-11-01-2026-11-30.xlsx"
        for number, name in enumerate(["Ana", "Ben", "Chi", "Dora"], start=1)
    ]
    assert [book["Statement"]["A2"].value for book in books] == [
        f"{name}, at Harbour Card Room" for name in ("Ana", "Ben", "Chi", "Dora")
    ]
    assert bundle.failures == []
    assert hashlib.sha256(Path(bundle.file.path).read_bytes()).hexdigest() == bundle.sha256
    assert bundle.size_bytes == Path(bundle.file.path).stat().st_size
    job = Job.objects.get(subject_id=bundle.pk)
    assert (job.progress_done, job.progress_total) == (4, 4)


def test_a_statement_that_there_was_is_the_one_in_the_bundle(club):
    settle(play(club))
    ben = ask(club, "Ben")
    with zipfile.ZipFile(made(ask_all(club)).file.path) as packed:
        names = sorted(packed.namelist())
        inside = packed.read(names[0])
    assert [name.split("-2026")[0] for name in names] == ["statement-1-Ben", "statement-2-Ana", "statement-3-Chi"]
    assert hashlib.sha256(inside).hexdigest() == ben.sha256


@pytest.mark.both_databases
def test_one_that_fails_is_named_and_the_rest_are_made(client, club, owner, monkeypatch):
    settle(play(club))
    write = services.write_statement

    def fail(content, *arguments) -> None:
        if content.statement.player.name == "Ben":
            raise ValidationError("Ben's sheet is torn.")
        write(content, *arguments)

    monkeypatch.setattr(services, "write_statement", fail)
    bundle = made(ask_all(club))
    with zipfile.ZipFile(bundle.file.path) as packed:
        assert [name.split("-2026")[0] for name in packed.namelist()] == [
            "statement-1-Ana",
            "statement-3-Chi",
            "not-made.txt",
        ]
        assert packed.read("not-made.txt").decode("utf-8-sig").splitlines()[2] == "Ben: Ben's sheet is torn."
    client.force_login(owner)
    page = client.get(reverse("statements", args=[club.pk])).text
    assert "Ben has none: Ben&#x27;s sheet is torn." in page
    assert "2 statements" in page


def test_a_bundle_that_cannot_be_put_together_leaves_no_file_and_is_begun_again(club, monkeypatch):
    settle(play(club))
    bundle = ask_all(club)
    save = StatementBundle.save

    def fail(self, **options) -> None:
        if "file" in options.get("update_fields", []):
            raise OSError("the disk is full")
        save(self, **options)

    monkeypatch.setattr(StatementBundle, "save", fail)
    job = Job.objects.get(subject_id=bundle.pk)
    queue.run(job.pk)
    bundle.refresh_from_db()
    assert (bundle.done, bool(bundle.file)) == (3, False)
    monkeypatch.setattr(StatementBundle, "save", save)
    Job.objects.update(not_before=EVENING)
    made(bundle)
    assert [name for name in stored() if name.endswith(".zip")] == [bundle.file.name]
    assert Statement.objects.count() == 3, "none was made twice"


def test_a_worker_that_lost_the_bundle_takes_its_own_file_away(club, monkeypatch):
    settle(play(club))
    bundle = ask_all(club)
    job = Job.objects.get(subject_id=bundle.pk)
    write = bundles._write_zip

    def write_while_another_takes_over(*arguments) -> None:
        monkeypatch.setattr(bundles, "_write_zip", write)
        Job.objects.filter(pk=job.pk).update(status="queued", lease_token=None)
        queue.run(job.pk)
        write(*arguments)

    monkeypatch.setattr(bundles, "_write_zip", write_while_another_takes_over)
    queue.run(job.pk)
    bundle.refresh_from_db()
    assert [name for name in stored() if name.endswith(".zip")] == [bundle.file.name]


def test_it_goes_on_where_it_stopped(club, monkeypatch):
    monkeypatch.setattr(bundles, "A_TURN", 2)
    settle(play(club))
    bundle = ask_all(club)
    job = Job.objects.get(subject_id=bundle.pk)
    queue.run(job.pk)
    bundle.refresh_from_db()
    job.refresh_from_db()
    assert (bundle.done, job.status, job.progress_done, job.progress_total) == (2, "queued", 2, 3)
    assert len(made(bundle).statements) == 3


def test_asked_twice_it_is_one_while_it_is_made(club):
    settle(play(club))
    bundle = ask_all(club)
    assert ask_all(club) == bundle
    assert ask_all(club, first=date(2026, 11, 2)) != bundle
    made(bundle)
    assert ask_all(club) != bundle


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"currency": "JPY"}, "Nobody has an account in JPY."),
        ({"currency": "XXX"}, "“XXX” is not a currency in use."),
        ({"first": LAST, "last": FIRST}, "The period ends before it begins."),
    ],
)
def test_what_nobody_can_have_is_refused(club, wrong, sentence):
    settle(play(club))
    with pytest.raises(ValidationError, match=sentence.replace(".", r"\.")):
        ask_all(club, **wrong)
    assert not StatementBundle.objects.exists()


def test_a_period_before_everything_says_that_there_is_nothing(club):
    settle(play(club))
    bundle = ask_all(club, first=date(2025, 1, 1), last=date(2025, 1, 31))
    job = queue.run_to_end(Job.objects.get(subject_id=bundle.pk).pk)
    assert (job.status, job.error) == ("failed", "Nobody had a balance or an entry in that period.")
    assert stored() == []


def test_the_page_asks_for_it_and_gives_it_out(client, club, owner):
    client.force_login(owner)
    url = reverse("statements", args=[club.pk])
    assert "The first account opens when a session is settled." in client.get(url).text
    settle(play(club))
    assert client.post(url, {}).status_code == 422
    late = {"currency": "USD", "first_day": "2026-11-30", "last_day": "2026-11-01"}
    assert "The period ends before it begins." in client.post(url, late).text
    asked = client.post(url, {"currency": "USD", "first_day": "2026-11-01", "last_day": "2026-11-30"})
    assert asked["Location"] == url
    assert 'hx-trigger="load delay:1s"' in client.get(url).text
    bundle = StatementBundle.objects.get()
    download = reverse("bundle-download", args=[bundle.pk])
    assert client.get(download).status_code == 404
    made(bundle)
    answer = client.get(download)
    assert (
        answer["Content-Disposition"]
        == 'attachment; filename="statements-harbour-card-room-USD-2026-11-01-2026-11-30.zip"'
    )
    assert hashlib.sha256(answer.getvalue()).hexdigest() == bundle.sha256
    assert f'href="{download}"' in client.get(url).text
    assert f'href="{url}"' in client.get(reverse("players", args=[club.pk])).text, "the club's pages lead to it"


def test_a_bundle_is_for_those_who_keep_the_book(client, club, owner, stranger):
    settle(play(club))
    bundle = made(ask_all(club))
    client.force_login(stranger)
    assert client.get(reverse("bundle-download", args=[bundle.pk])).status_code == 404
    assert client.get(reverse("statements", args=[club.pk])).status_code == 404
