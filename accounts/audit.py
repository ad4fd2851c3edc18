"""Who did what: every change leaves a row in its own transaction, and the owner can read it.

Who acts is known at the door (a page, the API, a command, a job) and remembered for as long as the call lasts;
services only say what was done.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from accounts.models import ApiKey, AuditRow, User

PAGE: Final = "page"
API: Final = "api"
COMMAND: Final = "command"
JOB: Final = "job"


@dataclass(frozen=True)
class Actor:
    """Who acts, and from where: ``source`` is the door, ``address`` the network address where there is one."""

    source: str = COMMAND
    user_id: int | None = None
    api_key_id: uuid.UUID | None = None
    address: str | None = None


_actor: ContextVar[Actor] = ContextVar("actor", default=Actor())  # noqa: B039  (frozen)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Everything inside is done by this actor."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def acting_for(user: User | None) -> Any:
    """A job's work, done for the person who asked for it."""
    return acting(Actor(source=JOB, user_id=user.pk if user else None))


def by_key(key: ApiKey) -> None:
    """The call that is under way turned out to come with this key."""
    _actor.set(replace(_actor.get(), source=API, user_id=None, api_key_id=key.pk))


def note(club_id: uuid.UUID, action: str, subject_id: uuid.UUID | None = None, **detail: Any) -> None:
    """Write down what was done: ``action`` like ``hand.corrected``; ``detail`` is plain data."""
    actor = _actor.get()
    AuditRow.objects.create(
        club_id=club_id,
        action=action,
        subject_id=subject_id,
        detail=detail,
        source=actor.source,
        user_id=actor.user_id,
        api_key_id=actor.api_key_id,
        address=actor.address,
    )


class ActorMiddleware:
    """Remembers who is signed in, and from where, for the length of a request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        address = request.META.get("REMOTE_ADDR") or None
        with acting(Actor(source=PAGE, user_id=request.user.pk, address=address)):
            return self.get_response(request)
