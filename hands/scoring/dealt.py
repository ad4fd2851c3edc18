"""What is wrong with cards that were dealt, whatever the game: how many there are, and each only once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hands.scoring.cards import card_text, cards_text
from hands.scoring.problems import Problem


@dataclass(frozen=True)
class Spot:
    """Where a card lies: on a board (counted from 1), or in a row (or among the discards) of a seat."""

    card: int
    pointer: str
    board: int = 0
    place: int = -1
    seat: str = ""
    row: str = ""


def seat_count_problem(count: int, least: int, most: int) -> Problem:
    template = "The hand has {count} seats; these rules need {least} to {most}."
    if count == 1:
        template = "The hand has 1 seat; these rules need {least} to {most}."
    if least == most:
        template = template.replace("{least} to {most}", "{least}")
    return Problem("/seats", "seat_count", template, {"count": count, "least": least, "most": most})


def size_problem(
    pointer: str, code: str, subject: str, words: dict[str, object], cards: Sequence[int], needed: int, game: str
) -> Problem:
    if not cards:
        held = " has no cards; {game} needs {needed}."
    elif len(cards) == 1:
        held = " has 1 card ({cards}); {game} needs {needed}."
    else:
        held = " has {count} cards ({cards}); {game} needs {needed}."
    words |= {"count": len(cards), "cards": cards_text(cards), "needed": needed, "game": game}
    return Problem(pointer, code, subject + held, words)


def joker_not_in_rules(spot: Spot) -> Problem:
    """For a joker that a seat holds where the rules have none."""
    template = "Seat {seat} holds {card} in {row}; these rules have no jokers."
    words = {"card": card_text(spot.card), "seat": spot.seat, "row": spot.row}
    return Problem(spot.pointer, "joker_not_in_rules", template, words)


def repetitions(spots: Iterable[Spot]) -> Iterator[Problem]:
    """A problem for every further time that a card occurs, told against the first, at the further place.

    Boards must come before seats.
    """
    first_spots: dict[int, Spot] = {}
    for spot in spots:
        first = first_spots.setdefault(spot.card, spot)
        if first is not spot:
            yield _repetition(first, spot)


def _repetition(first: Spot, spot: Spot) -> Problem:
    words = {
        "card": card_text(spot.card),
        "board": first.board,
        "other_board": spot.board,
        "seat": first.seat,
        "row": first.row,
        "other_seat": spot.seat,
        "other_row": spot.row,
    }
    return Problem(spot.pointer, "card_repeated", _repetition_template(first, spot), words)


def _repetition_template(first: Spot, spot: Spot) -> str:
    # Boards come before seats, so a card of the board is always the first.
    if first.board and spot.board:
        if first.board == spot.board:
            return "{card} is twice on board {board}. A card occurs once in a hand."
        return "{card} is on board {board} and on board {other_board}. A card occurs once in a hand."
    if first.board:
        return "{card} is on board {board} and in seat {other_seat}, {other_row}. A card occurs once in a hand."
    if first.place != spot.place:
        return "Seat {seat} and seat {other_seat} both hold {card}."
    if first.row != spot.row:
        return "Seat {seat} holds {card} twice, in {row} and {other_row}."
    return "Seat {seat} holds {card} twice, in {row}."


def seat_words(number: int, name: str) -> str:
    return f"{number} ({name})" if name else str(number)
