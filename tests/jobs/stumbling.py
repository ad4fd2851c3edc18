"""`manage.py worker` with one trap set, for the fault tests: `python -m tests.jobs.stumbling TRAP FOLDER`.

A trap that is reached writes the process's id to FOLDER/reached and stands still, so that a test can kill or
stop the worker exactly there. Nothing of this is in the product: it is laid over it before the worker starts.
"""

import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
django.setup()

from django.core.files.storage import FileSystemStorage  # noqa: E402  (Django is set up first)
from django.core.management import execute_from_command_line  # noqa: E402  (Django is set up first)
from openpyxl import Workbook  # noqa: E402  (Django is set up first)

from accounts import ledger  # noqa: E402  (Django is set up first)
from accounts.models import Club  # noqa: E402  (Django is set up first)
from jobs import queue  # noqa: E402  (Django is set up first)
from jobs.models import Job  # noqa: E402  (Django is set up first)
from jobs.queue import Claim  # noqa: E402  (Django is set up first)
from settlement import services  # noqa: E402  (Django is set up first)

FOLDER = Path(sys.argv[2])


def reach() -> None:
    """Say that the trap is reached, and stay until a test writes FOLDER/go."""
    (FOLDER / "reached").write_text(str(os.getpid()))
    wait_for_go()


def wait_for_go() -> None:
    while not (FOLDER / "go").exists():
        time.sleep(0.01)


def sleep_soundly() -> None:
    """In the trap the lease is not renewed and the relay stands still too, as when the computer is closed.

    A stopped process would do the same, but if it is stopped while its renewal holds SQLite's lock, nobody works.
    """
    for holder, name in ((Claim, "renew"), (queue, "send_due")):
        setattr(holder, name, _asleep_in_the_trap(getattr(holder, name)))


def _asleep_in_the_trap(whole: Callable[..., Any]) -> Callable[..., Any]:
    def trapped(*args: Any, **options: Any) -> Any:
        if (FOLDER / "reached").exists():
            wait_for_go()
        return whole(*args, **options)

    return trapped


def after(holder: Any, name: str) -> None:
    """Stand still after a function of ``holder`` has done its work."""
    whole = getattr(holder, name)

    def trapped(*args: Any, **options: Any) -> Any:
        answer = whole(*args, **options)
        reach()
        return answer

    setattr(holder, name, trapped)


def before(holder: Any, name: str) -> None:
    whole = getattr(holder, name)

    def trapped(*args: Any, **options: Any) -> Any:
        reach()
        return whole(*args, **options)

    setattr(holder, name, trapped)


def posted() -> None:
    after(ledger, "post")


def uncommitted() -> None:
    """The effect and the end of the job are written; the transaction is still open."""
    finish = Claim.finish

    @contextmanager
    def trapped(claim: Claim) -> Iterator[None]:
        with finish(claim):
            yield
            reach()

    Claim.finish = trapped  # type: ignore[method-assign]  # stumbles on purpose


def numbered() -> None:
    before(services, "write_statement")


def half_written() -> None:
    def save(_book: Workbook, path: Path) -> None:
        Path(path).write_bytes(b"PK half a workbook")
        reach()

    Workbook.save = save  # type: ignore[method-assign]  # stumbles on purpose


def half_stored() -> None:
    """Half of the file lies in the storage under the name that it would have had."""
    whole = FileSystemStorage._save

    def save(storage: FileSystemStorage, name: str, content: Any) -> str:
        stored: str = whole(storage, name, content)
        os.truncate(storage.path(stored), 100)
        reach()
        return stored

    FileSystemStorage._save = save


def stored() -> None:
    after(FileSystemStorage, "_save")


def asleep() -> None:
    stored()
    sleep_soundly()


def deadly() -> None:
    """A job that kills its worker, every time; three losses are its last, so that the test need not take hours."""
    queue.MOST_LOST_LEASES = 3  # type: ignore[misc]  # stumbles on purpose

    @queue.handles("deadly")
    def die(_claim: Claim) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    effect()


def effect() -> None:
    """A job whose effect no constraint makes unique: a club for every time that it is done."""

    @queue.handles("effect")
    def found(claim: Claim) -> None:
        with claim.finish():
            Club.objects.create(name=f"founded by {claim.job_id}")


def slow_effect() -> None:
    sleep_soundly()

    @queue.handles("effect")
    def found(claim: Claim) -> None:
        reach()
        with claim.finish():
            Club.objects.create(name=f"founded by {claim.job_id}")


def slow_effect_without_fence() -> None:
    """The negative control: a worker writes although it lost its lease."""
    slow_effect()

    def write(claim: Claim, **fields: object) -> None:
        Job.objects.filter(pk=claim.job_id).update(**fields)

    Claim._write = write  # type: ignore[method-assign]  # stumbles on purpose


def greedy() -> None:
    """A broker that delivers every message to everybody, again and again: only the claim stands between workers."""
    handlers = dict(queue.HANDLERS)

    def noted(kind: str) -> Callable[[Claim], None]:
        def handle(claim: Claim) -> None:
            with (FOLDER / "runs").open("a") as runs:
                runs.write(f"{claim.job_id} {os.getpid()}\n")
            # So that one worker cannot have done everything before the other is awake.
            time.sleep(0.05)
            handlers[kind](claim)

        return handle

    for kind in handlers:
        queue.HANDLERS[kind] = noted(kind)

    def send_all(send: Callable[[uuid.UUID], None], *, at_most: int = 100) -> int:
        waiting = list(Job.objects.filter(status=Job.Status.QUEUED).values_list("pk", flat=True)[:at_most])
        for job_id in waiting:
            send(job_id)
        return len(waiting)

    queue.send_due = send_all  # type: ignore[assignment]  # stumbles on purpose


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    execute_from_command_line(["manage.py", "worker"])
