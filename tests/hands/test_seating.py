"""Occupancies: whoever sat where, the seats say so, in whichever order the hands are written down."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Club
from hands.history import Deal, SeatRecord
from hands.models import Hand, Seat, Session, Setup
from hands.scoring import taiwanese
from hands.services import record_hands
from tests.deals import EVENING, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def session(club: Club) -> Session:
    """An open session in which nobody sits yet."""
    opened = play(club, [])
    Seat.objects.filter(session=opened).delete()
    return opened


def deal(number: int, names: dict[int, str]) -> Deal:
    """A hand of these players by seat number; which cards they hold does not matter here."""
    cards = iter(range(52))
    boards = tuple(tuple(next(cards) for _card in range(5)) for _board in range(2))
    seats = tuple(
        SeatRecord(seat, name, taiwanese.Setup(*(tuple(next(cards) for _card in range(size)) for size in (1, 2, 4))))
        for seat, name in names.items()
    )
    return Deal(boards, seats, EVENING + timedelta(minutes=number), number=number)


def write(session: Session, *hands: tuple[int, dict[int, str]]) -> None:
    """Record hands, each by itself, in this order."""
    for number, names in hands:
        record_hands(session=session, deals=[deal(number, names)], author=None)


def spans(session: Session) -> list[tuple[int, str, int, int | None]]:
    rows = Seat.objects.filter(session=session).order_by("number", "first_hand")
    return list(rows.values_list("number", "player__name", "first_hand", "last_hand"))


def covers(first: int, last: int | None, number: int) -> bool:
    return first <= number and (last is None or number <= last)


def assert_seated(session: Session, hands: dict[int, dict[int, str]]) -> None:
    """Every hand lies in its occupancies, and neither a seat nor a player has two at a time."""
    for setup in Setup.objects.filter(version__hand__session=session).select_related("seat__player", "version__hand"):
        number, seat = setup.version.hand.number, setup.seat
        assert hands[number][seat.number] == seat.player.name
        assert covers(seat.first_hand, seat.last_hand, number), (number, spans(session))
    assert Setup.objects.filter(version__hand__session=session).count() == sum(map(len, hands.values()))
    for number in range(1, max(hands) + 2):
        present = [(seat, name) for seat, name, first, last in spans(session) if covers(first, last, number)]
        assert len(dict(present)) == len({name for _seat, name in present}) == len(present), (number, spans(session))


def test_who_comes_later_sits_down_later_and_who_leaves_makes_room(session):
    write(session, (1, {1: "Ana", 2: "Ben"}), (2, {1: "Ana", 3: "Chi"}), (3, {1: "Dov", 2: "Ben"}))
    assert spans(session) == [
        (1, "Ana", 1, 2),
        (1, "Dov", 3, None),
        (2, "Ben", 1, None),
        (3, "Chi", 2, None),
    ]


def test_two_players_may_exchange_their_chairs(session):
    write(session, (1, {1: "Ana", 2: "Ben"}), (2, {1: "Ben", 2: "Ana"}))
    assert spans(session) == [(1, "Ana", 1, 1), (1, "Ben", 2, None), (2, "Ben", 1, 1), (2, "Ana", 2, None)]


def test_a_hand_that_is_written_down_late_leaves_the_hands_after_it_where_they_were(session):
    hands = {1: {1: "Ana", 2: "Ben"}, 3: {1: "Ana", 2: "Ben"}, 2: {1: "Chi", 2: "Ana"}}
    write(session, *hands.items())
    assert spans(session) == [
        (1, "Ana", 1, 1),
        (1, "Chi", 2, 2),
        (1, "Ana", 3, None),
        (2, "Ben", 1, 1),
        (2, "Ana", 2, 2),
        (2, "Ben", 3, None),
    ]
    assert_seated(session, hands)


def test_the_first_hand_written_down_last_begins_the_occupancies(session):
    write(session, (3, {1: "Ana", 2: "Ben"}), (1, {1: "Ana", 2: "Ben"}))
    assert spans(session) == [(1, "Ana", 1, None), (2, "Ben", 1, None)]


def test_who_was_put_on_a_chair_and_played_on_another_is_moved(club):
    # `play` opens the session with Ana, Ben and Chi on the seats 1 to 3.
    session = play(club, [])
    write(session, (1, {4: "Ana", 2: "Ben"}))
    assert spans(session) == [(2, "Ben", 1, None), (3, "Chi", 1, None), (4, "Ana", 1, None)]


TABLES = st.dictionaries(st.integers(1, 4), st.sampled_from(["Ana", "Ben", "Chi", "Dov", "Eli"]), min_size=2).filter(
    lambda names: len(set(names.values())) == len(names)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hands=st.lists(TABLES, min_size=1, max_size=7), data=st.data())
def test_whatever_the_order_the_seats_say_who_sat_where(club: Club, hands, data):
    numbered = dict(enumerate(hands, start=1))
    order = data.draw(st.permutations(list(numbered)))
    session = play(club, [])
    cut = data.draw(st.integers(0, len(order)))
    # One part in a batch, as an import does; the rest hand by hand.
    record_hands(session=session, deals=[deal(number, numbered[number]) for number in order[:cut]], author=None)
    write(session, *((number, numbered[number]) for number in order[cut:]))
    assert Hand.objects.filter(session=session).count() == len(hands)
    assert_seated(session, numbered)
