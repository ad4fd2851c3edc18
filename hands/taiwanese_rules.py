"""What the page of a rule set of Taiwanese Poker shows: its parameters in words, and hands that are scored by them.

The cards of the worked hands stand here; every number beside them is worked out by the scoring core from these rules.
"""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from hands.forms import ROW_WORDS
from hands.hand_parts import Chosen
from hands.queries import StoredSeat
from hands.rule_parts import money_words
from hands.scoring import taiwanese
from hands.scoring.cards import card_text, card_words, parse_cards
from hands.scoring.strength import CATEGORIES
from hands.scoring.taiwanese import ROWS, Rules, Setup
from hands.scoring.taiwanese.explain import Explanation, RowReading
from hands.taiwanese_pages import row_shown


@dataclass(frozen=True)
class Example:
    """Two seats on two boards. With one board the first is played."""

    boards: tuple[str, str]
    ana: tuple[str, str, str]
    ben: tuple[str, str, str]

    def explain(self, rules: Rules) -> Explanation:
        return taiwanese.explain(self.cards(rules), self.setups(), rules)

    def cards(self, rules: Rules) -> list[tuple[int, ...]]:
        return [parse_cards(board) for board in self.boards[: rules.boards]]

    def setups(self) -> list[Setup]:
        return [Setup(*(parse_cards(row) for row in rows)) for rows in (self.ana, self.ben)]


# Ana wins every row on both boards (SeanYao314/taiwanese-poker).
SWEPT: Final = Example(("2dAc4dQc8h", "AsJhJd4cJs"), ("7h", "9hAd", "3c5s3s7d"), ("5d", "Td5c", "8s2cTh7s"))
# She wins five of six; on board 1 both bottoms are nines and fours with an ace.
TIED: Final = Example(("2c9c4sAh3d", "AdQd3cKd4h"), ("Qh", "KsKc", "Jh9s4c2h"), ("Tc", "7h7c", "9h8h6s4d"))
# She wins all of board 1, and on board 2 the top alone.
ONE_BOARD: Final = Example(("4d5s9sKd9h", "Ad2d8sTs9d"), ("As", "KsQd", "Jh8d4c3c"), ("Qs", "2s2h", "JsTd8c6s"))
# Her joker makes a pair of aces on board 1, and four jacks on board 2.
JOKER: Final = Example(SWEPT.boards, ("X1", "9hAd", "3c5s3s7d"), SWEPT.ben)
# Strong rows of every category, for rules that pay royalties.
STRONG: Final = (
    Example(("7s7h7c8cTc", "JdAc5dKdQc"), ("Ts", "5s5h", "7d4d2d2c"), ("Ah", "KhJs", "9d6d3d2h")),
    Example(("Jc3sJh8cJd", "6d4d5h2d5c"), ("Ah", "7h7c", "Th5s5d3h"), ("Ad", "KhQh", "JsTc8s6h")),
    Example(("Kc6d7h7sJc", "9dTh5h5dTc"), ("Ts", "3d3c", "9c8d7c6h"), ("Ks", "QdJd", "7d4c3h2c")),
    SWEPT,
)
CARDS_OF_ROWS: Final = {
    "top": gettext_lazy("one card with the board: the best five of the six, or the board alone"),
    "middle": gettext_lazy("two cards with the board: the best five, with both, one or neither of them"),
    "bottom": gettext_lazy("four cards: exactly two of them, with exactly three of the board"),
}


def rules_told(rules: Rules) -> dict[str, Any]:
    return {
        "said": list(_said(rules)),
        "row_lines": [
            (ROW_WORDS[row], CARDS_OF_ROWS[row], points) for row, points in zip(ROWS, rules.row_points, strict=True)
        ],
        "tables": [
            {
                "title": _("Royalties"),
                "head": _("Category"),
                "columns": [ROW_WORDS[row] for row in ROWS],
                "lines": lines,
            }
            for lines in [_royalty_lines(rules)]
            if lines
        ],
        "examples": [_shown(*example, rules) for example in _examples(rules)],
        "reading": _reading(rules),
        "tips": list(_tips(rules)),
    }


def rules_short(rules: Rules) -> str:
    """A line that tells rule sets of this game apart."""
    told = [
        ngettext("%(boards)d board", "%(boards)d boards", rules.boards) % {"boards": rules.boards},
        _("rows %(points)s") % {"points": ", ".join(map(str, rules.row_points))},
    ]
    if rules.homerun_bonus:
        told.append(_("homerun %(bonus)d") % {"bonus": rules.homerun_bonus})
    if rules.board_scoop_bonus:
        told.append(_("board scoop %(bonus)d") % {"bonus": rules.board_scoop_bonus})
    told += [_("two jokers")] * bool(rules.jokers) + [_("royalties")] * bool(rules.royalties)
    return " · ".join(told)


def _said(rules: Rules) -> Iterator[str]:
    """Every parameter as a sentence."""
    yield _("Two to %(seats)d players hold seven cards each and set them in three rows; no row must beat another.") % {
        "seats": rules.seats
    }
    if rules.boards == 2:
        yield _(
            "Then two boards of five cards are opened. Every row plays on both, against every other seat by itself."
        )
    else:
        yield _("Then one board of five cards is opened. Every row plays on it, against every other seat by itself.")
    yield _("Who wins a row gets its points from the other; a tie is worth nothing to both.")
    if rules.homerun_bonus:
        yield _("All three rows on both boards are a homerun: %(bonus)d points more. A tied row voids it.") % {
            "bonus": rules.homerun_bonus
        }
    elif rules.boards == 2:
        yield _("All three rows on both boards earn nothing on top: there is no homerun.")
    if rules.board_scoop_bonus:
        yield _("All three rows of one board are a scoop: %(bonus)d points more. A tied row voids it.") % {
            "bonus": rules.board_scoop_bonus
        }
    if rules.jokers:
        yield _(
            "Two jokers are dealt, to players only. A joker is the card that makes the row best, chosen anew for every "
            "row and board, but never one that lies in the same five."
        )
    if rules.royalties and rules.royalties_paid == "both":
        yield _("Strong rows earn royalties on every board: both seats' are counted, and the difference is paid.")
    elif rules.royalties:
        yield _("Strong rows earn royalties on every board: only who wins the row collects; a tie collects nothing.")


