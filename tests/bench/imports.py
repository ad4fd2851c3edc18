"""An import end to end, as a worker does it: from a file of hands to rows that are committed.

python -m tests.bench.imports
"""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from tests import postgres

HANDS = 100_000
FEWER_HANDS = 20_000
SEATS = 6
HANDS_A_SESSION = 100
SESSIONS_A_TABLE = 4


def measure() -> list[dict[str, Any]]:
    """A row for each database, each in a process of its own, so that its memory is the import's."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as folder:
        path = Path(folder) / "hands.ndjson"
        with path.open("wb") as file:
            file.writelines(deal_lines(HANDS))
        databases = {"import-sqlite": None}
        if postgres.binaries():
            databases["import-postgres"] = postgres.cluster_url()
        for name, url in databases.items():
            few, many = (_import(path, hands, url, Path(folder)) for hands in (FEWER_HANDS, HANDS))
            note = f"{many['hands']:,} six-seat hands end to end; the worker's memory {many['memory_mb']} MB"
            note += f", with {few['hands']:,} hands {few['memory_mb']} MB; {many['cpu_us']:.0f} us of CPU a hand"
            rows.append({"name": name, "per_second": many["per_second"], "ratio": None, "note": note})
    return rows


def deal_lines(hands: int) -> Iterator[bytes]:
    """Hands as a club sends them: six seats of 52 shuffled cards, a hundred to a session."""
    from hands.scoring.cards import card_text

    dealer = np.random.default_rng(time.time_ns())
    texts = np.array([card_text(card) for card in range(52)])
    begin = datetime(2026, 11, 1, 12, tzinfo=UTC)
    for place in range(hands):
        session, number = divmod(place, HANDS_A_SESSION)
        table, evening = f"T{session % SESSIONS_A_TABLE + 1}", session // SESSIONS_A_TABLE
        started_at = begin + timedelta(days=evening)
        cards = texts[dealer.permutation(52)].tolist()
        hand = {
            "spec_version": "1.0",
            "game": "taiwanese",
            "session": {
                "external_id": f"{table}-{evening}",
                "table": table,
                "rule_set": "phenom",
                "point_value": {"amount_minor": 50, "currency": "USD"},
                "started_at": started_at.isoformat(),
            },
            "external_id": f"{table}-{evening}-{number + 1:04}",
            "number": number + 1,
            "played_at": (started_at + timedelta(minutes=3 * number)).isoformat(),
            "button": number % SEATS + 1,
            "boards": [cards[:5], cards[5:10]],
            "seats": [
                {
                    "seat": seat + 1,
                    "player": {"external_id": f"p-{session % 50 * SEATS + seat}", "name": f"Player {seat + 1}"},
                    "top": cards[first : first + 1],
                    "middle": cards[first + 1 : first + 3],
                    "bottom": cards[first + 3 : first + 7],
                }
                for seat, first in enumerate(range(10, 52, 7))
            ],
        }
        yield json.dumps(hand, separators=(",", ":")).encode() + b"\n"


def _import(path: Path, hands: int, url: str | None, folder: Path) -> dict[str, Any]:
    """Import the first lines of the file in a process of its own, into a database of its own."""
    data = Path(tempfile.mkdtemp(dir=folder))
    environment = os.environ | {"HOMERUN_DATA": str(data)}
    environment.pop("DATABASE_URL", None)
    if url:
        name = f"bench_{data.name}".lower()
        with _server(url) as server:
            server.execute(f"CREATE DATABASE {name}")
        environment["DATABASE_URL"] = url.rpartition("/")[0] + f"/{name}"
    command = [sys.executable, "-m", "tests.bench.imports", str(path), str(hands)]
    answer = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return dict(json.loads(answer.stdout))


def _server(url: str) -> Any:
    import psycopg

    return psycopg.connect(url.rpartition("/")[0] + "/postgres", autocommit=True)


def work(path: Path, hands: int) -> dict[str, Any]:
    """What the process of one measurement does: an empty club, then the import, by the job's own way."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
    import django
    from django.core.files import File
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    from accounts.models import User
    from accounts.services import create_club
    from hands.imports import request_import
    from jobs import queue
    from jobs.models import Job

    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode=WAL")
    club = create_club(owner=User.objects.create_user("bench@example.com", "bench bench"), name="Bench")
    part = path.with_suffix(f".{hands}")
    with path.open("rb") as whole, part.open("wb") as lines:
        lines.writelines(line for line, _place in zip(whole, range(hands), strict=False))
    # On a machine that is busy with something else, the CPU's time says more than the clock's.
    begin, cpu_begin = time.perf_counter(), time.process_time()
    with part.open("rb") as file:
        history = request_import(club=club, file=File(file), file_name="hands.ndjson", author=None)
    job = queue.run_to_end(Job.objects.get(subject_id=history.pk).pk)
    seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - cpu_begin
    history.refresh_from_db()
    assert (job.status, history.accepted) == (Job.Status.DONE, hands), (job.error, history.accepted)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "hands": hands,
        "per_second": hands / seconds,
        "cpu_us": 1e6 * cpu_seconds / hands,
        "memory_mb": memory,
    }


def main() -> None:
    if len(sys.argv) == 3:
        print(json.dumps(work(Path(sys.argv[1]), int(sys.argv[2]))))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    for row in measure():
        print(f"{row['name']:<16} {row['per_second']:>12,.0f}  {row['note']}")


if __name__ == "__main__":
    main()
