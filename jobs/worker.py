"""How Celery carries jobs: one task that runs a row, and a step in the worker that sends what is due.

Only workers send. The web process writes rows and knows no broker, so a commit can never race its message,
and a broker that loses messages loses nothing: the row is still due.
"""

import logging
import threading
import uuid
from typing import Any

from celery import bootsteps, shared_task
from django.conf import settings
from django.db import close_old_connections, connection

from jobs import queue

log = logging.getLogger(__name__)

SWEEP_EVERY_SECONDS = 1.0


@shared_task(name="jobs.run")
def run_job(job_id: str) -> None:
    queue.run(uuid.UUID(job_id))


class Relay(bootsteps.StartStopStep):
    """A thread of the worker that reads the table of jobs, sends what is due and sweeps what was lost."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self.over = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, worker: Any) -> None:
        self.thread = threading.Thread(target=self.keep_sending, name="relay", daemon=True)
        self.thread.start()

    def stop(self, worker: Any) -> None:
        self.over.set()
        if self.thread is not None:
            self.thread.join(timeout=5)

    def keep_sending(self) -> None:
        """Look every 50 ms; a fault of database or broker is logged, and the next look is the retry."""
        turns_between_sweeps = max(1, round(SWEEP_EVERY_SECONDS / settings.JOB_RELAY_SECONDS))
        turn = 0
        while not self.over.is_set():
            try:
                if turn == 0 and settings.CELERY_BROKER_URL.startswith("memory:"):
                    queue.forget_sent()
                if turn % turns_between_sweeps == 0:
                    queue.sweep()
                queue.send_due(lambda job_id: run_job.delay(str(job_id)))
                turn += 1
                pause = settings.JOB_RELAY_SECONDS
            except Exception:
                log.exception("the relay could not look for jobs")
                close_old_connections()
                connection.close()
                pause = 1.0
            self.over.wait(pause)
        connection.close()
