"""Whether this process lives, and whether the service can do its work: for whoever watches it, without a log-in."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse

from accounts import guards
from jobs import heartbeat


def readiness() -> dict[str, Any]:
    """What the service needs, and in ``problems`` what of it is missing; empty when it is ready."""
    answer: dict[str, Any] = {
        "database": False,
        "guards_missing": [],
        "oldest_due_job_seconds": None,
        "worker_seen_seconds": None,
    }
    problems = []
    try:
        answer["guards_missing"] = guards.missing(connection)
        answer["oldest_due_job_seconds"] = waiting = heartbeat.seconds_of_oldest_due_job()
        answer["worker_seen_seconds"] = seen = heartbeat.seconds_since_newest_beat()
    except DatabaseError as error:
        return answer | {"problems": [f"The database cannot be read ({type(error).__name__})."]}
    answer["database"] = True
    if answer["guards_missing"]:
        problems.append("The database does not guard its ledger.")
    if waiting is not None and waiting > settings.READY_JOB_SECONDS:
        problems.append(f"A job has waited for {waiting:.0f} s.")
    if seen is None:
        problems.append("No worker is there.")
    elif seen > settings.READY_WORKER_SECONDS:
        problems.append(f"No worker was seen for {seen:.0f} s.")
    return answer | {"problems": problems}


class HealthMiddleware:
    """Answers /livez and /readyz before anything else is asked for: host name, TLS, cookies or a log-in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == "/livez":
            return JsonResponse({"status": "alive"}, headers={"Cache-Control": "no-store"})
        if request.path == "/readyz":
            answer = readiness()
            is_ready = not answer["problems"]
            return JsonResponse(
                {"status": "ready" if is_ready else "not ready"} | answer,
                status=200 if is_ready else 503,
                headers={"Cache-Control": "no-store"},
            )
        return self.get_response(request)
