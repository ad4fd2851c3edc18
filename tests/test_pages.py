"""Every page: for whom it is there, what it costs, and what a form says when it is filled in wrongly."""

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hands.models import Hand, Session
from tests.deals import ANA, BEN, EVENING, THREE, add_hand, play, settle
from tests.everything import address_of, one_of_everything, own_patterns

pytestmark = pytest.mark.django_db

# Pages that belong to no club: any person who has signed in may open them, or anybody at all. A live page is its
# club's, but opens to whoever has its address; so do the pages of phones at a table, where a seat has its own token.
FOR_ANY_PERSON = {
    "club-new",
    "sessions",
    "demo",
    "join",
    "point-worth",
    "notices",
    "notices-read",
    "notices-chosen",
    "practice",
}
OPEN_TO_ALL = {
    "api-balances",
    "api-hands",
    "api-payments",
    "livez",
    "readyz",
    "manifest",
    "live",
    "live-board",
    "table-code",
    "table",
    "table-state",
    "table-seat",
    "table-setup",
    "table-confirm",
    "notice-off",
} | FOR_ANY_PERSON


@pytest.fixture
def ours(club, owner) -> dict[str, object]:
    return one_of_everything(club, owner)


def test_a_stranger_finds_nothing_of_another_club(client, ours, stranger):
    client.force_login(stranger)
    for name, arguments in own_patterns():
        if name in OPEN_TO_ALL:
            continue
        assert arguments, f"{name} is on no list: say whose it is"
        url = reverse(name, kwargs={argument: ours[argument] for argument in arguments})
        for method in (client.get, client.post):
            status = method(url).status_code
            # A page that takes one method alone refuses the other.
            assert status in {404, 405}, (name, status)
        assert 404 in {client.get(url).status_code, client.post(url).status_code}, name


def test_who_has_not_signed_in_is_shown_the_door(client, ours):
    for name, arguments in own_patterns():
        if name in OPEN_TO_ALL - FOR_ANY_PERSON:
            continue
        answer = client.get(reverse(name, kwargs={argument: ours[argument] for argument in arguments}))
        assert answer.status_code in {302, 405}, name
        if answer.status_code == 302:
            assert answer["Location"].startswith("/accounts/login/"), name


def test_the_owner_sees_every_page(client, ours, owner):
    client.force_login(owner)
    for name, arguments in own_patterns():
        # The downloads are opened and read by the tests of statements, of exports, of files of the books.
        if name in {
            "statement-download",
            "statement-csv",
            "bundle-download",
            "export-download",
            "book-file-workbook",
            "book-file-csv",
        }:
            continue
        answer = client.get(address_of(name, arguments, ours))
        assert answer.status_code in {200, 302, 405, 503}, (name, answer.status_code)


def queries_of(client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)


def test_pages_cost_the_same_number_of_queries_however_many_hands(client, club, owner):
    client.force_login(owner)
    session = play(club)
    urls = {
        "session": reverse("session", args=[session.pk]),
        "sessions": reverse("sessions"),
        "hand": reverse("hand", args=[Hand.objects.get().pk]),
        "settle": reverse("settle", args=[session.pk]),
    }
    before = {name: queries_of(client, url) for name, url in urls.items()}
    for _hand in range(12):
        add_hand(session, THREE, EVENING)
    play(club, table="Another table")
    assert {name: queries_of(client, url) for name, url in urls.items()} == before


def session_form(**more) -> dict[str, str]:
    return {
        "table": "Kitchen",
        "rule_set": "phenom",
        "point_value": "0.50",
        "currency": "USD",
        "seat_1": "Ana",
        "seat_2": "Ben",
        "session_id": str(uuid.uuid4()),
    } | more


