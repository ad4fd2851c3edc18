"""What the pages of sessions and hands show, in the shapes that `templates/parts/` expect."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, F, Max, Q
from django.utils.translation import gettext as _

from accounts.models import Club
from hands.forms import ROW_WORDS
from hands.models import Hand, Seat, Session, Setup
from hands.queries import StoredHand, load_hands, net_points_by_player
from hands.scoring import taiwanese
from hands.scoring.cards import card_text
from hands.scoring.taiwanese import ROWS, Rules
from hands.services import rules_of


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
        session.player_names = ", ".join(names.get(session.pk, []))  # type: ignore[attr-defined]
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


def hand_page(hand: Hand, stored: StoredHand | None) -> dict[str, Any]:
    """Both boards, every row with its best five on each, every pair's rows, homeruns and net points."""
    session = hand.session
    context = {"club": session.club, "session": session, "hand": hand, "stored": stored}
    if stored is None:
        return context
    rules = rules_of(session.rule_set)
    setups = [seat.setup for seat in stored.seats]
    score = taiwanese.score(stored.boards, setups, rules)
    explained = taiwanese.explain(stored.boards, setups, rules)
    seats = [
        {
            "number": seat.number,
            "name": seat.name,
            "net_points": score.net[place],
            "rows": [_row(seat.setup, explained.rows[place], number) for number in range(len(ROWS))],
        }
        for place, seat in enumerate(stored.seats)
    ]
    return context | {
        "boards": _boards(stored),
        "seats": sorted(seats, key=lambda seat: -seat["net_points"]),
        "matrix": _matrix(stored, score),
        "homeruns": _homeruns(stored, score.pairs, rules),
        "rules": rules,
    }


def _row(setup: taiwanese.Setup, readings: Any, number: int) -> dict[str, Any]:
    name = ROWS[number]
    return {
        "name": name,
        "label": ROW_WORDS[name],
        "cards": [
            {
                "text": card_text(card),
                "marks": {
                    board: readings[board - 1][number].uses_row_card(place) for board in range(1, len(readings) + 1)
                },
            }
            for place, card in enumerate(getattr(setup, name))
        ],
        "readings": [
            {"board": board, "short": reading[number].short, "words": reading[number].words}
            for board, reading in enumerate(readings, start=1)
        ],
    }


def _matrix(stored: StoredHand, score: taiwanese.Score) -> list[dict[str, Any]]:
    cells: dict[tuple[int, int], dict[str, Any]] = {}
    for pair in score.pairs:
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            cells[one, other] = {
                "opponent_number": stored.seats[other].number,
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
