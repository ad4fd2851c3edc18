"""How many calls a key may make: counted in the database, so across processes and machines.

Headers as the IETF's draft of RateLimit header fields names them, on every answer.
"""

import time
import uuid
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.db import connection, transaction

POLICY: Final = "default"
_COUNT: Final = """INSERT INTO accounts_callcount (api_key_id, "window", count) VALUES (%s, %s, 1)
    ON CONFLICT (api_key_id) DO UPDATE SET
        count = CASE WHEN accounts_callcount."window" = excluded."window" THEN accounts_callcount.count + 1 ELSE 1 END,
        "window" = excluded."window"
    RETURNING count"""


@dataclass(frozen=True)
class Allowance:
    """What is left of a window: ``left`` calls for ``seconds`` more."""

    quota: int
    window_seconds: int
    left: int
    seconds: int
    is_over: bool

    def headers(self) -> dict[str, str]:
        found = {
            "RateLimit-Policy": f'"{POLICY}";q={self.quota};w={self.window_seconds}',
            "RateLimit": f'"{POLICY}";r={self.left};t={self.seconds}',
        }
        return found | ({"Retry-After": str(self.seconds)} if self.is_over else {})


def count_call(api_key: uuid.UUID) -> Allowance:
    """Count one call of this key, and say what is left of its window."""
    quota, window_seconds = settings.API_CALLS, settings.API_CALLS_SECONDS
    now = int(time.time())
    window = now // window_seconds
    key = api_key.hex if connection.vendor == "sqlite" else api_key
    # On SQLite it waits for its turn like every writer (`jobs.sqlite`), but not for the disk: a count that a power
    # cut loses is no loss.
    is_lazy = connection.vendor == "sqlite" and not connection.in_atomic_block
    with connection.cursor() as cursor:
        if is_lazy:
            cursor.execute("PRAGMA synchronous=NORMAL")
        with transaction.atomic() if is_lazy else nullcontext():
            cursor.execute(_COUNT, [key, window])
            (count,) = cursor.fetchone()
        if is_lazy:
            cursor.execute("PRAGMA synchronous=FULL")
    return Allowance(
        quota, window_seconds, max(0, quota - count), (window + 1) * window_seconds - now, is_over=count > quota
    )
