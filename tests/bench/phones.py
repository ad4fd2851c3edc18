"""Six phones of one table that ask every so often and act: taps, locks, and the host's page beside them. On SQLite.

python -m tests.bench.phones
"""

import contextlib
import http.client
import io
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final

from tests.processes import HOUSE, Service, until

SEATS: Final = 6
ROUNDS: Final = 12
# A phone asks every two seconds; here it asks as often while the others act, without waiting in between.
POLLS: Final = 10
_TABLE: Final = """
import django; django.setup()
from accounts.models import User
from accounts.services import create_club, players_named
from django.utils import timezone
from hands.phones import open_round
from hands.scoring.taiwanese import PRESETS
from hands.services import open_session
club = create_club(owner=User.objects.create_user("bench@example.com"), name="Bench")
players = players_named(club=club, names=dict(enumerate(["Ana", "Ben", "Chi", "Dora", "Emil", "Fay"], start=1)))
session = open_session(club=club, table="Bench", rules=PRESETS["phenom"], rule_set_name="phenom", point_value_minor=50,
    currency="USD", started_at=timezone.now(), players=players, author=None)
table = open_round(session=session)
print(table.join_id, table.round_key)
"""
DECK: Final = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]


def measure() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as scratch:
        service = Service(Path(scratch), Path(scratch) / "data")
        service.environment["DJANGO_SETTINGS_MODULE"] = "settlement.settings"
        try:
            service.up("--no-demo")
            until(service.answers)
            made = subprocess.run(
                [sys.executable, "-c", _TABLE],
                cwd=HOUSE,
                env=service.environment | {"HOMERUN_DATA": str(service.data)},
                stdout=subprocess.PIPE,
                check=True,
            )
            join_id, round_key = made.stdout.decode().split()
            seconds, took, failed = _play(service.port, f"/table/{join_id}/", round_key)
        finally:
            with contextlib.redirect_stdout(io.StringIO()):
                service.end()
    took.sort()
    note = (
        f"{SEATS} phones at once, {len(took):,} polls and taps; p50 {1000 * took[len(took) // 2]:.0f} ms,"
        f" p99 {1000 * took[int(len(took) * 0.99)]:.0f} ms, {failed} refused"
    )
    return [{"name": "phones-sqlite", "per_second": len(took) / seconds, "ratio": None, "note": note}]


def _play(port: int, table: str, round_key: str) -> tuple[float, list[float], int]:
    """How long all calls took, how long each, and how many were neither 200 nor 304."""
    took: list[float] = []
    failed: list[int] = []

    def phone(seat: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        jar: dict[str, str] = {}

        def call(method: str, path: str, body: str = "", **headers: str) -> tuple[int, str, str]:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in jar.items())
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            text = answer.read().decode()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _equals, rest = cookie.partition("=")
                jar[name] = rest.partition(";")[0]
            return answer.status, text, answer.headers.get("ETag") or ""

        _status, page, _tag = call("GET", table)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        form = "application/x-www-form-urlencoded"
        call("POST", f"{table}seat", f"csrfmiddlewaretoken={token}&seat={seat}", Content_Type=form)
        tag, revision = "", 0
        cards = DECK[7 * (seat - 1) : 7 * seat]
        for _round in range(ROUNDS):
            for laid in range(1, 8):
                rows = {"top": cards[:1], "middle": cards[1 : min(3, laid)], "bottom": cards[3:laid]}
                facts = {"rows": {f"{row}_{seat}": held for row, held in rows.items() if held}, "out": []}
                body = json.dumps({"based_on": revision, "facts": facts})
                begin = time.perf_counter()
                status, text, _tag = call(
                    "POST", f"{table}setups/{round_key}", body, Content_Type="application/json", X_CSRFToken=token
                )
                took.append(time.perf_counter() - begin)
                if status == 200:
                    revision = json.loads(text)["revision"]
                else:
                    failed.append(status)
                for _poll in range(POLLS):
                    begin = time.perf_counter()
                    status, _text, tag = call("GET", f"{table}state?setting={round_key}", If_None_Match=tag)
                    took.append(time.perf_counter() - begin)
                    if status not in {200, 304}:
                        failed.append(status)

    threads = [threading.Thread(target=phone, args=[seat]) for seat in range(1, SEATS + 1)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin, took, len(failed)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
