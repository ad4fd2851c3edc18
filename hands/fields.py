"""Which fields a hand of a history may have: whatever else stands there is passed over, and named to its sender."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

HAND: Final = frozenset(
    {
        "spec_version",
        "game",
        "session",
        "external_id",
        "number",
        "played_at",
        "button",
        "boards",
        "seats",
        "claimed_points",
    }
)
SESSION: Final = frozenset({"external_id", "table", "rule_set", "point_value", "started_at"})
POINT_VALUE: Final = frozenset({"amount_minor", "currency"})
SEAT: Final = frozenset({"seat", "player", "top", "middle", "bottom", "points"})
# What a hand of the Chinese family may have besides, and its seats.
CHINESE_HAND: Final = frozenset({"streets"})
STREET: Final = frozenset({"seat", "top", "middle", "bottom", "discards", "dealt"})
CHINESE_SEAT: Final = frozenset({"discards", "fantasyland", "surrendered"})
PLAYER: Final = frozenset({"external_id", "name"})
MOST_NAMED: Final = 20


def unknown_fields(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Pointers of the fields that mean nothing in a hand that was read without fault; a seat's place is ``*``."""
    found = dict.fromkeys(_unknown(document))
    return tuple(found)[:MOST_NAMED] if found else ()


def _unknown(document: Mapping[str, Any]) -> Iterator[str]:
    is_chinese = document["game"] != "taiwanese"
    yield from _beyond(document, HAND | CHINESE_HAND if is_chinese else HAND, "")
    session = document["session"]
    yield from _beyond(session, SESSION, "/session")
    yield from _beyond(session["point_value"], POINT_VALUE, "/session/point_value")
    known = SEAT | CHINESE_SEAT if is_chinese else SEAT
    for street in (document.get("streets") or ()) if is_chinese else ():
        yield from _beyond(street, STREET, "/streets/*")
    for seat in document["seats"]:
        yield from _beyond(seat, known, "/seats/*")
        yield from _beyond(seat["player"], PLAYER, "/seats/*/player")


def _beyond(holder: Mapping[str, Any], known: frozenset[str], pointer: str) -> Iterator[str]:
    if not holder.keys() <= known:
        for key in holder:
            if key not in known:
                yield f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
