"""Who would pay whom if the session ended now, on its board.

The published deal at 50 cents a point, twice: Ana +44, Chi +36, Ben -80. Ben is the only one who lost.
"""

import re

import pytest
from django.urls import reverse

from accounts.models import Player
from hands.live import switch_live_on
from hands.services import close_session
from tests.deals import THREE, play, settle
from tests.settlement.test_house import play_by

pytestmark = pytest.mark.django_db


def dues_of(page: str) -> list[tuple[str, str, str]]:
    lines = r'<b>([^<]+)</b><svg class="icon icon-arrow".*?</svg><b>([^<]+)</b>.*?<span class="figure money">([^<]+)<'
    return re.findall(lines, page)


def board(client, session) -> str:
    return client.get(reverse("board", args=[session.pk])).text


def test_host_and_table_see_the_fewest_payments_until_it_is_settled(client, club, owner):
    client.force_login(owner)
    session = play(club, [THREE, THREE])
    switch_live_on(session=session)
    session.refresh_from_db()
    expected = [("Ben", "Ana", "$22.00"), ("Ben", "Chi", "$18.00")]
    assert dues_of(board(client, session)) == expected
    live = client.get(reverse("live-board", args=[session.live_id])).text
    assert dues_of(live) == expected
    assert "If you stopped now" in live
    close_session(session=session)
    assert dues_of(board(client, session)) == expected
    assert "If you stopped now" not in board(client, session)
    settle(session)
    assert dues_of(board(client, session)) == []


def test_what_the_house_takes_is_paid_to_the_house(client, club, owner):
    client.force_login(owner)
    session = play_by(club, {"rake_hundredths": 500, "rake_most_minor": 50})
    # 5 % of Ana's 11.00 is 55 cents, at most 50; 5 % of Chi's 9.00 is 45.
    expected = [("Ben", "Ana", "$10.50"), ("Ben", "Chi", "$8.55"), ("Ben", "House", "$0.95")]
    assert dues_of(board(client, session)) == expected


def test_a_player_sees_what_the_table_came_to_but_nobody_elses_debts(client, club, owner, stranger):
    session = play(club, [THREE])
    Player.objects.filter(name="Ana").update(user=stranger)
    client.force_login(stranger)
    page = board(client, session)
    assert "+$11.00" in page
    assert dues_of(page) == []


def test_before_the_first_hand_there_is_nothing_to_pay(client, club, owner):
    client.force_login(owner)
    assert "running-dues" not in board(client, play(club, []))


def test_an_amount_beyond_the_ledger_leaves_the_rest_of_the_board(client, club, owner):
    client.force_login(owner)
    # 20 points of 10^14 are 2 * 10^15, and the ledger keeps at most 10^15.
    page = board(client, play(club, [THREE], point_value_minor=10**14))
    assert "board-standings" in page
    assert dues_of(page) == []
