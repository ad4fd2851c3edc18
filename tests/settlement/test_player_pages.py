"""A player's page: a balance that explains itself, and how they play; only their own.

The published hand at 50 cents: Ana +22 points (11.00), Ben -40 (-20.00), Chi +18 (9.00).
"""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.ledger import balance_before
from accounts.merging import merge_players
from accounts.models import Account, Club, Player, User
from accounts.services import claim_player, create_club
from hands import tallies
from hands.models import Hand, Session
from jobs import queue
from jobs.models import Job
from settlement.corrections import correct_hand, reopen_session
from settlement.models import Statement
from settlement.months import MOST_LINES, month_of
from settlement.payments import Wanted, cancel_payment, record_payments
from settlement.queries import period
from settlement.results import results_of
from settlement.services import request_statement
from tests.deals import ANA, BEN, CHI, EVENING, THREE, play, settle
from tests.everything import one_of_everything, own_patterns

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OCTOBER = datetime(2026, 10, 8, 12, tzinfo=UTC)


def player(name: str) -> Player:
    return Player.objects.get(name=name)


def account(name: str, currency: str = "USD") -> Account:
    return Account.objects.select_related("club").get(player__name=name, currency=currency)


def pay(owner: User, payer: str, payee: str, amount_minor: int):
    wanted = Wanted(uuid.uuid4(), account(payer), account(payee), amount_minor, paid_at=EVENING + timedelta(days=1))
    (payment,) = record_payments(club=player(payer).club, wanted=[wanted], author=owner)
    return payment


@pytest.fixture
def ben(club) -> User:
    """Ben's own log-in, after one evening."""
    settle(play(club))
    user = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=player("Ben"), user=user)
    return user


def lines_of(month) -> list[tuple[str, str, int, int]]:
    return [(line.title, line.words, line.amount_minor, line.balance_minor) for line in month.lines]


def test_a_session_is_one_line_and_a_payment_another_with_the_balance_after_each(club, owner):
    settle(play(club, table="October", started_at=OCTOBER))
    settle(play(club))
    pay(owner, "Ben", "Ana", 700)
    tallies.bring_up_to_date(player=player("Ana"))
    month = month_of(account("Ana"), "2026-11")
    # 11.00 of October, 11.00 more, and Ben paid 7.00 of it.
    assert lines_of(month) == [
        ("Paid by Ben", "Payment", -700, 1500),
        ("Thursday table", "1 hand, +22 points", 1100, 2200),
    ]
    assert (month.opening_minor, month.closing_minor) == (1100, 1500)
    assert month.sentence == "After 1 session and 1 payment in November"
    assert (str(month.before), month.after) == ("2026-10-01", None)
    october = month_of(account("Ana"), "2026-10")
    assert (october.opening_minor, october.closing_minor, str(october.after)) == (0, 1100, "2026-11-01")


@pytest.mark.parametrize("chosen", ["", "2026-13", "november", "0001-01", "2026-11-01"])
def test_without_a_month_it_is_that_of_what_was_booked_last(club, chosen):
    settle(play(club, started_at=OCTOBER))
    assert str(month_of(account("Ana"), chosen).first_day) == "2026-10-01"


def test_a_months_lines_lead_from_the_ledgers_opening_to_its_closing(club, owner):
    """Whatever happens: corrections, payments that are taken back, merges. The ledger's balances are the measure."""
    session = play(club, [THREE, THREE])
    settle(session)
    settle(play(club, [{"Anna": ANA, "Ben": BEN}], table="Second table"))
    hand = Hand.objects.get(session=session, number=2)
    correct_hand(hand=hand, based_on=1, deal=None, reason="dealt twice", author=owner)
    cancel_payment(payment=pay(owner, "Ben", "Ana", 700), author=owner, reason="never came")
    merge_players(kept=player("Ana"), merged=player("Anna"))
    reopen_session(session=session, reason="one more hand")
    tallies.bring_up_to_date(player=player("Ana"))
    for name in ("Ana", "Anna", "Ben", "Chi"):
        held = account(name)
        month = month_of(held, "")
        while month is not None:
            begin, end = period(month.first_day, month.last_day, club.time_zone)
            assert month.opening_minor == balance_before(held, begin)
            assert month.closing_minor == balance_before(held, end)
            balance = month.opening_minor
            for line in reversed(month.lines):
                balance += line.amount_minor
                assert line.balance_minor == balance
            assert balance == month.closing_minor
            month = month_of(held, f"{month.before:%Y-%m}") if month.before else None


