"""What every call has in common: once for a key, how often, what was seen, and page by page."""

import json
import uuid
from datetime import timedelta

import pytest
import time_machine

from accounts.api import idempotency
from accounts.models import ApiKey, Call, Player
from accounts.services import add_player, create_api_key
from hands.models import Hand
from tests.histories import good

pytestmark = pytest.mark.django_db


def post(client, world_or_key, address: str, body, **headers):
    key = getattr(world_or_key, "key", world_or_key)
    sent = {"Authorization": f"Api-Key {key}"} | headers
    raw = body if isinstance(body, bytes) else json.dumps(body)
    return client.post(address, raw, content_type="application/json", headers=sent)


def test_the_same_key_and_body_get_the_same_answer(client, world):
    first = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
    again = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert first["Location"] == again["Location"]
    assert ("Idempotency-Replayed" in first, again["Idempotency-Replayed"]) == (False, "true")
    assert Player.objects.filter(name="Gus").count() == 1


def test_a_refusal_is_an_answer_too(client, world):
    for replayed in (None, "true"):
        answer = post(client, world, "/api/v1/players", {"name": ""}, **{"Idempotency-Key": "k-1"})
        assert (answer.status_code, answer.get("Idempotency-Replayed")) == (422, replayed)
        assert answer["Content-Type"] == "application/problem+json"
    # What was wrong can be sent right under another key.
    assert post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-2"}).status_code == 201


def test_the_same_key_with_another_call_is_refused(client, world):
    post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
    for address, body in (("/api/v1/players", {"name": "Hal"}), ("/api/v1/hands", {"name": "Gus"})):
        answer = post(client, world, address, body, **{"Idempotency-Key": "k-1"})
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert not Player.objects.filter(name="Hal").exists()


def test_another_clubs_key_is_another_key(client, world, owner):
    other = create_api_key(club=world.club, name="Other", scope="write", author=owner)[1]
    post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
    assert post(client, other, "/api/v1/players", {"name": "Hal"}, **{"Idempotency-Key": "k-1"}).status_code == 201


def test_what_still_runs_is_said_and_a_dead_claim_is_taken_over(client, world):
    api_key = ApiKey.objects.get(prefix=world.key.partition(".")[0])
    with time_machine.travel("2026-11-30T12:00:00Z", tick=False) as clock:
        first = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
        # As if the process had died after its claim: there is no answer, and no effect.
        Player.objects.filter(pk=first.json()["id"]).delete()
        Call.objects.filter(api_key=api_key).update(status=None, body=None)
        answer = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
        assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (409, "still_running", "1")
        clock.shift(idempotency.STALE + timedelta(seconds=1))
        answer = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
        assert (answer.status_code, Player.objects.filter(name="Gus").count()) == (201, 1)


def test_an_answer_is_kept_for_a_day(client, world):
    with time_machine.travel("2026-11-30T12:00:00Z", tick=False) as clock:
        post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
        clock.shift(idempotency.KEPT + timedelta(seconds=1))
        answer = post(client, world, "/api/v1/players", {"name": "Hal"}, **{"Idempotency-Key": "k-1"})
        assert answer.status_code == 201
        clock.shift(idempotency.KEPT + timedelta(seconds=1))
        idempotency.forget_old_calls()
    assert not Call.objects.exists()


def test_a_server_error_is_not_kept(client, world, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("accounts.services.add_player", lambda **_asked: 1 / 0)
    answer = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
    assert answer.status_code == 500
    monkeypatch.undo()
    answer = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": "k-1"})
    assert (answer.status_code, "Idempotency-Replayed" in answer) == (201, False)


@pytest.mark.parametrize("key", ["", " ", "k" * 256])
def test_what_is_no_idempotency_key_is_refused(client, world, key):
    answer = post(client, world, "/api/v1/players", {"name": "Gus"}, **{"Idempotency-Key": key})
    assert answer.json()["code"] == "idempotency_key"
    assert not Player.objects.filter(name="Gus").exists()


def test_a_kill_between_effect_and_answer_leaves_one_effect(client, world, monkeypatch):
    """The answer commits with the effect: killed before, neither is there, and the next call makes both."""
    client.raise_request_exception = False

    def die(*_arguments: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(idempotency, "_keep", die)
        with pytest.raises(SystemExit):
            post(client, world, "/api/v1/hands", good(), **{"Idempotency-Key": "k-1"})
    before = Hand.objects.count()
    Call.objects.update(claimed_at="2026-01-01T00:00:00Z")
    assert post(client, world, "/api/v1/hands", good(), **{"Idempotency-Key": "k-1"}).status_code == 201
    assert Hand.objects.count() == before + 1


def test_calls_are_counted_for_each_key_and_the_next_window_is_free(client, world, settings, owner):
    settings.API_CALLS, settings.API_CALLS_SECONDS = 3, 60
    other = create_api_key(club=world.club, name="Other", scope="read", author=owner)[1]
    with time_machine.travel("2026-11-30T12:00:10Z", tick=False) as clock:
        for left in (2, 1, 0):
            answer = world.call(client, "get", "/api/v1/club")
            assert answer["RateLimit-Policy"] == '"default";q=3;w=60'
            assert answer["RateLimit"] == f'"default";r={left};t=50'
        answer = world.call(client, "get", "/api/v1/club")
        assert (answer.status_code, answer["Retry-After"], answer.json()["code"]) == (429, "50", "throttled")
        assert client.get("/api/v1/club", headers={"Authorization": f"Api-Key {other}"}).status_code == 200
        clock.shift(timedelta(seconds=50))
        assert world.call(client, "get", "/api/v1/club").status_code == 200


def test_what_is_as_it_was_is_not_sent_again(client, world):
    url = f"/api/v1/sessions/{world.ids['session_id']}"
    tag = world.call(client, "get", url)["ETag"]
    again = world.call(client, "get", url, **{"If-None-Match": tag})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", tag)


def test_a_change_needs_what_was_seen(client, world):
    hand = f"/api/v1/hands/{world.ids['hand_id']}"
    seen = world.call(client, "get", hand)["ETag"]
    body = {"reason": "a misdeal"}
    assert world.call(client, "post", f"{hand}/void", body).status_code == 428
    assert world.call(client, "post", f"{hand}/void", body, **{"If-Match": '"another"'}).status_code == 412
    answer = world.call(client, "post", f"{hand}/void", body, **{"If-Match": seen})
    assert (answer.status_code, answer.json()["is_void"]) == (200, True)
    assert answer["ETag"] != seen
    assert world.call(client, "post", f"{hand}/void", body, **{"If-Match": seen}).status_code == 412


def test_a_list_is_walked_by_its_cursor(client, world):
    for number in range(5):
        add_player(club=world.club, name=f"Player {number}")
    url, names = "/api/v1/players?limit=3", []
    while url:
        answer = world.call(client, "get", url)
        names += [player["name"] for player in answer.json()["results"]]
        url = answer.json()["next"]
        assert (f'<{url}>; rel="next"' == answer.get("Link")) or url is None
    assert sorted(names) == ["Ana", "Ben", "Chi", *(f"Player {number}" for number in range(5))]
    assert len(world.call(client, "get", "/api/v1/players?limit=1000").json()["results"]) == 8


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("/api/v1/sessions?started_after=2026-11-28T20:00:00", "time"),
        ("/api/v1/sessions?state=odd", "invalid_choice"),
        ("/api/v1/hands?session=7", "invalid"),
        ("/api/v1/players?external_id=%00", "null_characters_not_allowed"),
    ],
)
def test_a_filter_that_cannot_be_read_is_refused(client, world, address, code):
    answer = world.call(client, "get", address)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, code)


