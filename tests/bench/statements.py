"""A statement of a full book: how long its workbook takes and how much memory, and its pages.

The workbook is made by a process of its own, so that its memory is that of one worker's job.
"""

import gc
import json
import os
import re
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

PAGES = 40


def measure() -> list[dict[str, Any]]:
    """Rows for the book that `books` has filled: its first player's statement, and one tenth of it to compare."""
    from settlement.models import Settlement, Statement

    # An evening a session, all of them settled by `books`.
    evenings = sorted(at.date() for at in Settlement.objects.values_list("occurred_at", flat=True))
    short = _in_a_process(evenings[-len(evenings) // 10], evenings[-1])
    whole = _in_a_process(evenings[0], evenings[-1])
    statement = Statement.objects.get(pk=whole["statement"])
    return [
        {
            "name": "statement-file",
            "per_second": whole["hands"] / whole["seconds"],
            "ratio": None,
            "note": f"{whole['hands']:,} hand lines in {whole['seconds']:.1f} s"
            f" ({whole['worked']:.1f} of a processor), {whole['memory']:.0f} MB above idle;"
            f" {short['hands']:,} lines {short['memory']:.0f} MB",
        },
        _pages(statement),
    ]


def _in_a_process(first_day: date, last_day: date) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "tests.bench.statements", str(first_day), str(last_day)],
        env=os.environ,
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def _make_here(first_day: date, last_day: date) -> dict[str, Any]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
    import django

    django.setup()
    from accounts.models import Player
    from hands.models import Setup
    from jobs import queue
    from jobs.models import Job
    from settlement.models import Settlement
    from settlement.services import request_statement

    player = Player.objects.select_related("club").order_by("name_key")[0]

    def make(first: date, last: date) -> Any:
        statement = request_statement(player=player, currency="USD", first_day=first, last_day=last, author=None)
        return statement, queue.run_to_end(Job.objects.get(subject_id=statement.pk).pk)

    # An empty one, so that everything is loaded: that is the worker's idle memory.
    make(date(2025, 1, 1), date(2025, 1, 1))
    idle = _peak_kilobytes()
    # As the worker does with what is loaded.
    gc.freeze()
    begin, worked = time.perf_counter(), time.process_time()
    statement, job = make(first_day, last_day)
    seconds, worked = time.perf_counter() - begin, time.process_time() - worked
    assert job.status == "done", job.error
    settled = Settlement.objects.filter(occurred_at__date__gte=first_day, occurred_at__date__lte=last_day)
    return {
        "statement": str(statement.pk),
        "hands": Setup.objects.filter(seat__player=player, seat__session__in=settled.values("session")).count(),
        "seconds": seconds,
        "worked": worked,
        "memory": (_peak_kilobytes() - idle) / 1024,
    }


def _peak_kilobytes() -> int:
    """The most that this process has held: getrusage would tell its parent's."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def _pages(statement: Any) -> dict[str, Any]:
    """Pages from the newest to the oldest, in turn."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from accounts.models import User

    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get(memberships__club=statement.club_id))
    pages = len(statement.pages) + 1
    urls = [f"/statements/{statement.pk}/?page={1 + place * (pages - 1) // PAGES}" for place in range(PAGES)]
    assert client.get(urls[0]).status_code == 200
    seconds = []
    for url in urls:
        begin = time.perf_counter()
        client.get(url)
        seconds.append(time.perf_counter() - begin)
    with CaptureQueriesContext(connection) as queries:
        client.get(urls[-1])
    return {
        "name": "statement-page",
        "per_second": len(seconds) / sum(seconds),
        "ratio": max(seconds[-5:]) / max(seconds[:5]),
        "note": f"{1000 * sum(seconds) / len(seconds):.0f} ms a page of {pages} pages ({pages * 100:,} lines),"
        f" {len(queries)} queries; the ratio is of the oldest to the newest,",
    }


if __name__ == "__main__":
    print(json.dumps(_make_here(*map(date.fromisoformat, sys.argv[1:3]))))
