"""Waiting for other processes, and ending those that a test began."""

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self, TypeVar

HOUSE = Path(__file__).resolve().parent.parent
Answer = TypeVar("Answer")


def until(condition: Callable[[], Answer], seconds: float = 30) -> Answer:
    """What ``condition`` answers as soon as it is true; ``AssertionError`` when it does not become true in time."""
    end = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Processes:
    """Python processes in the house's folder; each writes to a log of its own. As a context, it ends them."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.environment = folder, dict(environment)
        self.started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.end()

    def start(self, *arguments: object) -> subprocess.Popen[bytes]:
        """Start ``python ARGUMENTS`` at the head of a process group of its own."""
        log = self.folder / f"process-{len(self.started)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, *map(str, arguments)],
                cwd=HOUSE,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def said(self, process: subprocess.Popen[bytes]) -> str:
        """Everything that the process has written so far."""
        return (self.folder / f"process-{self.started.index(process)}.log").read_text(errors="replace")

    def end(self) -> None:
        """Kill what is left, children included; what all of them said is shown beside a test that failed."""
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            sys.stdout.write(f"== {process.args}\n{self.said(process)}\n")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def processes_on(data: Path) -> dict[int, str]:
    """Every living process on this data folder, whoever its parent is: id and command.

    The children have the folder in their environment, the supervisor in the words that it was started with.
    """
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        is_on_it = f"HOMERUN_DATA={data}".encode() in environment.split(b"\0") or str(data) in command
        if is_on_it and state != "Z":
            found[int(folder.name)] = command
    return found


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


class Service(Processes):
    """The service on one data folder, started as a person starts it."""

    def __init__(self, folder: Path, data: Path) -> None:
        # What the tests say of themselves to Django's settings is no business of a service.
        ours = {"HOMERUN_DATA", "SECRET_KEY", "DATABASE_URL", "EMAIL_URL", "DJANGO_SETTINGS_MODULE"}
        super().__init__(folder, {name: value for name, value in os.environ.items() if name not in ours})
        self.environment["PYTHONUNBUFFERED"] = "1"
        self.data, self.port = data, free_port()

    def serve(self, *options: str) -> subprocess.Popen[bytes]:
        return self.start("manage.py", "serve", "--port", self.port, "--data", self.data, *options)

    def up(self, *options: str) -> subprocess.Popen[bytes]:
        """Start it and come back as soon as it says where it is."""
        self.supervisor = supervisor = self.serve(*options)
        until(lambda: "Homerun is at" in self.said(supervisor) or supervisor.poll() is not None)
        assert supervisor.poll() is None, self.said(supervisor)
        return supervisor

    def end(self) -> None:
        super().end()
        # The children are in groups of their own, and end because their parent did.
        until(lambda: not processes_on(self.data))

    def get(self, path: str = "/") -> tuple[int, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()

    def answers(self) -> bool:
        try:
            return self.get()[0] == 200
        except OSError:
            return False

    def running(self, command: str) -> set[int]:
        return {pid for pid, line in processes_on(self.data).items() if f"manage.py {command}" in line}

    def rows(self, query: str) -> list[tuple[object, ...]]:
        opened = sqlite3.connect(f"file:{self.data}/homerun.sqlite3?mode=ro", uri=True)
        try:
            return opened.execute(query).fetchall()
        finally:
            opened.close()