def test_filters_narrow_a_list(client, world):
    ids = world.ids
    for address, count in (
        ("sessions?state=settled", 1),
        ("sessions?state=closed", 0),
        ("sessions?started_before=2026-11-01T00:00:00Z", 0),
        (f"hands?session={ids['session_id']}", 1),
        (f"transfers?account={ids['payer']}", 3),
        ("transfers?kind=payment", 1),
        (f"payments?payee={ids['payee']}", 1),
        ("players?is_active=false", 0),
        ("balances?currency=JPY", 0),
        ("settlements?is_reversed=true", 0),
    ):
        answer = world.call(client, "get", f"/api/v1/{address}")
        assert len(answer.json()["results"]) == count, address


def test_unknown_fields_are_told_and_passed_over(client, world):
    answer = post(client, world, "/api/v1/players", {"name": "Gus", "shoe_size": 44})
    assert answer.status_code == 201
    assert [one["pointer"] for one in answer.json()["warnings"]] == ["/shoe_size"]


def test_a_session_is_closed_settled_and_paid_through_the_api(client, world):
    url = f"/api/v1/sessions/{world.ids['open_session_id']}"

    def do(what: str, body=None):
        tag = world.call(client, "get", url)["ETag"]
        return world.call(client, "post", f"{url}/{what}", body, **{"If-Match": tag})

    assert do("settle").json()["code"] == "session_open"
    assert do("close").json()["state"] == "closed"
    answer = do("settle")
    assert (answer.status_code, answer.json()["state"], answer["Location"]) == (202, "queued", f"{url}/settle")
    from jobs import queue
    from jobs.models import Job

    queue.run_to_end(Job.objects.get(kind="settle", status="queued").pk)
    settling = world.call(client, "get", f"{url}/settle").json()
    settlement = world.call(client, "get", f"/api/v1/settlements/{settling['settlement']}").json()
    # Two evenings of the published deal: Ben owes Ana and Chi 10.00 each, Chi owes Ana 1.00.
    assert sorted(pair["amount"]["amount_minor"] for pair in settlement["pairs"]) == [100, 1000, 1000]
    held = {
        one["name"]: one["balance"]["amount_minor"]
        for one in world.call(client, "get", "/api/v1/balances").json()["results"]
    }
    # Ben has paid Ana 1.00 already.
    assert held == {"Ana": 2100, "Ben": -3900, "Chi": 1800}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-ndjson", json.dumps(good()).encode() + b"\n"),
        ("application/json", b"[" + json.dumps(good()).encode() + b"]"),
    ],
)
def test_a_history_is_the_body_of_an_import(client, world, kind, body):
    headers = {"Authorization": f"Api-Key {world.key}", "Idempotency-Key": str(uuid.uuid4())}
    url = "/api/v1/imports?dry_run=true&on_error=abort"
    first = client.post(url, body, content_type=kind, headers=headers)
    again = client.post(url, body, content_type=kind, headers=headers)
    assert (first.status_code, again.status_code, again["Idempotency-Replayed"]) == (202, 202, "true")
    assert first.json()["id"] == again.json()["id"]
    assert (first.json()["dry_run"], first.json()["on_error"], first.json()["state"]) == (True, "abort", "queued")
    other = client.post(url, body + b" ", content_type=kind, headers=headers)
    assert other.status_code == 422


def test_a_body_that_is_too_large_is_413(client, world, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    for headers in ({}, {"Idempotency-Key": "k-1"}):
        answer = post(client, world, "/api/v1/players", b'{"name": "' + b"x" * 2000 + b'"}', **headers)
        assert (answer.status_code, answer["Content-Type"]) == (413, "application/problem+json")
