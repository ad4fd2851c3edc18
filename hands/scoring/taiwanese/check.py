"""Whether a hand can have been dealt: sizes of rows and boards, and every card once."""

from collections.abc import Iterator, Sequence

from hands.scoring.cards import DECK, JOKERS, card_text
from hands.scoring.dealt import Spot, joker_not_in_rules, repetitions, seat_count_problem, seat_words, size_problem
from hands.scoring.problems import Problem
from hands.scoring.taiwanese.rows import Setup
from hands.scoring.taiwanese.rules import BOARD_SIZE, FEWEST_SEATS, ROW_SIZES, ROWS, TITLE, Rules

# A seat as it is named in sentences: its number, its player's name (or "") and its setup.
NamedSetup = tuple[int, str, Setup]


def check(*, rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> list[Problem]:
    """Everything that is wrong with a hand, in the order of its document; an empty list for a good hand.

    Pointers go into a document of ``boards`` and ``seats``, by place from 0, such as ``/boards/0``,
    ``/boards/1/3``, ``/seats/2/bottom`` or ``/seats/0/top/0``; sentences count boards from 1 and use the
    seats' own numbers. Source: the rules of Taiwanese Poker (2 to 6 seats of 1, 2 and 4 cards, boards of
    five; a card occurs once in a hand; jokers are dealt to players only).
    """
    if _is_sound(rules, boards, seats):
        return []
    return [
        *_count_problems(rules, boards, seats),
        *_size_problems(boards, seats),
        *_joker_problems(rules, boards, seats),
        *repetitions(_spots(boards, seats)),
    ]


def _is_sound(rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> bool:
    """True for most good hands, at a tenth of the cost of looking for problems; one with jokers is looked at."""
    if len(boards) != rules.boards or not FEWEST_SEATS <= len(seats) <= rules.seats:
        return False
    cards: list[int] = []
    for board in boards:
        if len(board) != BOARD_SIZE:
            return False
        cards += board
    for _number, _name, setup in seats:
        if (len(setup.top), len(setup.middle), len(setup.bottom)) != ROW_SIZES:
            return False
        cards += setup.top
        cards += setup.middle
        cards += setup.bottom
    return max(cards) < DECK and len(set(cards)) == len(cards)


def _count_problems(rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> Iterator[Problem]:
    if len(boards) != rules.boards:
        template = "The hand has {count} boards; these rules need {needed}."
        if len(boards) == 1:
            template = "The hand has 1 board; these rules need {needed}."
        yield Problem("/boards", "board_count", template, {"count": len(boards), "needed": rules.boards})
    if not FEWEST_SEATS <= len(seats) <= rules.seats:
        yield seat_count_problem(len(seats), FEWEST_SEATS, rules.seats)


def _size_problems(boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> Iterator[Problem]:
    for place, board in enumerate(boards):
        if len(board) != BOARD_SIZE:
            words: dict[str, object] = {"board": place + 1}
            yield size_problem(f"/boards/{place}", "board_size", "Board {board}", words, board, BOARD_SIZE, TITLE)
    for place, (number, name, setup) in enumerate(seats):
        for row, needed in zip(ROWS, ROW_SIZES, strict=True):
            cards = getattr(setup, row)
            if len(cards) != needed:
                words = {"seat": seat_words(number, name), "row": row}
                yield size_problem(
                    f"/seats/{place}/{row}", "row_size", "Seat {seat}: {row}", words, cards, needed, TITLE
                )


def _joker_problems(rules: Rules, boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> Iterator[Problem]:
    for spot in _spots(boards, seats):
        if spot.card not in JOKERS:
            continue
        if spot.board:
            template = "{card} is on board {board}. Jokers are dealt to players only."
            words = {"card": card_text(spot.card), "board": spot.board}
            yield Problem(spot.pointer, "joker_on_board", template, words)
        elif not rules.jokers:
            yield joker_not_in_rules(spot)


def _spots(boards: Sequence[Sequence[int]], seats: Sequence[NamedSetup]) -> Iterator[Spot]:
    for place, board in enumerate(boards):
        for index, card in enumerate(board):
            yield Spot(card, f"/boards/{place}/{index}", board=place + 1)
    for place, (number, name, setup) in enumerate(seats):
        for row in ROWS:
            for index, card in enumerate(getattr(setup, row)):
                pointer = f"/seats/{place}/{row}/{index}"
                yield Spot(card, pointer, place=place, seat=seat_words(number, name), row=row)
