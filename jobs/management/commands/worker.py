"""The worker process: Celery with the relay step, as the broker allows."""

import io
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from jobs.parent import leave_with_parent


class Command(BaseCommand):
    help = "Work on jobs. In one process on the memory broker; in several on RabbitMQ (CELERY_BROKER_URL)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="processes, where the broker is a server")

    def handle(self, **options: Any) -> None:
        leave_with_parent()
        # Not without the ledger's guards: an error of the check ends the worker; warnings were `serve`'s to say.
        call_command("check", databases=["default"], stderr=io.StringIO())
        if settings.CELERY_BROKER_URL.startswith("memory:"):
            # The memory broker lives in this process, so the work must too.
            pool = {"pool_cls": "solo"}
        else:
            pool = {"pool_cls": "prefork", "concurrency": options["concurrency"]}
        current_app.Worker(
            loglevel="WARNING", quiet=True, without_gossip=True, without_mingle=True, without_heartbeat=True, **pool
        ).start()
