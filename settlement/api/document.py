"""The OpenAPI document: which addresses are in it."""

from typing import Any


def only_this_version(endpoints: list[Any]) -> list[Any]:
    """Pages and probes are no part of the API."""
    return [one for one in endpoints if one[0].startswith("/api/v1/")]
