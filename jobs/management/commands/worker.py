"""The worker process: Celery with the relay step, as the broker allows."""

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
        # Not without the ledger's guards: the check names the ones that are missing.
        call_command("check", databases=["default"])
        # The memory broker lives in this process, so the work must too.
        pool = ["--pool=solo"] if settings.CELERY_BROKER_URL.startswith("memory:") else [
            "--pool=prefork", f"--concurrency={options['concurrency']}"
        ]
        current_app.worker_main(
            ["worker", *pool, "--loglevel=WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]
        )
