"""An invitation from the link to the player's page, whatever lies between."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.merging import merge_players
from accounts.models import Player, User
from accounts.services import claim_player, invitation
from tests.deals import ANA, BEN, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PASSWORD = "correct horse battery staple"


@pytest.fixture
def link(club) -> str:
    play(club)
    return reverse("join", args=[invitation(Player.objects.get(name="Ana"))])


def sign_up_from(client: Client, link: str, email: str):
    """As a browser does it: from the invitation to the door, and on to a new account."""
    door = client.get(link, follow=True)
    url = re.search(r'href="(/accounts/signup/[^"]*)"', door.text)[1].replace("&amp;", "&")
    ahead = re.search(r'name="next" value="([^"]*)"', client.get(url).text)[1]
    return client.post(url, {"email": email, "password1": PASSWORD, "next": ahead}, follow=True)


def confirm(client: Client):
    """Open the address in the mail, and say yes."""
    url = re.search(r"http://testserver(/accounts/confirm-email/\S+)", mail.outbox[-1].body)[1]
    action = re.search(r'action="(/accounts/confirm-email/[^"]*)"', client.get(url).text)[1]
    return client.post(action.replace("&amp;", "&"), follow=True)


def test_it_survives_signing_up(client, link):
    assert "Are you Ana?" in sign_up_from(client, link, "ana.one@example.com").text


def test_it_survives_an_address_that_has_to_be_confirmed(client, link, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    sign_up_from(client, link, "ana.two@example.com")
    assert "Are you Ana?" in confirm(client).text


def test_it_survives_a_mail_that_is_opened_in_another_browser(client, link, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    sign_up_from(client, link, "ana.three@example.com")
    other = Client()
    door = confirm(other)
    assert "Sign in" in door.text
    ahead = re.search(r'name="next" value="([^"]*)"', door.text)[1]
    signed_in = {"login": "ana.three@example.com", "password": PASSWORD, "next": ahead}
    assert "Are you Ana?" in other.post("/accounts/login/", signed_in, follow=True).text


def test_a_confirmation_leads_to_no_other_site(client, link, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client.post(
        "/accounts/signup/", {"email": "e@example.com", "password1": PASSWORD, "next": "https://elsewhere.example/"}
    )
    url = re.search(r"http://testserver(/accounts/confirm-email/\S+)", mail.outbox[-1].body)[1]
    assert "elsewhere" not in url
    answer = client.post(f"{url}?next=https://elsewhere.example/")
    assert "elsewhere" not in answer["Location"]


def test_a_confirmation_without_an_invitation_leads_to_the_games(client, settings, db):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client.post("/accounts/signup/", {"email": "f@example.com", "password1": PASSWORD})
    assert "Start your first game" in confirm(client).text


def test_one_that_is_too_old_says_so(client, link, owner):
    client.force_login(owner)
    with time_machine.travel(timezone.now() + timedelta(days=31), tick=False):
        client.force_login(owner)
        answer = client.get(link)
    assert (answer.status_code, "older than 30 days" in answer.text) == (404, True)


def test_half_a_link_says_so(client, link, owner):
    client.force_login(owner)
    answer = client.get(link[:-4])
    assert (answer.status_code, "a part of the link is missing" in answer.text) == (404, True)


def test_one_that_somebody_else_took_up_says_so(client, link):
    first, second = (User.objects.create_user(f"{name}@example.com", PASSWORD) for name in ("first", "second"))
    claim_player(player=Player.objects.get(name="Ana"), user=first)
    client.force_login(second)
    for answer in (client.get(link), client.post(link)):
        assert (answer.status_code, "Somebody has taken up this invitation already" in answer.text) == (404, True)
    assert Player.objects.get(name="Ana").user == first


def test_whoever_took_it_up_is_led_to_their_page(client, link):
    user = User.objects.create_user("ana@example.com", PASSWORD)
    client.force_login(user)
    page = client.post(link)["Location"]
    assert client.get(link)["Location"] == client.post(link)["Location"] == page


def test_one_for_a_name_that_was_merged_is_for_the_name_that_was_kept(client, club, link):
    play(club, [{"Anna": ANA, "Ben": BEN}], table="Second table")
    old = reverse("join", args=[invitation(Player.objects.get(name="Anna"))])
    merge_players(kept=Player.objects.get(name="Ana"), merged=Player.objects.get(name="Anna"))
    user = User.objects.create_user("ana@example.com", PASSWORD)
    client.force_login(user)
    assert "Are you Ana?" in client.get(old).text
    client.post(old)
    assert Player.objects.get(user=user).name == "Ana"
    # All past seats, under either name.
    page = client.get(reverse("player", args=[Player.objects.get(name="Ana").pk])).text
    assert "Thursday table" in page
    assert "Second table" in page
    for session in club.sessions.all():
        assert client.get(reverse("session", args=[session.pk])).status_code == 200
