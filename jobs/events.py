"""What happened, said to whoever listens: an app below announces it without knowing the app above that cares.

A listener runs at once, inside the transaction of what is announced. So what it writes (a webhook's delivery and
the job that sends it) is there exactly when its cause is, and slow work belongs into the job.
"""

import uuid
from collections.abc import Callable
from typing import Final, Protocol

from django.db import connection


class Listener(Protocol):
    """Called with the event's name, whose it is, and what it happened to."""

    def __call__(self, event: str, *, club_id: uuid.UUID, subject_id: uuid.UUID) -> None: ...


LISTENERS: Final[dict[str, list[Listener]]] = {}


def listens(*events: str) -> Callable[[Listener], Listener]:
    """Have a function called whenever one of the events is announced."""

    def register(listener: Listener) -> Listener:
        for event in events:
            LISTENERS.setdefault(event, []).append(listener)
        return listener

    return register


def announce(event: str, *, club_id: uuid.UUID, subject_id: uuid.UUID) -> None:
    """Call the event's listeners. Raises ``RuntimeError`` outside a transaction: they could outlive a rollback."""
    if not connection.in_atomic_block:
        raise RuntimeError(f"{event} is announced outside the transaction that makes it true.")
    for listener in LISTENERS.get(event, []):
        listener(event, club_id=club_id, subject_id=subject_id)
