"""The worker process: Celery with the relay step, as the broker allows."""

import gc
import io
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, connections

from jobs.parent import leave_with_parent


class Command(BaseCommand):
    help = "Work on jobs: in several processes on RabbitMQ (CELERY_BROKER_URL) and PostgreSQL, otherwise in one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="how many, where there are several")

    def handle(self, **options: Any) -> None:
        leave_with_parent()
        # Not without the ledger's guards: an error of the check ends the worker; warnings were `serve`'s to say.
        call_command("check", databases=["default"], stderr=io.StringIO())
        # Nothing open is taken along into a child.
        connections.close_all()
        # What is loaded by now stays: the collector need not go through it again and again, a tenth of a long job.
        gc.freeze()
        if settings.CELERY_BROKER_URL.startswith("memory:") or connection.vendor == "sqlite":
            # The memory broker lives in this process, so the work must too. And SQLite does not survive a fork: a
            # child believes that it holds its parent's locks, and what it commits can be lost with the journal.
            pool = {"pool_cls": "solo"}
        else:
            pool = {"pool_cls": "prefork", "concurrency": options["concurrency"]}
        current_app.Worker(
            loglevel="WARNING", quiet=True, without_gossip=True, without_mingle=True, without_heartbeat=True, **pool
        ).start()
