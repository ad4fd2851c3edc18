"""Streets of a hand: read from its document, checked, kept with its version, and given out again.

A street is ``{"seat": 1, "top": ["As"], "middle": [], "bottom": ["Kd"], "discards": ["2c"], "dealt": [...]}``; empty
places may be left out. ``dealt`` is compared with what was placed and discarded, and says no more than these.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from hands.reading import Reader, say
from hands.scoring.cards import card_text, parse_cards
from hands.scoring.chinese import Rules, Setup, Street, check_streets
from hands.scoring.chinese.streets import PLACES, ROUNDS
from hands.scoring.games import GAMES, MOST_SEATS

MOST_STREETS: Final = max(GAMES[game].most_seats * len(rounds) for game, rounds in ROUNDS.items())


def read_streets(reader: Reader) -> tuple[Street, ...]:
    """What could be read of the document's ``streets``; where something could not, the reader has faults."""
    value = reader.document.get("streets")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value) or len(value) > MOST_STREETS:
        words = _("streets must be a list of at most %(most)d objects.") % {"most": MOST_STREETS}
        reader.refuse("/streets", "streets", words)
        return ()
    streets = []
    for place, one in enumerate(value):
        pointer = f"/streets/{place}"
        seat = reader.whole(one, "seat", pointer, least=1, most=MOST_SEATS)
        cards = [reader.row(one.get(name) or [], f"{pointer}/{name}") for name in (*PLACES, "dealt")]
        if seat is not None:
            streets.append(Street(seat, *cards))
    return tuple(streets)


def street_faults(
    *, rules: Rules, button: int | None, seats: Sequence[tuple[int, str, Setup]], streets: Sequence[Street]
) -> Iterator[ValidationError]:
    """In what the streets do not fit the hand; ``seats`` are in the order of its document, and passed its check.

    The seat left of the button acts first; without a button the lowest one.
    """
    order = sorted(range(len(seats)), key=lambda place: (seats[place][0] <= (button or 0), seats[place][0]))
    for problem in check_streets(rules=rules, seats=[seats[place] for place in order], streets=streets):
        # The check counts seats in the order of play.
        pointer = re.sub(r"^/seats/(\d+)", lambda found: f"/seats/{order[int(found[1])]}", problem.pointer)
        yield say(replace(problem, pointer=pointer))


def streets_content(streets: Sequence[Street]) -> list[list[object]]:
    """What makes two tellings the same: the cards of a place have no order."""
    return [[one.seat, *(sorted(getattr(one, place)) for place in PLACES)] for one in streets]


def streets_document(streets: Sequence[Street]) -> list[dict[str, Any]]:
    """As documents and the database have them."""
    return [
        {"seat": one.seat}
        | {place: [card_text(card) for card in cards] for place in PLACES if (cards := getattr(one, place))}
        for one in streets
    ]


def stored_streets(document: Sequence[Mapping[str, Any]] | None) -> tuple[Street, ...]:
    """From what ``streets_document`` made."""
    return tuple(
        Street(one["seat"], *(parse_cards("".join(one.get(place, ()))) for place in PLACES)) for one in document or ()
    )
