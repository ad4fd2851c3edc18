"""Who calls: a club's key in the header `Authorization: Api-Key <prefix>.<secret>`."""

import hashlib
import hmac
from datetime import timedelta
from typing import Any, Final

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts import audit
from accounts.models import ApiKey

KEYWORD: Final = "Api-Key"
# Noting every use would be a write a request.
NOTE_USE_EVERY: Final = timedelta(minutes=1)


class ApiKeyAuthentication(BaseAuthentication):
    """Puts the key into ``request.auth``; ``request.user`` stays empty, because a program is no person."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != KEYWORD.lower().encode():
            return None
        prefix, _dot, secret = words[-1].decode("latin-1").partition(".")
        now = timezone.now()
        known = ApiKey.objects.filter(prefix=prefix, revoked_at=None).filter(Q(expires_at=None) | Q(expires_at__gt=now))
        # There is one at most, so nothing needs an order; every call asks this.
        key = next(iter(known.select_related("club").order_by()), None)
        digest = hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
        if key is None or len(words) != 2 or not hmac.compare_digest(key.secret_sha256, digest):
            raise AuthenticationFailed(_("This key is unknown, expired or revoked."))
        if key.last_used_at is None or key.last_used_at < now - NOTE_USE_EVERY:
            ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
        audit.by_key(key)
        return None, key

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


# Each scope may what those before it may.
_RANKS: Final = [ApiKey.Scope.READ, ApiKey.Scope.WRITE, ApiKey.Scope.SETTLE]


class HasKey(BasePermission):
    """A key is needed; for what changes something, one whose scope is at least what the view ``needs``."""

    message = _("This key may not do that.")

    def has_permission(self, request: Request, view: Any) -> bool:
        key: ApiKey | None = request.auth
        if key is None:
            return False
        return request.method in SAFE_METHODS or _RANKS.index(key.scope) >= _RANKS.index(view.needs)
