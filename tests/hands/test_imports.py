"""Imports: every line by itself, counts that add up, nothing twice, nothing lost."""

import json
import os
import uuid
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import Club, User
from accounts.services import create_club
from hands import imports
from hands.imports import request_import
from hands.models import Hand, Import, Session, Setup
from hands.services import close_session
from jobs import queue
from jobs.models import Job
from tests.histories import good, numbered

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def as_bytes(*lines: dict | str | bytes) -> bytes:
    return b"\n".join(
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    )


def run(club: Club, raw: bytes, **options) -> Import:
    history = request_import(club=club, file=ContentFile(raw), file_name="hands.ndjson", author=None, **options)
    job = queue.run_to_end(Job.objects.get(subject_id=history.pk).pk)
    assert job.status == Job.Status.DONE, job.error
    history.refresh_from_db()
    counted = history.accepted + history.duplicates + history.conflicts + history.rejected
    assert counted == history.lines, "the counts add up to the lines read"
    return history


def counts(history: Import) -> tuple[int, int, int, int]:
    return history.accepted, history.duplicates, history.conflicts, history.rejected


def problems(history: Import) -> list[tuple[int, str, str]]:
    return list(history.problems.values_list("line", "pointer", "sentence"))


def test_the_same_file_twice_adds_nothing(club):
    raw = as_bytes(*(numbered(number) for number in range(1, 6)))
    assert counts(run(club, raw)) == (5, 0, 0, 0)
    assert counts(run(club, raw)) == (0, 5, 0, 0)
    assert Hand.objects.count() == 5


def test_the_same_file_after_settling_is_still_all_duplicates(club):
    raw = as_bytes(numbered(1), numbered(2))
    run(club, raw)
    close_session(session=Session.objects.get())
    assert counts(run(club, raw)) == (0, 2, 0, 0)
    late = run(club, as_bytes(numbered(3)))
    assert counts(late) == (0, 0, 0, 1)
    assert problems(late) == [(1, "", "This session is closed; no hand can be added to it.")]


def test_one_bad_line_among_many_loses_no_good_one(club):
    lines = [numbered(number) for number in range(1, 1101)]
    lines[700]["seats"][1]["bottom"] = ["8s", "2c", "Th"]
    history = run(club, as_bytes(*lines))
    assert counts(history) == (1099, 0, 0, 1)
    assert problems(history) == [
        (701, "/seats/1/bottom", "Seat 3 (Ben): bottom has 3 cards (8s 2c Th); Taiwanese needs 4.")
    ]


def test_another_content_under_one_id_is_a_conflict_and_changes_nothing(club):
    run(club, as_bytes(numbered(1)))
    changed = numbered(1)
    changed["seats"][1]["top"] = ["6d"]
    history = run(club, as_bytes(changed))
    assert counts(history) == (0, 0, 1, 0)
    assert problems(history) == [
        (
            1,
            "/seats/1/top",
            "Hand 1 is in the book already. Seat 3 (Ben), top has 6d where the book has 5d. Nothing was changed.",
        )
    ]
    assert Setup.objects.filter(top="5d").exists()
    assert not Setup.objects.filter(top="6d").exists()


def test_another_session_head_is_a_conflict_that_says_what_differs(club):
    run(club, as_bytes(numbered(1)))
    other = numbered(2)
    other["session"] = other["session"] | {"point_value": {"amount_minor": 100, "currency": "USD"}, "table": "T8"}
    history = run(club, as_bytes(other))
    assert counts(history) == (0, 0, 1, 0)
    assert problems(history) == [
        (1, "/session", "Session T7-2026-11-28 is in the book with another table, point value. Nothing was changed.")
    ]


def test_a_hand_twice_in_one_file_is_one_hand(club):
    assert counts(run(club, as_bytes(numbered(1), numbered(2), numbered(1)))) == (2, 1, 0, 0)


def test_a_number_that_is_taken_is_a_conflict_of_that_line_alone(club):
    taken = numbered(1) | {"external_id": "another"}
    history = run(club, as_bytes(numbered(1), taken, numbered(2)))
    assert counts(history) == (2, 0, 1, 0)
    assert problems(history) == [(2, "/number", "Hand 1 is in the book already.")]


