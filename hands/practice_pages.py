"""What the page of practice shows: seven cards that were dealt, and the 105 ways to set them against an opponent.

Nothing is stored. The cards that were dealt are a signed text in the address, so that a reload keeps them and nobody
chooses their own; the deals that they meet follow from that text, so that a reload says the same numbers.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np
from django import forms
from django.core import signing
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hands.chances import BEST, rows_shown
from hands.forms import ROW_WORDS
from hands.rulesets import PRESET_WORDS
from hands.scoring import taiwanese
from hands.scoring.cards import card_text, parse_cards
from hands.scoring.practice import DEALS, PracticeSetting, deal_seven, practise
from hands.scoring.taiwanese import ROW_SIZES, ROWS
from hands.scoring.worth import rising
from hands.templatetags.cards import card_words

SALT: Final = "hands.practice"


@dataclass(frozen=True)
class Dealt:
    """Seven cards, rising, by the rules of a preset; ``signed`` is both as an address carries them."""

    preset: str
    cards: tuple[int, ...]
    signed: str

    @property
    def rules(self) -> taiwanese.Rules:
        return taiwanese.PRESETS[self.preset]


def deal(preset: str) -> Dealt:
    """Seven cards from a shuffled deck, by the rules of a preset of Taiwanese Poker."""
    cards = deal_seven(taiwanese.PRESETS[preset], np.random.default_rng())
    signed = signing.dumps([preset, "".join(map(card_text, cards))], salt=SALT)
    return Dealt(preset, cards, signed)


def read_dealt(signed: str) -> Dealt | None:
    """What was dealt, from the address; None where it was cut short or made up."""
    try:
        preset, cards = signing.loads(signed, salt=SALT)
    except signing.BadSignature:
        return None
    return Dealt(preset, parse_cards(cards), signed)


class DealForm(forms.Form):
    """By which rules to deal."""

    rules = forms.ChoiceField(
        label=gettext_lazy("Rules"), choices=[(name, PRESET_WORDS[name]) for name in taiwanese.PRESETS]
    )


class PracticeForm(forms.Form):
    """Into which row each of the seven cards goes."""

    def __init__(self, data: Any, *, dealt: Dealt) -> None:
        super().__init__(data)
        self.dealt = dealt
        for place, card in enumerate(dealt.cards):
            self.fields[f"card_{place}"] = forms.ChoiceField(
                label=card_words(card_text(card)), choices=list(ROW_WORDS.items()), widget=forms.RadioSelect
            )

    def lines(self) -> list[tuple[str, forms.BoundField]]:
        """Each card with its choice, the highest first."""
        return [
            (card_text(card), self[f"card_{place}"])
            for place, card in sorted(enumerate(self.dealt.cards), key=lambda one: -one[1])
        ]

    def clean(self) -> dict[str, Any]:
        chosen = [self.cleaned_data.get(f"card_{place}") for place in range(len(self.dealt.cards))]
        if None in chosen:
            left = chosen.count(None)
            raise ValidationError(_("%(count)d more to set: every card goes into a row.") % {"count": left})
        if [chosen.count(row) for row in ROWS] != list(ROW_SIZES):
            counts = {row: chosen.count(row) for row in ROWS}
            words = _(
                "You set %(top)d / %(middle)d / %(bottom)d; Taiwanese needs 1 on top, 2 in the middle, 4 at the bottom."
            )
            raise ValidationError(words % counts)
        return self.cleaned_data

    @property
    def setup(self) -> taiwanese.Setup:
        """How the cards were set; the form must be valid."""
        rows = {row: [] for row in ROWS}
        for place, card in enumerate(self.dealt.cards):
            rows[self.cleaned_data[f"card_{place}"]].append(card)
        return taiwanese.Setup(*(tuple(rows[row]) for row in ROWS))


def answer(dealt: Dealt, setup: taiwanese.Setup) -> dict[str, Any]:
    """How the setup stands among all 105 against the opponent of `hands.scoring.practice`: some 0.1 s of work."""
    random = np.random.default_rng(int.from_bytes(sha256(dealt.signed.encode()).digest()))
    found = practise(dealt.cards, rules=dealt.rules, random=random)
    own = rising(setup)
    played = next(one for one in found if one.setup == own)
    return {
        "played": _line(played, own),
        "settings": [_line(one, own) for one in found[:BEST]],
        "all_settings": len(found),
        "deals": DEALS,
    }


def _line(setting: PracticeSetting, own: taiwanese.Setup) -> dict[str, Any]:
    return {
        "rank": setting.rank,
        "rows": [
            {"label": ROW_WORDS[row], "cards": cards}
            for row, cards in zip(ROWS, rows_shown(setting.setup), strict=True)
        ],
        "expected": setting.expected,
        "error": setting.error,
        "behind": setting.behind,
        "behind_error": setting.behind_error,
        "is_played": setting.setup == own,
    }
