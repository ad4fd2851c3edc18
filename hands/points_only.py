"""Hands for which nobody kept the cards: points as each seat was given them, which must sum to zero."""

from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.faults import fault
from hands.history import Deal
from hands.house_money import house_money_of
from hands.models import RuleSet
from hands.points_document import points_faults
from hands.scoring.taiwanese import Setup

NO_CARDS: Final = Setup((), (), ())


def check_points_only(deal: Deal, rule_set: RuleSet) -> None:
    """Raise ``ValidationError`` with every reason why these points cannot be a hand; one with cards has none."""
    if deal.has_cards:
        return
    faults = points_faults([seat.name for seat in deal.seats], deal.points)
    if is_capped(rule_set):
        faults.append(points_under_cap())
    if faults:
        raise ValidationError(faults)


def is_capped(rule_set: RuleSet) -> bool:
    """Whether these rules bound what is paid, by a cap or by stakes, which needs to know who won from whom."""
    return house_money_of(rule_set).needs_pairs


def points_under_cap() -> ValidationError:
    return fault(
        "",
        "points_under_cap",
        _("These rules bound what a player can lose, pair by pair; a hand without cards does not say who won."),
    )
