"""Hands for which nobody kept the cards."""

import uuid

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import Account, Transfer
from hands.models import Hand, Setup
from hands.rescoring import request_rescore
from jobs.models import Job
from settlement.corrections import correct_hand
from settlement.models import SettledPair
from settlement.verify import verify_club
from tests.deals import done, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def save(client, session, **points):
    seats = {seat.player.name: seat.number for seat in session.seats.all()}
    form = {f"points_{seats[name]}": given for name, given in points.items()} | {"client_key": uuid.uuid4()}
    return client.post(reverse("hand-points", args=[session.pk]), form)


@pytest.fixture
def session(client, club, owner):
    client.force_login(owner)
    return play(club)


def balances() -> dict[str, int]:
    held = Account.objects.filter(kind="player").select_related("player")
    return {one.player.name: one.balance_minor for one in held}


def test_points_settle_through_the_table(client, club, session):
    assert save(client, session, Ana="-10", Ben="+4", Chi="6").status_code == 302
    settle(session)
    # With cards Ana +22, Ben -40, Chi +18; and -10, +4, +6: +12, -36, +24 points at 50 cents.
    assert balances() == {"Ana": 600, "Ben": -1800, "Chi": 1200}
    assert Account.objects.get(kind="table").balance_minor == 0
    assert SettledPair.objects.count() == 3
    assert Transfer.objects.filter(debit_account__kind="table").count() == 2
    assert verify_club(club).finding == ""


def test_a_re_score_leaves_them_alone(client, club, session):
    save(client, session, Ana="-10", Ben="10")
    rescore = request_rescore(is_check=True, author=None)
    done(Job.objects.get(subject_id=rescore.pk))
    rescore.refresh_from_db()
    assert (rescore.hands, rescore.differences.count()) == (1, 0)


def test_points_that_were_changed_in_the_database_are_found(client, club, session):
    save(client, session, Ana="-10", Ben="10")
    settle(session)
    Setup.objects.filter(seat__player__name="Ana", version__has_cards=False).update(net_points=-12)
    assert "its hands are not those that were settled" in verify_club(club).finding


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        ({"Ana": "5", "Ben": "-4"}, "The points of a hand sum to zero; these sum to +1."),
        ({"Ana": "0"}, "A hand needs two seats or more."),
        ({}, "Give at least two seats their points."),
        ({"Ana": "five", "Ben": "-5"}, "Enter a whole number."),
        ({"Ana": "9999999", "Ben": "-9999999"}, "less than or equal to 1000000"),
    ],
)
def test_points_that_cannot_be_a_hand_are_refused(client, session, points, sentence):
    answer = save(client, session, **points)
    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert Hand.objects.count() == 1


def test_the_hand_says_that_it_has_no_cards(client, session):
    url = save(client, session, Ana="-10", Ben="10")["Location"]
    text = client.get(url).text
    assert "No cards" in text
    assert "+10" in text
    assert client.get(reverse("session", args=[session.pk])).status_code == 200


def test_its_points_are_corrected_and_the_cards_can_be_written_down_later(client, club, owner, session):
    save(client, session, Ana="-10", Ben="10")
    settle(session)
    hand = Hand.objects.get(number=2)
    url = reverse("hand-correct", args=[hand.pk])
    form = {"points_1": "-8", "points_2": "8", "based_on": 1, "reason": "misheard", "client_key": uuid.uuid4()}
    text = client.post(url, form).text
    assert "−$" in text
    assert "Ana, points" in text
    assert client.post(url, form | {"confirm": "1"}).status_code == 302
    # Ana 22 - 8 = 14 points.
    assert balances()["Ana"] == 700
    correct_hand(hand=hand, based_on=2, deal=None, reason="no such hand", author=owner)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}
    assert verify_club(club).finding == ""


def test_under_a_cap_points_alone_are_refused(client, club, session):
    session.rule_set.money = {"currency": "USD", "cap_minor": 1000}
    session.rule_set.save()
    answer = save(client, session, Ana="-10", Ben="10")
    assert "a hand without cards does not say who won" in answer.text


def test_a_deal_without_cards_needs_its_players_at_the_table(session):
    with pytest.raises(ValidationError):
        correct_hand(hand=Hand.objects.get(), based_on=1, deal=None, reason="", author=None)
