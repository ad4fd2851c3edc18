"""A book's rows in bulk, as numpy wants them: past the models, which would be the greatest cost at this size."""

import uuid
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from numpy.typing import NDArray

from hands.scoring.cards import RANKS, SUITS

# A stored card is two letters; these give its number (rank * 4 + suit; X1 and X2 are 52 and 53).
_FIRST: Final = np.zeros(256, dtype=np.uint8)
_SECOND: Final = np.zeros(256, dtype=np.uint8)
for _place, _letter in enumerate(RANKS + "X"):
    _FIRST[ord(_letter)] = 4 * _place
for _place, _letter in enumerate(SUITS):
    _SECOND[ord(_letter)] = _place
_SECOND[ord("2")] = 1


def fetch_rows(rows: QuerySet[Any]) -> list[tuple[Any, ...]]:
    """The rows as the driver gives them, with ids in its own form (text on SQLite)."""
    try:
        sql, params = rows.query.get_compiler(connection=connection).as_sql()
    except EmptyResultSet:
        # Django does not ask for what cannot be there, such as a row among no ids.
        return []
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def raw_id(key: uuid.UUID) -> object:
    """An id as ``fetch_rows`` gives it."""
    return key.hex if connection.vendor == "sqlite" else key


@lru_cache(maxsize=4096)
def id_of(raw: str | uuid.UUID) -> uuid.UUID:
    """The id that ``fetch_rows`` gave; the same few players over and over."""
    return raw if isinstance(raw, uuid.UUID) else uuid.UUID(raw)


def cards_of(texts: Sequence[str], size: int) -> NDArray[np.uint8]:
    """The numbers of the cards in texts like ``KhQd2c9s9h``, ``size`` cards each: an array of (texts, size)."""
    letters = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8).reshape(len(texts), size, 2)
    cards: NDArray[np.uint8] = _FIRST[letters[:, :, 0]] + _SECOND[letters[:, :, 1]]
    return cards
