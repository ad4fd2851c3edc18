"""The same POST twice is one effect and one answer: the header `Idempotency-Key`.

A key's row is claimed first, in a transaction of its own; its answer commits together with the effect. A claim
that never got an answer (the process died in between) can be taken over after a minute.
"""

import hashlib
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig
from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.parsers import StrictJSONParser as JSONParser
from accounts.api.parsers import TooLarge
from accounts.api.problems import problem
from accounts.faults import fault
from accounts.models import Call

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
LONGEST: Final = 255
KEPT: Final = timedelta(hours=24)
STALE: Final = timedelta(minutes=1)
# What an answer says besides its body.
KEPT_HEADERS: Final = ("Location", "ETag")


class ClaimLost(Exception):
    """Somebody took this call for dead and made it anew."""


def run_once(view: Any, handler: Callable[..., Response], request: Request, *args: Any, **options: Any) -> Response:
    """Handle the POST once for its key: the first time the answer is kept, later it is given again.

    A 5xx is not kept, nor an answer whose view says ``answer_is_secret``. Without the header nothing is kept.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return handler(request, *args, **options)
    if not key.strip() or len(key) > LONGEST or not key.isprintable():
        raise fault("", "idempotency_key", _("Idempotency-Key is a text of 1 to %(most)d signs.") % {"most": LONGEST})
    fingerprint = hashlib.sha256(
        b"\0".join([b"POST", request.get_full_path().encode(), _digest_of(request)])
    ).hexdigest()
    claimed = _claim(request.auth.pk, key, fingerprint)
    if isinstance(claimed, Response):
        return claimed
    try:
        with transaction.atomic():
            response = handler(request, *args, **options)
            _keep(claimed, response, view)
    except ClaimLost:
        return _still_running()
    except Exception as error:
        try:
            response = view.handle_exception(error)
        except Exception:
            claimed.delete()
            raise
        response.exception = True
        _keep(claimed, response, view)
    return response


def _digest_of(request: Request) -> bytes:
    """The body as it was sent; of a file, its content, which the parser has put on disk by then."""
    digest = hashlib.sha256()
    if isinstance(request.parsers[0], JSONParser):
        try:
            digest.update(request._request.body)
        except RequestDataTooBig:
            raise TooLarge from None
        return digest.digest()
    for name, value in sorted(request.data.items()):
        digest.update(f"{name}\0".encode())
        if isinstance(value, File):
            for chunk in value.chunks():
                digest.update(chunk)
            value.seek(0)
        else:
            digest.update(str(value).encode())
    return digest.digest()


def _claim(api_key: uuid.UUID, key: str, fingerprint: str) -> Call | Response:
    now = timezone.now()
    call = Call(api_key_id=api_key, key=key, fingerprint=fingerprint, claimed_at=now, token=uuid.uuid4())
    try:
        with transaction.atomic():
            call.save(force_insert=True)
        return call
    except IntegrityError:
        there = Call.objects.get(api_key=api_key, key=key)
    is_old = there.claimed_at < now - KEPT
    if there.fingerprint != fingerprint and not is_old:
        return problem(422, "idempotency_key_reused", _("This Idempotency-Key came with another call before."))
    if there.status is not None and not is_old:
        kind = "application/problem+json" if there.status >= 400 else None
        headers = there.headers | {REPLAYED: "true"}
        return Response(there.body, status=there.status, headers=headers, content_type=kind)
    if there.status is None and there.claimed_at > now - STALE:
        return _still_running()
    mine = {"claimed_at": now, "token": call.token, "fingerprint": fingerprint, "status": None, "body": None}
    if not Call.objects.filter(pk=there.pk, token=there.token).update(**mine):
        return _still_running()
    call.pk = there.pk
    return call


def _still_running() -> Response:
    words = _("A call with this Idempotency-Key is still running; ask again in a moment.")
    return problem(409, "still_running", words, headers={"Retry-After": "1"})


def _keep(call: Call, response: Response, view: Any) -> None:
    if response.status_code >= 500 or getattr(view, "answer_is_secret", False):
        Call.objects.filter(pk=call.pk, token=call.token).delete()
        return
    headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    kept = Call.objects.filter(pk=call.pk, token=call.token).update(
        status=response.status_code, headers=headers, body=response.data
    )
    if not kept:
        raise ClaimLost


def forget_old_calls() -> None:
    """Once an hour: answers are kept for a day."""
    Call.objects.filter(claimed_at__lt=timezone.now() - KEPT).delete()
