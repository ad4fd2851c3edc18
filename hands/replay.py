"""A hand stepped through street by street, for its page."""

from typing import Any
from urllib.parse import urlencode

from hands.forms import ROW_WORDS
from hands.queries import StoredHand
from hands.scoring.cards import card_text, cards_text
from hands.scoring.chinese import ROW_SIZES, ROWS, Setup, states


def replay_shown(stored: StoredHand | None, asked: str, version: int | None) -> dict[str, Any] | None:
    """The table after the street that is asked for, counted from 1, and who did what in it; None without streets.

    Another ``asked`` shows none of them yet. ``version`` is an old one's that is looked at.
    """
    if stored is None or not stored.streets:
        return None
    total = len(stored.streets)
    step = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 3 and 0 < int(asked) <= total else 0

    def link(number: int) -> str:
        if not 0 < number <= total:
            return ""
        return "?" + urlencode({"street": number} | ({"version": version} if version else {})) + "#replay"

    shown: dict[str, Any] = {"step": step, "total": total, "before": link(step - 1), "after": link(step + 1)}
    if not step:
        return shown
    street = stored.streets[step - 1]
    setups: dict[int, Setup] = {seat.number: seat.setup for seat in stored.seats if isinstance(seat.setup, Setup)}
    table = list(states(setups=setups, streets=stored.streets[:step]))[-1]
    placed = [(ROW_WORDS[row], cards_text(cards)) for row in ROWS if (cards := getattr(street, row))]
    seats = [_seat(seat.number, seat.name, table[seat.number], street.seat) for seat in stored.seats]
    return shown | {
        "name": next(seat.name for seat in stored.seats if seat.number == street.seat),
        "placed": placed,
        "discards": cards_text(street.discards),
        "seats": seats,
    }


def _seat(number: int, name: str, setup: Setup, acting: int) -> dict[str, Any]:
    rows = [
        {
            "label": ROW_WORDS[row],
            "cards": [card_text(card) for card in getattr(setup, row)],
            "empty": range(size - len(getattr(setup, row))),
        }
        for row, size in zip(ROWS, ROW_SIZES, strict=True)
    ]
    return {"number": number, "name": name, "rows": rows, "is_acting": number == acting}
