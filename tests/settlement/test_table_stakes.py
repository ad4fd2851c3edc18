"""Sessions by table stakes, from the cards to the book.

The published deal at 50 cents a point: Ben owes 10.00 to Ana and to Chi each, Chi owes Ana 1.00.
"""

import json
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from openpyxl import load_workbook

from accounts import services
from accounts.models import Account, Player
from hands.history import read_deal
from hands.models import Hand, Seat, Session
from hands.queries import load_hands
from hands.rulesets import create_rule_set, rules_by_name
from hands.seating import seat_player, unseat_player
from hands.services import close_session, open_session_again, record_hand
from hands.stakes import give_stake, stakes_of
from jobs.models import Job
from settlement.club_import import import_club
from settlement.corrections import correct_hand
from settlement.models import SettledPair
from settlement.pages import correction_preview
from settlement.session_content import session_content
from settlement.session_workbook import write_session
from settlement.verify import verify_club
from tests.deals import ANA, BEN, EVENING, THREE, ask_to_settle, document, done, open_for_stakes, settle
from tests.settlement.club_files import export

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def add(session, setups=THREE, *, minutes=0, button=None) -> Hand:
    hand = document(setups, EVENING + timedelta(minutes=minutes)) | {"button": button}
    rules = rules_by_name(session.club)["Friday"]
    return record_hand(session=session, deal=read_deal(hand, rules), author=None).hand


def balances(club) -> dict[str, int]:
    held = Account.objects.filter(club=club).exclude(balance_minor=0).select_related("player")
    return {one.player.name if one.player else one.kind: one.balance_minor for one in held}


@pytest.mark.parametrize(
    ("win_cap", "button", "expected"),
    [
        # Ana first: Ben pays her 10.00 of 12.00, then Chi his last 2.00; Chi pays Ana 1.00.
        ("none", None, {"Ana": 1100, "Ben": -1200, "Chi": 100}),
        # Ana has the button and is last: Chi has all of his 10.00, she the last 2.00 and Chi's 1.00.
        ("none", 1, {"Ana": 300, "Ben": -1200, "Chi": 900}),
        # Ana has 5.00, wins 5.00, then Chi's 1.00; Ben pays Chi the 7.00 that he has left.
        ("current", None, {"Ana": 600, "Ben": -1200, "Chi": 600}),
        # Ana wins 5.00 in the whole hand, so Chi pays her nothing.
        ("start", None, {"Ana": 500, "Ben": -1200, "Chi": 700}),
    ],
)
def test_a_hand_is_paid_in_position_order_out_of_the_stakes(club, win_cap, button, expected):
    session = open_for_stakes(club, win_cap=win_cap)
    add(session, button=button)
    settle(session)
    assert balances(club) == expected
    assert verify_club(club).finding == ""
    # The pairs keep what the cards said.
    assert sorted(SettledPair.objects.values_list("points", flat=True)) == [2, 20, 20]


def test_who_has_more_points_may_get_less_money(club):
    session = open_for_stakes(club, {1: 2000, 2: 100}, names=("Ana", "Ben"))
    # Ben loses 20 points twice and has 1.00; then Ana loses 20 points, 10.00, and can pay them.
    for minutes, setups in enumerate(({"Ana": ANA, "Ben": BEN}, {"Ana": ANA, "Ben": BEN}, {"Ana": BEN, "Ben": ANA})):
        add(session, setups, minutes=minutes)
    settle(session)
    assert balances(club) == {"Ana": -900, "Ben": 900}
    pair = SettledPair.objects.get()
    assert (pair.winner.name, pair.points, pair.hands, pair.transfer.amount_minor) == ("Ben", -20, 3, 900)
    assert verify_club(club).finding == ""


