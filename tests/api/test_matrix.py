"""Who may call what: every address of the API, with every scope, without a key, and with another club's."""

from typing import Any

import pytest
from django.db import transaction
from django.urls import get_resolver, reverse

from accounts.models import User
from accounts.services import create_api_key, create_club
from tests.api.world import World

pytestmark = pytest.mark.django_db

READ, WRITE, SETTLE = "read", "write", "settle"
RANKS = [READ, WRITE, SETTLE]
# What each method of an address needs. An address that is not here fails the test.
MATRIX: dict[str, dict[str, str]] = {
    "club": {"get": READ},
    "players": {"get": READ, "post": WRITE},
    "player": {"get": READ, "patch": WRITE},
    "rule-sets": {"get": READ, "post": WRITE},
    "rule-set": {"get": READ},
    "sessions": {"get": READ, "post": WRITE},
    "session": {"get": READ},
    "session-close": {"post": SETTLE},
    "session-reopen": {"post": SETTLE},
    "session-settle": {"get": READ, "post": SETTLE},
    "hands": {"get": READ, "post": WRITE},
    "hand": {"get": READ},
    "hand-chances": {"get": READ},
    "hand-correct": {"post": WRITE},
    "hand-void": {"post": WRITE},
    "imports": {"get": READ, "post": WRITE},
    "import": {"get": READ},
    "import-cancel": {"post": WRITE},
    "import-errors": {"get": READ},
    "import-failed-lines": {"get": READ},
    "discrepancies": {"get": READ},
    "balances": {"get": READ},
    "transfers": {"get": READ},
    "transfer": {"get": READ},
    "payments": {"get": READ, "post": SETTLE},
    "payment": {"get": READ},
    "payment-confirm": {"post": SETTLE},
    "payment-cancel": {"post": SETTLE},
    "settlements": {"get": READ},
    "settlement": {"get": READ},
    "settlement-reverse": {"post": SETTLE},
    "statements": {"get": READ, "post": WRITE},
    "statement": {"get": READ},
    "statement-download": {"get": READ},
    "book-files": {"get": READ, "post": WRITE},
    "book-file": {"get": READ},
    "book-file-workbook": {"get": READ},
    "book-file-csv": {"get": READ},
    "exports": {"get": READ, "post": SETTLE},
    "export": {"get": READ},
    "export-download": {"get": READ},
    "disputes": {"get": READ, "post": WRITE},
    "dispute": {"get": READ},
    "dispute-decline": {"post": SETTLE},
    "reminders": {"get": READ, "post": SETTLE},
    "reminder": {"get": READ},
    "statement-csv": {"get": READ},
    "webhooks": {"get": READ, "post": SETTLE},
    "webhook": {"get": READ, "delete": SETTLE},
    "webhook-rotate": {"post": SETTLE},
    "webhook-ping": {"post": SETTLE},
    "deliveries": {"get": READ},
    "delivery": {"get": READ},
    "delivery-resend": {"post": SETTLE},
}
METHODS = ("get", "post", "patch", "put", "delete")


def addresses() -> dict[str, list[str]]:
    """The arguments of every address of the API that needs a key."""
    found = {}

    def walk(patterns: Any) -> None:
        for pattern in patterns:
            if hasattr(pattern, "url_patterns"):
                walk(pattern.url_patterns)
            elif (pattern.name or "").startswith("api-") and pattern.name not in {"api-schema", "api-docs"}:
                found[pattern.name.removeprefix("api-")] = list(pattern.pattern.converters)

    walk(get_resolver().url_patterns)
    return found


ADDRESSES = addresses()


def test_every_address_is_on_the_matrix():
    assert set(ADDRESSES) == set(MATRIX)


def status(client, key: str | None, method: str, url: str) -> int:
    headers = {"Authorization": f"Api-Key {key}"} if key else {}
    # No body that could do anything: who may call is asked before what is said.
    answer = client.generic(method.upper(), url, b"", content_type="application/json", headers=headers)
    if answer.streaming:
        b"".join(answer.streaming_content)
    return answer.status_code


@pytest.fixture
def keys(world: World, owner: User) -> dict[str, str]:
    return {scope: create_api_key(club=world.club, name=scope, scope=scope, author=owner)[1] for scope in RANKS}


def test_a_key_may_what_its_scope_reaches(client, world, keys):
    """One world for all of them: what a call changed is undone before the next."""
    for name, needs in MATRIX.items():
        url = reverse(f"api-{name}", kwargs={argument: world.ids[argument] for argument in ADDRESSES[name]})
        for method in METHODS:
            assert status(client, None, method, url) == 401, (name, method)
            for scope, key in keys.items():
                with transaction.atomic():
                    answer = status(client, key, method, url)
                    transaction.set_rollback(True)
                assert answer in expected(needs.get(method), method, scope), (name, method, scope, answer)


def expected(needed: str | None, method: str, scope: str) -> set[int]:
    if needed is None:
        return {403, 405}
    if RANKS.index(scope) < RANKS.index(needed):
        return {403}
    # Without a body what changes something is refused for its content, or asks for If-Match.
    return {200} if method == "get" else {200, 202, 201, 400, 409, 422, 428}


def test_another_clubs_is_not_there(client, world, stranger):
    theirs = create_club(owner=stranger, name="Other")
    key = create_api_key(club=theirs, name="All", scope=SETTLE, author=stranger)[1]
    for name, needs in MATRIX.items():
        url = reverse(f"api-{name}", kwargs={argument: world.ids[argument] for argument in ADDRESSES[name]})
        for method in needs:
            if ADDRESSES[name]:
                headers = {"Authorization": f"Api-Key {key}", "If-Match": "*"}
                body = b'{"reason": "mine", "hand": {}}' if method == "post" else b"{}"
                sent = client.generic(method.upper(), url, body, content_type="application/json", headers=headers)
                assert sent.status_code == 404, (name, method, sent.content)
            elif method == "get" and name != "club":
                answer = client.get(url, headers={"Authorization": f"Api-Key {key}"})
                assert answer.json()["results"] == [], name


@pytest.mark.parametrize("key", ["", "x", "x.y", "Api-Key", "\u2603.\u2603"])
def test_what_is_no_key_opens_nothing(client, world, key):
    answer = client.get(reverse("api-club"), headers={"Authorization": f"Api-Key {key}".encode().decode("latin-1")})
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Api-Key")
