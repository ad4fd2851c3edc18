"""Forms of a house's own rules, one for each kind of game; they make the parameters of a rule set."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import NameField
from hands.chinese_pages import NATURAL_WORDS
from hands.forms import ROW_WORDS
from hands.scoring.cards import RANKS
from hands.scoring.chinese.rules import (
    CARDS_DEALT,
    FEWEST_SEATS,
    FIVE_HANDS,
    MOST_SEATS,
    NATURALS,
    ROYALTY_HANDS,
    STANDARD_NATURALS,
    STANDARD_ROYALTIES,
    GameName,
)
from hands.scoring.games import GAMES
from hands.scoring.strength import CATEGORIES
from hands.scoring.taiwanese import ROWS
from hands.scoring.taiwanese.rules import HOMERUN_BONUS, ROW_POINTS
from hands.scoring.taiwanese.rules import MOST_SEATS as TAIWANESE_SEATS


class TaiwaneseRuleForm(forms.Form):
    """A house's own rules of Taiwanese Poker; contradictions are the scoring core's to refuse."""

    template = "hands/_rules_taiwanese.html"

    name = NameField(label=_("Name of these rules"))
    boards = forms.TypedChoiceField(label=_("Boards"), choices=[(2, "2"), (1, "1")], coerce=int, initial=2)
    top_points = forms.IntegerField(label=_("Top"), initial=ROW_POINTS[0])
    middle_points = forms.IntegerField(label=_("Middle"), initial=ROW_POINTS[1])
    bottom_points = forms.IntegerField(label=_("Bottom"), initial=ROW_POINTS[2])
    homerun_bonus = forms.IntegerField(
        label=_("Homerun bonus"),
        initial=HOMERUN_BONUS,
        help_text=_("For all three rows on both boards. With one board: 0."),
    )
    board_scoop_bonus = forms.IntegerField(
        label=_("Board scoop bonus"), initial=0, help_text=_("For all three rows of one board.")
    )
    jokers = forms.TypedChoiceField(label=_("Jokers"), choices=[(0, _("none")), (2, _("two"))], coerce=int, initial=0)
    seats = forms.IntegerField(label=_("Seats at most"), initial=TAIWANESE_SEATS)
    royalties_paid = forms.ChoiceField(
        label=_("Royalties"),
        choices=[("both", _("both seats’ are paid, netted")), ("winner", _("only the row’s winner collects"))],
        initial="both",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for row in ROWS:
            for category in CATEGORIES:
                self.fields[f"royalty_{row}_{category}"] = forms.IntegerField(
                    label=f"{ROW_WORDS[row]}, {category}",
                    required=False,
                    widget=forms.NumberInput(attrs={"class": "royalty", "placeholder": "0"}),
                )

    def royalty_lines(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Each category, strongest first, with its fields for top, middle and bottom."""
        return [(category, [self[f"royalty_{row}_{category}"] for row in ROWS]) for category in reversed(CATEGORIES)]

    def parameters(self) -> dict[str, object]:
        """The cleaned fields as the parameters of a rule set."""
        data = self.cleaned_data
        royalties = {
            row: {
                category: points
                for category in CATEGORIES
                if (points := data[f"royalty_{row}_{category}"]) is not None and points != 0
            }
            for row in ROWS
        }
        return {
            "row_points": [data[f"{row}_points"] for row in ROWS],
            "royalties": royalties if any(royalties.values()) else None,
            **{
                name: data[name]
                for name in ("boards", "homerun_bonus", "board_scoop_bonus", "jokers", "seats", "royalties_paid")
            },
        }


