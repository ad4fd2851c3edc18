"""Who sits where from the next hand on, and where the button is."""

import uuid
from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import AuditRow, Player
from hands.history import read_deal
from hands.models import Hand, Seat, Session
from hands.scoring.taiwanese import PRESETS
from hands.seating import next_button, put_button, seat_player, unseat_player
from hands.services import close_session, record_hand
from tests.deals import EVENING, THREE, document, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def session(club) -> Session:
    """One hand was played: Ana, Ben and Chi on the seats 1 to 3."""
    return play(club)


def spans(session: Session) -> list[tuple[int, str, int, int | None]]:
    rows = Seat.objects.filter(session=session).order_by("number", "first_hand")
    return list(rows.values_list("number", "player__name", "first_hand", "last_hand"))


def record(session: Session, setups=THREE, **more) -> Hand:
    deal = replace(read_deal(document(setups, EVENING), PRESETS["phenom"]), client_key=uuid.uuid4(), **more)
    return record_hand(session=session, deal=deal, author=None).hand


def test_who_comes_late_sits_from_the_next_hand_on(session):
    seat_player(session=session, number=5, name="Dora")
    assert spans(session)[-1] == (5, "Dora", 2, None)
    assert Player.objects.filter(club=session.club, name="Dora").count() == 1


def test_who_leaves_keeps_what_was_played(session):
    unseat_player(session=session, number=2)
    assert spans(session)[1] == (2, "Ben", 1, 1)
    seat_player(session=session, number=2, name="Dora")
    assert spans(session)[1:3] == [(2, "Ben", 1, 1), (2, "Dora", 2, None)]


def test_who_comes_and_leaves_between_two_hands_leaves_no_trace_of_a_seat(session):
    seat_player(session=session, number=4, name="Dora")
    unseat_player(session=session, number=4)
    assert [row[1] for row in spans(session)] == ["Ana", "Ben", "Chi"]


def test_who_sits_already_changes_chairs(session):
    seat_player(session=session, number=6, name="ben")
    assert spans(session) == [(1, "Ana", 1, None), (2, "Ben", 1, 1), (3, "Chi", 1, None), (6, "Ben", 2, None)]


def test_who_sits_there_already_stays(session):
    before = spans(session)
    seat_player(session=session, number=2, name="Ben")
    assert spans(session) == before


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (1, "Ana sits on seat 1. Choose another, or let them leave first."),
        (7, "These rules have the seats 1 to 6."),
        (0, "These rules have the seats 1 to 6."),
    ],
)
def test_a_chair_that_is_taken_or_not_there_is_refused(session, number, sentence):
    with pytest.raises(ValidationError, match=sentence):
        seat_player(session=session, number=number, name="Dora")
    assert not Player.objects.filter(name="Dora").exists()


def test_a_closed_session_keeps_its_seats(session):
    close_session(session=session)
    before = spans(session)
    for change in (
        lambda: seat_player(session=session, number=5, name="Dora"),
        lambda: unseat_player(session=session, number=1),
        lambda: put_button(session=session, number=1),
    ):
        with pytest.raises(ValidationError, match="This session is closed; its seats stay"):
            change()
    assert spans(session) == before


def test_every_change_raises_the_revision_and_is_noted(session):
    revision = Session.objects.get(pk=session.pk).revision
    seat_player(session=session, number=5, name="Dora")
    put_button(session=session, number=5)
    unseat_player(session=session, number=5)
    assert Session.objects.get(pk=session.pk).revision == revision + 3
    noted = AuditRow.objects.filter(subject_id=session.pk).exclude(action__startswith="session")
    assert list(noted.order_by("id").values_list("action", "detail")) == [
        ("seat.taken", {"name": "Dora", "seat": 5}),
        ("button.put", {"seat": 5}),
        ("seat.left", {"name": "Dora", "seat": 5}),
    ]


def test_the_button_goes_round_over_the_seats_that_are_taken(club):
    session = play(club, [])
    assert next_button(session) == 1
    assert [record(session).current.button for _hand in range(4)] == [1, 2, 3, 1]
    unseat_player(session=session, number=2)
    assert next_button(session) == 3
    put_button(session=session, number=1)
    assert next_button(session) == 1


def test_where_the_host_puts_the_button_holds_for_one_hand(club):
    session = play(club, [])
    put_button(session=session, number=3)
    assert [record(session).current.button for _hand in range(2)] == [3, 1]
    with pytest.raises(ValidationError, match="Nobody sits on seat 5"):
        put_button(session=session, number=5)


def test_a_hand_without_a_button_from_a_program_stays_without(session):
    assert Hand.objects.get().current.button is None
    assert next_button(session) is None


def test_a_second_tap_after_the_button_moved_on_is_the_same_hand(club):
    session = play(club, [])
    deal = replace(read_deal(document(THREE, EVENING), PRESETS["phenom"]), client_key=uuid.uuid4())
    first = record_hand(session=session, deal=deal, author=None)
    again = record_hand(session=session, deal=deal, author=None)
    assert (first.result, again.result, again.hand.pk) == ("accepted", "duplicate", first.hand.pk)


def test_the_page_seats_moves_and_gives_the_button(session, client, owner):
    client.force_login(owner)
    url = reverse("seats", args=[session.pk])
    assert client.post(url, {"name": "Dora", "number": "4"}).status_code == 302
    assert "Dora plays from the next hand on, on seat 4." in client.get(url).text
    assert client.post(url, {"name": "Emil", "number": "1"}).status_code == 422, "that chair is not offered"
    client.post(reverse("seat-change", args=[session.pk, 4]), {"do": "button"})
    assert next_button(session) == 4
    client.post(reverse("seat-change", args=[session.pk, 4]), {"do": "leave"})
    assert [row[1] for row in spans(session)] == ["Ana", "Ben", "Chi"]
    close_session(session=session)
    answer = client.post(reverse("seat-change", args=[session.pk, 1]), {"do": "leave"}, follow=True)
    assert "This session is closed; its seats stay as they are." in answer.text
