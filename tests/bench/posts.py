"""Single hands posted to a running service by 16 connections at once, each hand a call of its own.

python -m tests.bench.posts
"""

import http.client
import json
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import psycopg

from tests import postgres
from tests.bench.imports import deal_lines
from tests.bench.served import Calls, measured, served

CONNECTIONS: Final = 16
POSTS: Final = 1600
_KEY: Final = """
from accounts.models import User
from accounts.services import create_api_key, create_club
owner = User.objects.create_user("bench@example.com")
print(create_api_key(club=create_club(owner=owner, name="Bench"), name="Bench", scope="write", author=owner)[1])
"""


def measure() -> list[dict[str, Any]]:
    """A row for each database."""
    rows = [_measure("posts-sqlite", {})]
    if postgres.binaries() is not None:
        server = postgres.cluster_url().rpartition("/")[0]
        with psycopg.connect(f"{server}/postgres", autocommit=True) as control:
            control.execute("CREATE DATABASE bench_posts")
        rows.append(_measure("posts-postgres", {"DATABASE_URL": f"{server}/bench_posts"}))
    return rows


def _measure(name: str, environment: dict[str, str]) -> dict[str, Any]:
    lines = list(deal_lines(POSTS))
    # A hundred hands are a session: each connection is a table of its own.
    each = POSTS // CONNECTIONS
    with served(_KEY, environment | {"API_CALLS": "1000000"}) as (port, (key,)):
        tables = [lines[start : start + each] for start in range(0, POSTS, each)]
        clients = [partial(_post, port, key, mine) for mine in tables]
        return measured(name, f"{CONNECTIONS} connections, hands of six seats", clients)


def _post(port: int, key: str, lines: Sequence[bytes], calls: Calls) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Api-Key {key}", "Content-Type": "application/json"}
    for line in lines:
        with calls.timed(201) as answered:
            connection.request("POST", "/api/v1/hands", line, headers)
            answer = connection.getresponse()
            answer.read()
            answered(answer.status)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
