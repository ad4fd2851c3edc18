"""Rule sets of the Chinese family on pages: choosing one, keeping a house's own, and reading what it says."""

import uuid

import pytest
from django.urls import reverse

from hands.chinese_rules import FOULED, JOKER, MIXED, NATURAL, SCOOPED, STAYING, SURRENDERED
from hands.models import Session
from hands.rule_pages import rules_page
from hands.rulesets import create_rule_set
from hands.scoring import chinese
from hands.scoring.chinese import PRESETS, Rules
from tests.test_pages import session_form


def worked(rules: Rules) -> dict[str, int]:
    """The points of every worked hand of a rule set."""
    page = rules_page(club=None, name="x", rules=rules)
    return {example["heading"]: example["points"] for example in page["examples"]}


def test_worked_hands_have_the_points_of_their_rules():
    # Two rows of three: 1 - 1 + 1. All three: 3 + 3. A foul costs as much. Two rows or three earn 1 more under 2-4.
    closed = {"Rows one by one": 1, "A scoop": 6, "A foul": 6}
    assert worked(PRESETS["chinese"]) == closed
    assert worked(PRESETS["chinese-2-4"]) == {"Rows one by one": 2, "A scoop": 4, "A foul": 4}
    # rules.md: a dragon against six pairs is 13, a surrender 3.
    assert worked(PRESETS["chinese-naturals"]) == closed | {"A natural": 13, "A surrender": 3}
    # Royalties: kings 8 and a flush 4 against queens 7 and a straight 2; aces 9, trips in the middle 2, a full house 6
    # against nines 4 and a straight 2; the same 17 from a foul; four of a kind 10 against kings 8 and a flush 4, and
    # rows -1 -1 +1.
    open_face = {"Rows one by one": 1 + 3, "A scoop": 6 + 11, "A foul": 6 + 17, "Staying in Fantasyland": -1 - 2}
    for preset in ("open-face", "pineapple", "pineapple-strict", "progressive"):
        assert worked(PRESETS[preset]) == open_face
    # The joker is an ace beside two kings, which are the same royalty.
    assert worked(PRESETS["open-face-jokers"]) == open_face | {"A joker": 4}


@pytest.mark.parametrize("example", [MIXED, SCOOPED, FOULED, NATURAL, SURRENDERED, STAYING, JOKER])
def test_every_worked_hand_could_be_dealt(example):
    # Fantasyland is Open-Face's, a surrender closed Chinese poker's.
    game = "open-face" if example is STAYING else "chinese"
    rules = Rules(game=game, jokers=2, surrender=True)
    seats = [(number, "", setup) for number, setup in enumerate(example, start=1)]
    assert chinese.check(rules=rules, boards=[], seats=seats) == []


def test_who_stays_and_who_fouls_in_worked_hands():
    score = chinese.score((), STAYING, PRESETS["open-face"])
    assert (score.fouls, score.fantasyland) == ((False, False), (13, 13))
    assert chinese.score((), FOULED, PRESETS["open-face"]).fouls == (False, True)


def test_points_are_told_in_money_with_their_sign():
    staying = rules_page(None, "x", PRESETS["open-face"])["examples"][-1]
    assert staying["money"] == "−3 points at $0.50 a point: −$1.50."


def test_fantasyland_and_royalties_are_tables():
    tables = {table["title"]: dict(table["lines"]) for table in rules_page(None, "x", PRESETS["progressive"])["tables"]}
    # rules.md: the table of royalties, and Progressive's cards.
    assert tables["Royalties of five cards"]["royal flush"] == [50, 25]
    assert tables["Royalties of five cards"]["three of a kind"] == [2, 0]
    assert tables["Royalties on top"]["A"] == [9, 22]
    assert tables["Royalties on top"]["6"] == [1, 14]
    assert tables["Royalties on top"]["2"] == [0, 10]
    assert list(tables["Fantasyland"].values()) == [[14], [15], [16], [17], [14]]
    assert rules_page(None, "x", PRESETS["chinese"])["tables"] == []


