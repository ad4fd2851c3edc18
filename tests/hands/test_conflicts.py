"""A conflict says which card, player or time differs, and where; only conflicts ask the book for its cards."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hands.history import read_hand
from hands.imports import request_import
from hands.models import Import
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hand, session_for
from jobs import queue
from jobs.models import Job
from tests.histories import good, numbered

pytestmark = pytest.mark.django_db
BOTH = pytest.mark.both_databases


def swap(hand: dict[str, Any], *cards: str) -> None:
    """Let two cards of a hand change places, wherever they lie."""
    one, other = cards
    for row in [*hand["boards"], *(seat[row] for seat in hand["seats"] for row in ("top", "middle", "bottom"))]:
        row[:] = [other if card == one else one if card == other else card for card in row]


def points(first: int) -> Callable[[dict[str, Any]], None]:
    def change(hand: dict[str, Any]) -> None:
        hand["boards"] = []
        for seat, won in zip(hand["seats"], (first, -first), strict=True):
            seat["points"] = won
            for row in ("top", "middle", "bottom"):
                del seat[row]

    return change


def record(hand: dict[str, Any], club: Any) -> Any:
    head, deal = read_hand(hand, PRESETS)
    return record_hand(session=session_for(club=club, head=head, author=None), deal=deal, author=None)


@BOTH
@pytest.mark.parametrize(
    ("change", "pointer", "differs"),
    [
        # The fourth card of the second board.
        (lambda hand: swap(hand, "4c", "4h"), "/boards/1/3", ["Board 2 has 4h where the book has 4c."]),
        # The cards of a board came one after the other.
        (lambda hand: swap(hand, "2d", "8h"), "/boards/0", ["Board 1 has 8h 2d where the book has 2d 8h."]),
        (
            lambda hand: swap(hand, "7h", "9h"),
            "/seats/0/top",
            ["Seat 1 (Ana), top has 9h where the book has 7h.", "Seat 1 (Ana), middle has 7h where the book has 9h."],
        ),
        (
            lambda hand: swap(hand, "Td", "Kd"),
            "/seats/1/middle",
            ["Seat 3 (Ben), middle has Kd where the book has Td."],
        ),
        (lambda hand: hand.update(button=3), "/button", ["The button is 3 where the book has 2."]),
        (lambda hand: hand.pop("button"), "/button", ["The button is none where the book has 2."]),
        (lambda hand: hand.update(number=13), "/number", ["The number is 13 where the book has 12."]),
        # Half a minute later, and told in another zone: 12:41:37 UTC is 20:41:37 at +08:00.
        (
            lambda hand: hand.update(played_at="2026-11-28T12:41:37+00:00"),
            "/played_at",
            ["The time is 2026-11-28T12:41:37+00:00 where the book has 2026-11-28T12:41:07+00:00."],
        ),
        (
            lambda hand: hand["seats"][1].update(player={"external_id": "p-9", "name": "Chi"}),
            "/seats/1/player",
            ["Seat 3 is Chi where the book has Ben."],
        ),
        (
            lambda hand: hand["seats"][1].update(seat=4),
            "/seats/1",
            ["Seat 4 (Ben) is not in the book's hand.", "The book's hand has seat 3 (Ben) too."],
        ),
        (points(12), "", ["The hand has points alone where the book has cards."]),
    ],
)
def test_a_conflict_says_what_differs_and_where(club, change, pointer, differs):
    record(good(), club)
    answer = record(good(change), club)
    assert (answer.result, answer.pointer) == ("conflict", pointer)
    assert answer.sentence == " ".join(["Hand 12 is in the book already.", *differs, "Nothing was changed."])


def test_points_without_cards_that_differ_are_said_by_seat(club):
    record(good(points(12)), club)
    answer = record(good(points(14)), club)
    assert answer.pointer == "/seats/0/points"
    assert "Seat 1 (Ana) has +14 points where the book has +12." in answer.sentence
    assert "Seat 3 (Ben) has -14 points where the book has -12." in answer.sentence


def test_more_than_three_differences_are_counted(club):
    record(good(), club)

    def change(hand: dict[str, Any]) -> None:
        # Both boards, and Ana's top and middle: four places.
        for cards in (("2d", "2h"), ("4c", "4h"), ("7h", "6h"), ("9h", "8d")):
            swap(hand, *cards)

    sentence = record(good(change), club).sentence
    assert sentence.endswith(
        "Seat 1 (Ana), top has 6h where the book has 7h. 1 more place differs. Nothing was changed."
    )


@BOTH
@pytest.mark.parametrize("is_dry_run", [False, True])
def test_an_import_tells_the_card_of_each_conflict(club, is_dry_run):
    for number in (1, 2, 3):
        record(numbered(number), club)
    lines = [numbered(number) for number in (1, 2, 3)]
    swap(lines[1], "4c", "4h")
    swap(lines[2], "5d", "6d")
    history = imported(club, lines, is_dry_run=is_dry_run)
    assert (history.duplicates, history.conflicts) == (1, 2)
    assert list(history.problems.values_list("line", "pointer", "sentence")) == [
        (
            2,
            "/boards/1/3",
            "Hand 2 is in the book already. Board 2 has 4h where the book has 4c. Nothing was changed.",
        ),
        (
            3,
            "/seats/1/top",
            "Hand 3 is in the book already. Seat 3 (Ben), top has 6d where the book has 5d. Nothing was changed.",
        ),
    ]


def test_only_conflicts_ask_the_book_for_its_cards(club):
    """The cards of all conflicts of a block are asked for once."""
    lines = [numbered(number) for number in range(1, 9)]
    asked = []
    for changed in (0, 0, 1, 5):
        for line in lines[:changed]:
            line["button"] = 3
        with CaptureQueriesContext(connection) as queries:
            imported(club, lines)
        asked.append(len([one for one in queries if '"hands_board"."cards"' in one["sql"] and "SELECT" in one["sql"]]))
    assert asked == [0, 0, 1, 1]


def imported(club: Any, lines: list[dict[str, Any]], *, is_dry_run: bool = False) -> Import:
    raw = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    history = request_import(
        club=club, file=ContentFile(raw, name="h.ndjson"), file_name="h.ndjson", author=None, is_dry_run=is_dry_run
    )
    queue.run_to_end(Job.objects.get(subject_id=history.pk).pk)
    history.refresh_from_db()
    return history
