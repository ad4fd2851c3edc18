"""Recording and closing: one hand however often it is sent, none after the close, nothing in part."""

import threading
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from accounts.models import Player, User
from accounts.services import create_club
from hands.history import read_deal
from hands.models import Hand, HandVersion, Seat, Session, Setup
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session, record_hand, record_hands
from tests.deals import ANA, BEN, EVENING, THREE, document, play

BOTH = pytest.mark.both_databases


def deal(setups=THREE, **more):
    return replace(read_deal(document(setups, EVENING), PRESETS["phenom"]), **more)


@BOTH
@pytest.mark.django_db
def test_the_stored_nets_are_the_published_ones(club):
    session = play(club)
    nets = dict(Setup.objects.values_list("seat__player__name", "net_points"))
    # vectors/published.jsonl, three-players
    assert nets == {"Ana": 22, "Ben": -40, "Chi": 18}
    session.refresh_from_db()
    assert session.revision == 1


@BOTH
@pytest.mark.django_db
def test_nothing_of_a_batch_stays_when_one_hand_does_not_fit(club):
    session = play(club)
    before = Session.objects.values_list("revision", flat=True).get()
    with pytest.raises(ValidationError, match="Hand 1 is in the book already"):
        record_hands(session=session, deals=[deal(number=2), deal(number=1)], author=None)
    assert (Hand.objects.count(), HandVersion.objects.count(), Setup.objects.count()) == (1, 1, 3)
    assert Session.objects.values_list("revision", flat=True).get() == before


@BOTH
@pytest.mark.django_db
def test_a_player_who_does_not_sit_is_named(club):
    session = play(club, [])
    ana, ben, chi = (Player.objects.get(name=name) for name in THREE)
    facts = deal()
    # Chi is put on Ben's seat and Ben on Chi's.
    exchanged = {1: ana, 2: chi, 3: ben}
    seats = tuple(
        replace(seat, player_id=exchanged[seat.number].pk, name=exchanged[seat.number].name) for seat in facts.seats
    )
    with pytest.raises(ValidationError, match="Chi does not sit on seat 2 in hand 1"):
        record_hand(session=session, deal=replace(facts, seats=seats), author=None)
    assert Hand.objects.count() == 0


@BOTH
@pytest.mark.django_db
def test_a_player_who_changes_chairs_leaves_the_old_one(club):
    session = play(club, [{"Ana": ANA, "Ben": BEN}])
    moved = deal({"Ana": ANA, "Ben": BEN}, number=2)
    seats = (moved.seats[0], replace(moved.seats[1], number=5))
    record_hand(session=session, deal=replace(moved, seats=seats), author=None)
    spans = Seat.objects.filter(player__name="Ben").values_list("number", "first_hand", "last_hand")
    assert sorted(spans) == [(2, 1, 1), (5, 2, None)]


@BOTH
@pytest.mark.django_db
def test_two_spellings_of_a_name_are_one_player_in_an_import(club):
    session = play(club, [{"Ana": ANA, "Ben": BEN}])
    again = deal({"ANA ": ANA, "Ｂｅｎ": BEN}, number=2)
    record_hand(session=session, deal=again, author=None)
    assert Player.objects.filter(club=club, seats__session=session).distinct().count() == 2


@pytest.fixture
def alone(own_database, django_db_blocker):
    """A session with nobody else's transaction around it."""
    with django_db_blocker.unblock():
        club = create_club(owner=User.objects.create_user("race@example.com"), name="Race")
        yield play(club, [])


def race(*calls) -> list[object]:
    """Every call in a thread of its own, at once; what each returned or raised."""
    answers: list[object] = [None] * len(calls)
    start = threading.Barrier(len(calls))

    def run(place, call):
        start.wait()
        try:
            answers[place] = call()
        except Exception as error:
            answers[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return answers


@BOTH
@pytest.mark.xdist_group("processes")
def test_a_double_tap_at_the_same_moment_is_one_hand(alone):
    facts = deal(client_key=uuid.uuid4())
    answers = race(*[lambda: record_hand(session=alone, deal=facts, author=None)] * 6)
    assert sorted(answer.result for answer in answers) == ["accepted"] + ["duplicate"] * 5
    assert Hand.objects.count() == 1


@BOTH
@pytest.mark.xdist_group("processes")
def test_hosts_who_record_at_once_get_numbers_of_their_own(alone):
    facts = [deal(played_at=EVENING + timedelta(minutes=minute)) for minute in range(8)]
    race(*[lambda one=one: record_hand(session=alone, deal=one, author=None) for one in facts])
    assert sorted(Hand.objects.values_list("number", flat=True)) == list(range(1, 9))


@BOTH
@pytest.mark.xdist_group("processes")
def test_no_hand_comes_into_a_session_after_its_close(alone):
    calls = [
        lambda minute=minute: record_hand(
            session=alone, deal=deal(played_at=EVENING + timedelta(minutes=minute)), author=None
        )
        for minute in range(6)
    ]
    answers = race(*calls[:3], lambda: close_session(session=alone), *calls[3:])
    went_in = [answer for answer in answers if getattr(answer, "result", "") == "accepted"]
    refused = [answer for answer in answers if isinstance(answer, ValidationError)]
    assert len(went_in) + len(refused) == 6
    assert all("This session is closed" in error.messages[0] for error in refused)
    session = Session.objects.get()
    # Every hand that went in, and the close, raised the revision by one.
    assert (session.state, session.revision) == ("closed", len(went_in) + 1)
    assert Hand.objects.count() == len(went_in)
