"""Keys for tests see a club of their own; wiping puts it away and opens a fresh one for the same keys."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import ApiKey, AuditRow, Club, Membership
from accounts.services import add_host, create_api_key, revoke_api_key, wipe_test_club
from hands.models import Hand, Session
from settlement.verify import verify_club
from tests.histories import good

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def make(club, *, is_test: bool, scope: str = "settle") -> tuple[ApiKey, str]:
    return create_api_key(club=club, name="Upload", scope=scope, author=None, is_test=is_test)


def send(client, text: str, document=None):
    headers = {"Authorization": f"Api-Key {text}"}
    return client.post("/api/v1/hands", document or good(), content_type="application/json", headers=headers)


def look(client, text: str, hand) -> int:
    return client.get(reverse("api-hand", args=[hand.pk]), headers={"Authorization": f"Api-Key {text}"}).status_code


def test_a_test_key_tells_what_it_is_and_two_share_one_club(club):
    (first, text), (second, _text) = make(club, is_test=True), make(club, is_test=True)
    _real, real_text = make(club, is_test=False)
    assert re.match(r"test_[0-9a-f]{12}\.", text)
    assert not real_text.startswith("test_")
    assert first.club == second.club == Club.objects.get(test_of=club)
    assert first.club.name == "Harbour Card Room (test)"
    assert verify_club(first.club).finding == ""


def test_neither_sees_what_the_other_has(client, club):
    (_one, test), (_other, real) = make(club, is_test=True), make(club, is_test=False)
    assert send(client, test).status_code == 201
    tried = Hand.objects.get()
    assert tried.session.club.test_of == club
    # The same hand goes into the real book as a new one.
    assert send(client, real).status_code == 201
    counted = Hand.objects.exclude(pk=tried.pk).get()
    assert counted.session.club == club
    assert [look(client, test, tried), look(client, test, counted)] == [200, 404]
    assert [look(client, real, tried), look(client, real, counted)] == [404, 200]


def test_wiping_puts_the_club_away_and_the_key_goes_on_with_an_empty_one(client, club, owner):
    key, text = make(club, is_test=True)
    send(client, text)
    worn, tried = key.club, Hand.objects.get()
    client.force_login(owner)
    assert client.post(reverse("test-wipe", args=[club.pk])).status_code == 302
    key.refresh_from_db()
    assert key.club != worn
    assert look(client, text, tried) == 404
    assert client.get(reverse("session", args=[tried.session_id])).status_code == 404
    assert client.get(reverse("club", args=[worn.pk])).status_code == 404
    assert send(client, text).status_code == 201
    assert Session.objects.filter(club=key.club).count() == 1
    assert AuditRow.objects.filter(club=club, action="test.wiped").count() == 1
    assert Club.objects.filter(test_of=club, put_away_at=None).count() == 1


def test_without_a_test_club_there_is_nothing_to_wipe(club):
    assert wipe_test_club(club=club) is None
    assert Club.objects.count() == 1


def test_a_club_has_one_test_club_at_a_time(club):
    make(club, is_test=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Club.objects.create(name="Another", test_of=club)


def test_a_test_club_makes_no_keys_of_its_own(club):
    key, _text = make(club, is_test=True)
    with pytest.raises(ValidationError, match="This is a test club"):
        make(key.club, is_test=True)


def test_the_owner_finds_it_by_its_link_alone_and_every_page_says_test(client, club, owner, stranger):
    key, text = make(club, is_test=True)
    send(client, text)
    add_host(club=club, email=stranger.email)
    client.force_login(owner)
    assert "Harbour Card Room (test)" not in client.get(reverse("sessions")).text
    page = client.get(reverse("club", args=[club.pk])).text
    where = f"{reverse('sessions')}?club={key.club_id}"
    assert f'href="{where}"' in page
    session = Session.objects.get()
    for url in (where, reverse("club", args=[key.club_id]), reverse("session", args=[session.pk])):
        assert "Programs try things out here; nothing of it is real." in client.get(url).text
    assert "Programs try things out here" not in page
    client.force_login(stranger)
    assert client.get(reverse("club", args=[key.club_id])).status_code == 404
    assert Membership.objects.filter(club=key.club).count() == 1


def test_the_page_makes_a_test_key_and_revokes_it(client, club, owner):
    client.force_login(owner)
    made = client.post(reverse("key-new", args=[club.pk]), {"name": "CI", "scope": "write", "is_test": "on"})
    text = re.search(r'<code id="secret">(.+?)</code>', made.text)[1]
    assert text.startswith("test_")
    key = ApiKey.objects.get()
    assert (key.is_test, key.club.test_of) == (True, club)
    client.post(reverse("key-revoke", args=[club.pk, key.pk]))
    assert send(client, text).status_code == 401
    assert set(AuditRow.objects.filter(subject_id=key.pk).values_list("action", "club")) == {
        ("key.made", club.pk),
        ("key.revoked", club.pk),
    }


def test_a_revoked_test_key_stays_revoked_after_wiping(client, club):
    key, text = make(club, is_test=True)
    revoke_api_key(key=key)
    wipe_test_club(club=club)
    assert send(client, text).status_code == 401