def test_line_ends_marks_and_blank_lines_do_not_matter(club):
    lines = [json.dumps(numbered(number)).encode() for number in (1, 2, 3)]
    raw = b"\xef\xbb\xbf" + lines[0] + b"\r\n\r\n" + lines[1] + b"\r\n" + b"  \n" + lines[2]
    assert counts(run(club, raw)) == (3, 0, 0, 0)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (as_bytes(good())[:-40], "This is not JSON"),
        (b"\x07\xff\xfe\x00binary", "This is not"),
        (b'{"a": NaN}', "NaN is no JSON number."),
        (b'{"a": 1e400}', "The number 1e400 is too large."),
        (b'{"a": 1, "a": 2}', "The key “a” stands twice in one object."),
        (b"[" * 10_000, "The JSON is nested more than 32 levels deep."),
        (b'{"a": "\\ud800"}', "A text holds half of a character (a lone surrogate)."),
        (b"x" * 300_000, "The line is longer than 256 kB; a hand needs one."),
        (b"x" * (256 * 1024 + 1), "The line is longer than 256 kB; a hand needs one."),
        (b'{"\\ud800": 1, "\\ud800": 1}', "The key “\ufffd” stands twice in one object."),
        (as_bytes(numbered(2) | {"external_id": "a\x00b"}), "external_id cannot hold the invisible character U+0000."),
        (as_bytes(numbered(2, seats=[])), "The hand has 0 seats; these rules need 2 to 6."),
        (as_bytes(numbered(2, boards=[["\x00\x1b[2J"]] * 2)), "“\ufffd\ufffd[2J” is not a card."),
        (
            as_bytes(numbered(2, session=good()["session"] | {"rule_set": "\x00"})),
            "There is no rule set “\ufffd”.",
        ),
        (
            as_bytes(numbered(2, session=good()["session"] | {"rule_set": {"\x00": 1}})),
            "\ufffd is not a parameter of Taiwanese rules.",
        ),
        (
            as_bytes(numbered(2, session=good()["session"] | {"point_value": {"currency": "x\x00" * 9_999}})),
            "“x\ufffdx\ufffd",
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_said_and_the_next_one_goes_in(club, raw, sentence):
    history = run(club, raw + b"\n" + as_bytes(numbered(1)))
    assert counts(history) == (1, 0, 0, 1)
    assert problems(history)[0][:1] == (1,)
    assert problems(history)[0][2].startswith(sentence)


def test_an_empty_file_is_an_import_of_nothing(club):
    assert counts(run(club, b"")) == (0, 0, 0, 0)


def test_abort_stops_at_the_first_rejected_line(club):
    history = run(club, as_bytes(numbered(1), "broken", numbered(2)), on_error="abort")
    assert counts(history) == (1, 0, 0, 1)
    assert (history.lines, history.finished_at is not None) == (2, True)


def test_who_sat_where_does_not_depend_on_the_order_of_the_file(club):
    hands = [numbered(number) for number in (1, 2, 3, 4)]
    for late in hands[2:]:
        late["seats"][1]["player"] = {"external_id": "p-23", "name": "Chi"}
    run(club, as_bytes(*hands))
    seats = Session.objects.get().seats.filter(number=3).order_by("first_hand")
    assert list(seats.values_list("player__name", "first_hand", "last_hand")) == [("Ben", 1, 2), ("Chi", 3, None)]
    other = create_club(owner=User.objects.create_user("other@example.com"), name="Other")
    run(other, as_bytes(*hands[::-1]))
    again = Session.objects.get(club=other).seats.filter(number=3).order_by("first_hand")
    assert list(again.values_list("player__name", "first_hand", "last_hand")) == [("Ben", 1, 2), ("Chi", 3, None)]


def test_an_import_that_was_stopped_between_blocks_goes_on_without_a_hand_twice(club, monkeypatch):
    monkeypatch.setattr(imports, "BLOCK", 10)
    history = request_import(
        club=club, file=ContentFile(as_bytes(*map(numbered, range(1, 36)))), file_name="h", author=None
    )
    job = Job.objects.get(subject_id=history.pk)
    write = imports._write_block
    blocks = []

    def stumble(*arguments, **options):
        blocks.append(1)
        answer = write(*arguments, **options)
        if len(blocks) == 3:
            raise KeyboardInterrupt  # after the block was written, before its transaction ended
        return answer

    monkeypatch.setattr(imports, "_write_block", stumble)
    with pytest.raises(KeyboardInterrupt):
        queue.run(job.pk)
    assert Hand.objects.count() == 20
    Job.objects.filter(pk=job.pk).update(status=Job.Status.QUEUED)
    queue.run_to_end(job.pk)
    history.refresh_from_db()
    assert (counts(history), history.lines, Hand.objects.count()) == ((35, 0, 0, 0), 35, 35)


def test_a_worker_that_lost_its_lease_writes_nothing(club, monkeypatch):
    history = request_import(club=club, file=ContentFile(as_bytes(numbered(1))), file_name="h", author=None)
    job = Job.objects.get(subject_id=history.pk)
    read = imports.read_lines

    def slowly(*arguments, **options):
        # Meanwhile another worker has taken the job.
        Job.objects.filter(pk=job.pk).update(lease_token=uuid.uuid4())
        return read(*arguments, **options)

    monkeypatch.setattr(imports, "read_lines", slowly)
    queue.run(job.pk)
    history.refresh_from_db()
    assert (history.lines, Hand.objects.count(), Session.objects.count()) == (0, 0, 0)


def test_lines_of_several_sessions_may_be_mixed(club):
    lines = [
        numbered(number, session=good()["session"] | {"external_id": table, "table": table})
        for number in (1, 2, 3)
        for table in ("T1", "T2")
    ]
    assert counts(run(club, as_bytes(*lines))) == (6, 0, 0, 0)
    assert sorted(Session.objects.values_list("external_id", "revision")) == [("T1", 3), ("T2", 3)]


def test_two_heads_of_one_session_in_one_file_are_a_conflict_of_the_later_lines(club):
    other = numbered(2, session=good()["session"] | {"started_at": "2026-11-28T21:00:00+08:00"})
    history = run(club, as_bytes(numbered(1), other, numbered(3)))
    assert counts(history) == (2, 0, 1, 0)
    assert problems(history) == [
        (2, "/session", "Session T7-2026-11-28 is in the book with another start. Nothing was changed.")
    ]


def test_the_command_counts_and_its_exit_code_says_whether_all_went_in(club, tmp_path, capsys):
    path = tmp_path / "hands.ndjson"
    path.write_bytes(as_bytes(numbered(1), numbered(2)))
    call_command("import_hands", str(path))
    assert capsys.readouterr().out == ("hands.ndjson: 2 lines read, 2 accepted, 0 duplicate, 0 conflict, 0 rejected.\n")
    path.write_bytes(as_bytes("broken", numbered(3)))
    with pytest.raises(SystemExit) as ended:
        call_command("import_hands", str(path))
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("Line 1: This is not JSON")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_hands", str(tmp_path / "none"))
    with pytest.raises(CommandError, match="There is no such club"):
        call_command("import_hands", str(path), "--club", "nobody")


def test_a_file_may_be_called_what_no_text_can_say(club, tmp_path, capsys):
    path = Path(os.fsdecode(bytes(tmp_path) + b"/hands-\xff.ndjson"))
    path.write_bytes(as_bytes(numbered(1)))
    call_command("import_hands", str(path))
    assert Import.objects.get().file_name == "hands-\ufffd.ndjson"
    assert capsys.readouterr().out.startswith("hands-\ufffd.ndjson: 1 lines read, 1 accepted")


def test_the_command_takes_a_club_by_id_or_by_a_name_that_is_one_clubs(club, tmp_path, capsys):
    path = tmp_path / "hands.ndjson"
    path.write_bytes(as_bytes(numbered(1)))
    owner = User.objects.get()
    same, other = create_club(owner=owner, name=club.name), create_club(owner=owner, name="Other")
    for options in ([], ["--club", club.name]):
        with pytest.raises(CommandError, match="There are several clubs: name one"):
            call_command("import_hands", str(path), *options)
    call_command("import_hands", str(path), "--club", str(same.pk))
    call_command("import_hands", str(path), "--club", "Other")
    assert capsys.readouterr().out.count("1 accepted") == 2
    assert set(Session.objects.values_list("club", flat=True)) == {same.pk, other.pk}
