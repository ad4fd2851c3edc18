"""Forms of sessions and hands. The hand form makes the same document that the API takes."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.faults import faults_in
from accounts.forms import NameField
from accounts.money import CURRENCIES, format_money, parse_money
from accounts.names import fold_name
from hands.besides import mark_choices, most_discards
from hands.heads import check_point_value
from hands.history import Deal, SeatRecord, read_deal
from hands.models import Import, Seat
from hands.points_document import MOST_POINTS
from hands.points_only import NO_CARDS
from hands.queries import StoredHand
from hands.rulesets import rule_set_words
from hands.scoring.cards import cards_text
from hands.scoring.games import GAMES, MOST_SEATS, ROWS, Rules

COMMON_CURRENCIES = ["USD", "TWD", "EUR", "GBP", "HKD", "JPY", "KWD"]
ROW_WORDS = {"top": _("Top"), "middle": _("Middle"), "bottom": _("Bottom")}


# The example by which a form says what a point value means.
EXAMPLE_POINTS = 20


def worth_words(point_value_minor: int, currency: str) -> str:
    """What a point value means: "20 points = $10.00"."""
    return gettext("%(points)d points = %(money)s") % {
        "points": EXAMPLE_POINTS,
        "money": format_money(EXAMPLE_POINTS * point_value_minor, currency),
    }


def currency_choices() -> list[tuple[str, object]]:
    others = sorted(CURRENCIES - set(COMMON_CURRENCIES))
    return [("", [(code, code) for code in COMMON_CURRENCIES]), (_("All"), [(code, code) for code in others])]


def rule_set_choices(rule_sets: Mapping[str, Rules]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Rule sets by name, grouped by their game, which says how many may play."""
    groups = []
    for game in GAMES.values():
        chosen = [(name, rule_set_words(name)) for name, rules in rule_sets.items() if rules.game == game.name]
        told = {"game": game.title, "fewest": game.fewest_seats, "most": game.most_seats}
        groups.append((gettext("%(game)s, %(fewest)d to %(most)d players") % told, chosen))
    return groups


