"""An erasure beside a table that goes on."""

import threading
import time

import pytest
from django.db import transaction
from django.db.models import F

from accounts.models import Player, User
from accounts.services import create_club, players_named
from hands.models import Session
from settlement.erasure import erase_player
from tests.deals import THREE, play
from tests.hands.test_services import race

pytestmark = [pytest.mark.both_databases, pytest.mark.xdist_group("processes")]


def test_a_table_with_somebody_new_and_an_erasure_wait_for_each_other(own_database, django_db_blocker):
    """Whoever records a hand holds the session before the club; the erasure changes that session's name."""
    with django_db_blocker.unblock():
        owner = User.objects.create_user("owner@example.com")
        club = create_club(owner=owner, name="Harbour Card Room")
        session = play(club, [THREE], table="Ana's table")
        ana = Player.objects.get(name="Ana")
        holds = threading.Event()

        def sit_down() -> int:
            with transaction.atomic():
                Session.objects.filter(pk=session.pk).update(state=F("state"))
                holds.set()
                # The erasure begins meanwhile; the lock on the club comes after that on the session.
                time.sleep(0.5)
                return len(players_named(club=club, names={1: "Nia"}))

        def erase() -> str:
            holds.wait()
            return erase_player(player=ana, typed_name="Ana", author=owner)

        sat, pseudonym = race(sit_down, erase)
        assert sat == 1
        assert sorted(Player.objects.values_list("name", flat=True)) == sorted(["Ben", "Chi", "Nia", pseudonym])
        session.refresh_from_db()
        assert session.table == f"{pseudonym}'s table"
