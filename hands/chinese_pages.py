"""What the pages of a hand of the Chinese family show, in the shape of `templates/parts/_laid_setups.html`."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from hands.forms import ROW_WORDS
from hands.hand_parts import Chosen, matrix_shown, told_pair
from hands.queries import StoredHand
from hands.scoring import chinese
from hands.scoring.cards import JOKERS, card_text
from hands.scoring.chinese import ROWS, Explanation, RowReading, Rules, Score, Setup

NATURAL_WORDS: Final = {
    "dragon": gettext_lazy("Dragon"),
    "three straights": gettext_lazy("Three straights"),
    "three flushes": gettext_lazy("Three flushes"),
    "six pairs": gettext_lazy("Six pairs"),
}


def last_hand_shown(hand: StoredHand, rules: Rules) -> dict[str, Any]:
    """A hand in short: what each seat won, what it earned in royalties, and what happened to it."""
    score = chinese.score((), [seat.setup for seat in hand.seats], rules)
    seats = [
        {
            "number": seat.number,
            "name": seat.name,
            "net_points": score.net[place],
            "royalties": sum(score.royalties[place]),
            "badges": list(badges_shown(place, seat.setup, score)),
        }
        for place, seat in enumerate(hand.seats)
    ]
    return {"seats": sorted(seats, key=lambda seat: -seat["net_points"])}


def scored_hand(stored: StoredHand, rules: Rules, chosen: Chosen) -> dict[str, Any]:
    """What its cards say of a hand: seats by result, the matrix of pairs, and the pair that is told in full."""
    setups = [seat.setup for seat in stored.seats]
    explained = chinese.explain((), setups, rules)
    seats = [
        seat_shown(place, seat.number, seat.name, seat.setup, explained)
        | {"has_button": seat.number == stored.button, "label": ""}
        for place, seat in enumerate(stored.seats)
    ]
    score = explained.score
    return {
        "told_pair": told_pair(stored, score.pairs, explained.pairs, chosen, _mark),
        "seats": sorted(seats, key=lambda seat: -seat["net_points"]),
        "matrix": matrix_shown(stored, score.net, score.pairs, chosen, _mark),
    }


def seat_shown(place: int, number: int, name: str, setup: Setup, explained: Explanation) -> dict[str, Any]:
    """One seat's setup; a seat that surrendered without showing its cards has no rows."""
    score = explained.score
    readings: Sequence[RowReading | None] = explained.rows[place] or (None,) * len(ROWS)
    rows = [
        _row_shown(row, getattr(setup, row), reading)
        for row, reading in zip(ROWS, readings, strict=True)
        if getattr(setup, row)
    ]
    return {
        "number": number,
        "name": name,
        "net_points": score.net[place],
        "royalties": sum(score.royalties[place]),
        "badges": list(badges_shown(place, setup, score)),
        "rows": rows,
        "discards": [card_text(card) for card in setup.discards],
    }


def _row_shown(row: str, cards: Sequence[int], reading: RowReading | None) -> dict[str, Any]:
    played = reading.played if reading else cards
    return {
        "name": row,
        "label": ROW_WORDS[row],
        "cards": [
            {"text": card_text(card), "played_as": card_text(stands) if card in JOKERS and stands != card else ""}
            for card, stands in zip(cards, played, strict=True)
        ],
        "short": reading.short if reading else "",
        "words": reading.words if reading else "",
        "royalty": reading.royalty if reading else 0,
    }


def badges_shown(place: int, setup: Setup, score: Score) -> Iterator[dict[str, str]]:
    """What there is to say of a seat: foul, natural, surrender; in Fantasyland, and in it in the next hand."""
    if score.fouls[place]:
        yield {"kind": "loss", "icon": "cross", "words": _("Foul")}
    if score.naturals[place]:
        yield {"kind": "felt", "icon": "check", "words": str(NATURAL_WORDS[score.naturals[place]])}
    if setup.surrendered:
        yield {"kind": "quiet", "icon": "minus", "words": _("Surrendered")}
    if setup.fantasyland:
        words = _("In Fantasyland, %(cards)d cards") % {"cards": setup.fantasyland}
        yield {"kind": "felt", "icon": "check", "words": words}
    if owed := score.fantasyland[place]:
        words = (
            _("Stays in Fantasyland, %(cards)d cards") if setup.fantasyland else _("Fantasyland next, %(cards)d cards")
        )
        yield {"kind": "felt", "icon": "arrow", "words": words % {"cards": owed}}


def _mark(pair: chinese.Pair) -> tuple[Sequence[int], bool]:
    """Rows that were compared, or lost by a foul; none where a natural or a surrender stood in their place."""
    return (pair.rows if any(pair.rows) or not (pair.natural or pair.surrender) else ()), False
