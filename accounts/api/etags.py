"""Changes of what somebody saw: `ETag` on what can change, `If-Match` on what changes it."""

import hashlib
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request


class PreconditionRequired(APIException):
    status_code = status.HTTP_428_PRECONDITION_REQUIRED
    default_code = "precondition_required"


class PreconditionFailed(APIException):
    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "precondition_failed"


def etag_of(*facts: Any) -> str:
    """A strong entity tag of what a resource is made of."""
    # A choice that was just made is an enum's, one that was read a text; both are the same fact.
    plain = tuple(str(fact) if isinstance(fact, str) else fact for fact in facts)
    return f'"{hashlib.sha256(repr(plain).encode()).hexdigest()[:24]}"'


def need_match(request: Request, etag: str) -> None:
    """Raise 428 without ``If-Match``, 412 when it names another state than this one."""
    given = request.headers.get("If-Match")
    if given is None:
        raise PreconditionRequired(
            _("Send If-Match with the ETag of what you saw, so that nobody's change is overwritten.")
        )
    if etag not in [tag.strip() for tag in given.split(",")] and given.strip() != "*":
        raise PreconditionFailed(_("It was changed since you saw it. Get it again, then decide."))
