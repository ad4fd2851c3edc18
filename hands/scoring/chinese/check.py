"""Whether a hand can have been dealt: sizes of rows, discards, Fantasyland, and every card once."""

from collections.abc import Iterator, Sequence

from hands.scoring.cards import DECK, JOKERS, cards_text
from hands.scoring.chinese.rows import Setup
from hands.scoring.chinese.rules import (
    CARDS_DEALT,
    FANTASYLAND_CARDS,
    FEWEST_SEATS,
    ROW_SIZES,
    ROWS,
    SETUP_SIZE,
    TITLES,
    Rules,
)
from hands.scoring.dealt import (
    Spot,
    joker_not_in_rules,
    repetitions,
    seat_count_problem,
    seat_words,
    size_problem,
)
from hands.scoring.problems import Problem

# A seat as it is named in sentences: its number, its player's name (or "") and its setup.
NamedSetup = tuple[int, str, Setup]


def check(*, rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> list[Problem]:
    """Everything that is wrong with a hand, in the order of its document; an empty list for a good hand.

    Pointers go into a document of ``seats``, by place from 0, such as ``/seats/2/bottom``, ``/seats/0/top/0``,
    ``/seats/1/discards`` or ``/seats/1/fantasyland``; sentences use the seats' own numbers. A foul is no problem.
    Source: the rules of the game (rows of 3, 5 and 5 cards; discards may be left out, but all or none of a seat's; a
    card occurs once in a hand; a seat that surrendered need not show cards).
    """
    if _is_sound(rules, boards, seats):
        return []
    return [
        *_count_problems(rules, boards, seats),
        *(problem for place, seat in enumerate(seats) for problem in _seat_problems(rules, f"/seats/{place}", *seat)),
        *(joker_not_in_rules(spot) for spot in _spots(seats) if spot.card in JOKERS and not rules.jokers),
        *repetitions(_spots(seats)),
    ]


def _is_sound(rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> bool:
    """True for most good hands, at a fraction of the cost of looking for problems; anything special is looked at."""
    if boards or not FEWEST_SEATS <= len(seats) <= rules.seats:
        return False
    cards: list[int] = []
    for _number, _name, setup in seats:
        if setup.surrendered or setup.fantasyland or setup.discards:
            return False
        if (len(setup.top), len(setup.middle), len(setup.bottom)) != ROW_SIZES:
            return False
        cards += setup.top
        cards += setup.middle
        cards += setup.bottom
    return max(cards) < DECK and len(set(cards)) == len(cards)


def _count_problems(rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> Iterator[Problem]:
    if boards:
        yield Problem("/boards", "board_count", "{game} has no boards.", {"game": TITLES[rules.game]})
    if not FEWEST_SEATS <= len(seats) <= rules.seats:
        yield seat_count_problem(len(seats), FEWEST_SEATS, rules.seats)


def _seat_problems(rules: Rules, pointer: str, number: int, name: str, setup: Setup) -> Iterator[Problem]:
    seat, game = seat_words(number, name), TITLES[rules.game]
    hides = setup.surrendered and not (setup.top or setup.middle or setup.bottom)
    for row, needed in zip(ROWS, ROW_SIZES, strict=True):
        cards = getattr(setup, row)
        if len(cards) != needed and not hides:
            words: dict[str, object] = {"seat": seat, "row": row}
            yield size_problem(f"{pointer}/{row}", "row_size", "Seat {seat}: {row}", words, cards, needed, game)
    yield from _discard_problems(rules, pointer, seat, setup)
    yield from _fantasyland_problems(rules, pointer, seat, setup)
    if setup.surrendered and not rules.surrender:
        template = "Seat {seat} surrendered; these rules have no surrender."
        yield Problem(f"{pointer}/surrendered", "surrender_not_in_rules", template, {"seat": seat})


def _discard_problems(rules: Rules, pointer: str, seat: str, setup: Setup) -> Iterator[Problem]:
    dealt = setup.fantasyland or CARDS_DEALT[rules.game]
    needed = dealt - SETUP_SIZE
    # A wrong number of cards in Fantasyland is told by itself.
    if not setup.discards or len(setup.discards) == needed or dealt not in _cards_dealt(rules):
        return
    words = {
        "seat": seat,
        "game": TITLES[rules.game],
        "count": len(setup.discards),
        "cards": cards_text(setup.discards),
        "dealt": dealt,
        "needed": needed,
    }
    template = "Seat {seat}: {count} discards ({cards}); of {dealt} cards dealt {needed} are discarded."
    if len(setup.discards) == 1:
        template = "Seat {seat}: 1 discard ({cards}); of {dealt} cards dealt {needed} are discarded."
    if needed == 1:
        template = "Seat {seat}: {count} discards ({cards}); of {dealt} cards dealt 1 is discarded."
    if needed == 0:
        template = "Seat {seat} has discards ({cards}); of {dealt} cards dealt none is discarded."
    yield Problem(f"{pointer}/discards", "discard_count", template, words)


def _cards_dealt(rules: Rules) -> tuple[int, ...]:
    return (CARDS_DEALT[rules.game], *FANTASYLAND_CARDS[rules.game])


def _fantasyland_problems(rules: Rules, pointer: str, seat: str, setup: Setup) -> Iterator[Problem]:
    choices = FANTASYLAND_CARDS[rules.game]
    if not setup.fantasyland or setup.fantasyland in choices:
        return
    template = "Seat {seat}: in Fantasyland {game} deals {choices} cards, not {count}."
    if not choices:
        template = "Seat {seat}: {game} has no Fantasyland."
    words = {
        "seat": seat,
        "game": TITLES[rules.game],
        "choices": " or ".join(map(str, choices)),
        "count": setup.fantasyland,
    }
    yield Problem(f"{pointer}/fantasyland", "fantasyland_cards", template, words)


def _spots(seats: Sequence[NamedSetup]) -> Iterator[Spot]:
    for place, (number, name, setup) in enumerate(seats):
        for row in (*ROWS, "discards"):
            for index, card in enumerate(getattr(setup, row)):
                pointer = f"/seats/{place}/{row}/{index}"
                yield Spot(card, pointer, place=place, seat=seat_words(number, name), row=row)