def hand_form(**more) -> dict[str, str]:
    data = {"client_key": str(uuid.uuid4()), "board_1": "2d Ac 4d Qc 8h", "board_2": "As Jh Jd 4c Js"}
    for number, setup in ((1, ANA), (2, BEN)):
        data |= {f"{row}_{number}": "".join(cards) for row, cards in setup.items()}
    return data | more


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"point_value": "0.125"}, "0.125 USD is no whole number of minor units: USD has 2 decimals."),
        ({"point_value": "half"}, "“half” is not an amount. Write it like 0.50."),
        ({"point_value": "0"}, "A point must be worth more than nothing."),
        ({"point_value": "0.5", "currency": "JPY"}, "0.5 JPY is no whole number of minor units: JPY has 0 decimals."),
        ({"seat_2": "ANA"}, "ANA sits on seat 1 already."),
        ({"seat_2": "B\x07n"}, "A name cannot hold the invisible character U+0007. Type the name again."),
    ],
)
def test_a_session_that_cannot_be_is_said_beside_its_field(client, club, owner, wrong, sentence):
    client.force_login(owner)
    answer = client.post(reverse("session-new", args=[club.pk]), session_form(**wrong))
    assert answer.status_code == 422
    assert sentence in answer.text
    assert 'value="Kitchen"' in answer.text, "what was typed is kept"
    assert Session.objects.count() == 0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bottom_2": "Kh Kd 7c"}, "Seat 2 (Ben): bottom has 3 cards (Kh Kd 7c); Taiwanese needs 4."),
        ({"top_2": "7h"}, "Seat 1 (Ana) and seat 2 (Ben) both hold 7h."),
        ({"top_2": "1s"}, "“1s” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s)."),
        ({"board_1": "2d Ac 4d Qc"}, "Board 1 has 4 cards (2d Ac 4d Qc); Taiwanese needs 5."),
    ],
)
def test_a_hand_that_cannot_be_is_said_beside_its_field(client, club, owner, wrong, sentence):
    client.force_login(owner)
    session = play(club, [])
    answer = client.post(reverse("hand-new", args=[session.pk]), hand_form(**wrong))
    assert answer.status_code == 422
    assert sentence in answer.text
    field = next(iter(wrong))
    assert re.search(rf'id="id_{field}_error"', answer.text), "beside the field that is wrong"
    assert Hand.objects.count() == 0


def test_a_double_tap_is_one_session_and_another_clubs_id_opens_none(client, club, owner, stranger):
    client.force_login(owner)
    url, data = reverse("session-new", args=[club.pk]), session_form()
    assert client.post(url, data)["Location"] == client.post(url, data)["Location"]
    client.force_login(stranger)
    theirs = stranger.memberships.get().club
    answer = client.post(reverse("session-new", args=[theirs.pk]), data)
    assert answer.status_code == 422
    assert "Open this page again" in answer.text
    assert Session.objects.get().club == club


def test_an_unknown_url_of_the_api_is_a_problem_too(client):
    answer = client.get("/api/v1/nothing")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_a_double_tap_is_one_hand(client, club, owner):
    client.force_login(owner)
    session = play(club, [])
    data = hand_form()
    first = client.post(reverse("hand-new", args=[session.pk]), data)
    second = client.post(reverse("hand-new", args=[session.pk]), data)
    assert first["Location"] == second["Location"]
    assert Hand.objects.count() == 1


def test_a_closed_session_takes_no_hand_from_the_page(client, club, owner):
    client.force_login(owner)
    session = play(club)
    settle(session)
    answer = client.post(reverse("hand-new", args=[session.pk]), hand_form(), follow=True)
    assert "This session is closed; no hand can be added to it." in answer.text
    assert Hand.objects.count() == 1


def test_rules_of_a_house_are_kept_and_contradictions_refused(client, club, owner):
    client.force_login(owner)
    data = {
        "name": "Sunday",
        "boards": "1",
        "top_points": "1",
        "middle_points": "2",
        "bottom_points": "3",
        "homerun_bonus": "8",
        "board_scoop_bonus": "3",
        "jokers": "2",
        "seats": "6",
        "royalties_paid": "winner",
        "royalty_top_four of a kind": "6",
    }
    url = reverse("rule-sets", args=[club.pk])
    answer = client.post(url, data)
    assert answer.status_code == 422
    assert "A homerun is won on two boards; with one board the homerun bonus must be 0." in answer.text
    assert client.post(url, data | {"homerun_bonus": "0"}).status_code == 302
    assert club.rule_sets.get().parameters == {
        "boards": 1,
        "row_points": [1, 2, 3],
        "homerun_bonus": 0,
        "board_scoop_bonus": 3,
        "jokers": 2,
        "seats": 6,
        "royalties": {"top": {"four of a kind": 6}},
        "royalties_paid": "winner",
    }
    assert "There are rules called “phenom” already." in client.post(url, data | {"name": "phenom"}).text


def test_a_made_key_is_shown_once(client, club, owner):
    client.force_login(owner)
    page = client.post(reverse("key-new", args=[club.pk]), {"name": "Upload", "scope": "write"})
    secret = re.search(r'<code id="secret">(.+?)</code>', page.text)[1]
    assert secret not in client.get(reverse("club", args=[club.pk])).text
    assert page["Cache-Control"] == "no-store"
