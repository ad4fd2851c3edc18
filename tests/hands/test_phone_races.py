"""Phones that act at the same moment."""

import pytest

from accounts.models import User
from accounts.services import create_club
from hands import phones
from hands.models import Session
from hands.phone_models import HiddenSetup, Phone, PhoneTable
from tests.deals import ANA, BEN, CHI, play
from tests.hands.at_the_table import facts, give_up, phone_at
from tests.hands.test_services import race

pytestmark = [pytest.mark.both_databases]


@pytest.fixture
def table(own_database, django_db_blocker):
    """A hand that is being set at a table of three, with nobody else's transaction around it."""
    with django_db_blocker.unblock():
        club = create_club(owner=User.objects.create_user("race@example.com"), name="Race")
        yield phones.open_round(session=play(club, []))


def test_the_last_locks_at_one_moment_open_the_hand(table):
    held = [(number, phone_at(table, number), setup) for number, setup in ((1, ANA), (2, BEN), (3, CHI))]

    def lock(number: int, phone: Phone, setup: dict[str, list[str]]) -> None:
        phones.confirm_setup(phone=phone, round_key=table.round_key, facts=facts(number, setup))

    assert race(*(lambda one=one: lock(*one) for one in held)) == [None, None, None]
    assert PhoneTable.objects.get().revealed_at is not None


def test_of_phones_that_take_one_seat_at_one_moment_one_gets_it(table):
    answers = race(*[lambda: phones.take_seat(table=table, number=1)] * 4)
    assert sum(isinstance(answer, str) for answer in answers) == 1
    assert Phone.objects.count() == 1


def test_two_taps_on_begin_are_one_hand(table):
    session = Session.objects.select_related("rule_set").get()
    give_up(session)
    begun = race(*[lambda: phones.open_round(session=session)] * 3)
    assert {one.round_key for one in begun} == {PhoneTable.objects.get().round_key}
    assert HiddenSetup.objects.count() == 3
