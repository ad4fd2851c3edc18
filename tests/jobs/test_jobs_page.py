"""The jobs of a club on a page: for its owner, with what went wrong and a way to try again."""

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditRow, Membership, User
from jobs import queue
from jobs.models import Job

pytestmark = pytest.mark.django_db


def job(club, kind: str = "settle", **fields) -> Job:
    made = queue.enqueue(kind=kind, key=str(uuid.uuid4()), subject_id=uuid.uuid4(), club_id=club.pk)
    Job.objects.filter(pk=made.pk).update(**fields)
    made.refresh_from_db()
    return made


@pytest.fixture
def page(client, owner, club):
    client.force_login(owner)
    return lambda: client.get(reverse("jobs", args=[club.pk])).text


def test_every_kind_has_its_words(page, club):
    for kind in queue.HANDLERS:
        job(club, kind)
    text = page()
    for words in (
        "Settle a session",
        "Make a statement",
        "Read a hand history",
        "Score hands again",
        "Verify the books",
    ):
        assert words in text
    assert not any(f'<p class="name">{kind}</p>' in text for kind in queue.HANDLERS)


def test_a_job_says_how_it_stands(page, club):
    job(club, status="running", progress_done=12480, progress_total=18200, lost_leases=2)
    text = page()
    assert "Running" in text
    assert '<progress class="meter mt-1" value="12480" max="18200">' in text
    assert "12,480 of 18,200" in text
    assert "its workers died 2 times" in text


def test_the_page_asks_again_only_while_something_is_under_way(page, club):
    done = job(club, status="done")
    assert "hx-trigger" not in page()
    Job.objects.filter(pk=done.pk).update(status="queued")
    assert 'hx-trigger="load delay:2s"' in page()
    Job.objects.filter(pk=done.pk).update(not_before=timezone.now() + timedelta(hours=2))
    assert "hx-trigger" not in page(), "what waits for hours changes nothing in front of who looks"


def test_a_failed_job_is_tried_again_from_the_page(client, page, club):
    failed = job(club, status="failed", error="The disk is full.", attempts=5)
    assert "The disk is full." in page()
    assert "5 attempts went wrong" in page()
    url = reverse("job-retry", args=[club.pk, failed.pk])
    assert url in page()
    for _press in range(2):
        assert client.post(url)["Location"] == reverse("jobs", args=[club.pk])
    failed.refresh_from_db()
    assert (failed.status, failed.attempts, failed.error) == ("queued", 0, "")
    assert AuditRow.objects.filter(club=club, action="job.retried").count() == 1, "the second press changed nothing"
    assert client.get(url).status_code == 405


def test_hosts_and_strangers_see_no_jobs(client, club, stranger):
    host = User.objects.create_user("host@example.com", "a long password")
    Membership.objects.create(club=club, user=host, role="host")
    failed = job(club, status="failed")
    for user in (host, stranger):
        client.force_login(user)
        assert client.get(reverse("jobs", args=[club.pk])).status_code == 404
        assert client.post(reverse("job-retry", args=[club.pk, failed.pk])).status_code == 404
    failed.refresh_from_db()
    assert failed.status == "failed"


def test_another_clubs_job_is_not_tried_again_through_ours(client, owner, club, stranger):
    theirs = job(stranger.memberships.get().club, status="failed")
    client.force_login(owner)
    assert client.post(reverse("job-retry", args=[club.pk, theirs.pk])).status_code == 404
    assert reverse("job-retry", args=[club.pk, theirs.pk]) not in client.get(reverse("jobs", args=[club.pk])).text


def test_the_page_shows_the_last_hundred(page, club):
    begin = timezone.now()
    for number in range(101):
        # SQLite's clock has milliseconds, and several jobs fit into one.
        at = begin + timedelta(seconds=number)
        job(club, status="failed", error=f"number {number:03d}", created_at=at)
    text = page()
    assert "number 100" in text
    assert "number 000" not in text
