"""Secrets of webhooks and what they sign, by the Standard Webhooks specification 1.0.0 (standardwebhooks.com).

A secret must be known to sign, so a digest of it, as of an API key, would not do. It is not stored either: it is
worked out from the installation's secret key and a random text in the webhook's row. Whoever gets hold of the
database or a backup cannot sign. Another secret key makes other secrets; then nothing is sent until the secret is
rotated, because the digest beside the row tells.
"""

import base64
import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Final

from django.utils.crypto import salted_hmac

from settlement.models import Webhook

PREFIX: Final = "whsec_"
_SALT: Final = "settlement.webhook"


class SecretChanged(Exception):
    """The installation's secret key is another than when the webhook's secret was shown."""


def new_nonce() -> str:
    return secrets.token_hex(16)


def secret_of(nonce: str) -> str:
    """The secret that belongs to a nonce, as it is shown: ``whsec_`` and 32 bytes in base64."""
    key = salted_hmac(_SALT, nonce, algorithm="sha256").digest()
    return PREFIX + base64.b64encode(key).decode()


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a message: ``v1,`` and the HMAC-SHA256 of ``id.timestamp.body`` in base64."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def signed_headers(webhook: Webhook, message_id: str, body: bytes, at: datetime) -> dict[str, str]:
    """The three headers of a message that is sent at ``at``: for a day after a rotation both secrets sign.

    Raises ``SecretChanged``.
    """
    secret = secret_of(webhook.nonce)
    if digest_of(secret) != webhook.secret_sha256:
        raise SecretChanged
    valid = [secret]
    if webhook.previous_until is not None and at < webhook.previous_until:
        valid.append(secret_of(webhook.previous_nonce))
    timestamp = int(at.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message_id, timestamp, body) for secret in valid),
    }