def test_even_points_may_be_money_too(client, club, owner):
    session = open_for_stakes(club, {1: 2000, 2: 100}, names=("Ana", "Ben"))
    add(session, {"Ana": ANA, "Ben": BEN})
    add(session, {"Ana": BEN, "Ben": ANA}, minutes=1)
    settle(session)
    # 1.00 to Ana, 10.00 to Ben.
    assert balances(club) == {"Ana": -900, "Ben": 900}
    assert verify_club(club).finding == ""
    client.force_login(owner)
    page = client.get(reverse("settle", args=[session.pk]), {"pairs": 1}).text
    assert "<b>Ana</b> owes <b>Ben</b>" in page
    assert "even" not in page.partition('id="pairs"')[2].partition("</section>")[0]


def test_the_rake_is_taken_of_what_was_paid(club):
    session = open_for_stakes(club, rake_hundredths=1000)
    add(session)
    settle(session)
    # 10 % of 11.00 and of 1.00.
    assert balances(club) == {"Ana": 990, "Ben": -1200, "Chi": 90, "house": 120}


def test_the_settle_page_says_who_was_short_and_who_bore_it(client, club, owner):
    session = open_for_stakes(club, win_cap="current")
    add(session)
    client.force_login(owner)
    page = client.get(reverse("settle", args=[session.pk])).text
    assert "Ben owed Ana $10.00 and paid $5.00. Ana could not win $5.00 of it." in page
    assert "Ben owed Chi $10.00 and paid $7.00. Ben was short of $3.00; Chi bore it." in page
    assert "1 hand not paid in full" in page


def test_the_workbook_says_what_the_stakes_cut(club, tmp_path):
    session = open_for_stakes(club)
    add(session)
    write_session(session_content(session), tmp_path / "session.xlsx")
    board = load_workbook(tmp_path / "session.xlsx").worksheets[0]
    rows = [[cell.value for cell in row] for row in board.iter_rows()]
    head = next(row for row in rows if "Stakes" in row)
    ana = next(row for row in rows if row[1] == "Ana")
    # Chi got 2.00 of Ben's 10.00; Ana all of hers.
    assert [row[head.index("Stakes")] for row in rows if row[1] in {"Ben", "Chi"}] in ([8, -8], [-8, 8])
    assert ana[head.index("Stakes")] == 0


def test_a_hand_that_everybody_can_pay_is_told_as_such(client, club, owner):
    session = open_for_stakes(club, {1: 5000, 2: 5000, 3: 5000})
    add(session)
    client.force_login(owner)
    page = client.get(reverse("settle", args=[session.pk])).text
    assert "Every hand was paid in full." in page
    assert "not paid in full" not in page


def test_a_stake_that_was_changed_in_the_database_is_found(club):
    session = open_for_stakes(club)
    add(session)
    settle(session)
    Seat.objects.filter(session=session, number=2).update(stake_minor=1300)
    assert "its hands are not those that were settled" in verify_club(club).finding


def test_a_correction_shows_and_makes_what_the_stakes_then_pay(club, owner):
    session = open_for_stakes(club)
    hand = add(session)
    settle(session)
    stored = next(load_hands(Hand.objects.filter(pk=hand.pk)))
    people = dict(Player.objects.filter(club=club).values_list("name", "pk"))
    turned = read_deal(document({"Ana": BEN, "Ben": ANA, "Chi": THREE["Chi"]}, EVENING), rules_by_name(club)["Friday"])
    turned = replace(turned, seats=tuple(replace(one, player_id=people[one.name]) for one in turned.seats))
    # Now Ana owes 10.00 to Ben and to Chi and has 5.00, which Ben gets; Chi pays Ben 1.00.
    preview = correction_preview(hand, stored, turned, rules_by_name(club)["Friday"])
    changes = {effect.player.name: minor for effect, minor in preview["effects"]}
    # Before +11.00, -12.00, +1.00; after -5.00, +6.00, -1.00.
    assert changes == {"Ana": -1600, "Ben": 1800, "Chi": -200}
    correct_hand(hand=hand, based_on=1, deal=turned, reason="Changed chairs.", author=owner)
    assert balances(club) == {"Ana": -500, "Ben": 600, "Chi": -100}
    assert verify_club(club).finding == ""


