"""The page of a hand: its neighbours, its earlier versions, its text."""

import re

import pytest
from django.urls import reverse

from hands.corrections import correct_hand
from hands.history import read_deal
from hands.models import Hand, HandVersion
from hands.scoring.taiwanese import PRESETS
from tests.deals import ANA, BEN, CHI, EVENING, THREE, document, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def hand(club, client, owner) -> Hand:
    """The second of three hands, corrected: Ana and Ben held each other's cards. The owner is signed in."""
    client.force_login(owner)
    session = play(club, [THREE, THREE, THREE])
    hand = Hand.objects.get(session=session, number=2)
    deal = read_deal(document({"Ana": BEN, "Ben": ANA, "Chi": CHI}, EVENING), PRESETS["phenom"])
    correct_hand(hand=hand, based_on=1, deal=deal, reason="Typed in the wrong seats", author=owner)
    hand.refresh_from_db()
    return hand


def test_what_counts_is_shown_and_an_earlier_version_on_demand(hand, client):
    url = reverse("hand", args=[hand.pk])
    now = client.get(url)
    # vectors/published.jsonl, three-players: the cards of Ana are +22, those of Ben -40, of Chi +18.
    assert now.context["seats"][0]["name"] == "Ben"
    assert [seat["net_points"] for seat in now.context["seats"]] == [22, 18, -40]
    assert "is-old" not in now.text
    assert "Typed in the wrong seats" in now.text
    old = client.get(url, {"version": "1"})
    assert old.context["seats"][0]["name"] == "Ana"
    assert "Version 1 counts no more: version 2 took its place." in old.text
    assert re.search(r'<body class="[^"]*is-old', old.text)
    assert reverse("hand-correct", args=[hand.pk]) not in old.text


def test_what_is_opened_on_an_old_version_stays_on_it(hand, client):
    old = client.get(reverse("hand", args=[hand.pk]), {"version": "1", "pair": "1-2"})
    assert old.context["told_pair"]["points"] == 20
    assert "version=1" in old.context["seats"][0]["rows"][0]["readings"][0]["url"]
    assert "version=1" in old.context["matrix"][0]["cells"][1]["url"]
    now = client.get(reverse("hand", args=[hand.pk]), {"pair": "1-2"})
    assert now.context["told_pair"]["points"] == -20
    assert "version" not in now.context["matrix"][0]["cells"][1]["url"]


@pytest.mark.parametrize("version", ["2", "3", "0", "x", ""])
def test_a_version_that_is_not_there_or_is_the_current_one_is_what_counts(hand, client, version):
    page = client.get(reverse("hand", args=[hand.pk]), {"version": version})
    assert (page.status_code, page.context["is_old"]) == (200, False)


def test_a_hand_leads_to_the_hands_beside_it(hand, client):
    numbers = {found.number: reverse("hand", args=[found.pk]) for found in Hand.objects.all()}
    page = client.get(numbers[2]).text
    assert re.search(rf'href="{numbers[1]}" rel="prev"', page)
    assert re.search(rf'href="{numbers[3]}" rel="next"', page)
    assert 'rel="prev"' not in client.get(numbers[1]).text
    assert 'rel="next"' not in client.get(numbers[3]).text


def test_a_void_hand_still_shows_its_versions(hand, client, owner):
    correct_hand(hand=hand, based_on=2, deal=None, reason="Misdeal", author=owner)
    page = client.get(reverse("hand", args=[hand.pk])).text
    assert "This hand is void: Misdeal" in page
    assert "?version=1" in page
    assert client.get(reverse("hand", args=[hand.pk]), {"version": "2"}).context["seats"][0]["name"] == "Ben"


def test_who_had_the_button_is_marked(hand, client):
    url = reverse("hand", args=[hand.pk])
    assert "has the button" not in client.get(url).text
    HandVersion.objects.filter(pk=hand.current_id).update(button=3)
    marked = client.get(url)
    assert [seat["name"] for seat in marked.context["seats"] if seat["has_button"]] == ["Chi"]
    assert marked.text.count("has the button") == 1


def test_a_hand_can_be_copied_as_text(hand, client):
    page = client.get(reverse("hand", args=[hand.pk])).text
    text = re.search(r'<pre[^>]*id="hand-text">(.*?)</pre>', page, re.S)[1]
    assert text.splitlines()[1:4] == [
        "Board 1: 2d Ac 4d Qc 8h",
        "Board 2: As Jh Jd 4c Js",
        "Ana −40: 5d / Td 5c / 8s 2c Th 7s",
    ]