def test_a_correction_is_a_line_of_its_own_day(club, owner):
    settle(play(club, [THREE, THREE]))
    correct_hand(hand=Hand.objects.get(number=2), based_on=1, deal=None, reason="dealt twice", author=owner)
    tallies.bring_up_to_date(player=player("Ana"))
    lines = {words: amount for _title, words, amount, _balance in lines_of(month_of(account("Ana"), "2026-11"))}
    # Two hands made 22.00; without the second it is 11.00 less. Today may be another month than the evening's.
    today = month_of(account("Ana"), "")
    lines |= {words: amount for _title, words, amount, _balance in lines_of(today)}
    assert lines == {"corrected later": 2200, "a hand was corrected": -1100}


def test_a_long_month_shows_its_newest_lines_and_counts_the_others(club, owner):
    settle(play(club))
    for _time in range(MOST_LINES + 1):
        pay(owner, "Ben", "Ana", 1)
    month = month_of(account("Ana"), "")
    # 101 payments of a cent and the session; the oldest two are left out, the balance is of all.
    assert (len(month.lines), month.left_out) == (100, 2)
    assert (month.lines[0].balance_minor, month.lines[-1].balance_minor, month.closing_minor) == (999, 1098, 999)


def test_rates_head_to_head_and_money_are_those_of_the_cards(club):
    settle(play(club, [THREE, THREE]))
    tallies.bring_up_to_date(player=player("Ana"))
    results = results_of(player("Ana"), "USD")
    # Ana wins all six rows from Ben; from Chi middle twice and bottom once: 2 + 4 + 3 of 4 comparisons a hand each.
    assert [(rate.row, rate.won, rate.lost, rate.compared) for rate in results.counted.rows] == [
        ("top", 4, 4, 8),
        ("middle", 8, 0, 8),
        ("bottom", 6, 2, 8),
    ]
    assert [rate.percent for rate in results.counted.rows] == [50, 100, 75]
    assert results.counted.is_few
    against = {one.player.name: (one.counted.points, one.amount_minor) for one in results.opponents}
    # 20 and 2 points a hand, 50 cents a point, two hands.
    assert against == {"Ben": (40, 2000), "Chi": (4, 200)}
    assert [(one.points, one.amount_minor) for one in results.evenings] == [(44, 2200)]


def test_merged_names_are_one_opponent_and_one_player(club):
    settle(play(club))
    settle(play(club, [{"Anna": ANA, "Ben": BEN}], table="Second", started_at=EVENING + timedelta(days=1)))
    merge_players(kept=player("Ana"), merged=player("Anna"))
    for name in ("Ana", "Ben"):
        tallies.bring_up_to_date(player=player(name))
    ana, ben = results_of(player("Ana"), "USD"), results_of(player("Ben"), "USD")
    assert {one.player.name: one.counted.points for one in ana.opponents} == {"Ben": 40, "Chi": 2}
    assert {one.player.name: (one.counted.points, one.amount_minor) for one in ben.opponents} == {
        "Ana": (-40, -2000),
        "Chi": (-20, -1000),
    }
    # 11.00 as Ana and 10.00 as Anna: the merge's own transfers are no result.
    assert [one.amount_minor for one in ana.evenings] == [1100, 1000]


def test_a_reopened_session_has_no_result_in_money(club):
    session = play(club)
    settle(session)
    reopen_session(session=session, reason="one more hand")
    tallies.bring_up_to_date(player=player("Ana"))
    results = results_of(player("Ana"), "USD")
    assert [(one.points, one.amount_minor) for one in results.evenings] == [(22, None)]
    assert {one.amount_minor for one in results.opponents} == {0}


def test_the_page_says_what_is_owed_in_each_currency_and_few_hands_are_few(client, club, ben):
    settle(play(club, currency="TWD", point_value_minor=1000, started_at=OCTOBER))
    client.force_login(ben)
    page = client.get(reverse("player", args=[player("Ben").pk])).text
    assert "You owe the others" in page
    assert "$20.00" in page
    assert "too few hands to read much into" in page
    # 40 points of 10.00.
    assert "NT$400.00" in client.get(reverse("player", args=[player("Ben").pk]) + "?currency=TWD").text


def test_thirty_hands_are_no_longer_few(club):
    play(club, [THREE] * 30)
    tallies.bring_up_to_date(player=player("Ana"))
    assert not results_of(player("Ana"), "USD").counted.is_few


