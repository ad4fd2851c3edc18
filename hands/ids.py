"""Ids that grow with time (UUID version 7, RFC 9562).

Rows that are written together lie together in the indexes. With random ids every hand of a large import touches pages
all over the book, and the import gets slower the more the book holds.
"""

import os
import time
import uuid
from typing import Final

_NANOSECONDS: Final = 10**6


def growing_id() -> uuid.UUID:
    """A fresh id: 48 bits of milliseconds, 12 of the fraction of one, 62 of chance."""
    milliseconds, rest = divmod(time.time_ns(), _NANOSECONDS)
    chance = int.from_bytes(os.urandom(8), "big") >> 2
    fraction = (rest << 12) // _NANOSECONDS
    return uuid.UUID(int=milliseconds << 80 | 7 << 76 | fraction << 64 | 2 << 62 | chance)
