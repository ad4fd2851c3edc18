"""Imports as jobs: states, dry runs, cancelling, going on, and the report that a club works with."""

import gzip
import json
import os
import uuid
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone

from accounts.models import AuditRow, Player
from hands import imports
from hands.import_report import clear_orphans, failed_lines, with_state
from hands.import_sample import sample_lines
from hands.imports import cancel_import, request_import
from hands.models import Discrepancy, Hand, Import, RuleSet, Session
from hands.services import close_session
from jobs import queue
from jobs.models import Job
from tests.hands.test_imports import as_bytes, counts, problems, run
from tests.histories import good, numbered

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

BROKEN = numbered(2, seats=[])


def request(club, raw: bytes, **options) -> tuple[Import, Job]:
    history = request_import(club=club, file=ContentFile(raw), file_name="h.ndjson", author=None, **options)
    return history, Job.objects.get(subject_id=history.pk)


def state(history: Import) -> str:
    return with_state(Import.objects.filter(pk=history.pk)).get().current_state


# What the file may be


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    "raw",
    [as_bytes(*map(numbered, range(1, 8))), json.dumps(list(map(numbered, range(1, 8))), indent=2).encode()],
    ids=["lines", "array"],
)
def test_lines_and_arrays_plain_and_packed_are_the_same_hands(club, raw, pack):
    assert counts(run(club, pack(raw))) == (7, 0, 0, 0)
    assert counts(run(club, as_bytes(*map(numbered, range(1, 8))))) == (0, 7, 0, 0)


def test_one_bad_line_among_ten_thousand_loses_no_good_one(club):
    lines = [json.dumps(numbered(number)).encode() for number in range(1, 10_001)]
    lines[7_000] = lines[7_000][:-30]
    history = run(club, b"\n".join(lines))
    assert counts(history) == (9_999, 0, 0, 1)
    assert [line for line, _pointer, _sentence in problems(history)] == [7_001]
    assert history.state == Import.State.PARTLY_SUCCEEDED
    assert Hand.objects.count() == 9_999


def test_a_number_that_is_taken_costs_its_block_nothing(club, monkeypatch):
    written = []
    monkeypatch.setattr(
        imports,
        "record_each",
        lambda _record=imports.record_each, **options: (written.append(1), _record(**options))[1],
    )
    lines = [numbered(number) for number in range(1, 101)]
    lines[50]["number"] = 50
    assert counts(run(club, as_bytes(*lines))) == (99, 0, 1, 0)
    assert len(written) == 1, "the block is not written again line by line"


def test_a_file_that_is_cut_in_the_middle_of_a_line_keeps_the_lines_before(club):
    raw = as_bytes(*map(numbered, (1, 2, 3)))[:-100]
    history = run(club, raw)
    assert counts(history) == (2, 0, 0, 1)
    assert problems(history)[0][0] == 3
    packed = run(club, gzip.compress(as_bytes(*map(numbered, (1, 2, 4))) + b"\n")[:-5])
    assert counts(packed) == (1, 2, 0, 1)
    assert problems(packed)[0][2].startswith("The gzip file is cut or damaged here")


def test_a_file_that_is_no_history_fails_with_its_sentence(club):
    history = run(club, b"PK\x03\x04 a workbook")
    assert (history.state, history.lines) == (Import.State.FAILED, 0)
    assert history.failure.startswith("This is an Excel workbook")
    assert counts(history) == (0, 0, 0, 0)


def test_a_line_of_another_format_is_said_to_be_one(club):
    ohh = {"ohh": {"spec_version": "1.4.6", "game_number": "7", "rounds": [], "pots": []}}
    history = run(club, as_bytes(numbered(1), ohh))
    assert counts(history) == (1, 0, 0, 1)
    assert problems(history)[0][2].startswith("This is an Open Hand History file")


def test_a_file_that_is_too_large_is_refused_before_it_is_kept(club, monkeypatch):
    monkeypatch.setattr(imports, "LARGEST_FILE", 10)
    with pytest.raises(ValidationError, match="The file is larger than"):
        request(club, b"x" * 11)
    assert not Import.objects.exists()


def test_tens_and_jokers_are_read_as_they_are_written_and_times_need_an_offset(club):
    jokers = good()["session"] | {"external_id": "J", "rule_set": "phenom-jokers"}
    tens, joker, clock = numbered(1), numbered(2, session=jokers), numbered(3, played_at="2026-11-28T20:41:07")
    tens["seats"][1]["middle"] = ["10d", "5c"]
    joker["seats"][1]["top"] = ["X1"]
    refused = numbered(4)
    refused["seats"][1]["top"] = ["X1"]
    history = run(club, as_bytes(tens, joker, clock, refused))
    assert counts(history) == (2, 0, 0, 2)
    assert [sentence for _line, _pointer, sentence in problems(history)] == [
        "2026-11-28T20:41:07 has no offset. Add one, such as +08:00.",
        "Seat 3 (Ben) holds X1 in top; these rules have no jokers.",
    ]


