"""The points of a hand for which nobody kept the cards, as a document gives them and as they must be."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.faults import fault
from hands.reading import Reader
from hands.scoring.taiwanese import ROWS
from hands.scoring.taiwanese.rules import FEWEST_SEATS, MOST_SEATS

# Far beyond any hand, and far inside of what a column holds.
MOST_POINTS: Final = 10**6


def gives_points(document: Mapping[str, Any]) -> bool:
    """Whether a seat of the document has points instead of cards."""
    seats = document.get("seats")
    return isinstance(seats, list) and any(
        isinstance(seat, dict) and seat.get("points") is not None for seat in seats[:MOST_SEATS]
    )


def read_points(reader: Reader) -> list[int]:
    """Each seat's points, in the order of the document. Boards or rows beside them are faults."""
    if reader.document.get("boards"):
        reader.refuse(
            "/boards",
            "points_and_cards",
            _("The seats have points, so the hand has no cards: leave out the boards, or give rows instead of points."),
        )
    points = []
    for place, seat in enumerate(reader.document["seats"][:MOST_SEATS]):
        if not isinstance(seat, dict):
            continue
        pointer = f"/seats/{place}"
        for row in ROWS:
            if seat.get(row):
                reader.refuse(
                    f"{pointer}/{row}",
                    "points_and_cards",
                    _("The hand has points and no cards: leave out %(row)s, or give no seat points.") % {"row": row},
                )
        if seat.get("points") is None:
            words = _("In a hand without cards every seat has points; this one has none.")
            reader.refuse(f"{pointer}/points", "points_missing", words)
            continue
        given = reader.whole(seat, "points", pointer, least=-MOST_POINTS, most=MOST_POINTS)
        if given is not None:
            points.append(given)
    return points


def points_faults(names: Sequence[str], points: Sequence[int]) -> list[ValidationError]:
    """Every reason why these points, a name each, cannot be a hand of any rules."""
    faults = []
    if len(names) < FEWEST_SEATS:
        faults.append(fault("/seats", "seat_count", _("A hand needs two seats or more.")))
    for place, (name, given) in enumerate(zip(names, points, strict=True)):
        if abs(given) > MOST_POINTS:
            words = _("%(name)s: points go up to %(most)d.") % {"name": name, "most": MOST_POINTS}
            faults.append(fault(f"/seats/{place}/points", "points_range", words))
    if total := sum(points):
        words = _("The points of a hand sum to zero; these sum to %(total)+d.") % {"total": total}
        faults.append(fault("/seats", "points_sum", words))
    return faults
