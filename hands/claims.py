"""Points that a sender claims for the seats of a hand, and what becomes of those that are not ours."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _

from hands.reading import Reader

MOST_CLAIMED: Final = 10**6


def read_claimed_points(reader: Reader, seats: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Seat numbers and what is claimed for them; not every seat needs a claim."""
    claimed = reader.document.get("claimed_points")
    if claimed is None:
        return ()
    if not isinstance(claimed, dict):
        reader.refuse("/claimed_points", "object", _('claimed_points must be like {"1": 20, "2": -20}.'))
        return ()
    points = []
    for key in list(claimed)[: len(seats) + 1]:
        seat = next((number for number in seats if str(number) == key), None)
        if seat is None:
            pointer = "/claimed_points"
            reader.refuse(
                pointer,
                "seat",
                _("claimed_points names seat “%(seat)s”, which is not in the hand.") % {"seat": key[:12]},
            )
            continue
        value = reader.whole(claimed, key, "/claimed_points", least=-MOST_CLAIMED, most=MOST_CLAIMED)
        if value is not None:
            points.append((seat, value))
    return tuple(points)
