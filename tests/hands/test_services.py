"""Recording and closing: one hand however often it is sent, none after the close, nothing in part."""

import threading
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import connection

from accounts.models import Player, User
from accounts.services import create_club, players_named
from hands.corrections import correct_hand
from hands.demo import show_demo
from hands.history import read_deal, read_hand
from hands.imports import request_import
from hands.models import Hand, HandVersion, Seat, Session, Setup
from hands.scoring.taiwanese import PRESETS
from hands.seating import seat_player
from hands.services import (
    close_session,
    open_session,
    open_session_again,
    record_hand,
    record_hands,
    session_for,
)
from jobs import queue
from jobs.models import Job
from tests.deals import ANA, BEN, EVENING, THREE, document, play
from tests.hands.test_imports import as_bytes
from tests.histories import from_vector, good, numbered
from tests.vectors import vectors

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
def test_the_stored_nets_of_every_vector_are_right(club):
    expected = {}
    played = vectors("taiwanese")
    for vector in played:
        head, facts = read_hand(from_vector(vector), PRESETS)
        record_hand(session=session_for(club=club, head=head, author=None), deal=facts, author=None)
        expected |= {(vector["id"], player): points for player, points in vector["expected"]["net"].items()}
    stored = Setup.objects.values_list("version__hand__external_id", "seat__player__external_id", "net_points")
    assert {(hand, player): points for hand, player, points in stored} == expected
    # All of them are one session: its name is in every head.
    assert Session.objects.get().revision == len(played)


@BOTH
@pytest.mark.django_db
def test_a_hand_of_the_same_id_is_a_duplicate_or_a_conflict_and_changes_nothing(club):
    head, facts = read_hand(good(), PRESETS)
    session = session_for(club=club, head=head, author=None)
    first = record_hand(session=session, deal=facts, author=None)
    again = record_hand(session=session, deal=facts, author=None)
    assert (first.result, again.result, again.hand.pk) == ("accepted", "duplicate", first.hand.pk)
    for other in (
        replace(facts, button=3),
        replace(facts, number=13),
        replace(facts, boards=facts.boards[::-1]),
        replace(facts, played_at=facts.played_at + timedelta(seconds=1)),
        replace(facts, seats=(facts.seats[0], replace(facts.seats[1], number=4))),
    ):
        answer = record_hand(session=session, deal=other, author=None)
        assert answer.result == "conflict"
        assert answer.sentence.startswith("Hand 12 is in the book already. ")
        assert answer.sentence.endswith(" Nothing was changed.")
    assert (Hand.objects.count(), HandVersion.objects.count(), Seat.objects.count()) == (1, 1, 2)


@BOTH
@pytest.mark.django_db
def test_a_second_tap_comes_later_and_is_the_same_hand(club):
    session = play(club, [])
    key = uuid.uuid4()
    first = record_hand(session=session, deal=deal(client_key=key), author=None)
    later = deal(client_key=key, played_at=EVENING + timedelta(seconds=1))
    assert record_hand(session=session, deal=later, author=None).result == "duplicate"
    other = deal({"Ana": ANA, "Ben": BEN}, client_key=key)
    answer = record_hand(session=session, deal=other, author=None)
    assert (answer.result, answer.hand.pk) == ("conflict", first.hand.pk)


@BOTH
@pytest.mark.django_db
def test_a_void_hand_that_is_sent_again_stays_void(club, owner):
    head, facts = read_hand(good(), PRESETS)
    session = session_for(club=club, head=head, author=None)
    hand = record_hand(session=session, deal=facts, author=None).hand
    correct_hand(hand=hand, based_on=1, deal=None, reason="Misdeal", author=owner)
    answer = record_hand(session=session, deal=facts, author=None)
    assert (answer.result, answer.sentence) == ("conflict", "Hand 12 is in the book, and void. Nothing was changed.")


@BOTH
@pytest.mark.django_db
def test_hands_without_numbers_are_numbered_on_from_the_last(club):
    session = play(club, [])
    facts = [deal(played_at=EVENING + timedelta(minutes=minute)) for minute in range(4)]
    record_hands(session=session, deals=[facts[0], replace(facts[1], number=7), *facts[2:]], author=None)
    assert sorted(Hand.objects.values_list("number", flat=True)) == [1, 7, 8, 9]


@BOTH
@pytest.mark.django_db
def test_a_player_with_an_id_is_known_by_it_and_not_by_the_name(club):
    head, facts = read_hand(good(), PRESETS)
    session = session_for(club=club, head=head, author=None)
    record_hand(session=session, deal=facts, author=None)
    renamed = good(lambda hand: hand.update(number=13, external_id="h13"))
    renamed["seats"][0]["player"]["name"] = "Ana Maria"
    del renamed["seats"][1]["player"]["external_id"]
    record_hand(session=session, deal=read_hand(renamed, PRESETS)[1], author=None)
    # The name that was kept first stays; a Ben without an id is somebody else than the Ben who has one.
    players = Player.objects.filter(club=club).values_list("name", "external_id")
    assert set(players) == {("Ana", "p-17"), ("Ben", "p-22"), ("Ben", None)}
    assert len(players) == 3