class ChineseRuleForm(forms.Form):
    """A house's own rules of a game of the Chinese family; contradictions are the scoring core's to refuse."""

    template = "hands/_rules_chinese.html"

    name = NameField(label=_("Name of these rules"))
    method = forms.ChoiceField(
        label=_("Scoring"),
        choices=[
            ("1-6", _("1-6: a point a row, 3 more for all three")),
            ("2-4", _("2-4: a point a row, 1 more for two rows or three")),
        ],
        initial="1-6",
    )
    scoop_bonus = forms.IntegerField(
        label=_("Scoop bonus"), required=False, help_text=_("Left empty: 3 with 1-6, 1 with 2-4. A foul costs it too.")
    )
    seats = forms.IntegerField(label=_("Seats at most"))
    jokers = forms.TypedChoiceField(label=_("Jokers"), choices=[(0, _("none")), (2, _("two"))], coerce=int, initial=0)
    royalties = forms.ChoiceField(
        label=_("Royalties"),
        choices=[("none", _("none")), ("standard", _("the standard table")), ("own", _("the table below"))],
    )
    royalties_paid = forms.ChoiceField(
        label=_("How royalties are paid"),
        choices=[
            ("both", _("both seats’ are paid, netted")),
            ("winner", _("only the row’s winner collects")),
            ("higher", _("in each row only the higher royalty")),
        ],
        initial="both",
    )
    surrender = forms.BooleanField(label=_("A seat may surrender"), required=False)
    naturals = forms.ChoiceField(
        label=_("Naturals"),
        choices=[
            ("none", _("none")),
            ("standard", _("dragon 13, three straights 4, three flushes 3, six pairs 3")),
            ("own", _("the points below")),
        ],
        initial="none",
        required=False,
    )
    middle_stays = forms.BooleanField(
        label=_("A full house or better in the middle stays in Fantasyland"), required=False
    )

    def __init__(self, *args: Any, game: GameName, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_closed = game == "chinese"
        standard = GAMES[game].read_rules({})
        for name, initial in (
            ("seats", MOST_SEATS[game]),
            ("royalties", "none" if standard.royalties is None else "standard"),
            ("middle_stays", standard.middle_stays),
        ):
            self.fields[name].initial = initial
        self.fields["seats"].help_text = _("%(fewest)d to %(most)d: %(cards)d cards are dealt to each.") % {
            "fewest": FEWEST_SEATS,
            "most": MOST_SEATS[game],
            "cards": CARDS_DEALT[game],
        }
        for name in ("middle_stays",) if self.is_closed else ("surrender", "naturals"):
            del self.fields[name]
        for row, hands, points in zip(ROWS, ROYALTY_HANDS, STANDARD_ROYALTIES, strict=True):
            for hand, worth in zip(hands, points, strict=True):
                self._add_points(f"royalty_{row}_{hand}", f"{ROW_WORDS[row]}, {hand}", worth)
        if self.is_closed:
            for natural, worth in zip(NATURALS, STANDARD_NATURALS, strict=True):
                self._add_points(f"natural_{natural}", NATURAL_WORDS[natural], worth)

    def _add_points(self, name: str, label: object, worth: int) -> None:
        self.fields[name] = forms.IntegerField(
            label=label,
            required=False,
            initial=worth or None,
            widget=forms.NumberInput(attrs={"class": "royalty", "placeholder": "0"}),
        )

    def royalty_lines(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Each category of five cards, strongest first, with its fields for middle and bottom."""
        return [(hand, [self[f"royalty_{row}_{hand}"] for row in ROWS[1:]]) for hand in reversed(FIVE_HANDS)]

    def top_lines(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Each rank, the ace first, with its fields for a pair and for three of a kind on top."""
        return [
            (rank.replace("T", "10"), [self[f"royalty_top_{rank * size}"] for size in (2, 3)])
            for rank in reversed(RANKS)
        ]

    def natural_lines(self) -> list[tuple[object, forms.BoundField]]:
        return [(NATURAL_WORDS[natural], self[f"natural_{natural}"]) for natural in NATURALS if self.is_closed]

    def parameters(self) -> dict[str, object]:
        """The cleaned fields as the parameters of a rule set."""
        data = self.cleaned_data
        plain = ("method", "jokers", "seats", "royalties_paid", "surrender", "middle_stays")
        found: dict[str, object] = {name: data[name] for name in plain if name in data}
        if data["scoop_bonus"] is not None:
            found["scoop_bonus"] = data["scoop_bonus"]
        found["royalties"] = data["royalties"]
        if data["royalties"] == "own":
            found["royalties"] = {
                row: {hand: points for hand in hands if (points := data[f"royalty_{row}_{hand}"]) is not None}
                for row, hands in zip(ROWS, ROYALTY_HANDS, strict=True)
            }
        if self.is_closed:
            found["naturals"] = data["naturals"] or "none"
            if data["naturals"] == "own":
                found["naturals"] = {name: data[f"natural_{name}"] or 0 for name in NATURALS}
        return found


RuleForm = TaiwaneseRuleForm | ChineseRuleForm


def rule_form(game: str, data: Any = None) -> RuleForm:
    """The form of a house's own rules of that game."""
    return TaiwaneseRuleForm(data) if game == "taiwanese" else ChineseRuleForm(data, game=game)