def test_nothing_is_settled_while_a_stake_is_not_known(client, club, owner):
    session = open_for_stakes(club, {1: 500})
    hand = add(session)
    client.force_login(owner)
    words = "No stake is known yet of: Ben, Chi."
    assert words in client.get(reverse("settle", args=[session.pk])).text
    for name, key in (("session", session), ("hand-void", hand), ("hand-correct", hand)):
        assert client.get(reverse(name, args=[key.pk])).status_code == 200
    job = done(ask_to_settle(session))
    assert (job.status, words in job.error) == (Job.Status.FAILED, True)


@pytest.mark.parametrize(
    ("money", "sentence"),
    [
        ({"cap_minor": 100}, "With table stakes nobody can lose more than their stake; leave the cap out."),
        ({"win_cap": "all"}, "win_cap must be none, current or start."),
        ({"table_stakes": "yes"}, "table_stakes must be true or false."),
        ({"table_stakes": False, "win_cap": "start"}, "A win cap needs table stakes."),
    ],
)
def test_stakes_that_cannot_be_are_refused(club, money, sentence):
    with pytest.raises(ValidationError, match=sentence):
        open_for_stakes(club, **money)


def test_points_without_cards_are_refused(club):
    session = open_for_stakes(club)
    seats = [{"seat": 1, "player": {"name": "Ana"}, "points": 3}, {"seat": 2, "player": {"name": "Ben"}, "points": -3}]
    deal = read_deal({"played_at": EVENING.isoformat(), "seats": seats}, rules_by_name(club)["Friday"])
    with pytest.raises(ValidationError, match="a hand without cards does not say who won"):
        record_hand(session=session, deal=deal, author=None)


def test_a_stake_can_be_changed_until_its_player_has_played(club):
    session = open_for_stakes(club, {1: 500, 2: 1200})
    give_stake(session=session, number=1, stake_minor=700)
    add(session)
    with pytest.raises(ValidationError, match="Ana has played a hand; the stake stays as it is"):
        give_stake(session=session, number=1, stake_minor=900)
    # What was said already may be said again, and what never was may be said late.
    give_stake(session=session, number=1, stake_minor=700)
    give_stake(session=session, number=3, stake_minor=2000)
    assert sorted(stakes_of(session).values()) == [700, 1200, 2000]


def test_who_has_left_can_be_given_the_stake_that_was_forgotten(client, club, owner):
    session = open_for_stakes(club, {1: 500, 3: 2000})
    add(session)
    unseat_player(session=session, number=2)
    seat_player(session=session, number=2, name="Dora")
    client.force_login(owner)
    page = client.get(reverse("seats", args=[session.pk])).text
    assert page.count("Keep the stake of Ben") == page.count("Keep the stake of Dora") == 1
    ben = Player.objects.get(club=club, name="Ben")
    url = reverse("seat-change", args=[session.pk, 2])
    client.post(url, {"do": "stake", "stake": "12.00", "player": str(ben.pk)})
    client.post(url, {"do": "stake", "stake": "3.00", "player": "nobody"})
    stakes = stakes_of(session)
    dora = Player.objects.get(club=club, name="Dora")
    assert (stakes[ben.pk], stakes[dora.pk]) == (1200, 300)
    assert "Keep the stake of Ben" not in client.get(reverse("seats", args=[session.pk])).text


def test_a_stake_goes_with_its_player(club):
    session = open_for_stakes(club)
    add(session)
    seat_player(session=session, number=5, name="Ben")
    unseat_player(session=session, number=1)
    seat_player(session=session, number=1, name="Ana")
    seat_player(session=session, number=6, name="Dora")
    here = Seat.objects.filter(session=session, last_hand=None).order_by("number")
    assert list(here.values_list("number", "player__name", "stake_minor")) == [
        (1, "Ana", 500),
        (3, "Chi", 2000),
        (5, "Ben", 1200),
        (6, "Dora", None),
    ]
    again = open_session_again(club=club, author=None, session_id=uuid.UUID(int=7))
    assert sorted(stakes_of(again).values()) == [500, 1200, 2000]


