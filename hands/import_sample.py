"""A hand history to look at and to try: two hands of Taiwanese and one of Open-Face, as a club sends them."""

import json
from typing import Any

_TAIWANESE = {
    "external_id": "sample-2026-11-28",
    "table": "Sample table",
    "rule_set": "phenom",
    "point_value": {"amount_minor": 50, "currency": "USD"},
    "started_at": "2026-11-28T20:00:00+08:00",
}


_OPEN_FACE = _TAIWANESE | {"external_id": "sample-2026-11-28-ofc", "table": "Sample table 2", "rule_set": "open-face"}


def sample_lines() -> bytes:
    """The sample as NDJSON; it can be imported as it is."""
    ana = {"external_id": "p-17", "name": "Ana"}
    ben = {"external_id": "p-22", "name": "Ben"}
    first = _hand(
        1,
        "2026-11-28T20:04:00+08:00",
        [["2d", "Ac", "4d", "Qc", "8h"], ["As", "Jh", "Jd", "4c", "Js"]],
        [_seat(1, ana, "7h", "9h Ad", "3c 5s 3s 7d"), _seat(2, ben, "5d", "Td 5c", "8s 2c Th 7s")],
    )
    second = _hand(
        2,
        "2026-11-28T20:07:30+08:00",
        [["Kh", "Qd", "2c", "9s", "9h"], ["3d", "6s", "Tc", "Jc", "4h"]],
        [_seat(1, ana, "As", "Kd Ks", "Qh Jh 8d 7c"), _seat(2, ben, "Ah", "Ts Td", "5h 5s 6d 7d")],
    )
    first["claimed_points"] = {"1": 20, "2": -20}
    # Ana scoops: 3 + 3, and royalties 17 (aces 9, tens 2, full house 6) less 6 (nines 4, straight 2).
    third = {
        "spec_version": "1.0",
        "game": "open-face",
        "session": _OPEN_FACE,
        "external_id": "sample-2026-11-28-ofc-0001",
        "number": 1,
        "played_at": "2026-11-28T20:12:00+08:00",
        "button": 1,
        "seats": [
            _seat(1, ana, "As Ad 7h", "Tc Td Th 4s 2c", "Qh Qc Qd 8d 8c"),
            _seat(2, ben, "9s 9c 5h", "Kc Kh 6s 6h 3d", "Js Ts 9d 8s 7c"),
        ],
        "claimed_points": {"1": 17, "2": -17},
    }
    return b"".join(json.dumps(hand).encode() + b"\n" for hand in (first, second, third))


def _hand(number: int, played_at: str, boards: list[list[str]], seats: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "spec_version": "1.0",
        "game": "taiwanese",
        "session": _TAIWANESE,
        "external_id": f"sample-2026-11-28-{number:04}",
        "number": number,
        "played_at": played_at,
        "button": number,
        "boards": boards,
        "seats": seats,
    }


def _seat(number: int, player: dict[str, str], top: str, middle: str, bottom: str) -> dict[str, Any]:
    return {"seat": number, "player": player, "top": top.split(), "middle": middle.split(), "bottom": bottom.split()}
