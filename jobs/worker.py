"""How Celery carries jobs: one task that runs a row, and a step in the worker that sends what is due.

Only workers send. The web process writes rows and knows no broker, so a commit can never race its message,
and a broker that loses messages loses nothing: the row is still due.
"""

import contextlib
import logging
import threading
import time
import uuid
from typing import Any, Final

from celery import bootsteps, shared_task
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from jobs import heartbeat, queue

log = logging.getLogger(__name__)

SWEEP_EVERY_SECONDS: Final = 1.0
LOOK_EVERY_SECONDS: Final = 3600.0
# While nothing is due a look is work for nothing: each pause is twice the last, up to so many times the first.
LONGEST_PAUSE: Final = 4
# Not at once: what stands waiting at the start comes first.
FIRST_LOOK_AFTER_SECONDS: Final = 60.0


@shared_task(name="jobs.run")
def run_job(job_id: str) -> None:
    queue.run(uuid.UUID(job_id))


class Every:
    """True when first asked after ``first`` seconds, then once in ``seconds``."""

    def __init__(self, seconds: float, *, first: float = 0.0) -> None:
        self.seconds, self.due = seconds, time.monotonic() + first

    def is_due(self) -> bool:
        now = time.monotonic()
        if now < self.due:
            return False
        self.due = now + self.seconds
        return True


class Relay(bootsteps.StartStopStep):
    """A thread of the worker that reads the table of jobs, sends what is due, sweeps what was lost, and beats."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self.worker_id = uuid.uuid4()
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
        """Look every 50 to 200 ms; a fault of database or broker is logged, and the next look is the retry."""
        sweep, beat = Every(SWEEP_EVERY_SECONDS), Every(heartbeat.BEAT_EVERY_SECONDS)
        look = Every(LOOK_EVERY_SECONDS, first=FIRST_LOOK_AFTER_SECONDS)
        pause = settings.JOB_RELAY_SECONDS
        # The messages of a broker that lived in an earlier process are gone.
        is_forgotten = not settings.CELERY_BROKER_URL.startswith("memory:")
        while not self.over.is_set():
            try:
                if not is_forgotten:
                    queue.forget_sent()
                    is_forgotten = True
                if beat.is_due():
                    heartbeat.beat(self.worker_id)
                if sweep.is_due():
                    queue.sweep()
                if look.is_due():
                    queue.look_hourly()
                sent = queue.send_due(lambda job_id: run_job.delay(str(job_id)))
                first = settings.JOB_RELAY_SECONDS
                pause = first if sent else min(2 * pause, LONGEST_PAUSE * first)
            except Exception:
                log.exception("the relay could not look for jobs")
                close_old_connections()
                connection.close()
                pause = 1.0
            self.over.wait(pause)
        with contextlib.suppress(DatabaseError):
            heartbeat.say_goodbye(self.worker_id)
        connection.close()
