"""What the pages of all rule sets share: how a number is said in money."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.money import format_money
from hands.templatetags.cards import MINUS

# What a point is worth where a number is explained.
EXAMPLE_MINOR: Final = 50
EXAMPLE_CURRENCY: Final = "USD"


def money_words(points: int) -> str:
    """What points are worth in the example: "20 points at $0.50 a point: $10.00."."""
    counted = f"{MINUS if points < 0 else ''}{abs(points)}"
    return _("%(points)s at %(value)s a point: %(money)s.") % {
        "points": ngettext("%(points)s point", "%(points)s points", points) % {"points": counted},
        "value": format_money(EXAMPLE_MINOR, EXAMPLE_CURRENCY),
        "money": format_money(points * EXAMPLE_MINOR, EXAMPLE_CURRENCY),
    }
