"""What the pages of a hand of Taiwanese Poker show, in the shapes that `templates/parts/` expect."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from hands.forms import ROW_WORDS
from hands.hand_parts import Chosen, matrix_shown, told_pair
from hands.queries import StoredHand, StoredSeat
from hands.scoring import taiwanese
from hands.scoring.cards import card_text
from hands.scoring.taiwanese import ROWS, Rules
from hands.scoring.taiwanese.explain import Explanation, RowReading


def last_hand_shown(hand: StoredHand, rules: Rules) -> dict[str, Any]:
    """A hand in short: its boards and its homeruns."""
    score = taiwanese.score(hand.boards, [seat.setup for seat in hand.seats], rules)
    return {"boards": boards_shown(hand), "homeruns": homeruns_shown(hand, score.pairs)}


def scored_hand(stored: StoredHand, rules: Rules, chosen: Chosen) -> dict[str, Any]:
    """What its cards say of a hand: boards, seats by result, matrix of pairs, homeruns, and what is told in full."""
    setups = [seat.setup for seat in stored.seats]
    explained = taiwanese.explain(stored.boards, setups, rules)
    score = explained.score
    seats = [
        {
            "number": seat.number,
            "name": seat.name,
            "net_points": score.net[place],
            "has_button": seat.number == stored.button,
            "rows": [row_shown(seat, explained.rows[place], number, chosen) for number in range(len(ROWS))],
        }
        for place, seat in enumerate(stored.seats)
    ]
    boards = boards_shown(stored)
    told = _told_row(stored, explained, chosen)
    if told is not None:
        boards[chosen.board - 1] |= {"marked": told["on_board"], "who": told["who"], "reading": told["short"]}
    return {
        "boards": boards,
        "board_in_view": chosen.board,
        "told_row": told,
        "told_pair": told_pair(stored, score.pairs, explained.pairs, chosen, _mark),
        "seats": sorted(seats, key=lambda seat: -seat["net_points"]),
        "matrix": matrix_shown(stored, score.net, score.pairs, chosen, _mark),
        "homeruns": homeruns_shown(stored, score.pairs),
    }


def boards_shown(hand: StoredHand) -> list[dict[str, Any]]:
    return [
        {"number": number, "cards": [card_text(card) for card in board]}
        for number, board in enumerate(hand.boards, start=1)
    ]


def homeruns_shown(hand: StoredHand, pairs: Sequence[taiwanese.Pair]) -> list[dict[str, Any]]:
    found = []
    for pair in pairs:
        if not pair.homerun:
            continue
        winner, loser = (pair.first, pair.second) if pair.homerun > 0 else (pair.second, pair.first)
        rows = [abs(points) for points in pair.rows]
        halves = " + ".join(str(sum(rows[start : start + 3])) for start in range(0, len(rows), 3))
        words = _("All six rows: %(rows)s, and %(bonus)d for the homerun")
        found.append(
            {
                "winner": hand.seats[winner].name,
                "loser": hand.seats[loser].name,
                "points": abs(pair.points),
                "sum_words": words % {"rows": halves, "bonus": abs(pair.homerun)},
            }
        )
    return found


def row_shown(
    seat: StoredSeat, readings: Sequence[Sequence[RowReading]], number: int, chosen: Chosen
) -> dict[str, Any]:
    name = ROWS[number]
    return {
        "name": name,
        "label": ROW_WORDS[name],
        "chosen": (seat.number, name) == (chosen.seat, chosen.row),
        "cards": [
            {
                "text": card_text(card),
                "marks": {
                    board: readings[board - 1][number].uses_row_card(place) for board in range(1, len(readings) + 1)
                },
            }
            for place, card in enumerate(getattr(seat.setup, name))
        ],
        "readings": [
            {
                "board": board,
                "short": reading[number].short,
                "words": reading[number].words,
                "url": chosen.link(row=f"{seat.number}-{name}-{board}"),
            }
            for board, reading in enumerate(readings, start=1)
        ],
    }


def _told_row(stored: StoredHand, explained: Explanation, chosen: Chosen) -> dict[str, Any] | None:
    """The chosen row on the chosen board: its five cards, each from where, and what each joker is played as."""
    place = next((place for place, seat in enumerate(stored.seats) if seat.number == chosen.seat), None)
    if place is None or chosen.row not in ROWS or not 1 <= chosen.board <= len(stored.boards):
        return None
    reading = explained.rows[place][chosen.board - 1][ROWS.index(chosen.row)]
    from_row = sum(best.where == "row" for best in reading.best)
    name = stored.seats[place].name
    sources = _("%(row)d of the row, %(board)d of the board") % {"row": from_row, "board": 5 - from_row}
    if chosen.row == "bottom":
        sources = _("two of four, three of the board")
    elif not from_row:
        sources = _("the board plays")
    return {
        "who": _("%(name)s, %(row)s") % {"name": name, "row": ROW_WORDS[chosen.row].lower()},
        "heading": _("%(name)s: %(row)s on board %(board)d")
        % {"name": name, "row": ROW_WORDS[chosen.row].lower(), "board": chosen.board},
        "short": reading.short,
        "words": reading.words,
        "sources": sources,
        "on_board": [card_text(best.card) for best in reading.best if best.where == "board"],
        "cards": [
            {
                "text": card_text(best.card),
                "played_as": card_text(best.played_as) if best.played_as != best.card else "",
            }
            for best in reading.best
        ],
    }


def _mark(pair: taiwanese.Pair) -> tuple[Sequence[int], bool]:
    return pair.rows, bool(pair.homerun)
