"""The API's door: keys, problems, and the sentences of the pages."""

import hashlib
import json
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts import services
from accounts.models import ApiKey, AuditRow
from hands.corrections import correct_hand
from hands.models import Hand, Session
from hands.services import close_session
from tests.histories import good

pytestmark = pytest.mark.django_db


@pytest.fixture
def key(club, owner) -> str:
    return services.create_api_key(club=club, name="Night upload", scope="write", author=owner)[1]


def post(client, key: str | None, body, **more):
    headers = {"Authorization": f"Api-Key {key}"} if key else {}
    raw = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(reverse("api-hands"), raw, content_type="application/json", headers=headers, **more)


def problem(response) -> dict:
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["status"] == response.status_code
    return response.json()


def test_a_hand_is_recorded_scored_and_explained(client, key):
    answer = post(client, key, good())
    assert answer.status_code == 201
    assert (answer.json()["result"], answer.json()["points"]) == ("accepted", {"1": 20, "3": -20})
    body = client.get(answer["Location"], headers={"Authorization": f"Api-Key {key}"}).json()
    assert body["id"] == answer.json()["id"]
    nets = {body["players"][player]["name"]: points for player, points in body["net"].items()}
    assert nets == {"Ana": 20, "Ben": -20}
    assert body["pairs"][0]["because"] == "All six rows: 6 + 6, and 8 for the homerun"
    row = AuditRow.objects.get(action="hand.recorded")
    assert (row.source, row.api_key.name) == ("api", "Night upload")


def test_the_same_hand_again_is_200_and_another_content_is_409(client, key):
    first = post(client, key, good()).json()
    again = post(client, key, good())
    assert (again.status_code, again.json()) == (200, first | {"result": "duplicate"})
    other = post(client, key, good(lambda hand: hand["seats"][1].update(top=["6d"])))
    assert problem(other)["code"] == "conflict"
    assert other.status_code == 409
    assert Hand.objects.count() == 1


def test_a_fault_is_422_with_the_sentence_of_the_pages(client, key):
    answer = post(client, key, good(lambda hand: hand["seats"][1].update(bottom=["Kh", "Kd", "7c"])))
    body = problem(answer)
    assert answer.status_code == 422
    assert body["errors"] == [
        {
            "pointer": "/seats/1/bottom",
            "code": "row_size",
            "detail": "Seat 3 (Ben): bottom has 3 cards (Kh Kd 7c); Taiwanese needs 4.",
        }
    ]
    assert Hand.objects.count() == 0


@pytest.mark.parametrize(
    "raw",
    ["{", '{"a": NaN}', '{"a": 1e999}', "[" * 5000, '{"a":1,"a":2}', '"\\ud800"', b"\xff\xfe", "9" * 400],
)
def test_what_is_no_json_is_400(client, key, raw):
    answer = post(client, key, raw)
    assert answer.status_code == 400
    assert problem(answer)["detail"]


def test_a_sentence_that_quotes_what_no_answer_can_hold_is_still_an_answer(client, key):
    answer = post(client, key, '{"\\ud800": 1, "\\ud800": 1}')
    assert answer.status_code == 400
    assert problem(answer)["detail"] == "The key “\ufffd” stands twice in one object."


def test_an_empty_body_is_refused(client, key):
    answer = post(client, key, "")
    assert answer.status_code in {400, 422}
    assert problem(answer)["errors"]


def test_every_fault_of_a_hand_is_told_and_nothing_is_stored_in_part(client, key):
    def change(hand):
        hand["session"]["external_id"] = "another evening"
        hand["seats"][0]["top"] = ["1s"]
        hand["seats"][1]["bottom"] = ["8s", "2c", "Th"]

    answer = post(client, key, good(change))
    assert answer.status_code == 422
    body = problem(answer)
    assert (body["code"], body["detail"]) == ("invalid", "2 things are wrong.")
    assert [error["pointer"] for error in body["errors"]] == ["/seats/0/top/0", "/seats/1/bottom"]
    assert Session.objects.count() == 0


def test_a_number_that_is_taken_and_another_head_are_409(client, key):
    assert post(client, key, good()).status_code == 201
    taken = post(client, key, good(lambda hand: hand.update(external_id="another")))
    assert (taken.status_code, problem(taken)["errors"][0]["pointer"]) == (409, "/number")
    other = post(client, key, good(lambda hand: hand["session"].update(table="T8")))
    assert (other.status_code, problem(other)["code"]) == (409, "session_conflict")
    assert Hand.objects.count() == 1


def test_a_void_hand_is_shown_void(client, key, owner):
    where = post(client, key, good())["Location"]
    hand = Hand.objects.get()
    correct_hand(hand=hand, based_on=1, deal=None, reason="Misdeal", author=owner)
    answer = client.get(where, headers={"Authorization": f"Api-Key {key}"})
    body = answer.json()
    assert (answer.status_code, body["is_void"], body["version"], body["players"]) == (200, True, 2, {})
    again = post(client, key, good())
    assert again.status_code == 409
    assert problem(again)["detail"] == "Hand 12 is in the book, and void. Nothing was changed."


def test_a_body_beyond_the_limit_is_refused_not_read(client, key):
    answer = post(client, key, '{"a": "' + "x" * 2_000_000 + '"}')
    assert answer.status_code == 413
    assert problem(answer)["detail"] == "The body is larger than 1,024 kB; send less at once."


def test_a_closed_session_takes_no_hand(client, key):
    post(client, key, good())
    close_session(session=Hand.objects.get().session)
    answer = post(client, key, good(lambda hand: hand.update(number=13, external_id="h13")))
    assert (answer.status_code, problem(answer)["code"]) == (409, "session_closed")


@pytest.mark.parametrize("sent", [None, "nonsense", "0123456789ab.wrong", "é.é"])
def test_without_a_good_key_it_is_401(client, key, sent):
    answer = post(client, sent, good())
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Api-Key"
    assert problem(answer)["detail"]


def test_a_revoked_or_expired_key_opens_nothing(client, key):
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert post(client, key, good()).status_code == 401
    ApiKey.objects.update(expires_at=None)
    services.revoke_api_key(key=ApiKey.objects.get())
    assert post(client, key, good()).status_code == 401


def test_a_key_that_may_read_cannot_write(client, club, owner):
    _row, reading = services.create_api_key(club=club, name="Reader", scope="read", author=owner)
    answer = post(client, reading, good())
    assert answer.status_code == 403
    assert problem(answer)["detail"] == "This key may not do that."


def test_another_clubs_hand_is_not_there(client, key, stranger):
    where = post(client, key, good())["Location"]
    theirs = stranger.memberships.get().club
    _row, other = services.create_api_key(club=theirs, name="Theirs", scope="write", author=stranger)
    answer = client.get(where, headers={"Authorization": f"Api-Key {other}"})
    assert answer.status_code == 404
    assert problem(answer)["code"] == "not_found"


def test_methods_and_types_that_are_not_offered_are_problems_too(client, key):
    headers = {"Authorization": f"Api-Key {key}"}
    assert problem(client.delete(reverse("api-hands"), headers=headers))["status"] == 405
    sent = client.post(reverse("api-hands"), "a=1", content_type="application/x-www-form-urlencoded", headers=headers)
    assert problem(sent)["status"] == 415


def test_only_a_digest_of_the_secret_is_kept(key):
    row = ApiKey.objects.get()
    secret = key.partition(".")[2]
    assert row.secret_sha256 == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(ApiKey.objects.values())
