"""A service of its own under many clients at once, for rows of the bench: each call is timed."""

import contextlib
import io
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.processes import HOUSE, Service, until


class Calls:
    """How long each call took, in seconds, and the status codes of those that were refused."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self.refused: list[int] = []

    @contextlib.contextmanager
    def timed(self, *allowed: int) -> Iterator[Callable[[int], None]]:
        """Time a call; what is yielded takes its status code, which is to be one of ``allowed``."""
        status = []
        begin = time.perf_counter()
        yield status.append
        self.took.append(time.perf_counter() - begin)
        self.refused += [code for code in status if code not in allowed]


@contextlib.contextmanager
def served(script: str, environment: Mapping[str, str]) -> Iterator[tuple[int, list[str]]]:
    """A running service with what ``script`` made in its database: its port, and the words that the script printed."""
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as scratch:
        service = Service(Path(scratch), Path(scratch) / "data")
        service.environment |= {"DJANGO_SETTINGS_MODULE": "settlement.settings"} | dict(environment)
        try:
            service.up("--no-demo")
            until(service.answers)
            made = subprocess.run(
                [sys.executable, "-c", f"import django; django.setup()\n{script}"],
                cwd=HOUSE,
                env=service.environment | {"HOMERUN_DATA": str(service.data)},
                stdout=subprocess.PIPE,
                check=True,
            )
            yield service.port, made.stdout.decode().split()
        finally:
            with contextlib.redirect_stdout(io.StringIO()):
                service.end()


def measured(name: str, said: str, clients: Sequence[Callable[[Calls], None]]) -> dict[str, Any]:
    """Let all clients work at once; a row of the bench, whose note ``said`` begins."""
    calls = Calls()
    threads = [threading.Thread(target=client, args=[calls]) for client in clients]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    per_second = len(calls.took) / (time.perf_counter() - begin)
    took = sorted(calls.took)
    p50, p99 = (1000 * took[int(len(took) * part)] for part in (0.5, 0.99))
    note = f"{said}: {len(took):,} calls, p50 {p50:.0f} ms, p99 {p99:.0f} ms, {len(calls.refused)} refused"
    return {"name": name, "per_second": per_second, "ratio": None, "note": note}