@pytest.mark.django_db
def test_every_preset_has_a_page_and_stands_with_its_game(client, club, owner):
    client.force_login(owner)
    own = create_rule_set(club=club, name="Sunday", parameters={"seats": 2}, game="pineapple")
    for preset in PRESETS:
        assert client.get(reverse("rule-preset", args=[club.pk, preset])).status_code == 200
    listed = client.get(reverse("rule-sets", args=[club.pk])).context["games"]
    names = {game.name: [name for _url, name, _rules in lines] for game, lines in listed}
    assert names["pineapple"] == ["pineapple", "pineapple-strict", "pineapple-jokers", "Sunday"]
    assert names["progressive"] == ["progressive"]
    page = client.get(reverse("rule-set", args=[own.pk])).text
    assert "Two players are dealt five cards" in page
    assert "Top (front)" in page


@pytest.mark.django_db
def test_a_houses_own_rules_are_kept_by_their_form(client, club, owner):
    client.force_login(owner)
    url = reverse("rule-sets", args=[club.pk])
    data = {
        "name": "Harbour",
        "method": "2-4",
        "scoop_bonus": "",
        "seats": "3",
        "jokers": "2",
        "royalties": "own",
        "royalties_paid": "winner",
        "royalty_top_AA": "9",
        "royalty_middle_full house": "12",
        "royalty_bottom_straight flush": "15",
        "surrender": "on",
        "naturals": "own",
        "natural_dragon": "36",
    }
    assert client.post(f"{url}?game=chinese", data).status_code == 302
    kept = club.rule_sets.get()
    assert kept.game == "chinese"
    assert kept.parameters == {
        "method": "2-4",
        "scoop_bonus": 1,
        "jokers": 2,
        "seats": 3,
        # A royal flush of which nothing is said is a straight flush.
        "royalties": {"top": {"AA": 9}, "middle": {"full house": 12}, "bottom": {"straight flush": 15}},
        "royalties_paid": "winner",
        "surrender": True,
        "naturals": {"dragon": 36},
    }
    data |= {"name": "Open", "royalties": "standard", "middle_stays": "on", "seats": "3"}
    assert client.post(f"{url}?game=progressive", data).status_code == 302
    kept = club.rule_sets.get(name="Open")
    assert (kept.game, kept.parameters["royalties"], kept.parameters["middle_stays"]) == (
        "progressive",
        "standard",
        True,
    )


@pytest.mark.django_db
def test_rules_that_a_game_cannot_have_are_refused_beside_their_field(client, club, owner):
    client.force_login(owner)
    url = reverse("rule-sets", args=[club.pk]) + "?game=pineapple"
    data = {"name": "Four", "method": "1-6", "seats": "4", "jokers": "0", "royalties": "none", "royalties_paid": "both"}
    answer = client.post(url, data)
    assert answer.status_code == 422
    assert answer.context["form"].errors == {"seats": ["seats must be a whole number from 2 to 3."]}
    data |= {"seats": "3", "royalties": "own", "royalty_top_66": "-1"}
    answer = client.post(url, data)
    assert answer.status_code == 422
    assert "A royalty must be a whole number from 0 to 1000." in answer.text


@pytest.mark.django_db
def test_a_new_session_offers_every_game_and_seats_no_more_than_its_rules(client, club, owner):
    client.force_login(owner)
    url = reverse("session-new", args=[club.pk])
    groups = dict(client.get(url).context["form"].fields["rule_set"].choices)
    assert ("pineapple", "Pineapple") in groups["Pineapple, 2 to 3 players"]
    assert ("phenom", "Phenom") in groups["Taiwanese, 2 to 6 players"]
    four = {"rule_set": "pineapple", "seat_1": "Ana", "seat_2": "Ben", "seat_3": "Chi", "seat_4": "Dora"}
    answer = client.post(url, session_form() | four)
    assert answer.status_code == 422
    sentence = "Pineapple by these rules has seats for 3; leave seat 4 empty."
    assert answer.context["form"].errors == {"seat_4": [sentence]}
    assert sentence in answer.text
    assert client.post(url, session_form() | four | {"rule_set": "open-face"}).status_code == 302
    assert Session.objects.get().rule_set.game == "open-face"


@pytest.mark.django_db
def test_a_session_like_the_last_plays_the_same_game(client, club, owner):
    client.force_login(owner)
    client.post(reverse("session-new", args=[club.pk]), session_form() | {"rule_set": "progressive"})
    client.post(reverse("session-again", args=[club.pk]), {"session_id": str(uuid.uuid4())})
    assert [session.rule_set.game for session in Session.objects.all()] == ["progressive", "progressive"]
