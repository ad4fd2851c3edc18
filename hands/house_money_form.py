"""What a house caps and takes, typed in beside its rules."""

from decimal import ROUND_DOWN
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.money import parse_money
from hands.forms import currency_choices
from hands.house_money import HouseMoney, stakes_and_cap


class HouseMoneyForm(forms.Form):
    """``document()`` is what the rule set keeps; empty where nothing was filled in."""

    currency = forms.ChoiceField(label=_("In"), choices=currency_choices, initial="USD", required=False)
    cap = forms.CharField(
        label=_("A player loses at most"),
        max_length=20,
        required=False,
        help_text=_("In one session. What is too much is taken off the debts."),
    )
    cap_by = forms.ChoiceField(
        label=_("Who gets less then"),
        choices=[
            ("position", _("the last positions first")),
            ("pro_rata", _("everyone in proportion")),
        ],
        initial="position",
        required=False,
    )
    stakes = forms.ChoiceField(
        label=_("Table stakes"),
        choices=[
            ("", _("none")),
            ("none", _("each seat plays with a stake")),
            ("current", _("and wins at most what it has at that moment")),
            ("start", _("and wins in a hand at most what it began with")),
        ],
        required=False,
        help_text=_("In a hand nobody pays more than what is left of their stake. In place of a cap."),
    )
    rake = forms.DecimalField(
        label=_("Rake, percent of what is won"), required=False, min_value=0, max_value=100, decimal_places=2
    )
    rake_most = forms.CharField(label=_("Rake at most"), max_length=20, required=False)
    seat_fee = forms.CharField(label=_("Fee per hand and seat"), max_length=20, required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name in ("cap", "rake_most", "seat_fee"):
            data[f"{name}_minor"] = self._amount(name, data)
        if data.get("stakes") and data["cap_minor"] is not None:
            self.add_error("cap", stakes_and_cap())
        if data.get("rake") and data["seat_fee_minor"]:
            self.add_error("seat_fee", gettext("A house takes a rake or a seat fee, not both."))
        return data

    def _amount(self, name: str, data: dict[str, Any]) -> int | None:
        if not data.get(name):
            return None
        try:
            amount_minor = parse_money(data[name], data.get("currency") or "USD")
            if amount_minor < 0:
                raise ValidationError(gettext("An amount here is not below zero."))
        except ValidationError as error:
            self.add_error(name, error)
            return None
        return amount_minor

    def document(self) -> dict[str, Any]:
        data = self.cleaned_data
        percent = data["rake"] or 0
        return HouseMoney(
            currency=data["currency"] or "USD",
            cap_minor=data["cap_minor"],
            cap_by=data["cap_by"] or "position",
            rake_hundredths=int((percent * 100).to_integral_value(ROUND_DOWN)) if percent else 0,
            rake_most_minor=data["rake_most_minor"],
            seat_fee_minor=data["seat_fee_minor"] or 0,
            table_stakes=bool(data["stakes"]),
            win_cap=data["stakes"] or "none",
        ).document()
