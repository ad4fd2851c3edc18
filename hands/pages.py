"""What the pages of sessions and hands show, in the shapes that `templates/parts/` expect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Max, Q
from django.utils.translation import gettext as _

from accounts.models import Club
from hands.forms import ROW_WORDS
from hands.models import Hand, Seat, Session, Setup
from hands.queries import StoredHand, StoredSeat, load_hands, net_points_by_player
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from hands.scoring.cards import card_text
from hands.scoring.taiwanese import ROWS, Rules
from hands.scoring.taiwanese.explain import Explanation, RowReading


@dataclass(frozen=True)
class Chosen:
    """What a hand page tells in full: one row on one board, and one pair (seat numbers)."""

    seat: int = 0
    row: str = ""
    board: int = 1
    pair: tuple[int, int] | None = None

    def __str__(self) -> str:
        return f"{self.seat}-{self.row}-{self.board}"

    @classmethod
    def read(cls, row: str, pair: str) -> "Chosen":
        """From the address, such as ``5-bottom-1`` and ``2-5``; what cannot be read chooses nothing."""
        one = re.fullmatch(r"([1-6])-(top|middle|bottom)-([12])", row)
        two = re.fullmatch(r"([1-6])-([1-6])", pair)
        return cls(
            *((int(one[1]), one[2], int(one[3])) if one else (0, "", 1)),
            (int(two[1]), int(two[2])) if two else None,
        )


def session_list(club: Club) -> list[Session]:
    """The club's sessions, open ones first, each with the count of its hands and the names at its table."""
    rows = (
        Session.objects.filter(club=club)
        .annotate(hand_count=Count("hands", filter=Q(hands__current__is_void=False)))
        .order_by(F("state").desc(), "-started_at")[:100]
    )
    listed = sorted(rows, key=lambda session: session.state != Session.State.OPEN)
    names: dict[Any, list[str]] = {}
    seats = Seat.objects.filter(session__in=listed).order_by("number", "first_hand")
    for session_id, name in seats.values_list("session_id", "player__name"):
        known = names.setdefault(session_id, [])
        if name not in known:
            known.append(name)
    for session in listed:
        session.player_names = ", ".join(names.get(session.pk, []))  # type: ignore[attr-defined]  # for the list alone
    return listed


def next_number(session: Session) -> int:
    """The number that the next hand of the session gets."""
    return (Hand.objects.filter(session=session).aggregate(last=Max("number"))["last"] or 0) + 1


def standings(session: Session) -> list[dict[str, Any]]:
    """Every player of the session by result: seat, points and money so far, points of the last hand."""
    points = net_points_by_player(session)
    last = Hand.objects.filter(session=session, current__is_void=False).order_by("-number").first()
    last_points = {}
    if last is not None:
        last_points = dict(Setup.objects.filter(version=last.current_id).values_list("seat__player_id", "net_points"))
    rows: dict[Any, dict[str, Any]] = {}
    for seat in Seat.objects.filter(session=session).select_related("player").order_by("first_hand"):
        total = points.get(seat.player_id, 0)
        rows[seat.player_id] = {
            "number": seat.number,
            "player": seat.player,
            "last": last_points.get(seat.player_id),
            "points": total,
            "amount_minor": total * session.point_value_minor,
        }
    return sorted(rows.values(), key=lambda row: (-row["points"], row["number"]))


def session_board(session: Session) -> dict[str, Any]:
    hands = list(Hand.objects.filter(session=session, current__is_void=False).order_by("-number"))
    last = next(load_hands(Hand.objects.filter(pk__in=[hand.pk for hand in hands[:1]])), None)
    nets: dict[Any, dict[int, int]] = {}
    setups = Setup.objects.filter(version__hand__session=session, version=F("version__hand__current"))
    for hand_id, number, points in setups.values_list("version__hand_id", "seat__number", "net_points"):
        nets.setdefault(hand_id, {})[number] = points
    numbers = sorted({number for points in nets.values() for number in points})
    return {
        "club": session.club,
        "session": session,
        "standings": standings(session),
        "seat_numbers": numbers,
        "hands": [(hand, [nets.get(hand.pk, {}).get(number) for number in numbers]) for hand in hands],
        "last": _shown(last, rules_of(session.rule_set)) if last else None,
    }


def _shown(hand: StoredHand, rules: Rules) -> dict[str, Any]:
    if not hand.has_cards:
        return {"hand": hand}
    score = taiwanese.score(hand.boards, [seat.setup for seat in hand.seats], rules)
    return {"hand": hand, "boards": _boards(hand), "homeruns": _homeruns(hand, score.pairs, rules)}


def _boards(hand: StoredHand) -> list[dict[str, Any]]:
    return [
        {"number": number, "cards": [card_text(card) for card in board]}
        for number, board in enumerate(hand.boards, start=1)
    ]


def _homeruns(hand: StoredHand, pairs: Sequence[taiwanese.Pair], rules: Rules) -> list[dict[str, Any]]:
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


def hand_page(hand: Hand, stored: StoredHand | None, chosen: Chosen) -> dict[str, Any]:
    """Both boards, every row with its best five on each, every pair's rows, homeruns and net points.

    ``chosen`` is the row whose best five are marked on the board, and the pair whose points are told.
    """
    session = hand.session
    context = {"club": session.club, "session": session, "hand": hand, "stored": stored}
    if stored is None:
        return context
    rules = rules_of(session.rule_set)
    if not stored.has_cards:
        return context | {"seats": sorted(stored.seats, key=lambda seat: -seat.net_points), "rules": rules}
    setups = [seat.setup for seat in stored.seats]
    score = taiwanese.score(stored.boards, setups, rules)
    explained = taiwanese.explain(stored.boards, setups, rules)
    seats = [
        {
            "number": seat.number,
            "name": seat.name,
            "net_points": score.net[place],
            "rows": [_row(seat, explained.rows[place], number, chosen) for number in range(len(ROWS))],
        }
        for place, seat in enumerate(stored.seats)
    ]
    boards = _boards(stored)
    told = _told_row(stored, explained, chosen)
    if told is not None:
        boards[chosen.board - 1] |= {"marked": told["on_board"], "who": told["who"], "reading": told["short"]}
    return context | {
        "boards": boards,
        "board_in_view": chosen.board,
        "told_row": told,
        "told_pair": _told_pair(stored, explained, chosen),
        "seats": sorted(seats, key=lambda seat: -seat["net_points"]),
        "matrix": _matrix(stored, score, chosen),
        "homeruns": _homeruns(stored, score.pairs, rules),
        "rules": rules,
    }


def _row(seat: StoredSeat, readings: Sequence[Sequence[RowReading]], number: int, chosen: Chosen) -> dict[str, Any]:
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
                "url": f"?row={seat.number}-{name}-{board}",
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
    for pair in score.pairs:
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            cells[one, other] = {
                "opponent_number": stored.seats[other].number,
                # A pair is told from its first seat's side, whichever of its two cells is chosen.
                "url": f"?pair={stored.seats[pair.first].number}-{stored.seats[pair.second].number}&row={chosen}#pair",
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