def give(client, session, number, stake):
    answer = client.post(
        reverse("seat-change", args=[session.pk, number]), {"do": "stake", "stake": stake}, follow=True
    )
    assert answer.status_code == 200
    return answer.text


def test_the_host_gives_stakes_on_the_seats_page(client, club, owner):
    session = open_for_stakes(club, {})
    client.force_login(owner)
    assert 'value="12.50"' in give(client, session, 2, "12.50")
    assert sorted(stakes_of(session).values()) == [1250]
    assert "“lots” is not an amount." in give(client, session, 1, "lots")
    assert "A stake is more than nothing" in give(client, session, 1, "0")
    assert "Nobody sits on seat 6." in give(client, session, 6, "5")
    close_session(session=session)
    assert "This session is closed" in give(client, session, 1, "5")
    assert sorted(stakes_of(session).values()) == [1250]


def test_a_new_session_with_stakes_begins_with_them(client, club, owner):
    open_for_stakes(club)
    client.force_login(owner)
    form = {
        "table": "T",
        "rule_set": "Friday",
        "point_value": "0.50",
        "currency": "USD",
        "seat_1": "Ana",
        "seat_2": "Ben",
    }
    answer = client.post(reverse("session-new", args=[club.pk]), form | {"session_id": uuid.UUID(int=9)})
    assert answer.url == reverse("seats", args=[uuid.UUID(int=9)])


def test_a_session_without_stakes_has_no_place_for_them(client, club, owner):
    session = open_for_stakes(club, {}, table_stakes=False)
    client.force_login(owner)
    assert "what everybody begins with" not in client.get(reverse("seats", args=[session.pk])).text
    with pytest.raises(ValidationError, match="The rules “Friday” have no table stakes"):
        give_stake(session=session, number=1, stake_minor=500)


def test_the_api_opens_a_session_with_stakes(client, club, owner):
    create_rule_set(club=club, name="Friday", parameters={}, money={"currency": "USD", "table_stakes": True})
    key = services.create_api_key(club=club, name="Upload", scope="write", author=owner)[1]
    headers = {"Authorization": f"Api-Key {key}"}

    def post(stake, rule_set="Friday"):
        body = {
            "table": "T",
            "rule_set": rule_set,
            "point_value": {"amount_minor": 50, "currency": "USD"},
            "started_at": EVENING.isoformat(),
            "seats": [{"seat": 1, "name": "Ana"}, {"seat": 2, "name": "Ben", "stake_minor": stake}],
        }
        url = reverse("api-sessions")
        return client.post(url, json.dumps(body), content_type="application/json", headers=headers)

    made = post(1200)
    assert [(seat["name"], seat["stake_minor"]) for seat in made.json()["seats"]] == [("Ana", None), ("Ben", 1200)]
    for stake, rule_set, words in (
        (12.5, "Friday", "stake_minor is a whole number of minor units."),
        (0, "Friday", "A stake is more than nothing"),
        (500, "phenom", "The rules “phenom” have no table stakes."),
    ):
        refused = post(stake, rule_set)
        assert (refused.status_code, words in refused.text) == (422, True), refused.text
        assert [one["pointer"] for one in refused.json()["errors"]] == ["/seats/1/stake_minor"]
    assert Session.objects.count() == 1


def test_a_club_takes_its_stakes_along(club, owner):
    session = open_for_stakes(club, win_cap="current")
    add(session)
    settle(session)
    made = export(club)
    with made.file.open("rb") as file:
        imported = import_club(file=file, owner=owner).club
    assert balances(imported) == balances(club) == {"Ana": 600, "Ben": -1200, "Chi": 600}
    assert verify_club(imported).finding == ""