def _royalty_lines(rules: Rules) -> list[tuple[str, list[int]]]:
    """Categories that earn anything, strongest first, with the points of top, middle and bottom."""
    if rules.royalties is None:
        return []
    lines = [(category, [table[place] for table in rules.royalties]) for place, category in enumerate(CATEGORIES)]
    return [(category, points) for category, points in reversed(lines) if any(points)]


def _examples(rules: Rules) -> Iterator[tuple[str, str, Example]]:
    if rules.homerun_bonus:
        yield _("A homerun"), _("Ana wins all six rows."), SWEPT
        yield _("A tied row voids it"), _("Five rows won and one tied: no homerun."), TIED
    elif rules.boards == 2:
        yield _("All six rows"), _("Ana wins all six rows; these rules pay nothing on top."), SWEPT
    if rules.board_scoop_bonus and rules.boards == 2:
        yield _("A board scoop"), _("All three rows of board 1, but not of board 2."), ONE_BOARD
    elif rules.board_scoop_bonus:
        yield _("A board scoop"), _("Ana wins all three rows."), ONE_BOARD
        yield _("A tied row voids it"), _("Two rows won and one tied: no scoop."), TIED
    elif not rules.homerun_bonus:
        yield _("Rows one by one"), _("Every row counts by itself."), ONE_BOARD
    if rules.jokers:
        yield _("A joker"), _("One joker, played as another card on each board."), JOKER
    if rules.royalties:
        for example in STRONG:
            if example.explain(rules).score.pairs[0].royalties:
                yield _("Royalties"), _("What strong rows are paid beside the rows themselves."), example
                return


def _shown(heading: str, lesson: str, example: Example, rules: Rules) -> dict[str, Any]:
    explained = example.explain(rules)
    pair = explained.score.pairs[0]
    names = ("Ana", "Ben")
    seats = [
        {
            "number": place + 1,
            "name": names[place],
            "label": f"{heading}: {names[place]}",
            "net_points": explained.score.net[place],
            "rows": [_row_without_link(place, setup, explained, row) for row in range(len(ROWS))],
        }
        for place, setup in enumerate(example.setups())
    ]
    return {
        "heading": heading,
        "lesson": lesson,
        "boards": [
            {
                "number": number,
                "label": _("%(example)s: board %(number)d") % {"example": heading, "number": number},
                "cards": [card_text(card) for card in board],
            }
            for number, board in enumerate(example.cards(rules), start=1)
        ],
        "seats": seats,
        "rows": pair.rows,
        "homerun": bool(pair.homerun),
        "points": pair.points,
        "words": explained.pairs[0],
        "money": money_words(pair.points),
        "jokers": [_played_words(number, rows) for number, rows in enumerate(explained.rows[0], start=1)]
        if example is JOKER
        else [],
    }


def _played_words(board: int, rows: Sequence[RowReading]) -> str:
    """What the joker among a seat's rows is on one board."""
    played = next(best.played_as for row in rows for best in row.best if best.card != best.played_as)
    return _("On board %(number)d the joker is the %(card)s.") % {"number": board, "card": card_words(played).lower()}


def _row_without_link(place: int, setup: Setup, explained: Explanation, row: int) -> dict[str, Any]:
    """A row as a hand's page shows it, but nothing opens here: the words are all there."""
    seat = StoredSeat(place + 1, uuid.UUID(int=0), "", setup, 0)
    shown = row_shown(seat, explained.rows[place], row, Chosen())
    return shown | {"readings": [reading | {"url": ""} for reading in shown["readings"]]}


def _reading(rules: Rules) -> dict[str, Any]:
    """The six-mark, points and money of the tied hand, as an example of how a number is read."""
    explained = TIED.explain(rules)
    pair = explained.score.pairs[0]
    return {
        "rows": pair.rows,
        "points": pair.points,
        "money": money_words(pair.points),
    }


def _tips(rules: Rules) -> Iterator[str]:
    """Advice for a first evening, with the numbers of these rules."""
    top, middle, bottom = rules.row_points
    board = sum(rules.row_points)
    if bottom > max(top, middle):
        yield _("Look after the bottom: %(bottom)d of the %(board)d points on a board are there.") % {
            "bottom": bottom,
            "board": board,
        }
    yield _("The bottom plays two of its four cards, always. Four fine cards of which no two work together win little.")
    if rules.boards == 2:
        yield _("You set before a board is open, and both count. Rows that are fair anywhere beat one that needs luck.")
    if rules.homerun_bonus > 2 * (top + middle):
        words = _(
            "Count before you chase a homerun: its %(bonus)d points are more than all tops and middles, %(rows)d."
        )
        yield words % {"bonus": rules.homerun_bonus, "rows": 2 * (top + middle)}
    if rules.homerun_bonus:
        yield _("One row that ties or wins takes a homerun away: a weak bottom is worth defending too.")
    yield _("When a number surprises you, tap it: the page of the hand shows which five cards played.")
