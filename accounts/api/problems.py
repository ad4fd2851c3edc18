"""Every error of the API as RFC 9457 problem details, in the sentences of the pages."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from accounts.faults import faults_in

# What a fault's code says of the whole answer; every other fault is the content's (422).
STATUS_OF_CODE = {
    "json": HTTPStatus.BAD_REQUEST,
    "conflict": HTTPStatus.CONFLICT,
    "number_taken": HTTPStatus.CONFLICT,
    "session_conflict": HTTPStatus.CONFLICT,
    "session_closed": HTTPStatus.CONFLICT,
}


def problem(
    status: int, code: str, detail: str, errors: Iterable[dict[str, str]] = (), headers: dict[str, str] | None = None
) -> Response:
    """One answer of type ``application/problem+json``."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": int(status),
        "code": code,
        "detail": detail,
    }
    if found := list(errors):
        body["errors"] = found
    return Response(body, status=status, headers=headers, content_type="application/problem+json")


def answer_problem(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: what it does not know stays a 500."""
    set_rollback()
    if isinstance(error, ValidationError):
        faults = list(faults_in(error))
        status = next((STATUS_OF_CODE[code] for _p, code, _s in faults if code in STATUS_OF_CODE), 422)
        code = faults[0][1] if len(faults) == 1 else "invalid"
        detail = faults[0][2] if len(faults) == 1 else _("%(count)d things are wrong.") % {"count": len(faults)}
        return problem(
            status,
            code,
            detail,
            [{"pointer": pointer, "code": code, "detail": sentence} for pointer, code, sentence in faults],
        )
    if isinstance(error, Http404):
        error = exceptions.NotFound(_("There is nothing here that this key may see."))
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = error.auth_header
    if getattr(error, "wait", None):
        headers["Retry-After"] = f"{error.wait:.0f}"
    codes = error.get_codes()
    return problem(error.status_code, codes if isinstance(codes, str) else "invalid", str(error.detail), (), headers)
