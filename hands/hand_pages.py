"""What the page of a hand shows, in the shapes that `templates/parts/` expect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from hands.forms import ROW_WORDS
from hands.models import Hand, HandVersion
from hands.queries import StoredHand, StoredSeat, load_versions
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from hands.scoring.cards import card_text, cards_text
from hands.scoring.taiwanese import ROWS, Rules
from hands.scoring.taiwanese.explain import Explanation, RowReading
from hands.templatetags.cards import format_points


@dataclass(frozen=True)
class Chosen:
    """What a hand page tells in full: one row on one board, and one pair (seat numbers); of which version."""

    seat: int = 0
    row: str = ""
    board: int = 1
    pair: tuple[int, int] | None = None
    version: int | None = None

    def __str__(self) -> str:
        return f"{self.seat}-{self.row}-{self.board}"

    def link(self, **choice: str) -> str:
        """The address of the same version of the hand with something chosen."""
        return "?" + urlencode(choice | ({"version": str(self.version)} if self.version else {}))

    @classmethod
    def read(cls, row: str, pair: str, version: int | None = None) -> "Chosen":
        """From the address, such as ``5-bottom-1`` and ``2-5``; what cannot be read chooses nothing."""
        one = re.fullmatch(r"([1-6])-(top|middle|bottom)-([12])", row)
        two = re.fullmatch(r"([1-6])-([1-6])", pair)
        return cls(
            *((int(one[1]), one[2], int(one[3])) if one else (0, "", 1)),
            (int(two[1]), int(two[2])) if two else None,
            version,
        )


def last_hand_shown(hand: StoredHand, rules: Rules) -> dict[str, Any]:
    """A hand in short: its boards and its homeruns; one without cards has neither."""
    if not hand.has_cards:
        return {"hand": hand}
    score = taiwanese.score(hand.boards, [seat.setup for seat in hand.seats], rules)
    return {"hand": hand, "boards": boards_shown(hand), "homeruns": homeruns_shown(hand, score.pairs, rules)}


def boards_shown(hand: StoredHand) -> list[dict[str, Any]]:
    return [
        {"number": number, "cards": [card_text(card) for card in board]}
        for number, board in enumerate(hand.boards, start=1)
    ]


def homeruns_shown(hand: StoredHand, pairs: Sequence[taiwanese.Pair], rules: Rules) -> list[dict[str, Any]]:
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


def hand_page(hand: Hand, version: HandVersion, versions: Sequence[HandVersion], chosen: Chosen) -> dict[str, Any]:
    """Both boards, every row with its best five on each, every pair's rows, homeruns and net points.

    ``version`` is the one that is shown, mostly the current one. ``chosen`` is the row whose best five are marked on
    the board, and the pair whose points are told.
    """
    session = hand.session
    others = Hand.objects.filter(session=session)
    stored = None if version.is_void else next(iter(load_versions([version.pk])))
    context = {
        "club": session.club,
        "session": session,
        "hand": hand,
        "version": version,
        "is_old": version.pk != hand.current_id,
        "versions": versions[::-1],
        "before": others.filter(number__lt=hand.number).order_by("-number").first(),
        "after": others.filter(number__gt=hand.number).order_by("number").first(),
        "stored": stored,
    }
    if stored is None:
        return context
    rules = rules_of(session.rule_set)
    if not stored.has_cards:
        return context | {"seats": sorted(stored.seats, key=lambda seat: -seat.net_points), "rules": rules}
    return context | scored_hand(stored, rules, chosen) | {"text_lines": _text_lines(stored)}


def scored_hand(stored: StoredHand, rules: Rules, chosen: Chosen) -> dict[str, Any]:
    """What its cards say of a hand: boards, seats by result, matrix of pairs, homeruns, and what is told in full."""
    setups = [seat.setup for seat in stored.seats]
    score = taiwanese.score(stored.boards, setups, rules)
    explained = taiwanese.explain(stored.boards, setups, rules)
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
        "told_pair": _told_pair(stored, explained, chosen),
        "seats": sorted(seats, key=lambda seat: -seat["net_points"]),
        "matrix": _matrix(stored, score, chosen),
        "homeruns": homeruns_shown(stored, score.pairs, rules),
        "rules": rules,
    }


def hand_without_links(stored: StoredHand, rules: Rules) -> dict[str, Any]:
    """Like ``scored_hand``, for who cannot open the hand's page: nobody yet, or nobody without a log-in."""
    page = scored_hand(stored, rules, Chosen())
    for line in page["matrix"]:
        for cell in filter(None, line["cells"]):
            del cell["url"]
    for seat in page["seats"]:
        for row in seat["rows"]:
            for reading in row["readings"]:
                del reading["url"]
    return page


def _text_lines(stored: StoredHand) -> list[str]:
    """The hand as text, to be sent to somebody: a line a board, a line a seat."""
    lines = [
        _("Board %(number)d: %(cards)s") % {"number": number, "cards": cards_text(board)}
        for number, board in enumerate(stored.boards, start=1)
    ]
    for seat in stored.seats:
        rows = " / ".join(cards_text(getattr(seat.setup, row)) for row in ROWS)
        lines.append(f"{seat.name} {format_points(seat.net_points)}: {rows}")
    return lines


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


def _told_pair(stored: StoredHand, explained: Explanation, chosen: Chosen) -> dict[str, Any] | None:
    """The chosen pair: why its points are what they are, as the first of the two sees it."""
    numbers = [seat.number for seat in stored.seats]
    for pair, words in zip(explained.score.pairs, explained.pairs, strict=True):
        if chosen.pair == (numbers[pair.first], numbers[pair.second]):
            return {
                "heading": _("%(one)s against %(other)s")
                % {"one": stored.seats[pair.first].name, "other": stored.seats[pair.second].name},
                "rows": pair.rows,
                "homerun": bool(pair.homerun),
                "points": pair.points,
                "words": words,
            }
    return None


def _matrix(stored: StoredHand, score: taiwanese.Score, chosen: Chosen) -> list[dict[str, Any]]:
    cells: dict[tuple[int, int], dict[str, Any]] = {}
    numbers = [seat.number for seat in stored.seats]
    for pair in score.pairs:
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            cells[one, other] = {
                "opponent_number": stored.seats[other].number,
                # A pair is told from its first seat's side, whichever of its two cells is chosen.
                "url": f"{chosen.link(pair=f'{numbers[pair.first]}-{numbers[pair.second]}', row=str(chosen))}#pair",
                "rows": tuple(sign * points for points in pair.rows),
                "homerun": bool(pair.homerun),
                "points": sign * pair.points,
            }
    places = range(len(stored.seats))
    return [
        {
            "number": stored.seats[place].number,
            "name": stored.seats[place].name,
            "net_points": score.net[place],
            "cells": [cells.get((place, other)) for other in places],
        }
        for place in places
    ]