def test_unknown_fields_are_passed_over_and_named(club):
    lines = [numbered(number) for number in (1, 2, 3)]
    lines[1]["dealer"] = "Kim"
    for line in lines[1:]:
        line["seats"][0]["player"]["nick/name"] = "A"
    history = run(club, as_bytes(*lines))
    assert counts(history) == (3, 0, 0, 0)
    assert history.unknown_fields == {"/dealer": [2, 1], "/seats/*/player/nick~1name": [2, 2]}


# States


def test_states_tell_how_an_import_went(club):
    history, job = request(club, as_bytes(numbered(1)))
    assert state(history) == Import.State.QUEUED
    queue.run_to_end(job.pk)
    assert state(history) == Import.State.SUCCEEDED
    assert run(club, as_bytes(numbered(1), BROKEN)).state == Import.State.PARTLY_SUCCEEDED
    assert run(club, as_bytes(BROKEN)).state == Import.State.FAILED
    assert run(club, b"[]").state == Import.State.SUCCEEDED


def test_an_import_whose_job_was_given_up_has_failed(club, monkeypatch):
    def raising(*_arguments, **_options):
        raise RuntimeError

    monkeypatch.setattr(imports, "_write_block", raising)
    history, job = request(club, as_bytes(numbered(1)))
    Job.objects.filter(pk=job.pk).update(attempts=queue.MOST_ATTEMPTS - 1)
    queue.run(job.pk)
    assert state(history) == Import.State.FAILED


def test_a_cancelled_import_stops_before_its_next_block_and_keeps_what_is_in(club, monkeypatch):
    monkeypatch.setattr(imports, "BLOCK", 10)
    history, job = request(club, as_bytes(*map(numbered, range(1, 36))))
    write = imports._write_block

    def cancelling(*arguments):
        assert cancel_import(history=history)
        return write(*arguments)

    monkeypatch.setattr(imports, "_write_block", cancelling)
    queue.run(job.pk)
    history.refresh_from_db()
    job.refresh_from_db()
    assert (job.status, history.state) == (Job.Status.DONE, Import.State.CANCELLED)
    assert (counts(history), history.lines, Hand.objects.count()) == ((10, 0, 0, 0), 10, 10)
    assert not cancel_import(history=history)
    assert AuditRow.objects.filter(action="import.cancelled").count() == 1


# Stopping at a fault


@pytest.mark.parametrize("is_dry_run", [False, True])
@pytest.mark.parametrize(
    ("bad", "left"),
    [
        ("broken", (2, 0, 0, 1)),
        (json.dumps(BROKEN), (2, 0, 0, 1)),
        (json.dumps(numbered(2) | {"external_id": "x"}), (2, 0, 1, 0)),
    ],
    ids=["no JSON", "no hand", "a number that is taken"],
)
def test_abort_stops_at_the_first_line_that_is_not_right(club, bad, left, is_dry_run):
    history = run(club, as_bytes(numbered(1), numbered(2), bad, numbered(3)), on_error="abort", is_dry_run=is_dry_run)
    assert (counts(history), history.lines) == (left, 3)
    assert history.state == Import.State.PARTLY_SUCCEEDED
    assert Hand.objects.count() == (0 if is_dry_run else 2)


def test_an_import_that_was_killed_after_its_fault_does_not_read_on(club, monkeypatch):
    monkeypatch.setattr(imports, "BLOCK", 2)
    history, job = request(club, as_bytes("broken", numbered(1), numbered(2), numbered(3)), on_error="abort")
    claim = queue.claim(job.pk)
    finish = queue.Claim.finish

    def dying(_claim):
        raise KeyboardInterrupt

    monkeypatch.setattr(queue.Claim, "finish", dying)
    with pytest.raises(KeyboardInterrupt):
        imports.run_import(claim=claim)
    monkeypatch.setattr(queue.Claim, "finish", finish)
    Job.objects.filter(pk=job.pk).update(status=Job.Status.QUEUED)
    queue.run_to_end(job.pk)
    history.refresh_from_db()
    assert (counts(history), history.state, Hand.objects.count()) == ((0, 0, 0, 1), Import.State.FAILED, 0)


# Dry runs


def everything() -> bytes:
    """One of each: new, twice in the file, in the book, other cards, number taken, other head, broken, closed."""
    other = numbered(5, session=good()["session"] | {"table": "T8"})
    changed = numbered(1)
    changed["seats"][1]["top"] = ["6d"]
    new = good()["session"] | {"external_id": "new"}
    fresh = numbered(1, session=new)
    again = numbered(2, session=new | {"started_at": "2026-11-28T21:00:00+08:00"})
    closed = numbered(9, session=good()["session"] | {"external_id": "closed"})
    taken = numbered(3) | {"external_id": "taken"}
    claiming = numbered(6, claimed_points={"1": 12})
    return as_bytes(
        numbered(1), numbered(3), numbered(3), changed, taken, other, fresh, fresh, again, BROKEN, closed, claiming
    )


