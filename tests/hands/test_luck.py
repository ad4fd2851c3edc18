"""A player's luck over their hands: worked out by a job, kept setup by setup, shown on the player's page.

The published hand: Ana +22 points, Ben -40, Chi +18.
"""

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.merging import merge_players
from accounts.models import Player
from hands import luck
from hands.corrections import correct_hand
from hands.history import read_deal
from hands.luck import luck_of, request_luck
from hands.models import Hand, Setup
from hands.scoring import taiwanese
from hands.scoring.cards import parse_cards
from hands.scoring.taiwanese import PRESETS
from hands.scoring.worth import worth
from hands.worth_models import SetupWorth
from jobs import queue
from jobs.models import Job
from tests.deals import ANA, BEN, BOARDS, CHI, EVENING, THREE, document, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PHENOM = PRESETS["phenom"]


def player(name: str) -> Player:
    return Player.objects.get(name=name)


def worked_out(name: str) -> luck.Luck:
    job = queue.run_to_end(request_luck(player=player(name)).pk)
    assert job.status == "done"
    return luck_of(player(name))


@pytest.fixture(scope="module")
def core() -> dict[str, tuple[float, float]]:
    """Of each seat of the published hand what it could expect, and how much more its best setting could."""
    rows = [[parse_cards("".join(setup[row])) for row in ("top", "middle", "bottom")] for setup in (ANA, BEN, CHI)]
    setups = [taiwanese.Setup(*of_seat) for of_seat in rows]
    boards = [parse_cards("".join(board)) for board in BOARDS]
    found = [worth(boards=boards, setups=setups, seat=seat, rules=PHENOM) for seat in range(3)]
    return {
        name: (one.played.expected, one.left_on_table) for name, one in zip(("Ana", "Ben", "Chi"), found, strict=True)
    }


def test_luck_is_what_was_won_beyond_what_could_be_expected(club, core):
    play(club, [THREE, THREE])
    known = worked_out("Ana")
    expected, left = core["Ana"]
    assert (known.hands, known.waiting) == (2, 0)
    assert known.luck == pytest.approx(2 * (22 - expected))
    assert known.left == pytest.approx(2 * left)


def test_at_a_table_luck_sums_to_zero(club):
    # Expected points of a hand sum to zero as its points do.
    play(club)
    assert sum(worked_out(name).luck for name in ("Ana", "Ben", "Chi")) == pytest.approx(0)


def test_only_who_is_asked_for_is_worked_out_and_a_hand_once(club, monkeypatch):
    play(club)
    worked_out("Ana")
    assert [one.setup.seat.player.name for one in SetupWorth.objects.all()] == ["Ana"]
    # Nothing is left to work out, so nothing is.
    monkeypatch.setattr(luck, "worth", None)
    assert worked_out("Ana").hands == 1


def test_a_hand_that_is_corrected_waits_again_and_a_void_one_counts_no_more(club, owner):
    play(club, [THREE, THREE])
    worked_out("Ana")
    deal = read_deal(document({"Ana": BEN, "Ben": ANA, "Chi": CHI}, EVENING), PHENOM)
    correct_hand(hand=Hand.objects.get(number=2), based_on=1, deal=deal, reason="wrong seats", author=owner)
    assert (luck_of(player("Ana")).hands, luck_of(player("Ana")).waiting) == (1, 1)
    assert worked_out("Ana").hands == 2
    correct_hand(hand=Hand.objects.get(number=2), based_on=2, deal=None, reason="misdeal", author=owner)
    assert (luck_of(player("Ana")).hands, luck_of(player("Ana")).waiting) == (1, 0)


def test_names_that_were_merged_are_worked_out_too(club):
    play(club)
    play(club, [{"Anna": ANA, "Ben": BEN}], table="Second table")
    merge_players(kept=player("Ana"), merged=player("Anna"))
    known = worked_out("Ana")
    assert {(one.session.table, one.hands) for one in known.evenings} == {("Thursday table", 1), ("Second table", 1)}
    assert known.evenings[-1].running == pytest.approx(known.luck)


