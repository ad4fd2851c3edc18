"""What the pages of a hand's chances show: percentages street by street, and what each seat's setup was worth.

The cards of a hand and its rules are fixed, so everything here is worked out from them when it is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from hands.models import Hand
from hands.queries import StoredHand, load_versions
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from hands.scoring.cards import card_text
from hands.scoring.equity import Equity, Shares, equity
from hands.scoring.taiwanese import ROWS
from hands.scoring.taiwanese.rules import BOARD_SIZE
from hands.scoring.worth import Setting, worth
from hands.templatetags.cards import ROW_WORDS

BEST: Final = 10


class OpenSetup(Protocol):
    """A seat whose cards are known."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def setup(self) -> Any: ...


@dataclass(frozen=True)
class Street:
    """How many cards of every board lie. ``said`` tells where the hand is, ``next`` the button that goes there."""

    name: str
    known: int
    label: Any
    said: Any
    next: Any


# "boards": how many there are.
STREETS: Final = (
    Street("deal", 0, gettext_lazy("Deal"), gettext_lazy("before the flop"), gettext_lazy("From the beginning")),
    Street(
        "flop",
        3,
        gettext_lazy("Flop"),
        ngettext_lazy("the flop is out", "flops are out", "boards"),
        ngettext_lazy("Show the flop", "Show the flops", "boards"),
    ),
    Street(
        "turn",
        4,
        gettext_lazy("Turn"),
        ngettext_lazy("the turn is out", "turns are out", "boards"),
        ngettext_lazy("Show the turn", "Show the turns", "boards"),
    ),
    Street(
        "river",
        BOARD_SIZE,
        gettext_lazy("River"),
        gettext_lazy("all cards are out"),
        ngettext_lazy("Show the river", "Show the rivers", "boards"),
    ),
)


def street_named(name: str) -> Street:
    """The street of that name; the first for a name of none."""
    return next((street for street in STREETS if street.name == name), STREETS[0])


def street_of(known: int) -> Street:
    """The street on which that many cards of every board lie."""
    return next(street for street in STREETS if street.known == known)


def chances_page(hand: Hand, street: Street) -> dict[str, Any]:
    """The hand as it stood on that street: see ``chances_shown``, and the way to the other streets."""
    (stored,) = load_versions([hand.current_id])
    rules = rules_of(hand.session.rule_set)
    boards = {"boards": rules.boards}
    following = STREETS[(STREETS.index(street) + 1) % len(STREETS)]
    seats = ngettext("%(count)d seat", "%(count)d seats", len(stored.seats)) % {"count": len(stored.seats)}
    lying = [board[: street.known] for board in stored.boards]
    return (
        _head(hand)
        | {
            "streets": STREETS,
            "street": street,
            "following": following.name,
            "following_words": following.next % boards,
            "said": f"{seats} · {street.said % boards}",
        }
        | chances_shown(lying, stored.seats, rules)
    )


def chances_shown(
    boards: Sequence[Sequence[int]], seats: Sequence[OpenSetup], rules: taiwanese.Rules
) -> dict[str, Any]:
    """Boards with the cards that lie (none to five each), each seat's rows in percent by board, each pair's homeruns.

    In the shapes that `templates/hands/_chances.html` expects; percentages are 0 to 100, points an average (a whole
    number once everything lies).
    """
    found = equity(boards=boards, setups=[seat.setup for seat in seats], rules=rules)
    is_over = all(len(board) == BOARD_SIZE for board in boards)
    best = [
        [max(_held(seat.rows[board][row]) for seat in found.seats) for row in range(len(ROWS))]
        for board in range(len(boards))
    ]
    return {
        "boards": boards_lying(boards),
        "is_over": is_over,
        "seats": [
            {
                "number": seat.number,
                "name": seat.name,
                "points": round(chances.points) if is_over else chances.points,
                "rows": [
                    {
                        "label": ROW_WORDS[row],
                        "cards": [card_text(card) for card in getattr(seat.setup, ROWS[row])],
                        "boards": [
                            _percent(board, chances.rows[board - 1][row], best[board - 1][row])
                            for board in range(1, len(boards) + 1)
                        ],
                    }
                    for row in range(len(ROWS))
                ],
            }
            for seat, chances in zip(seats, found.seats, strict=True)
        ],
        "homeruns": _homerun_lines(seats, found) if rules.homerun_bonus else [],
    }


