"""The job that makes a statement keeps its file with the digest, and an attempt that fails leaves none."""

import hashlib
from datetime import date
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from accounts.models import Player
from jobs import queue
from jobs.models import Job
from settlement import services
from settlement.models import Statement
from settlement.services import request_statement
from tests.deals import EVENING, done, play, settle
from tests.statements import ask

pytestmark = pytest.mark.usefixtures("own_files")


@pytest.mark.django_db
def test_the_row_keeps_the_digest_of_the_file(club):
    settle(play(club))
    statement = ask(club)
    assert hashlib.sha256(Path(statement.file.path).read_bytes()).hexdigest() == statement.sha256


def stored() -> set[str]:
    """Every file under the statements' folder."""
    root = Path(default_storage.location)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.mark.django_db
def test_an_export_that_fails_is_tried_again_and_leaves_one_file(club, monkeypatch):
    settle(play(club))
    player = Player.objects.get(name="Ana")
    statement = request_statement(
        player=player, currency="USD", first_day=date(2026, 11, 1), last_day=date(2026, 11, 30), author=None
    )
    job = Job.objects.get(subject_id=statement.pk)
    save = Statement.save

    def fail(*args, **options) -> None:
        raise OSError("the network is gone")

    monkeypatch.setattr(Statement, "save", fail)
    assert done(job).status == "queued"
    statement.refresh_from_db()
    assert not statement.file, "what was not finished is not the statement's"
    monkeypatch.setattr(Statement, "save", save)
    Job.objects.update(not_before=EVENING)
    assert done(job).status == "done"
    statement.refresh_from_db()
    assert (statement.number, stored()) == (1, {statement.file.name})


@pytest.mark.django_db
def test_a_worker_that_lost_the_export_takes_its_own_file_away_and_no_other(club, monkeypatch):
    settle(play(club))
    player = Player.objects.get(name="Ana")
    statement = request_statement(
        player=player, currency="USD", first_day=date(2026, 11, 1), last_day=date(2026, 11, 30), author=None
    )
    job = Job.objects.get(subject_id=statement.pk)
    write = services.write_statement

    def write_while_another_takes_over(*args) -> int:
        monkeypatch.setattr(services, "write_statement", write)
        Job.objects.filter(pk=job.pk).update(status="queued", lease_token=None)
        queue.run(job.pk)
        return write(*args)

    monkeypatch.setattr(services, "write_statement", write_while_another_takes_over)
    assert done(job).status == "done"
    statement.refresh_from_db()
    assert (statement.number, stored()) == (1, {statement.file.name})
    assert hashlib.sha256(Path(statement.file.path).read_bytes()).hexdigest() == statement.sha256
