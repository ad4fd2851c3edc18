"""Several clients at once, on a database of their own."""

import threading
import time

import pytest
from django.db import connections
from django.test import Client

from accounts.models import Player, User
from accounts.services import create_api_key, create_club
from tests.api.test_calls import post


@pytest.mark.both_databases
def test_eight_clients_race_for_150_keys_and_each_effect_is_there_once(own_database, settings):
    """Some are told to ask again; whoever asks long enough gets the one answer."""
    settings.API_CALLS = 10**6
    owner = User.objects.create_user("owner@example.com", "a long password")
    club = create_club(owner=owner, name="Race")
    secret = create_api_key(club=club, name="Race", scope="write", author=owner)[1]
    answers: dict[int, set[tuple[int, str]]] = {number: set() for number in range(150)}
    faults: list[object] = []

    def call(begin: int) -> None:
        try:
            client = Client()
            for step in range(150):
                number = (begin * 19 + step) % 150
                for _attempt in range(200):
                    answer = post(
                        client,
                        secret,
                        "/api/v1/players",
                        {"name": f"Player {number}"},
                        **{"Idempotency-Key": f"race-{number}"},
                    )
                    if answer.status_code != 409:
                        break
                    time.sleep(0.02)
                answers[number].add((answer.status_code, answer.json().get("id", "")))
        except Exception as fault:
            faults.append(fault)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=call, args=[begin]) for begin in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert all(len(found) == 1 for found in answers.values()), "one answer for every key"
    assert {status for found in answers.values() for status, _id in found} == {201}
    assert Player.objects.filter(club=club).count() == 150
