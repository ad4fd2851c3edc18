"""Hand histories for tests: vectors as documents, and one good hand to be broken in one place."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from accounts.faults import faults_in
from hands.history import read_hand
from hands.scoring.games import PRESETS

GOOD: dict[str, Any] = {
    "spec_version": "1.0",
    "game": "taiwanese",
    "session": {
        "external_id": "T7-2026-11-28",
        "table": "T7",
        "rule_set": "phenom",
        "point_value": {"amount_minor": 50, "currency": "USD"},
        "started_at": "2026-11-28T20:00:00+08:00",
    },
    "external_id": "T7-2026-11-28-0012",
    "number": 12,
    "played_at": "2026-11-28T20:41:07+08:00",
    "button": 2,
    "boards": [["2d", "Ac", "4d", "Qc", "8h"], ["As", "Jh", "Jd", "4c", "Js"]],
    "seats": [
        {
            "seat": 1,
            "player": {"external_id": "p-17", "name": "Ana"},
            "top": ["7h"],
            "middle": ["9h", "Ad"],
            "bottom": ["3c", "5s", "3s", "7d"],
        },
        {
            "seat": 3,
            "player": {"external_id": "p-22", "name": "Ben"},
            "top": ["5d"],
            "middle": ["Td", "5c"],
            "bottom": ["8s", "2c", "Th", "7s"],
        },
    ],
}


def good(change: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, Any]:
    """A copy of the good hand, with one change made to it."""
    document = copy.deepcopy(GOOD)
    if change is not None:
        change(document)
    return document


def numbered(number: int, **more: Any) -> dict[str, Any]:
    """The good hand under another number and id."""
    return good(lambda hand: hand.update(number=number, external_id=f"hand-{number}", **more))


def from_vector(vector: Mapping[str, Any]) -> dict[str, Any]:
    """A vector as one hand of a history: the players' ids are the vector's names, seats in its order."""
    return {
        "spec_version": "1.0",
        "game": vector["game"],
        "session": GOOD["session"] | {"rule_set": vector["rules"]},
        "external_id": vector["id"],
        "played_at": GOOD["played_at"],
        **({"boards": vector["boards"]} if "boards" in vector else {}),
        "seats": [
            {"seat": seat, "player": {"external_id": name, "name": name.capitalize()}, **setup}
            for seat, (name, setup) in enumerate(vector["setups"].items(), start=1)
        ],
    }


# What is broken in it, as a change for `good`.


Change = Callable[[dict[str, Any]], Any]


def seat(place: int, **rows: Any) -> Change:
    return lambda hand: hand["seats"][place].update(rows)


def session(**parts: Any) -> Change:
    return lambda hand: hand["session"].update(parts)


def player(place: int, **parts: Any) -> Change:
    return lambda hand: hand["seats"][place]["player"].update(parts)


def point_value(**parts: Any) -> Change:
    return lambda hand: hand["session"]["point_value"].update(parts)


def faults_of(document: Any) -> list[tuple[str, str, str]]:
    """Pointer, code and sentence of everything that the reader has against a hand that it refuses."""
    with pytest.raises(ValidationError) as refused:
        read_hand(document, dict(PRESETS))
    return list(faults_in(refused.value))
