"""Single hands posted to a running service by 16 connections at once, each hand a call of its own.

python -m tests.bench.posts
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

import psycopg

from tests import postgres
from tests.bench.imports import deal_lines
from tests.processes import HOUSE, Service, until

CONNECTIONS: Final = 16
POSTS: Final = 1600
_KEY: Final = """
import django; django.setup()
from accounts.models import User
from accounts.services import create_api_key, create_club
owner = User.objects.create_user("bench@example.com")
print(create_api_key(club=create_club(owner=owner, name="Bench"), name="Bench", scope="write", author=owner)[1])
"""


def measure() -> list[dict[str, Any]]:
    """A row for each database."""
    rows = [_measure("posts-sqlite", None)]
    if postgres.binaries() is not None:
        server = postgres.cluster_url().rpartition("/")[0]
        with psycopg.connect(f"{server}/postgres", autocommit=True) as control:
            control.execute("CREATE DATABASE bench_posts")
        rows.append(_measure("posts-postgres", f"{server}/bench_posts"))
    return rows


def _measure(name: str, url: str | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as scratch:
        folder = Path(scratch)
        service = Service(folder, folder / "data")
        service.environment |= {"API_CALLS": "1000000", "DJANGO_SETTINGS_MODULE": "settlement.settings"}
        if url:
            service.environment["DATABASE_URL"] = url
        try:
            service.up("--no-demo")
            until(service.answers)
            made = subprocess.run(
                [sys.executable, "-c", _KEY],
                cwd=HOUSE,
                env=service.environment | {"HOMERUN_DATA": str(service.data)},
                stdout=subprocess.PIPE,
                check=True,
            )
            seconds, took, failed = _post(service.port, made.stdout.decode().strip())
        finally:
            with open(os.devnull, "w") as quiet:
                before, sys.stdout = sys.stdout, quiet
                try:
                    service.end()
                finally:
                    sys.stdout = before
    took.sort()
    note = (
        f"{CONNECTIONS} connections, {POSTS:,} hands of six seats; p50 {1000 * took[len(took) // 2]:.0f} ms,"
        f" p99 {1000 * took[int(len(took) * 0.99)]:.0f} ms, {failed} refused"
    )
    return {"name": name, "per_second": len(took) / seconds, "ratio": None, "note": note}


def _post(port: int, key: str) -> tuple[float, list[float], int]:
    """How long all of them took, how long each, and how many were not 201."""
    lines = list(deal_lines(POSTS))
    headers = {"Authorization": f"Api-Key {key}", "Content-Type": "application/json"}
    took: list[float] = []
    failed: list[int] = []

    def post(mine: list[bytes]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for line in mine:
            begin = time.perf_counter()
            connection.request("POST", "/api/v1/hands", line, headers)
            answer = connection.getresponse()
            answer.read()
            took.append(time.perf_counter() - begin)
            if answer.status != 201:
                failed.append(answer.status)

    # A hundred hands are a session: each connection is a table of its own.
    each = POSTS // CONNECTIONS
    threads = [
        threading.Thread(target=post, args=[lines[place * each : (place + 1) * each]]) for place in range(CONNECTIONS)
    ]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin, took, len(failed)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
