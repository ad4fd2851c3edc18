"""What a house takes, and what a player can lose or win at most: the money of a rule set, in one currency.

Kept with the rule set as plain data; what it does to a session's points is `settlement.amounts`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.money import MOST_MINOR, check_currency, format_money
from hands.models import RuleSet

CAP_BY: Final = ("position", "pro_rata")
WIN_CAPS: Final = ("none", "current", "start")
WHOLE_HUNDREDTHS: Final = 100 * 100


@dataclass(frozen=True)
class HouseMoney:
    """Amounts in minor units of ``currency``; None is no bound, zero takes nothing.

    ``cap_minor``: the most that one player's net can lose in a session, and by which order the rest is cut.
    ``rake_hundredths``: hundredths of a percent of each player's net above zero, after the cap, at most
    ``rake_most_minor``. ``seat_fee_minor``: for every hand of every seat; a house takes one or the other.

    ``table_stakes``: every player has a stake for the session, and pays in a hand at most what is left of it, so there
    is no cap beside it. ``win_cap``: what a player can win in a hand is no more than what they have at that moment
    (``current``), or in all than what they began the hand with (``start``).
    """

    currency: str = ""
    cap_minor: int | None = None
    cap_by: Literal["position", "pro_rata"] = "position"
    rake_hundredths: int = 0
    rake_most_minor: int | None = None
    seat_fee_minor: int = 0
    table_stakes: bool = False
    win_cap: Literal["none", "current", "start"] = "none"

    def document(self) -> dict[str, Any]:
        """As plain data; empty where the house neither takes nor caps anything."""
        if not (self.needs_pairs or self.rake_hundredths or self.seat_fee_minor):
            return {}
        return asdict(self)

    @property
    def needs_pairs(self) -> bool:
        """Whether it matters who won from whom, so that every hand needs its cards."""
        return self.cap_minor is not None or self.table_stakes


def read_house_money(document: Mapping[str, Any]) -> HouseMoney:
    """The checked form of a document as ``HouseMoney.document`` writes it; an empty one takes nothing.

    Raises ``ValidationError`` with every fault.
    """
    if not document:
        return HouseMoney()
    faults = [
        fault(f"/{name}", "unknown_parameter", _("%(name)s is not a term of house money.") % {"name": str(name)[:60]})
        for name in document
        if name not in HouseMoney.__dataclass_fields__
    ]
    try:
        check_currency(str(document.get("currency", "")))
    except ValidationError as error:
        faults.append(fault("/currency", "currency", error.messages[0]))
    numbers: dict[str, int | None] = {}
    for name, most, default in (
        ("cap_minor", MOST_MINOR, None),
        ("rake_hundredths", WHOLE_HUNDREDTHS, 0),
        ("rake_most_minor", MOST_MINOR, None),
        ("seat_fee_minor", MOST_MINOR, 0),
    ):
        value = document.get(name, default)
        if value is not default and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most):
            faults.append(
                fault(
                    f"/{name}",
                    "parameter_range",
                    _("%(name)s must be a whole number from 0 to %(most)d.") % {"name": name, "most": most},
                )
            )
            value = default
        numbers[name] = value
    cap_by = document.get("cap_by", "position")
    if cap_by not in CAP_BY:
        faults.append(fault("/cap_by", "parameter_choice", _("cap_by must be position or pro_rata.")))
    table_stakes, win_cap = document.get("table_stakes", False), document.get("win_cap", "none")
    if not isinstance(table_stakes, bool):
        faults.append(fault("/table_stakes", "flag", _("table_stakes must be true or false.")))
    if win_cap not in WIN_CAPS:
        faults.append(fault("/win_cap", "parameter_choice", _("win_cap must be none, current or start.")))
    elif win_cap != "none" and table_stakes is False:
        faults.append(fault("/win_cap", "win_cap", _("A win cap needs table stakes.")))
    if table_stakes is True and numbers["cap_minor"] is not None:
        faults.append(fault("/cap_minor", "stakes_and_cap", stakes_and_cap()))
    if numbers["rake_hundredths"] and numbers["seat_fee_minor"]:
        faults.append(fault("/seat_fee_minor", "rake_and_fee", _("A house takes a rake or a seat fee, not both.")))
    if faults:
        raise ValidationError(faults)
    return HouseMoney(
        currency=document["currency"],
        cap_by=cap_by,
        table_stakes=table_stakes,
        win_cap=win_cap,
        **numbers,  # type: ignore[arg-type]  # checked above
    )


def stakes_and_cap() -> str:
    return _("With table stakes nobody can lose more than their stake; leave the cap out.")


def house_money_of(rule_set: RuleSet) -> HouseMoney:
    """What the house of a stored rule set takes and caps."""
    return HouseMoney(**rule_set.money)


def house_sentences(money: HouseMoney) -> Iterator[str]:
    """What the house caps and takes, in words for the players; nothing where it does neither."""
    if money.cap_minor is not None:
        words = {"cap": format_money(money.cap_minor, money.currency)}
        yield _("Nobody loses more than %(cap)s in a session.") % words
        if money.cap_by == "position":
            yield _("What is too much is taken off the debts from the last position backwards.")
        else:
            yield _("What is too much is taken off all debts in proportion.")
    if money.table_stakes:
        yield _("Everybody plays with a stake for the session. In a hand nobody pays more than what is left of theirs.")
        yield _("Who sits left of the button settles first, with each opponent clockwise, then the next player.")
    if money.win_cap == "current":
        yield _("Nobody wins more in one payment than what they have at that moment.")
    if money.win_cap == "start":
        yield _("Nobody wins more in a hand than what they had when it began.")
    if money.rake_hundredths:
        words = {"percent": f"{money.rake_hundredths / 100:g}"}
        if money.rake_most_minor is None:
            yield _("The house takes %(percent)s %% of what a player wins in a session.") % words
        else:
            words["most"] = format_money(money.rake_most_minor, money.currency)
            yield _("The house takes %(percent)s %% of what a player wins in a session, at most %(most)s.") % words
    if money.seat_fee_minor:
        words = {"fee": format_money(money.seat_fee_minor, money.currency)}
        yield _("The house takes %(fee)s for every hand of every seat.") % words


def check_house_money(rule_set: RuleSet, currency: str) -> None:
    """Raise ``ValidationError`` when a session in this currency cannot be played by these rules."""
    money = house_money_of(rule_set)
    if money.currency and money.currency != currency:
        raise fault(
            "/currency",
            "house_currency",
            _("The rules “%(name)s” cap or take amounts in %(theirs)s; play them in %(theirs)s, or choose others.")
            % {"name": rule_set.name, "theirs": money.currency},
        )
