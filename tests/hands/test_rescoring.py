"""Rescoring: what the cards say against what is stored. The right values are the cards', as the demo was scored."""

from datetime import UTC, datetime

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db.models import F

from accounts.models import Club
from hands import demo, rescoring
from hands.imports import request_import
from hands.models import Hand, RescoreDifference, Session, Setup
from hands.rescoring import request_rescore
from hands.services import close_session
from jobs import queue
from jobs.models import Job
from settlement.services import request_settlement

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def work_off() -> None:
    for job_id in Job.objects.filter(status=Job.Status.QUEUED).values_list("pk", flat=True):
        queue.run_to_end(job_id)


@pytest.fixture
def played(club: Club) -> Club:
    """The demo's three sessions, 24 + 16 + 12 hands with six, four and two seats; the first one settled."""
    file = ContentFile(demo.history(datetime(2026, 11, 30, tzinfo=UTC)))
    request_import(club=club, file=file, file_name="demo.ndjson", author=None)
    work_off()
    session = Session.objects.get(external_id=demo.SETTLED.external_id)
    close_session(session=session)
    request_settlement(session=session)
    work_off()
    return club


def falsify(external_id: str, number: int) -> Setup:
    """Store three points too many for the first seat of a hand."""
    hand = Hand.objects.get(session__external_id=external_id, number=number)
    setup = Setup.objects.filter(version=hand.current).order_by("pk")[0]
    Setup.objects.filter(pk=setup.pk).update(net_points=F("net_points") + 3)
    return setup


def test_a_book_that_is_right_has_no_differences(played, capsys):
    call_command("rescore", "--all", "--check")
    assert capsys.readouterr().out == "52 hands scored again, 0 differences.\n"


def test_a_check_names_what_differs_changes_nothing_and_exits_1(played, capsys):
    setup = falsify(demo.OPEN.external_id, 5)
    right = setup.net_points
    with pytest.raises(SystemExit) as ended:
        call_command("rescore", "--club", str(played.pk), "--check")
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said == (f"Heads-up, hand 5, seat 1 (Ana): stored {right + 3:+d}, the cards say {right:+d} (not changed).\n")
    setup.refresh_from_db()
    assert setup.net_points == right + 3


def test_a_rescore_corrects_what_is_open_and_only_reports_what_is_settled(played):
    wrong_open, wrong_settled = falsify(demo.CLOSED.external_id, 2), falsify(demo.SETTLED.external_id, 7)
    call_command("rescore", "--all")
    found = dict(RescoreDifference.objects.values_list("setup_id", "is_written"))
    assert found == {wrong_open.pk: True, wrong_settled.pk: False}
    assert Setup.objects.get(pk=wrong_open.pk).net_points == wrong_open.net_points
    assert Setup.objects.get(pk=wrong_settled.pk).net_points == wrong_settled.net_points + 3


def test_a_rescore_of_a_session_looks_at_no_other(played, capsys):
    falsify(demo.SETTLED.external_id, 7)
    session = Session.objects.get(external_id=demo.CLOSED.external_id)
    call_command("rescore", "--session", str(session.pk), "--check")
    assert capsys.readouterr().out == "16 hands scored again, 0 differences.\n"


def test_a_rescore_that_was_killed_goes_on_where_it_stopped(played, monkeypatch):
    monkeypatch.setattr(rescoring, "BLOCK", 10)
    wrong = falsify(demo.OPEN.external_id, 5)
    rescore = request_rescore(is_check=True, author=None)
    job = Job.objects.get(subject_id=rescore.pk)
    read = rescoring._read_block
    blocks = []

    def read_three_blocks(*arguments):
        blocks.append(1)
        if len(blocks) == 4:
            raise KeyboardInterrupt  # the process is ended in the middle
        return read(*arguments)

    monkeypatch.setattr(rescoring, "_read_block", read_three_blocks)
    with pytest.raises(KeyboardInterrupt):
        queue.run(job.pk)
    rescore.refresh_from_db()
    assert rescore.hands == 30
    Job.objects.filter(pk=job.pk).update(status=Job.Status.QUEUED)
    assert queue.run_to_end(job.pk).status == Job.Status.DONE
    rescore.refresh_from_db()
    # 52 hands in all, each looked at once: 30 before and 22 after, and the one wrong seat once.
    assert (rescore.hands, [row.setup_id for row in rescore.differences.all()]) == (52, [wrong.pk])


def test_an_empty_book_is_scored_in_no_time(club, capsys):
    call_command("rescore", "--club", str(club.pk), "--check")
    assert capsys.readouterr().out == "0 hands scored again, 0 differences.\n"
