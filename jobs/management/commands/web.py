"""The web process: granian serving the WSGI application, one thread a worker on SQLite."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection
from granian import Granian

from jobs.parent import leave_with_parent, name_as_parent


class Command(BaseCommand):
    help = "Serve the pages and the API (started by `serve`, or alone behind a proxy)."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--address", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=2)

    def handle(self, **options: Any) -> None:
        leave_with_parent()
        name_as_parent()
        Granian(
            "settlement.wsgi:application",
            address=options["address"],
            port=options["port"],
            interface="wsgi",
            workers=options["workers"],
            blocking_threads=1 if connection.vendor == "sqlite" else 4,
            respawn_failed_workers=True,
            log_level="warning",
        ).serve()
