"""A club's export: one moment of the book in one file, however often its worker dies."""

import gzip
import json
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from accounts.services import add_host
from hands.models import Hand, Session
from jobs import queue
from jobs.models import Job
from settlement.exports import request_export
from settlement.models import ClubExport
from tests.deals import ANA, BEN, EVENING, add_hand, done, play
from tests.settlement.club_files import export, lines_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_blocks_and_a_killed_worker_make_the_same_file(full_club, monkeypatch):
    whole = lines_of(export(full_club))
    monkeypatch.setattr("settlement.club_lines.BLOCK", 2)
    asked = request_export(club=full_club, author=None)
    job = Job.objects.get(subject_id=asked.pk)
    save, times = default_storage.save, iter(range(7))

    def dying(name, content):
        if next(times, None) is None:
            raise KeyboardInterrupt
        return save(name, content)

    with monkeypatch.context() as patched:
        patched.setattr(default_storage, "save", dying)
        with pytest.raises(KeyboardInterrupt):
            queue.run(job.pk)
    asked.refresh_from_db()
    assert len(asked.parts) == 7
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    queue.sweep()
    assert done(job).status == Job.Status.DONE
    asked.refresh_from_db()
    blocks = lines_of(asked)
    whole[0].pop("made_at")
    blocks[0].pop("made_at")
    assert blocks == whole
    assert asked.begun == 1
    assert default_storage.listdir(f"exports/{asked.pk}") == ([], [asked.file.name.rpartition("/")[2]])


def test_a_club_that_is_played_in_meanwhile_is_begun_anew(full_club, monkeypatch):
    asked = request_export(club=full_club, author=None)
    session = Session.objects.get(club=full_club, table="Bank")
    save, left = default_storage.save, [1]

    def playing(name, content):
        if left:
            left.pop()
            add_hand(session, {"Ana": ANA, "Ben": BEN}, EVENING + timedelta(hours=1))
        return save(name, content)

    monkeypatch.setattr(default_storage, "save", playing)
    job = done(Job.objects.get(subject_id=asked.pk))
    asked.refresh_from_db()
    assert (job.status, asked.begun) == (Job.Status.DONE, 2)
    assert (
        sum(line["kind"] == "hand" for line in lines_of(asked)) == Hand.objects.filter(session__club=full_club).count()
    )
    left[:] = range(99)
    again = request_export(club=full_club, author=None)
    job = done(Job.objects.get(subject_id=again.pk))
    assert (job.status, job.error) == (
        Job.Status.FAILED,
        "The club was played in all the while; ask again when its tables are quiet.",
    )


def test_the_page_asks_once_and_gives_the_file_to_the_owner_alone(client, club, owner, stranger):
    play(club)
    url = reverse("exports", args=[club.pk])
    client.force_login(owner)
    client.post(url)
    client.post(url)
    made = ClubExport.objects.get()
    done(Job.objects.get(subject_id=made.pk))
    made.refresh_from_db()
    assert made.sha256 in client.get(url).text
    download = reverse("export-download", args=[made.pk])
    answer = client.get(download)
    raw = b"".join(answer.streaming_content)
    assert json.loads(gzip.decompress(raw).splitlines()[0])["name"] == club.name
    assert answer["Content-Disposition"].startswith('attachment; filename="harbour-card-room-')
    add_host(club=club, email=stranger.email)
    client.force_login(stranger)
    assert (client.get(url).status_code, client.get(download).status_code) == (404, 404)
