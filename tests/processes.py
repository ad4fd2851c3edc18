"""Waiting for other processes, and ending those that a test began."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

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
    """Python processes in the house's folder; each writes to a log of its own."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.environment = folder, dict(environment)
        self.started: list[subprocess.Popen[bytes]] = []

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
        """Kill what is left, children included."""
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