class SessionForm(forms.Form):
    """A new session: what is played, for how much, and who sits where."""

    session_id = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)
    table = NameField(label=_("Table"), initial=_("Home game"))
    rule_set = forms.ChoiceField(label=_("Rules"))
    point_value = forms.CharField(label=_("A point is worth"), initial="0.50", max_length=20)
    currency = forms.ChoiceField(label=_("Currency"), choices=currency_choices, initial="USD")

    def __init__(self, *args: Any, rule_sets: Mapping[str, Rules], **options: Any) -> None:
        super().__init__(*args, **options)
        self.rule_sets = rule_sets
        self.fields["rule_set"].choices = rule_set_choices(rule_sets)
        for number in range(1, MOST_SEATS + 1):
            self.fields[f"seat_{number}"] = NameField(
                label=_("Seat %(number)d") % {"number": number},
                required=number <= 2,
                widget=forms.TextInput(attrs={"list": "known-players", "autocomplete": "off"}),
            )

    def worth(self) -> str:
        """What the point value in the form means; nothing while it is none."""
        try:
            currency = str(self["currency"].value())
            return worth_words(parse_money(str(self["point_value"].value()), currency), currency)
        except ValidationError:
            return ""

    def seat_fields(self) -> list[forms.BoundField]:
        return [self[f"seat_{number}"] for number in range(1, MOST_SEATS + 1)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if {"point_value", "currency"} <= data.keys():
            try:
                data["point_value_minor"] = parse_money(data["point_value"], data["currency"])
                check_point_value(data["point_value_minor"])
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
        if rules := self.rule_sets.get(data.get("rule_set", "")):
            words = gettext("%(game)s by these rules has seats for %(most)d; leave seat %(seat)d empty.")
            for number in [number for number in data["names"] if number > rules.seats]:
                told = {"game": GAMES[rules.game].title, "most": rules.seats, "seat": number}
                self.add_error(f"seat_{number}", words % told)
        return data


class SeatForm(forms.Form):
    """Somebody sits down, or changes chairs."""

    name = NameField(label=_("Player"), widget=forms.TextInput(attrs={"list": "known-players", "autocomplete": "off"}))
    number = forms.TypedChoiceField(label=_("Seat"), coerce=int)

    def __init__(self, *args: Any, free: Iterable[int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["number"].choices = [(number, str(number)) for number in free]


class ImportForm(forms.Form):
    """A hand history to read, and what is done where it is not right."""

    file = forms.FileField(
        label=_("Hand history"),
        help_text=_("NDJSON (a hand a line) or a JSON array of hands, also packed with gzip."),
        allow_empty_file=True,
    )
    is_dry_run = forms.BooleanField(label=_("Only check the file: nothing is written"), required=False)
    on_error = forms.ChoiceField(
        label=_("A line that is not right"),
        choices=Import.OnError.choices,
        initial=Import.OnError.SKIP,
        widget=forms.RadioSelect,
    )


def cards_field(label: str, size: int) -> forms.CharField:
    """A row or a board as a person types it; what is wrong with it is the reader's to say."""
    widget = forms.TextInput(
        attrs={
            "autocomplete": "off",
            "autocapitalize": "characters",
            "spellcheck": "false",
            "placeholder": " ".join(["As", "Kd", "Th", "9c", "2s"][:size]),
            "maxlength": 60,
        }
    )
    field = forms.CharField(label=label, required=False, widget=widget)
    field.validators = []
    return field


class HandForm(forms.Form):
    """A hand typed in: a text for every board and every row of every seat that played.

    ``deal`` holds the facts when the form is valid. A seat that says nothing sat out.
    """

    client_key = forms.UUIDField(widget=forms.HiddenInput)
    has_cards = True

    def __init__(self, data: Any = None, *, seats: Sequence[Seat], rules: Rules, initial: Any = None) -> None:
        super().__init__(data, initial={"client_key": uuid.uuid4()} | (initial or {}))
        self.seats, self.rules = seats, rules
        self.boards = rules.boards
        self.deal: Deal | None = None
        # What a seat may say, row by row, then besides: the words of the hand's document.
        self.of_seat = (*ROWS, *(("discards",) if most_discards(rules) else ()), *mark_choices(rules))
        for board in range(1, self.boards + 1):
            self.fields[f"board_{board}"] = cards_field(gettext("Board %(number)d") % {"number": board}, 5)
        for seat in seats:
            for row, size in zip(ROWS, GAMES[rules.game].row_sizes, strict=True):
                self.fields[f"{row}_{seat.number}"] = cards_field(ROW_WORDS[row], size)
            self._add_besides(seat.number)

    def _add_besides(self, seat: int) -> None:
        if most := most_discards(self.rules):
            self.fields[f"discards_{seat}"] = cards_field(gettext("Discards, if you keep them"), most)
        choices = mark_choices(self.rules)
        if cards := choices.get("fantasyland"):
            labels = [
                (0, gettext("not in it")),
                *((count, gettext("in it, %(cards)d cards") % {"cards": count}) for count in cards),
            ]
            self.fields[f"fantasyland_{seat}"] = forms.TypedChoiceField(
                label=gettext("Fantasyland"), choices=labels, coerce=int, empty_value=0, required=False
            )
        if "surrendered" in choices:
            self.fields[f"surrendered_{seat}"] = forms.BooleanField(label=gettext("Surrenders"), required=False)

    def board_fields(self) -> list[forms.BoundField]:
        return [self[f"board_{board}"] for board in range(1, self.boards + 1)]

    def seat_fields(self) -> list[tuple[Seat, list[forms.BoundField]]]:
        return [(seat, [self[f"{part}_{seat.number}"] for part in self.of_seat]) for seat in self.seats]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        played = [seat for seat in self.seats if self._plays(seat, data)]
        document = {
            "played_at": self.played_at().isoformat(),
            "button": self.button(),
            "boards": [data.get(f"board_{board}", "") for board in range(1, self.boards + 1)],
            "seats": [
                {
                    "seat": seat.number,
                    "player": {"name": seat.player.name},
                    # What could not be read of a choice is told beside it.
                    **{part: data[name] for part in self.of_seat if (name := f"{part}_{seat.number}") in data},
                }
                for seat in played
            ],
        }
        try:
            deal = read_deal(document, self.rules, is_typed=True)
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

    @staticmethod
    def _plays(seat: Seat, data: Mapping[str, Any]) -> bool:
        """Cards or a surrender; a seat that is only marked for Fantasyland sits out."""
        return any(data.get(f"{part}_{seat.number}") for part in (*ROWS, "discards", "surrendered"))

    def played_at(self) -> datetime:
        return timezone.now()

    def button(self) -> int | None:
        return None

    def _field_at(self, pointer: str, played: Sequence[Seat]) -> str | None:
        """The field that a pointer of the document means; None for the whole form."""
        parts = pointer.strip("/").split("/")
        if parts[0] == "boards" and len(parts) > 1:
            return f"board_{int(parts[1]) + 1}"
        if parts[0] == "seats" and len(parts) > 2 and parts[2] in self.of_seat:
            return f"{parts[2]}_{played[int(parts[1])].number}"
        return None


class CorrectionForm(HandForm):
    """A hand written down anew, beginning with what stands in the book."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"), max_length=500, help_text=_("Everybody at the table can read it, beside both versions.")
    )

    def __init__(self, data: Any = None, *, stored: StoredHand, seats: Sequence[Seat], rules: Rules) -> None:
        typed = {f"board_{number}": cards_text(board) for number, board in enumerate(stored.boards, start=1)}
        for seat in stored.seats:
            typed |= {f"{row}_{seat.number}": cards_text(getattr(seat.setup, row)) for row in ROWS}
            typed[f"discards_{seat.number}"] = cards_text(seat.setup.discards)
            typed |= {f"{mark}_{seat.number}": getattr(seat.setup, mark) for mark in mark_choices(rules)}
        super().__init__(data, seats=seats, rules=rules, initial=typed | {"based_on": stored.version})
        self.stored = stored

    def played_at(self) -> datetime:
        return self.stored.played_at

    def button(self) -> int | None:
        return self.stored.button


class PointsForm(forms.Form):
    """A hand for which nobody kept the cards: points as each seat was given them. An empty seat sat out."""

    client_key = forms.UUIDField(widget=forms.HiddenInput)
    has_cards = False

    def __init__(self, data: Any = None, *, seats: Sequence[Seat], initial: Any = None) -> None:
        super().__init__(data, initial={"client_key": uuid.uuid4()} | (initial or {}))
        self.seats = seats
        self.deal: Deal | None = None
        for seat in seats:
            self.fields[f"points_{seat.number}"] = forms.IntegerField(
                label=seat.player.name,
                required=False,
                min_value=-MOST_POINTS,
                max_value=MOST_POINTS,
                widget=forms.TextInput(
                    attrs={"inputmode": "text", "autocomplete": "off", "placeholder": "+12, -12, 0"}
                ),
            )

    def seat_fields(self) -> list[tuple[Seat, forms.BoundField]]:
        return [(seat, self[f"points_{seat.number}"]) for seat in self.seats]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        played = [
            (seat, data[f"points_{seat.number}"])
            for seat in self.seats
            if data.get(f"points_{seat.number}") is not None
        ]
        self.deal = Deal(
            boards=(),
            seats=tuple(
                SeatRecord(seat.number, seat.player.name, NO_CARDS, player_id=seat.player_id)
                for seat, _points in played
            ),
            played_at=self.played_at(),
            client_key=data.get("client_key"),
            points=tuple(points for _seat, points in played),
        )
        if not played:
            self.add_error(None, gettext("Give at least two seats their points."))
        return data

    def played_at(self) -> datetime:
        return timezone.now()


class PointsCorrectionForm(PointsForm):
    """The points of a hand without cards written down anew."""

    based_on = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"), max_length=500, help_text=_("Everybody at the table can read it, beside both versions.")
    )

    def __init__(self, data: Any = None, *, stored: StoredHand, seats: Sequence[Seat]) -> None:
        given = {f"points_{seat.number}": seat.net_points for seat in stored.seats}
        super().__init__(data, seats=seats, initial=given | {"based_on": stored.version})
        self.stored = stored

    def played_at(self) -> datetime:
        return self.stored.played_at


class ReasonForm(forms.Form):
    """Why something is undone."""

    reason = forms.CharField(label=_("Reason"), max_length=500)
    based_on = forms.IntegerField(widget=forms.HiddenInput, required=False)
