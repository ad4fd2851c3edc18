"""The form that brings a ledger of PokerNow: what the file does not say is asked."""

from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.forms import NameField
from accounts.money import parse_money
from hands.forms import currency_choices
from hands.history import Deal
from hands.pokernow import Ledger, read_ledger
from hands.pokernow_import import deals_of

LARGEST_FILE: Final = 500_000


class PokerNowForm(forms.Form):
    """A ledger as a file first, then as the text that was looked at. Read whole, it is in ``ledger`` and ``deals``."""

    file = forms.FileField(
        label=_("Ledger of PokerNow"),
        error_messages={"required": _("Choose the ledger's file.")},
        allow_empty_file=True,
        help_text=_("The CSV file that PokerNow makes of a room's ledger."),
    )
    text = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    unit = forms.ChoiceField(
        label=_("The room counts in"),
        choices=[("cents", _("cents: 1050 is 10.50")), ("whole", _("whole units: 1050 is 1050.00"))],
        widget=forms.RadioSelect,
        error_messages={"required": _("The file does not say it: choose what the room counts in.")},
    )
    currency = forms.ChoiceField(label=_("Currency"), choices=currency_choices, initial="USD")
    table = NameField(label=_("Table"), initial=_("PokerNow"))
    point_value = forms.CharField(
        label=_("A point is worth"),
        max_length=20,
        required=False,
        help_text=_("Every result must be a whole number of points. Left empty: the currency's smallest unit."),
    )

    ledger: Ledger | None = None
    deals: list[Deal]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["file"].required = not self["text"].value()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if (file := data.get("file")) is not None:
            data["text"] = self._text(file)
        if self.errors:
            return data
        try:
            typed = data["point_value"]
            data["point_value_minor"] = parse_money(typed, data["currency"]) if typed else 1
        except ValidationError as error:
            self.add_error("point_value", error)
            return data
        try:
            ledger = read_ledger(data["text"], unit=data["unit"], currency=data["currency"])
        except ValidationError as error:
            self.add_error("file", error)
            return data
        try:
            self.deals = deals_of(ledger, data["point_value_minor"])
        except ValidationError as error:
            self.add_error("point_value", error)
        else:
            self.ledger = ledger
        return data

    def _text(self, file: Any) -> str:
        """The file as text; where it is none, the field has the fault."""
        if file.size > LARGEST_FILE:
            self.add_error("file", gettext("That is too large for a ledger."))
            return ""
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            self.add_error("file", gettext("This is no text in UTF-8. Send the file as PokerNow made it."))
            return ""

    def looked_at(self) -> "PokerNowForm":
        """The same form once more, holding the text instead of the file."""
        return PokerNowForm(initial=self.cleaned_data | {"file": None})
