"""What a phone at the table sends without a script: the code of the table, and a setup of one text a row."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.faults import faults_in
from hands.forms import ROW_WORDS, cards_field
from hands.models import Seat
from hands.phones import CODE_LENGTH, setup_faults
from hands.reading import Reader
from hands.scoring.cards import card_text
from hands.scoring.taiwanese import ROW_SIZES, ROWS, Rules


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code of the table"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "size": CODE_LENGTH}
        ),
    )


class SetupForm(forms.Form):
    """Seven cards, set. ``facts`` are those of a draft."""

    def __init__(self, data: Any = None, *, seat: Seat, rules: Rules, facts: dict[str, Any] | None = None) -> None:
        rows = (facts or {"rows": {}})["rows"]
        typed = {row: " ".join(filter(None, rows.get(f"{row}_{seat.number}", []))) for row in ROWS}
        super().__init__(data, initial=typed)
        self.seat, self.rules = seat, rules
        for row, size in zip(ROWS, ROW_SIZES, strict=True):
            self.fields[row] = cards_field(ROW_WORDS[row], size)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        reader = Reader({}, is_typed=True)
        self.rows = {row: reader.row(data.get(row, ""), f"/seats/0/{row}") for row in ROWS}
        wrong = reader.faults or list(setup_faults(self.seat, self.rules, self.rows))
        for error in wrong:
            for pointer, _code, sentence in faults_in(error):
                self.add_error(pointer.split("/")[3], sentence)
        return data

    def facts(self) -> dict[str, Any]:
        """The setup as the facts of a draft."""
        rows = {f"{row}_{self.seat.number}": [card_text(card) for card in cards] for row, cards in self.rows.items()}
        return {"rows": rows, "out": []}