def test_a_dry_run_reports_what_the_import_would_and_writes_nothing(club, monkeypatch):
    # In blocks of two, so that most lines ask for what an earlier block would have written.
    monkeypatch.setattr(imports, "BLOCK", 2)
    run(club, as_bytes(numbered(1), numbered(8, session=good()["session"] | {"external_id": "closed"})))
    close_session(session=Session.objects.get(external_id="closed"))
    tables = (Hand, Session, Player, RuleSet, Discrepancy)
    before = [model.objects.count() for model in tables]
    revisions = list(Session.objects.values_list("external_id", "revision"))
    checked = run(club, everything(), is_dry_run=True)
    assert [model.objects.count() for model in tables] == before
    assert list(Session.objects.values_list("external_id", "revision")) == revisions
    written = run(club, everything())
    assert counts(checked) == counts(written) == (3, 3, 4, 2)
    assert problems(checked) == problems(written)
    assert checked.differing == written.differing == 1
    assert checked.state == written.state


def test_a_dry_run_that_was_killed_begins_again(club, monkeypatch):
    monkeypatch.setattr(imports, "BLOCK", 2)
    lines = as_bytes(numbered(1), "broken", numbered(2), numbered(1), numbered(3))
    history, job = request(club, lines, is_dry_run=True)
    write = imports._write_block
    blocks = []

    def dying(*arguments):
        blocks.append(1)
        if len(blocks) == 3:
            raise KeyboardInterrupt
        return write(*arguments)

    monkeypatch.setattr(imports, "_write_block", dying)
    with pytest.raises(KeyboardInterrupt):
        queue.run(job.pk)
    Job.objects.filter(pk=job.pk).update(status=Job.Status.QUEUED)
    queue.run_to_end(job.pk)
    history.refresh_from_db()
    assert (counts(history), history.lines) == ((3, 1, 0, 1), 5)
    assert [line for line, *_rest in problems(history)] == [2]


# What is left to mend


@pytest.mark.parametrize("kind", ["lines", "array", "gzip"])
def test_the_failed_lines_alone_can_be_mended_and_sent_again(club, kind):
    lines = [numbered(number) for number in range(1, 7)]
    for broken in (lines[1], lines[4]):
        broken["seats"][1]["bottom"] = ["8s", "2c", "Th"]
    raw = json.dumps(lines, indent=1).encode() if kind == "array" else as_bytes(*lines, b"x" * 300_000)
    history = run(club, gzip.compress(raw) if kind == "gzip" else raw)
    failed = b"".join(failed_lines(history))
    assert [json.loads(line) for line in failed.splitlines()] == [lines[1], lines[4]], (
        "without the line that is too long"
    )
    mended = failed.replace(b'"Th"', b'"Th", "7s"')
    assert counts(run(club, mended)) == (2, 0, 0, 0)
    assert Hand.objects.count() == 6


def test_an_import_without_faults_has_no_failed_lines(club):
    assert list(failed_lines(run(club, as_bytes(numbered(1))))) == []


def test_the_sample_can_be_imported_and_claims_what_its_cards_give(club):
    history = run(club, sample_lines())
    assert (counts(history), history.differing, history.unknown_fields) == ((3, 0, 0, 0), 0, {})


# Files


def test_files_that_no_import_names_are_cleared_after_a_day(club):
    kept = run(club, as_bytes(numbered(1)))
    old, young = (default_storage.save(f"imports/2026/11/{uuid.uuid4()}", ContentFile(b"x")) for _ in range(2))
    yesterday = (timezone.now() - timedelta(hours=25)).timestamp()
    for name in (kept.file.name, old):
        os.utime(default_storage.path(name), (yesterday, yesterday))
    assert clear_orphans in queue.HOURLY
    clear_orphans()
    there = [default_storage.exists(name) for name in (kept.file.name, old, young)]
    assert there == [True, False, True]
    default_storage.delete(young)


# The command


def test_the_command_checks_a_file_without_writing(club, tmp_path, capsys):
    path = tmp_path / "hands.ndjson"
    path.write_bytes(as_bytes(numbered(1)))
    call_command("import_hands", str(path), "--dry-run")
    assert capsys.readouterr().out == (
        "hands.ndjson: 1 lines read, 1 accepted, 0 duplicate, 0 conflict, 0 rejected. Nothing was written.\n"
    )
    assert not Hand.objects.exists()


def test_the_command_says_why_a_file_is_none(club, tmp_path, capsys):
    path = tmp_path / "hands.xlsx"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(SystemExit):
        call_command("import_hands", str(path))
    assert capsys.readouterr().err.startswith("This is an Excel workbook")
