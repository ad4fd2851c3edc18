"""A hand street by street: what each seat was dealt and where it placed it, so that a hand can be replayed.

Source: the rules of Open-Face Chinese. The seat left of the button goes first, then clockwise, round after round:
five cards and then one at a time, in Pineapple and Progressive three of which one is discarded. A seat in Fantasyland
sets all its cards at once, whenever it is asked to. Final setups alone remain enough: streets are told or left out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hands.scoring.cards import cards_text
from hands.scoring.chinese.check import NamedSetup
from hands.scoring.chinese.rows import Setup
from hands.scoring.chinese.rules import ROWS, SETUP_SIZE, Rules
from hands.scoring.dealt import Spot, repetitions, seat_words
from hands.scoring.problems import Problem

PLACES: Final = (*ROWS, "discards")
# Cards dealt and discarded in each round outside Fantasyland.
_CLASSIC: Final = ((5, 0), *((1, 0),) * 8)
_PINEAPPLE: Final = ((5, 0), *((3, 1),) * 4)
ROUNDS: Final[Mapping[str, tuple[tuple[int, int], ...]]] = {
    "open-face": _CLASSIC,
    "pineapple": _PINEAPPLE,
    "progressive": _PINEAPPLE,
}


@dataclass(frozen=True, slots=True)
class Street:
    """One turn of one seat: its number, where it placed cards, what it discarded, and what it was dealt.

    ``dealt`` may be left out; then what was placed and discarded was dealt.
    """

    seat: int
    top: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    bottom: tuple[int, ...] = ()
    discards: tuple[int, ...] = ()
    dealt: tuple[int, ...] = ()

    @property
    def used(self) -> tuple[int, ...]:
        """The cards that were placed or discarded."""
        return (*self.top, *self.middle, *self.bottom, *self.discards)


def check_streets(*, rules: Rules, seats: Sequence[NamedSetup], streets: Sequence[Street]) -> list[Problem]:
    """Everything in which the streets do not follow the deal, or the setups do not follow from them.

    ``seats`` are the hand's, in the order of play: the one left of the button first, then clockwise. Pointers are such
    as ``/streets/3``, ``/streets/3/dealt`` or ``/streets/3/top``; for a setup that differs ``/seats/1/top``, by place
    in ``seats``. The setups must have passed check.
    """
    if rules.game not in ROUNDS:
        return [Problem("/streets", "no_streets", "This game is dealt at once and has no streets.")] if streets else []
    names = {number: seat_words(number, name) for number, name, _ in seats}
    strangers = [place for place, street in enumerate(streets) if street.seat not in names]
    if strangers:
        template = "Seat {seat} places cards but is not in the hand."
        return [
            Problem(f"/streets/{place}/seat", "street_seat", template, {"seat": streets[place].seat})
            for place in strangers
        ]
    return [
        *_order_problems(rules, seats, streets, names),
        *(problem for place, street in enumerate(streets) for problem in _street_problems(place, street, names)),
        *repetitions(_spots(streets, names)),
        *_setup_problems(seats, streets, names),
    ]


def states(*, setups: Mapping[int, Setup], streets: Sequence[Street]) -> Iterator[dict[int, Setup]]:
    """What lies on the table after each street, by seat number: as many states as streets, for a page to step through.

    ``setups`` are the hand's by seat number; what they say of Fantasyland is kept.
    """
    table = {seat: replace(setup, top=(), middle=(), bottom=(), discards=()) for seat, setup in setups.items()}
    for street in streets:
        held = table[street.seat]
        now = replace(
            held,
            top=held.top + street.top,
            middle=held.middle + street.middle,
            bottom=held.bottom + street.bottom,
            discards=held.discards + street.discards,
        )
        table = table | {street.seat: now}
        yield table


def _turns(rules: Rules, setup: Setup) -> tuple[tuple[int, int], ...]:
    """Cards dealt and discarded in each turn of a seat."""
    if setup.fantasyland:
        return ((setup.fantasyland, setup.fantasyland - SETUP_SIZE),)
    return ROUNDS[rules.game]


def _order_problems(
    rules: Rules, seats: Sequence[NamedSetup], streets: Sequence[Street], names: Mapping[int, str]
) -> Iterator[Problem]:
    """Who is not on turn, and whoever places or discards another number of cards than their turn has."""
    turns = {number: list(_turns(rules, setup)) for number, _, setup in seats}
    inside = {number for number, _, setup in seats if setup.fantasyland}
    queue = [number for _ in ROUNDS[rules.game] for number, _, _ in seats if number not in inside]
    for place, street in enumerate(streets):
        if not turns[street.seat]:
            template = "Seat {seat} places cards after its last street."
            yield Problem(f"/streets/{place}", "street_too_many", template, {"seat": names[street.seat]})
            continue
        if street.seat not in inside and queue[0] != street.seat:
            words: dict[str, object] = {"seat": names[street.seat], "turn": names[queue[0]]}
            template = "Seat {seat} places cards when it is seat {turn}'s turn."
            yield Problem(f"/streets/{place}/seat", "street_order", template, words)
            # What follows an order that is lost would only repeat it.
            return
        queue = queue if street.seat in inside else queue[1:]
        dealt, discarded = turns[street.seat].pop(0)
        if (len(street.used), len(street.discards)) != (dealt, discarded):
            words = {
                "seat": names[street.seat],
                "placed": len(street.used) - len(street.discards),
                "discarded": len(street.discards),
                "to_place": dealt - discarded,
                "to_discard": discarded,
            }
            template = (
                "Seat {seat} places {placed} and discards {discarded}; this street has {to_place} and {to_discard}."
            )
            yield Problem(f"/streets/{place}", "street_size", template, words)
    for number, left in turns.items():
        if left:
            words = {"seat": names[number], "count": len(left)}
            template = "Seat {seat}: {count} streets are missing."
            if len(left) == 1:
                template = "Seat {seat}: 1 street is missing."
            yield Problem("/streets", "street_missing", template, words)


def _street_problems(place: int, street: Street, names: Mapping[int, str]) -> Iterator[Problem]:
    if street.dealt and Counter(street.dealt) != Counter(street.used):
        words = {
            "seat": names[street.seat],
            "dealt": cards_text(street.dealt),
            "used": cards_text(street.used),
        }
        template = "Seat {seat} was dealt {dealt} but places or discards {used}."
        yield Problem(f"/streets/{place}/dealt", "street_dealt", template, words)


def _spots(streets: Sequence[Street], names: Mapping[int, str]) -> Iterator[Spot]:
    for place, street in enumerate(streets):
        for row in PLACES:
            for index, card in enumerate(getattr(street, row)):
                pointer = f"/streets/{place}/{row}/{index}"
                yield Spot(card, pointer, place=street.seat, seat=names[street.seat], row=row)


def _setup_problems(
    seats: Sequence[NamedSetup], streets: Sequence[Street], names: Mapping[int, str]
) -> Iterator[Problem]:
    """Rows that are placed in and discards that are not those of the setup; discards that are not told may be any."""
    for index, (number, _, setup) in enumerate(seats):
        ours = [street for street in streets if street.seat == number]
        for row in PLACES:
            placed = [card for street in ours for card in getattr(street, row)]
            held = getattr(setup, row)
            if (row in ROWS or held) and Counter(placed) != Counter(held):
                words = {
                    "seat": names[number],
                    "row": row,
                    "placed": cards_text(placed) or "nothing",
                    "held": cards_text(held) or "nothing",
                }
                template = "Seat {seat}: {row} is {held}, but the streets put {placed} there."
                yield Problem(f"/seats/{index}/{row}", "street_setup", template, words)