def boards_lying(boards: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Boards as `templates/parts/_baize_board.html` takes them, an open place for each card that is still to come."""
    return [
        {"number": number, "cards": [card_text(card) for card in board] + [""] * (BOARD_SIZE - len(board))}
        for number, board in enumerate(boards, start=1)
    ]


def _held(shares: Shares) -> int:
    """In how many cases the row is the best one, alone or together with another."""
    return shares.won + shares.tied


def _percent(board: int, shares: Shares, best: int) -> dict[str, Any]:
    """A row on a board: best alone (win), together with another (tie), either of them (held), and beaten (lose)."""
    return {
        "number": board,
        "win": 100 * shares.win,
        "tie": 100 * shares.tie,
        "lose": 100 * shares.lose,
        "held": 100 * _held(shares) / shares.cases,
        "is_best": _held(shares) == best > 0,
    }


def _homerun_lines(seats: Sequence[OpenSetup], found: Equity) -> list[dict[str, Any]]:
    """A line a seat: its chance of a homerun over each other seat, None over itself, and over anybody whom to name."""
    chances: dict[tuple[int, int], float] = {}
    for pair in found.pairs:
        chances[pair.first, pair.second] = 100 * pair.homerun.win
        chances[pair.second, pair.first] = 100 * pair.homerun.lose
    places = range(len(seats))
    return [
        {
            "number": seat.number,
            "name": seat.name,
            "cells": [{"number": seats[other].number, "percent": chances.get((place, other))} for other in places],
        }
        for place, seat in enumerate(seats)
    ]


def worth_page(hand: Hand, number: int) -> dict[str, Any] | None:
    """What the setup of the seat ``number`` was worth among all 105; None where nobody sat there."""
    (stored,) = load_versions([hand.current_id])
    place = next((place for place, seat in enumerate(stored.seats) if seat.number == number), None)
    if place is None:
        return None
    setups = [seat.setup for seat in stored.seats]
    found = worth(boards=stored.boards, setups=setups, seat=place, rules=rules_of(hand.session.rule_set))
    hindsight = max(found.settings, key=lambda one: one.actual)
    return _head(hand) | {
        "seat": stored.seats[place],
        "seats": stored.seats,
        "played": setting_line(found.played, found.played),
        "settings": [setting_line(one, found.played) for one in found.settings[:BEST]],
        "all_settings": len(found.settings),
        "hindsight": setting_line(hindsight, found.played),
        "left_on_table": found.left_on_table,
        "luck": found.luck,
        "others": _others(stored, place),
    }


def _others(stored: StoredHand, place: int) -> str:
    return ", ".join(seat.name for other, seat in enumerate(stored.seats) if other != place)


def setting_line(setting: Setting, played: Setting) -> dict[str, Any]:
    """A way to set the cards: its rows, expected and hindsight points, and how many more than were played."""
    return {
        "rank": setting.rank,
        "rows": [
            {"label": word, "cards": cards} for word, cards in zip(ROW_WORDS, rows_shown(setting.setup), strict=True)
        ],
        "expected": setting.expected,
        "actual": setting.actual,
        "more": setting.expected - played.expected,
        "is_played": setting.setup == played.setup,
    }


def rows_shown(setup: taiwanese.Setup) -> list[list[str]]:
    """The texts of a setup's cards, row by row, the highest card first."""
    return [[card_text(card) for card in sorted(getattr(setup, row), reverse=True)] for row in ROWS]


def _head(hand: Hand) -> dict[str, Any]:
    return {"club": hand.session.club, "session": hand.session, "hand": hand}
