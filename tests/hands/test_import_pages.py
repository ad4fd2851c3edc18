"""Imports for people who would rather click: upload, progress, what is wrong, and the lines to mend."""

import json

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from hands import import_pages, imports
from hands.imports import request_import
from hands.models import Hand, Import
from jobs import queue
from jobs.models import Job
from tests.hands.test_imports import as_bytes, run
from tests.histories import numbered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def signed_in(client, owner):
    client.force_login(owner)


def upload(client, club, raw: bytes, name: str = "evening.ndjson", **more):
    data = {"file": SimpleUploadedFile(name, raw), "on_error": "skip"} | more
    return client.post(reverse("import-new", args=[club.pk]), data)


def finish() -> None:
    for job_id in Job.objects.filter(status=Job.Status.QUEUED).values_list("pk", flat=True):
        queue.run_to_end(job_id)


def page_of(client, history: Import, **query) -> str:
    return client.get(reverse("import", args=[history.pk]), query).text


def test_a_file_is_sent_read_and_reported(client, club, owner):
    broken = numbered(2, seats=[])
    answer = upload(client, club, as_bytes(numbered(1), broken), is_dry_run="")
    history = Import.objects.get()
    assert answer["Location"] == reverse("import", args=[history.pk])
    assert (history.created_by, history.file_name, history.is_dry_run) == (owner, "evening.ndjson", False)
    waiting = page_of(client, history)
    assert "hx-trigger" in waiting
    assert "Cancel this import" in waiting
    finish()
    page = page_of(client, history)
    assert "hx-trigger" not in page
    assert "Partly done" in page
    assert "1 line needs you" in page
    assert "The hand has 0 seats; these rules need 2 to 6." in page
    assert "evening.ndjson" in client.get(reverse("imports", args=[club.pk])).text
    download = client.get(reverse("import-failed-lines", args=[history.pk]))
    assert download["Content-Disposition"] == 'attachment; filename="evening-to-mend.ndjson"'
    assert json.loads(b"".join(download.streaming_content)) == broken


def test_a_file_can_be_checked_first(client, club):
    assert "checked" in client.get(reverse("import-new", args=[club.pk]) + "?check").text
    upload(client, club, as_bytes(numbered(1)), is_dry_run="on")
    finish()
    page = page_of(client, Import.objects.get())
    assert "Checked, all good" in page
    assert "Only checked: nothing is written" in page
    assert not Hand.objects.exists()


def test_without_a_file_the_form_says_so(client, club):
    answer = client.post(reverse("import-new", args=[club.pk]), {"on_error": "skip"})
    assert answer.status_code == 422
    assert 'id="id_file_error"' in answer.text
    assert not Import.objects.exists()


def test_a_file_that_is_too_large_is_said_beside_its_field(client, club, monkeypatch):
    monkeypatch.setattr(imports, "LARGEST_FILE", 10)
    answer = upload(client, club, b"x" * 11)
    assert answer.status_code == 422
    assert "The file is larger than" in answer.text


@pytest.mark.parametrize("name", ["november.xlsx", "nov\x00ember\n.xlsx", "=1+1", "a" * 150])
def test_a_file_that_is_none_fails_with_a_sentence_whatever_it_is_called(client, club, name):
    upload(client, club, b"PK\x03\x04", name)
    finish()
    history = Import.objects.get()
    for text in (page_of(client, history), client.get(reverse("imports", args=[club.pk])).text):
        assert "This is an Excel workbook or a ZIP archive." in text


def test_progress_is_told_while_an_import_is_read(client, club, monkeypatch):
    monkeypatch.setattr(imports, "BLOCK", 10)
    seen = []
    write = imports._write_block

    def looking(*arguments):
        answer = write(*arguments)
        seen.append((page_of(client, history), client.get(reverse("imports", args=[club.pk])).text))
        return answer

    monkeypatch.setattr(imports, "_write_block", looking)
    raw = as_bytes(*map(numbered, range(1, 26)))
    history = request_import(club=club, file=ContentFile(raw), file_name="h", author=None)
    finish()
    for text in seen[1]:
        assert "20 lines read" in text
        # Small files are read whole at once: the bar is what was read of the file, not what was written.
        assert f'max="{len(raw)}"' in text


def test_an_import_can_be_cancelled_from_its_page(client, club):
    history = request_import(club=club, file=ContentFile(as_bytes(numbered(1))), file_name="h", author=None)
    url = reverse("import-cancel", args=[history.pk])
    assert client.get(url).status_code == 405
    assert client.post(url)["Location"] == reverse("import", args=[history.pk])
    assert "Being cancelled" in page_of(client, history)
    finish()
    assert "Cancelled" in page_of(client, history)
    assert not Hand.objects.exists()
    assert "The import is over already." in client.post(url, follow=True).text


def test_problems_come_in_pages_without_a_gap(client, club, monkeypatch):
    monkeypatch.setattr(import_pages, "PROBLEMS_A_PAGE", 3)
    history = run(club, as_bytes(*(["broken"] * 7)))
    seen, after = [], ""
    while True:
        context = client.get(reverse("import", args=[history.pk]), {"after": after}).context
        seen += [problem.line for problem in context["problems"]]
        if context["next"] is None:
            break
        after = context["next"]
    assert seen == list(range(1, 8))
    assert page_of(client, history, after="nothing")


def test_unknown_fields_and_claims_are_shown_on_the_page(client, club):
    history = run(club, as_bytes(numbered(1, dealer="Kim", claimed_points={"1": 12})))
    page = page_of(client, history)
    assert "/dealer" in page
    assert "1 hand with other points than claimed" in page
    assert f"?import={history.pk}" in page


def test_the_sample_is_a_download(client, club):
    answer = client.get(reverse("import-sample", args=[club.pk]))
    assert answer["Content-Disposition"] == 'attachment; filename="hands-sample.ndjson"'
    assert [json.loads(line)["number"] for line in answer.content.splitlines()] == [1, 2, 1]


def test_the_list_costs_the_same_however_many_imports(client, club, django_assert_max_num_queries):
    for number in range(1, 6):
        run(club, as_bytes(numbered(number)))
    with django_assert_max_num_queries(10):
        client.get(reverse("imports", args=[club.pk]))


def test_the_file_of_an_import_that_is_gone_is_not_there(client, club):
    history = run(club, as_bytes("broken"))
    history.file.delete(save=False)
    assert client.get(reverse("import-failed-lines", args=[history.pk])).status_code == 404