def test_while_hands_are_counted_the_page_says_how_far_it_is(client, club, ben, monkeypatch):
    monkeypatch.setattr(tallies, "AT_ONCE", 0)
    client.force_login(ben)
    url = reverse("player", args=[player("Ben").pk])
    assert "Counting the hands" in client.get(url).text
    assert "Head to head" not in client.get(url).text
    queue.run(Job.objects.get(kind="tally").pk)
    assert "Head to head" in client.get(url).text


def test_a_months_workbook_is_one_tap(client, club, ben):
    client.force_login(ben)
    url = reverse("player", args=[player("Ben").pk])
    month = {"currency": "USD", "first_day": "2026-11-01", "last_day": "2026-11-30"}
    for name, value in month.items():
        assert f'name="{name}" value="{value}"' in client.get(url).text
    answer = client.post(url, month)
    assert answer["Location"] == reverse("statement", args=[Statement.objects.get().pk])


def test_the_page_costs_the_same_number_of_queries_however_many_sessions(client, club, owner):
    client.force_login(owner)
    settle(play(club))
    settle(play(club, table="Second table"))
    url = reverse("player", args=[player("Ana").pk])
    client.get(url)
    with CaptureQueriesContext(connection) as before:
        client.get(url)
    for table in ("Third", "Fourth", "Fifth"):
        settle(play(club, [THREE, THREE], table=table))
    client.get(url)
    with CaptureQueriesContext(connection) as after:
        client.get(url)
    assert len(after) == len(before)


def test_sessions_are_listed_page_by_page(client, club, owner):
    for number in range(21):
        play(club, [THREE], table=f"Table {number}.")
    client.force_login(owner)
    url = reverse("player", args=[player("Ana").pk])
    first, second = client.get(url), client.get(url + "?page=2")
    assert (len(first.context["sessions"]), len(second.context["sessions"])) == (20, 1)
    for page in ("0", "99", "x", "-1"):
        assert client.get(f"{url}?page={page}").status_code == 200


# A seat's own cards need its token besides.
OPEN_TO_WHO_HAS_THE_ADDRESS = {"live", "live-board", "join", "notice-off", "table", "table-state", "table-seat"}


def test_a_player_opens_nothing_but_their_own_and_the_sessions_they_sat_in(client, club, owner):
    """A spy with every address there is: a player of the club, who did not sit in this session."""
    ours = one_of_everything(club, owner)
    play(club, [{"Dora": ANA, "Emil": BEN}], table="Another table")
    spy = User.objects.create_user("spy@example.com", "a long password")
    claim_player(player=player("Dora"), user=spy)
    client.force_login(spy)
    for name, arguments in own_patterns():
        # Those of anybody who is signed in, and of whoever has the address.
        if not arguments or name in OPEN_TO_WHO_HAS_THE_ADDRESS:
            continue
        url = reverse(name, kwargs={argument: ours[argument] for argument in arguments})
        opened = {client.get(url).status_code, client.post(url).status_code}
        # The rules of a club's tables are its players' to read, a payment theirs to write down, a statement to check.
        if name not in {"rule-set", "payment-new", "statement-verify"}:
            assert opened <= {404, 405}, (name, opened)


def test_of_a_club_that_is_put_away_a_player_sees_nothing(client, club, ben):
    session = Session.objects.get()
    statement = request_statement(
        player=player("Ben"), currency="USD", first_day=EVENING.date(), last_day=EVENING.date(), author=ben
    )
    client.force_login(ben)
    urls = [
        reverse("player", args=[player("Ben").pk]),
        reverse("account", args=[account("Ben").pk]),
        reverse("statement", args=[statement.pk]),
        reverse("statement-verify", args=[club.pk]),
        reverse("session", args=[session.pk]),
        reverse("settle", args=[session.pk]),
    ]
    assert [client.get(url).status_code for url in urls] == [200] * 6
    Club.objects.update(put_away_at=EVENING)
    assert [client.get(url).status_code for url in urls] == [404] * 6


def test_one_person_is_a_player_of_several_clubs_and_sees_each(client, club, ben, owner):
    other = create_club(owner=owner, name="Kitchen club")
    play(other, [{"Benjamin": CHI, "Chi": ANA}])
    claim_player(player=player("Benjamin"), user=ben)
    client.force_login(ben)
    page = client.get(reverse("player", args=[player("Ben").pk])).text
    assert reverse("player", args=[player("Benjamin").pk]) in page
    assert "Kitchen club" in page


def test_a_second_player_of_one_club_is_refused_in_a_sentence(club, ben):
    with pytest.raises(ValidationError, match=r"You are Ben at this club already\. If Chi is you too"):
        claim_player(player=player("Chi"), user=ben)
