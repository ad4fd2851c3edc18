"""One command for a laptop: the web and the worker under a supervisor that restarts them and leaves none behind."""

import errno
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import FrameType
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from jobs.data_folder import FolderInUse, lock_data_folder
from jobs.parent import name_as_parent

LONGEST_PAUSE_SECONDS: Final = 30.0
# A child that ran this long was well: its next fault begins the back-off anew.
WELL_AFTER_SECONDS: Final = 60.0
STOP_WITHIN_SECONDS: Final = 10.0


@dataclass
class Child:
    """One process that is kept running."""

    name: str
    arguments: list[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.0
    start_at: float = field(default=0.0)

    def start(self) -> None:
        # In a group of its own: Ctrl-C is the supervisor's to hear, and it ends its children one way only.
        self.process = subprocess.Popen([sys.executable, sys.argv[0], *self.arguments], process_group=0)
        self.started = time.monotonic()

    def mind(self) -> str | None:
        """Start it where it is due; what to say when it has ended by itself."""
        now = time.monotonic()
        if self.process is None:
            if now >= self.start_at:
                self.start()
            return None
        code = self.process.poll()
        if code is None:
            return None
        well = now - self.started > WELL_AFTER_SECONDS
        self.pause = 0.5 if well or not self.pause else min(2 * self.pause, LONGEST_PAUSE_SECONDS)
        self.process, self.start_at = None, now + self.pause
        return f"The {self.name} ended ({code}); it starts again in {self.pause:g} s."

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait(self, until: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Command(BaseCommand):
    help = "Run the whole service from one folder: migrate, serve the pages, work on the jobs."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=port_number, default=8000)
        parser.add_argument("--address", default="127.0.0.1")
        # Read by manage.py, before the settings.
        parser.add_argument("--data", help="data folder (default: var, or HOMERUN_DATA)")
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo club at the first start")

    def handle(self, **options: Any) -> None:
        try:
            lock = lock_data_folder(settings.DATA_DIR)
        except FolderInUse as folder:
            raise CommandError(
                f"Homerun runs on {folder} already. Stop it, or name another folder with --data."
            ) from None
        self._check_port(options["address"], options["port"])
        self._prepare_database()
        call_command("collectstatic", interactive=False, verbosity=0)
        connection.close()
        self._supervise(options)
        lock.close()

    def _check_port(self, address: str, port: int) -> None:
        try:
            with listening_socket(address, port) as (probe, where):
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(where)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise CommandError(f"Port {port} is in use. Name another: make run PORT={port + 1}") from None
            raise CommandError(f"Homerun cannot listen on {address}, port {port}: {error.strerror}.") from None

    def _prepare_database(self) -> None:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA journal_mode=WAL")
                cursor.execute("SELECT COUNT(*) FROM sqlite_master")
                is_empty = cursor.fetchone()[0] == 0
            if plan and not is_empty:
                self._keep_copy()
        if plan:
            call_command("migrate", interactive=False, verbosity=0)
        call_command("check", databases=["default"])

    def _keep_copy(self) -> None:
        folder = settings.DATA_DIR / "backups"
        folder.mkdir(exist_ok=True)
        path = folder / f"before-migrating-{datetime.now(UTC):%Y%m%d-%H%M%S}.sqlite3"
        connection.ensure_connection()
        with sqlite3.connect(path) as copy:
            connection.connection.backup(copy)
        copy.close()
        self.stdout.write(f"The database was copied to {path} before its tables change.")

    def _supervise(self, options: dict[str, Any]) -> None:
        name_as_parent()
        address, port = options["address"], options["port"]
        url = f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"
        # Links in mails lead here, unless people come another way.
        os.environ.setdefault("SITE_URL", url)
        children = [
            Child("web", ["web", f"--address={address}", f"--port={port}"]),
            Child("worker", ["worker"]),
        ]
        demo = Child("demo", ["load_demo", f"--port={port}"])
        self.is_over = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        is_announced = False
        while not self.is_over:
            for child in children:
                if sentence := child.mind():
                    self.stderr.write(sentence)
            if not is_announced and self._answers(address, port):
                is_announced = True
                self.stdout.write(f"\nHomerun is at {url}/  (Ctrl-C ends it)")
                self.stdout.flush()
                # Its password is known to everybody: not where strangers can reach the service.
                if not options["no_demo"] and address in {"127.0.0.1", "localhost", "::1"}:
                    demo.start()
            time.sleep(0.1)
        until = time.monotonic() + STOP_WITHIN_SECONDS
        for child in [demo, *children]:
            child.stop()
        for child in [demo, *children]:
            child.wait(until)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self.is_over = True

    def _answers(self, address: str, port: int) -> bool:
        with listening_socket(address, port) as (probe, where):
            probe.settimeout(0.5)
            return probe.connect_ex(where) == 0


def port_number(text: str) -> int:
    """A port as it is typed. Raises ``ValueError``, which the command line turns into its own sentence."""
    port = int(text)
    if not 0 < port < 2**16:
        raise ValueError(text)
    return port


@contextmanager
def listening_socket(address: str, port: int) -> Iterator[tuple[socket.socket, Any]]:
    """A socket of the family of ``address`` (a name, IPv4 or IPv6), and the address as it wants it."""
    family, kind, protocol, _name, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as made:
        yield made, where