def test_the_job_takes_its_turns_and_says_how_far_it_is(club, monkeypatch):
    monkeypatch.setattr(luck, "TURN", 2)
    play(club, [THREE] * 5)
    job = request_luck(player=player("Ana"))
    assert request_luck(player=player("Ana")) == job
    for done, status in ((2, "queued"), (4, "queued"), (5, "done")):
        queue.run(job.pk)
        job = Job.objects.get(pk=job.pk)
        assert (job.progress_done, job.progress_total, job.status) == (done, 5, status)
    # The newest hands came first.
    numbers = SetupWorth.objects.order_by("pk").values_list("setup__version__hand__number", flat=True)
    assert [set(numbers[:2]), set(numbers[2:4])] == [{5, 4}, {3, 2}]


def test_only_the_last_hands_of_a_long_life_are_worked_out(club, monkeypatch):
    monkeypatch.setattr(luck, "MOST_HANDS", 2)
    play(club, [THREE] * 3)
    assert luck_of(player("Ana")).waiting == 2
    assert worked_out("Ana").hands == 2


def test_sessions_before_the_last_hands_are_left_out(club, monkeypatch):
    play(club, [THREE], table="Long ago", started_at=EVENING - timedelta(days=400))
    worked_out("Ana")
    play(club, [THREE] * 2)
    assert {one.session.table for one in worked_out("Ana").evenings} == {"Long ago", "Thursday table"}
    monkeypatch.setattr(luck, "MOST_HANDS", 2)
    assert [(one.session.table, one.hands) for one in luck_of(player("Ana")).evenings] == [("Thursday table", 2)]


def test_hands_without_cards_have_neither_luck_nor_worth(client, club, owner):
    session = play(club, [])
    client.force_login(owner)
    client.post(
        reverse("hand-points", args=[session.pk]),
        {"points_1": "-10", "points_2": "4", "points_3": "6", "client_key": "0b8f6b6e-6c5f-4b43-8d3c-3b0c2f6a1c11"},
    )
    assert Hand.objects.count() == 1
    assert (luck_of(player("Ana")).hands, luck_of(player("Ana")).waiting) == (0, 0)


def test_the_players_page_asks_and_shows(client, club, owner, core):
    play(club, [THREE, THREE])
    client.force_login(owner)
    url, ask = reverse("player", args=[player("Ana").pk]), reverse("player-luck", args=[player("Ana").pk])
    assert "Work out 2 hands" in client.get(url).text
    assert client.get(ask).status_code == 405
    assert client.post(ask)["Location"] == url
    waiting = client.get(url)
    assert "Working the hands out: waiting" in waiting.text
    assert "Work out 2 hands" not in waiting.text
    queue.run_to_end(Job.objects.get(kind="worth").pk)
    page = client.get(url)
    assert "2 hands: too few hands to read much into" in " ".join(page.text.split())
    assert page.context["luck"].luck == pytest.approx(2 * (22 - core["Ana"][0]))
    assert page.context["luck_job"] is None


def test_from_thirty_hands_on_they_are_not_too_few(client, club, owner, core):
    play(club, [THREE] * 30)
    expected, left = core["Ana"]
    setups = Setup.objects.filter(seat__player=player("Ana"))
    SetupWorth.objects.bulk_create(SetupWorth(setup=one, expected=expected, best=expected + left) for one in setups)
    client.force_login(owner)
    url = reverse("player", args=[player("Ana").pk])
    assert client.get(url).context["luck_is_few"] is False
    correct_hand(hand=Hand.objects.get(number=30), based_on=1, deal=None, reason="misdeal", author=owner)
    assert client.get(url).context["luck_is_few"] is True


def test_a_stranger_asks_for_nobodys(client, club, stranger):
    play(club)
    client.force_login(stranger)
    assert client.post(reverse("player-luck", args=[player("Ana").pk])).status_code == 404
    assert Job.objects.filter(kind="worth").count() == 0
