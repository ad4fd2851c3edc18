"""Tallies: what `deals.py` says of the published hand, counted over sessions; stale as soon as a hand changes."""

import uuid
from collections import Counter
from datetime import UTC, datetime

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from accounts.merging import merge_players
from accounts.models import Player
from hands import demo, tallies
from hands.corrections import correct_hand
from hands.imports import request_import
from hands.models import Hand, Session, Tally
from hands.queries import load_hands
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from jobs import queue
from jobs.models import Job
from tests.deals import ANA, BEN, CHI, THREE, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def player(name: str) -> Player:
    return Player.objects.get(name=name)


def tally(name: str, opponent: str | None = None) -> Tally:
    return Tally.objects.get(player__name=name, opponent=player(opponent) if opponent else None)


def rows(line: Tally) -> tuple[list[int], list[int]]:
    return [getattr(line, name) for name in tallies.WON], [getattr(line, name) for name in tallies.LOST]


def test_every_row_is_counted_for_both_of_a_pair(club):
    play(club, [THREE, THREE])
    assert tallies.bring_up_to_date(player=player("Ana")) is None
    # Against Chi Ana's rows are -1 +2 +3 -1 +2 -3: 2 points; she wins all six from Ben, 20 points. Two hands of it.
    ana = tally("Ana", "Chi")
    assert (ana.hands, ana.points, ana.compared_1, ana.compared_2) == (2, 4, 2, 2)
    assert rows(ana) == ([0, 2, 2, 0, 2, 0], [2, 0, 0, 2, 0, 2])
    chi = tally("Chi", "Ana")
    assert (chi.hands, chi.points) == (2, -4)
    assert rows(chi) == ([2, 0, 0, 2, 0, 2], [0, 2, 2, 0, 2, 0])
    assert (tally("Ana", "Ben").homeruns_won, tally("Ana", "Ben").homeruns_lost) == (2, 0)
    assert (tally("Ben", "Chi").homeruns_won, tally("Ben", "Chi").homeruns_lost) == (0, 2)


def test_the_line_against_all_counts_a_hand_once_and_a_row_with_every_opponent(club):
    play(club, [THREE, THREE])
    tallies.bring_up_to_date(player=player("Ana"))
    ana, ben = tally("Ana"), tally("Ben")
    # 22 points a hand; six of six from Ben and three of six from Chi, by row: 1 2 2 1 2 1, twice.
    assert (ana.hands, ana.points, ana.compared_1, ana.homeruns_won) == (2, 44, 4, 2)
    assert rows(ana) == ([2, 4, 4, 2, 4, 2], [2, 0, 0, 2, 0, 2])
    assert (ben.hands, ben.points, ben.homeruns_lost) == (2, -80, 4)


def test_a_hand_without_cards_counts_in_points_alone(client, club, owner):
    session = play(club)
    client.force_login(owner)
    client.post(
        reverse("hand-points", args=[session.pk]),
        {"points_1": "-10", "points_2": "4", "points_3": "6", "client_key": uuid.uuid4()},
    )
    tallies.bring_up_to_date(player=player("Ana"))
    # 22 with cards, -10 without.
    assert (tally("Ana").hands, tally("Ana").points, tally("Ana").compared_1) == (2, 12, 2)
    assert (tally("Ana", "Ben").hands, tally("Ana", "Ben").points) == (1, 20)


def test_a_hand_that_changes_is_counted_anew_and_a_void_one_no_more(club, owner):
    session = play(club, [THREE, THREE])
    tallies.bring_up_to_date(player=player("Ana"))
    assert tallies.stale_sessions([player("Ana").pk]) == []
    correct_hand(hand=Hand.objects.get(number=2), based_on=1, deal=None, reason="dealt twice", author=owner)
    assert [one.id for one in tallies.stale_sessions([player("Ana").pk])] == [session.pk]
    tallies.bring_up_to_date(player=player("Ana"))
    assert (tally("Ana").hands, tally("Ana").points) == (1, 22)


def test_what_changes_while_it_is_counted_stays_stale(club):
    session = play(club)
    (stale,) = tallies.stale_sessions([player("Ana").pk])
    Session.objects.filter(pk=session.pk).update(revision=stale.revision + 1)
    tallies.keep_tallies([stale])
    assert Tally.objects.count() == 0
    assert len(tallies.stale_sessions([player("Ana").pk])) == 1


def test_names_that_were_merged_are_counted_too(club):
    play(club)
    play(club, [{"Anna": ANA, "Ben": BEN}], table="Second table")
    merge_players(kept=player("Ana"), merged=player("Anna"))
    tallies.bring_up_to_date(player=player("Ana"))
    assert tally("Anna").points == 20


def test_much_is_counted_by_one_job_that_says_how_far_it_is(club, monkeypatch):
    monkeypatch.setattr(tallies, "AT_ONCE", 2)
    monkeypatch.setattr(tallies, "BLOCK", 2)
    for table in ("One", "Two"):
        play(club, [THREE, THREE, {"Ana": CHI, "Ben": ANA, "Chi": BEN}], table=table)
    job = tallies.bring_up_to_date(player=player("Ana"))
    assert tallies.bring_up_to_date(player=player("Ana")) == job
    assert Tally.objects.count() == 0
    queue.run(job.pk)
    job = Job.objects.get()
    assert (job.status, job.progress_done, job.progress_total) == ("done", 6, 6)
    assert tallies.bring_up_to_date(player=player("Ana")) is None
    # Twice 22 and once Chi's 18, at two tables.
    assert list(Tally.objects.filter(player__name="Ana", opponent=None).values_list("points", flat=True)) == [62, 62]


def test_tallies_are_what_each_hand_says_alone(club):
    """The demo's 52 hands with six, four and two seats, in batches, against the scorer that explains one hand."""
    file = ContentFile(demo.history(datetime(2026, 11, 30, tzinfo=UTC)))
    history = request_import(club=club, file=file, file_name="demo.ndjson", author=None)
    queue.run_to_end(Job.objects.get(subject_id=history.pk).pk)
    expected: Counter = Counter()
    for session in Session.objects.select_related("rule_set"):
        for hand in load_hands(Hand.objects.filter(session=session)):
            score = taiwanese.score(hand.boards, [seat.setup for seat in hand.seats], rules_of(session.rule_set))
            for pair in score.pairs:
                for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
                    names = hand.seats[one].name, hand.seats[other].name
                    expected[*names, "points"] += sign * pair.points
                    expected[*names, "homeruns_won"] += sign * pair.homerun > 0
                    for won, lost, points in zip(tallies.WON, tallies.LOST, pair.rows, strict=True):
                        expected[*names, won] += sign * points > 0
                        expected[*names, lost] += sign * points < 0
    for one in Player.objects.all():
        tallies.bring_up_to_date(player=one)
    counted: Counter = Counter()
    for line in Tally.objects.exclude(opponent=None).select_related("player", "opponent"):
        for name in ("points", "homeruns_won", *tallies.WON, *tallies.LOST):
            counted[line.player.name, line.opponent.name, name] += getattr(line, name)
    assert len(expected) > 100
    assert counted == expected