@BOTH
@pytest.mark.django_db
def test_a_session_that_cannot_be_seated_is_not_opened(club):
    def open_with(rules, names):
        return open_session(
            club=club,
            table="Kitchen",
            rules=rules,
            rule_set_name="house",
            point_value_minor=50,
            currency="USD",
            started_at=EVENING,
            players=players_named(club=club, names=names),
            author=None,
        )

    with pytest.raises(ValidationError, match="There are 3 players; these rules seat 2"):
        open_with(replace(PRESETS["phenom"], seats=2), {1: "Ana", 2: "Ben", 3: "Chi"})
    with pytest.raises(ValidationError, match="A player sits on one seat only"):
        open_with(PRESETS["phenom"], {1: "Ana", 2: "ANA"})
    assert (Session.objects.count(), Seat.objects.count()) == (0, 0)


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
def test_a_new_session_that_two_send_at_once_is_one_with_one_player_of_a_name(alone):
    def send(number):
        head, facts = read_hand(
            good(
                lambda hand: (
                    hand.update(number=number, external_id=f"h{number}"),
                    [seat["player"].pop("external_id") for seat in hand["seats"]],
                )
            ),
            PRESETS,
        )
        session = session_for(club=alone.club, head=head, author=None)
        return record_hand(session=session, deal=facts, author=None)

    answers = race(*[lambda number=number: send(number) for number in range(1, 7)])
    assert [getattr(answer, "result", answer) for answer in answers] == ["accepted"] * 6
    assert Session.objects.exclude(pk=alone.pk).count() == 1
    # Ana, Ben and Chi are those of `alone`; the six hands have found two of them.
    assert Player.objects.count() == 3


@BOTH
@pytest.mark.xdist_group("processes")
def test_two_imports_of_one_file_at_once_write_every_hand_once(alone):
    raw = as_bytes(*(numbered(number) for number in range(1, 61)))
    histories = [
        request_import(club=alone.club, file=ContentFile(raw), file_name="h", author=None) for _import in range(3)
    ]
    jobs = [Job.objects.get(subject_id=history.pk).pk for history in histories]
    race(*[lambda job=job: queue.run_to_end(job) for job in jobs])
    for history in histories:
        history.refresh_from_db()
    assert Hand.objects.count() == sum(history.accepted for history in histories) == 60
    assert sum(history.duplicates for history in histories) == 120


@BOTH
@pytest.mark.xdist_group("processes")
def test_two_tables_that_write_down_the_same_new_player_make_one(alone):
    def send(table):
        head, facts = read_hand(
            good(
                lambda hand: (
                    hand["session"].update(external_id=table, table=table),
                    hand["seats"][0].update(player={"name": "Dov"}),
                    hand["seats"][1].update(player={"external_id": "e-1", "name": "Eli"}),
                )
            ),
            PRESETS,
        )
        session = session_for(club=alone.club, head=head, author=None)
        return record_hand(session=session, deal=facts, author=None)

    answers = race(*[lambda table=table: send(table) for table in ("T1", "T2", "T3", "T4")])
    assert [getattr(answer, "result", answer) for answer in answers] == ["accepted"] * 4
    assert sorted(Player.objects.values_list("name", flat=True)) == ["Ana", "Ben", "Chi", "Dov", "Eli"]


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


@BOTH
@pytest.mark.xdist_group("processes")
def test_of_two_who_sit_down_on_one_chair_at_once_one_sits_and_hands_go_on(alone):
    names = ["Dora", "Emil", "Fay"]
    calls = [lambda name=name: seat_player(session=alone, number=4, name=name) for name in names]
    answers = race(*calls, lambda: record_hand(session=alone, deal=deal(), author=None))
    sat = [answer for answer in answers if isinstance(answer, Seat)]
    refused = [answer for answer in answers if isinstance(answer, ValidationError)]
    assert (len(sat), len(refused), answers[3].result) == (1, 2, "accepted")
    assert all("sits on seat 4" in error.messages[0] for error in refused)
    assert Seat.objects.get(session=alone, number=4, last_hand=None) == sat[0]
    assert Session.objects.get().revision == 2, "who was refused changed nothing"


@BOTH
@pytest.mark.xdist_group("processes")
def test_same_as_last_time_and_a_demo_that_are_tapped_at_once_are_one_each(alone):
    again, user = uuid.uuid4(), User.objects.get()
    answers = race(
        *[lambda: open_session_again(club=alone.club, author=user, session_id=again)] * 4,
        *[lambda: show_demo(user=user)] * 4,
    )
    assert all(isinstance(answer, Session) for answer in answers), answers
    assert len({answer.pk for answer in answers}) == 2
    assert Session.objects.count() == 3
