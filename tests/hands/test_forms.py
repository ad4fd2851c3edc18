"""The forms of sessions and hands: one sentence for one fault, and what was typed is never lost in silence."""

import re

import pytest
from django.urls import reverse

from hands.models import Hand, Session, Setup
from tests.deals import play
from tests.test_pages import hand_form, session_form

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client, owner):
    client.force_login(owner)
    return client


def errors(answer) -> list[str]:
    """What a page says beside its fields, and above them."""
    texts = re.findall(r'class="field-error".*?<span>(.*?)</span>', answer.text, re.DOTALL)
    return texts + re.findall(r'class="alert alert-danger" role="alert">(.*?)</div>', answer.text, re.DOTALL)


def kept(answer, name: str) -> str:
    return re.search(rf'name="{name}" value="(.*?)"', answer.text)[1]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"seat_2": "n" * 61}, "That name has 61 characters; at most 60 fit."),
        ({"seat_2": "\u200b"}, "A name needs at least one visible letter."),
        ({"table": "T\x007"}, "A name cannot hold the invisible character U+0000. Type the name again."),
        ({"point_value": "0,50"}, "“0,50” is not an amount. Write it like 0.50."),
        ({"point_value": "-1"}, "A point must be worth more than nothing."),
        ({"point_value": "1" * 18}, "That amount is too large to be kept."),
    ],
)
def test_a_fault_of_a_session_is_said_once(page, club, wrong, sentence):
    answer = page.post(reverse("session-new", args=[club.pk]), session_form(**wrong))
    assert answer.status_code == 422
    assert errors(answer) == [sentence]
    assert Session.objects.count() == 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bottom_2": "2c " * 30}, "There are 30 cards in one place."),
        (
            {"top_1": "x" * 100},
            "“xxxxxxxxxxxx…” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s).",
        ),
        (
            {"top_1": "\x00"},
            "“\ufffd” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s).",
        ),
        ({"board_2": ""}, "Board 2 has no cards; Taiwanese needs 5."),
        ({f"{row}_2": "" for row in ("top", "middle", "bottom")}, "The hand has 1 seat; these rules need 2 to 6."),
    ],
)
def test_a_fault_of_a_hand_is_said_once_and_what_was_typed_is_kept(page, club, wrong, sentence):
    session = play(club, [])
    answer = page.post(reverse("hand-new", args=[session.pk]), hand_form(**wrong))
    assert answer.status_code == 422
    assert errors(answer) == [sentence]
    assert kept(answer, "middle_1") == "9hAd"
    assert Hand.objects.count() == 0


def test_all_faults_of_a_hand_are_said_at_once_each_beside_its_field(page, club):
    session = play(club, [])
    answer = page.post(reverse("hand-new", args=[session.pk]), hand_form(top_1="1s", bottom_2="8s 2c Th"))
    for field in ("top_1", "bottom_2"):
        assert f'id="id_{field}_error"' in answer.text
    assert len(errors(answer)) == 2


def test_other_cards_under_the_key_of_a_saved_hand_are_not_lost_in_silence(page, club):
    session = play(club, [])
    url, data = reverse("hand-new", args=[session.pk]), hand_form()
    assert page.post(url, data).status_code == 302
    # Back, another card, and save again.
    answer = page.post(url, data | {"top_2": "6d"})
    assert answer.status_code == 422
    assert errors(answer) == [
        "Hand 1 is in the book already. Seat 2 (Ben), top has 6d where the book has 5d. Nothing was changed."
    ]
    assert kept(answer, "top_2") == "6d"
    assert Setup.objects.filter(top="5d").count() == 1


@pytest.mark.parametrize("key", ["", "nonsense", "7f7e7f0a-0000-4000-8000-00000000000"])
def test_a_form_without_its_key_is_not_saved(page, club, key):
    session = play(club, [])
    answer = page.post(reverse("hand-new", args=[session.pk]), hand_form(client_key=key))
    assert answer.status_code == 422
    assert len(errors(answer)) == 1
    assert Hand.objects.count() == 0


def test_players_may_sit_on_any_chairs_of_a_table_for_two(page, club):
    page.post(reverse("rule-sets", args=[club.pk]), house_rules(seats=2))
    where = page.post(reverse("session-new", args=[club.pk]), session_form(rule_set="Heads-up", seat_2="Ben"))[
        "Location"
    ]
    session = Session.objects.get()
    session.seats.filter(number=2).update(number=5)
    moved = {
        name.replace("_2", "_5") if name[-2:] == "_2" and name[0] != "b" else name: value
        for name, value in hand_form().items()
    }
    moved["bottom_5"] = moved.pop("bottom_2")
    assert page.post(where + "hands/new", moved).status_code == 302
    assert Hand.objects.count() == 1


def house_rules(**more) -> dict[str, object]:
    return {
        "name": "Heads-up",
        "boards": 2,
        "top_points": 1,
        "middle_points": 2,
        "bottom_points": 3,
        "homerun_bonus": 8,
        "board_scoop_bonus": 0,
        "jokers": 0,
        "seats": 6,
        "royalties_paid": "both",
    } | more
