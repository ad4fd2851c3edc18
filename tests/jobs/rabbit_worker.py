"""`manage.py worker` for the tests on RabbitMQ: `python -m tests.jobs.rabbit_worker TRAP FOLDER`.

A message that was lost is sent again after a second, not thirty, so that a test need not wait. The traps are
those of `stumbling.py` and one more. Nothing of this is in the product.
"""

import os
import sys
from collections.abc import Callable
from datetime import timedelta

from tests.jobs import stumbling

from django.core.management import execute_from_command_line  # isort: skip

from jobs import queue  # isort: skip


def nothing() -> None:
    """No trap."""


def without_relay() -> None:
    """The negative control: this worker only does what it gets from the broker."""
    stumbling.effect()
    queue.send_due = lambda _send, **_options: 0


TRAPS: dict[str, Callable[[], None]] = {
    "nothing": nothing,
    "without_relay": without_relay,
    "posted": stumbling.posted,
    "uncommitted": stumbling.uncommitted,
    "stored": stumbling.stored,
    "deadly": stumbling.deadly,
    "effect": stumbling.effect,
}

if __name__ == "__main__":
    queue.SEND_AGAIN = timedelta(seconds=1)  # type: ignore[misc]  # stumbles on purpose
    TRAPS[sys.argv[1]]()
    execute_from_command_line(["manage.py", "worker", "--concurrency", os.environ.get("CONCURRENCY", "2")])
