"""What a house caps and takes.

The published deal at 50 cents a point: Ben owes 20 points to Ana and to Chi each, Chi owes Ana 2.
"""

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import Account, Transfer
from accounts.services import players_named
from hands.history import read_deal
from hands.rulesets import create_rule_set, rules_by_name
from hands.services import open_session, record_hand
from settlement.corrections import reverse_settlement
from settlement.models import SettledPair, Settlement
from settlement.verify import verify_club
from tests.deals import EVENING, THREE, document, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def play_by(club, money, *, button=None, currency="USD"):
    """One published hand by the house's own rules."""
    create_rule_set(club=club, name="Friday", parameters={}, money={"currency": "USD"} | money)
    session = open_session(
        club=club,
        table="Friday table",
        rules=rules_by_name(club)["Friday"],
        rule_set_name="Friday",
        point_value_minor=50,
        currency=currency,
        started_at=EVENING,
        players=players_named(club=club, names={1: "Ana", 2: "Ben", 3: "Chi"}),
        author=None,
    )
    hand = document(THREE, EVENING) | {"button": button}
    record_hand(session=session, deal=read_deal(hand, rules_by_name(club)["Friday"]), author=None)
    return session


def balances() -> dict[str, int]:
    held = Account.objects.exclude(kind="table").select_related("player")
    return {one.player.name if one.player else one.kind: one.balance_minor for one in held}


@pytest.mark.parametrize(
    ("cap_by", "button", "expected"),
    [
        # Ben owes 10.00 to Ana and to Chi, and pays 15.00: Ana first, as the seat after no button; Chi pays Ana 1.00.
        ("position", None, {"Ana": 1100, "Ben": -1500, "Chi": 400}),
        # Ana has the button, so she is the last position: Chi has all of his 10.00, she 5.00 and Chi's 1.00.
        ("position", 1, {"Ana": 600, "Ben": -1500, "Chi": 900}),
        # 7.50 each.
        ("pro_rata", 1, {"Ana": 850, "Ben": -1500, "Chi": 650}),
    ],
)
def test_nobody_loses_more_than_the_cap(club, cap_by, button, expected):
    settle(play_by(club, {"cap_minor": 1500, "cap_by": cap_by}, button=button))
    assert balances() == expected
    assert verify_club(club).finding == ""
    # The pairs keep what the cards said.
    assert sorted(SettledPair.objects.values_list("points", flat=True)) == [2, 20, 20]


def test_the_rake_is_taken_of_what_was_won_after_the_cap(club):
    money = {"cap_minor": 1500, "rake_hundredths": 500, "rake_most_minor": 50}
    settle(play_by(club, money))
    # 5 % of 11.00 is 55 cents, at most 50; 5 % of 4.00 is 20.
    assert balances() == {"Ana": 1050, "Ben": -1500, "Chi": 380, "house": 70}
    assert verify_club(club).finding == ""


def test_a_seat_fee_is_taken_of_every_hand_and_seat(club):
    settle(play_by(club, {"seat_fee_minor": 25}))
    assert balances() == {"Ana": 1075, "Ben": -2025, "Chi": 875, "house": 75}
    assert set(Transfer.objects.values_list("kind", flat=True)) == {"settlement", "fee"}


def test_reversing_gives_the_rake_back_too(club):
    settle(play_by(club, {"rake_hundredths": 500}))
    reverse_settlement(settlement=Settlement.objects.get(), reason="wrong table")
    assert set(balances().values()) == {0}
    assert verify_club(club).finding == ""


def test_a_rake_that_is_not_the_houses_is_named(club, monkeypatch):
    settle(play_by(club, {"rake_hundredths": 500}))
    session = Settlement.objects.get().session
    session.rule_set.money["rake_hundredths"] = 400
    session.rule_set.save()
    assert "the entries of" in verify_club(club).finding


def test_a_session_in_another_currency_is_refused(club):
    with pytest.raises(ValidationError, match="cap or take amounts in USD; play them in USD"):
        play_by(club, {"cap_minor": 1500}, currency="TWD")


@pytest.mark.parametrize(
    ("money", "sentence"),
    [
        ({"rake_hundredths": 500, "seat_fee_minor": 5}, "A house takes a rake or a seat fee, not both."),
        ({"rake_hundredths": 10_001}, "rake_hundredths must be a whole number from 0 to 10000."),
        ({"cap_minor": -1}, "cap_minor must be a whole number from 0 to 1000000000000000."),
        ({"cap_minor": 1.5}, "cap_minor must be a whole number"),
        ({"cap_minor": 5, "currency": "XXX"}, "“XXX” is not a currency in use."),
        ({"cap_minor": 5, "cap_by": "luck"}, "cap_by must be position or pro_rata."),
        ({"tax": 5}, "tax is not a term of house money."),
    ],
)
def test_terms_that_cannot_be_are_refused(club, money, sentence):
    with pytest.raises(ValidationError, match=sentence.partition("“")[0] or "XXX"):
        create_rule_set(club=club, name="Friday", parameters={}, money={"currency": "USD"} | money)


def test_a_house_types_its_terms_in_beside_its_rules(client, club, owner):
    client.force_login(owner)
    form = {
        "name": "Friday",
        "boards": 2,
        "top_points": 1,
        "middle_points": 2,
        "bottom_points": 3,
        "homerun_bonus": 8,
        "board_scoop_bonus": 0,
        "jokers": 0,
        "seats": 6,
        "royalties_paid": "both",
        "currency": "USD",
        "cap": "15.00",
        "cap_by": "pro_rata",
        "rake": "2.5",
        "rake_most": "3",
    }
    url = reverse("rule-sets", args=[club.pk])
    answer = client.post(url, form | {"seat_fee": "0.25"})
    assert "A house takes a rake or a seat fee, not both." in answer.text
    answer = client.post(url, form | {"rake_most": "-1"})
    assert "An amount here is not below zero." in answer.text
    assert client.post(url, form).status_code == 302
    assert club.rule_sets.get().money == {
        "currency": "USD",
        "cap_minor": 1500,
        "cap_by": "pro_rata",
        "rake_hundredths": 250,
        "rake_most_minor": 300,
        "seat_fee_minor": 0,
        "table_stakes": False,
        "win_cap": "none",
    }
    answer = client.post(url, form | {"name": "Saturday", "stakes": "start"})
    assert "With table stakes nobody can lose more than their stake" in answer.text
    assert client.post(url, form | {"name": "Saturday", "stakes": "start", "cap": ""}).status_code == 302
    terms = club.rule_sets.get(name="Saturday").money
    assert (terms["cap_minor"], terms["table_stakes"], terms["win_cap"]) == (None, True, "start")


def test_the_settle_page_tells_who_bore_what(client, club, owner):
    session = play_by(club, {"cap_minor": 1500, "rake_hundredths": 500})
    client.force_login(owner)
    text = " ".join(client.get(reverse("settle", args=[session.pk])).text.split())
    # Ben is spared 5.00, which Chi bears; the house takes 55 and 20 cents.
    for figure in ("cap <span", "+$5.00", "−$5.00", "−$0.55", "−$0.20", "$0.75"):
        assert figure in text, figure


def test_the_page_of_the_rules_says_what_the_house_does(client, club, owner):
    money = {"cap_minor": 1500, "cap_by": "pro_rata", "rake_hundredths": 250, "rake_most_minor": 300}
    session = play_by(club, money)
    client.force_login(owner)
    text = client.get(reverse("rule-set", args=[session.rule_set_id])).text
    assert "Nobody loses more than $15.00 in a session." in text
    assert "The house takes 2.5 % of what a player wins in a session, at most $3.00." in text
