"""Forms of sessions and hands. The hand form makes the same document that the API takes."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.faults import faults_in
from accounts.forms import NameField
from accounts.money import CURRENCIES, parse_money
from accounts.names import fold_name
from hands.history import Deal, read_deal
from hands.models import Seat
from hands.rulesets import rule_set_words
from hands.scoring.taiwanese import ROW_SIZES, ROWS, Rules

MOST_SEATS = 6
COMMON_CURRENCIES = ["USD", "TWD", "EUR", "GBP", "HKD", "JPY", "KWD"]
ROW_WORDS = {"top": _("Top"), "middle": _("Middle"), "bottom": _("Bottom")}


def _currencies() -> list[tuple[str, object]]:
    others = sorted(CURRENCIES - set(COMMON_CURRENCIES))
    return [("", [(code, code) for code in COMMON_CURRENCIES]), (_("All"), [(code, code) for code in others])]


class SessionForm(forms.Form):
    """A new session: what is played, for how much, and who sits where."""

    table = NameField(label=_("Table"), initial=_("Home game"))
    rule_set = forms.ChoiceField(label=_("Rules"))
    point_value = forms.CharField(label=_("A point is worth"), initial="0.50", max_length=20)
    currency = forms.ChoiceField(label=_("Currency"), choices=_currencies, initial="USD")

    def __init__(self, *args: Any, rule_sets: Iterable[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["rule_set"].choices = [(name, rule_set_words(name)) for name in rule_sets]
        for number in range(1, MOST_SEATS + 1):
            self.fields[f"seat_{number}"] = NameField(
                label=_("Seat %(number)d") % {"number": number}, required=number <= 2
            )

    def seat_fields(self) -> list[forms.BoundField]:
        return [self[f"seat_{number}"] for number in range(1, MOST_SEATS + 1)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if {"point_value", "currency"} <= data.keys():
            try:
                data["point_value_minor"] = parse_money(data["point_value"], data["currency"])
                if data["point_value_minor"] <= 0:
                    raise ValidationError(gettext("A point must be worth more than nothing."), code="amount")
            except ValidationError as error:
                self.add_error("point_value", error)
        names = {number: data.get(f"seat_{number}", "") for number in range(1, MOST_SEATS + 1)}
        data["names"] = {number: name for number, name in names.items() if name}
        seen: dict[str, int] = {}
        for number, name in data["names"].items():
            if (before := seen.setdefault(fold_name(name), number)) != number:
                self.add_error(
                    f"seat_{number}",
                    gettext("%(name)s sits on seat %(seat)d already.") % {"name": name, "seat": before},
                )
        return data


class HandForm(forms.Form):
    """A hand typed in: a text for every board and every row of every seat that played.

    ``deal`` holds the facts when the form is valid. A seat whose rows are all empty sat out.
    """

    client_key = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, seats: Sequence[Seat], rules: Rules) -> None:
        super().__init__(data, initial={"client_key": uuid.uuid4()})
        self.seats, self.rules = seats, rules
        self.deal: Deal | None = None
        for board in range(1, rules.boards + 1):
            self.fields[f"board_{board}"] = self._cards(gettext("Board %(number)d") % {"number": board}, 5)
        for seat in seats:
            for row, size in zip(ROWS, ROW_SIZES, strict=True):
                self.fields[f"{row}_{seat.number}"] = self._cards(ROW_WORDS[row], size)

    def _cards(self, label: str, size: int) -> forms.CharField:
        widget = forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "characters",
                "spellcheck": "false",
                "placeholder": " ".join(["As", "Kd", "Th", "9c", "2s"][:size]),
            }
        )
        return forms.CharField(label=label, required=False, max_length=60, widget=widget)

    def board_fields(self) -> list[forms.BoundField]:
        return [self[f"board_{board}"] for board in range(1, self.rules.boards + 1)]

    def seat_fields(self) -> list[tuple[Seat, list[forms.BoundField]]]:
        return [(seat, [self[f"{row}_{seat.number}"] for row in ROWS]) for seat in self.seats]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        played = [seat for seat in self.seats if any(data.get(f"{row}_{seat.number}") for row in ROWS)]
        document = {
            "played_at": timezone.now().isoformat(),
            "boards": [data.get(f"board_{board}", "") for board in range(1, self.rules.boards + 1)],
            "seats": [
                {
                    "seat": seat.number,
                    "player": {"name": seat.player.name},
                    **{row: data.get(f"{row}_{seat.number}", "") for row in ROWS},
                }
                for seat in played
            ],
        }
        try:
            deal = read_deal(document, self.rules)
        except ValidationError as error:
            for pointer, _code, sentence in faults_in(error):
                self.add_error(self._field_at(pointer, played), sentence)
            return data
        players = {seat.number: seat.player_id for seat in played}
        self.deal = replace(
            deal,
            client_key=data.get("client_key"),
            seats=tuple(replace(seat, player_id=players[seat.number]) for seat in deal.seats),
        )
        return data

    def _field_at(self, pointer: str, played: Sequence[Seat]) -> str | None:
        """The field that a pointer of the document means; None for the whole form."""
        parts = pointer.strip("/").split("/")
        if parts[0] == "boards" and len(parts) > 1:
            return f"board_{int(parts[1]) + 1}"
        if parts[0] == "seats" and len(parts) > 2 and parts[2] in ROWS:
            return f"{parts[2]}_{played[int(parts[1])].number}"
        return None
