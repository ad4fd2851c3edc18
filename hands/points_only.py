"""Hands for which nobody kept the cards: points as each seat was given them, which must sum to zero."""

from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.faults import fault
from hands.history import Deal
from hands.house_money import house_money_of
from hands.models import RuleSet
from hands.scoring.taiwanese import Setup
from hands.scoring.taiwanese.rules import FEWEST_SEATS

# Far beyond any hand, and far inside of what a column holds.
MOST_POINTS: Final = 10**6
NO_CARDS: Final = Setup((), (), ())


def check_points_only(deal: Deal, rule_set: RuleSet) -> None:
    """Raise ``ValidationError`` with every reason why these points cannot be a hand; one with cards has none."""
    if deal.has_cards:
        return
    faults = []
    if len(deal.seats) < FEWEST_SEATS:
        faults.append(fault("/seats", "seat_count", _("A hand needs two seats or more.")))
    for place, (seat, points) in enumerate(zip(deal.seats, deal.points, strict=True)):
        if abs(points) > MOST_POINTS:
            faults.append(
                fault(
                    f"/seats/{place}/points",
                    "points_range",
                    _("%(name)s: points go up to %(most)d.") % {"name": seat.name, "most": MOST_POINTS},
                )
            )
    if total := sum(deal.points):
        faults.append(
            fault(
                "/seats",
                "points_sum",
                _("The points of a hand sum to zero; these sum to %(total)+d.") % {"total": total},
            )
        )
    if house_money_of(rule_set).cap_minor is not None:
        faults.append(
            fault(
                "",
                "points_under_cap",
                _("These rules cap what a player can lose, pair by pair; a hand without cards does not say who won."),
            )
        )
    if faults:
        raise ValidationError(faults)
