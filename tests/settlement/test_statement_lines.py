"""Lines with a running balance, events and pages of them, and periods: without a database."""

import uuid
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settlement.models import Statement
from settlement.queries import period
from settlement.statement_words import period_words
from settlement.statements import Line, Movement, Tally, events, paged, with_balance
from tests.deals import EVENING


def movement(amount_minor: int) -> Movement:
    return Movement(EVENING, "Table", "Session settled", "Ben", "1", amount_minor)


def test_each_line_carries_the_balance_after_it():
    tally = Tally(-250)
    found = list(tally.count(with_balance(-250, [movement(1000), movement(-1), movement(-2000)])))
    # -2.50 + 10.00 = 7.50; - 0.01 = 7.49; - 20.00 = -12.51
    assert [line.balance_minor for line in found] == [750, 749, -1251]
    assert (tally.closing_minor, tally.lines, tally.totals) == (-1251, 3, {"play": -1001})


def test_without_lines_the_opening_balance_is_the_closing_one():
    tally = Tally(-250)
    assert list(tally.count(with_balance(-250, []))) == []
    assert tally.closing_minor == -250


@given(st.integers(-(10**15), 10**15), st.lists(st.integers(-(10**15), 10**15)))
def test_opening_balance_and_lines_add_up_to_the_closing_balance(opening, amounts):
    tally = Tally(opening)
    found = tally.count(with_balance(opening, map(movement, amounts)))
    assert [line.movement.amount_minor for line in found] == amounts
    assert tally.closing_minor == opening + sum(amounts)


def caused(causes: str) -> list[Line]:
    """A line of one unit for every letter, which is its cause; numbered from 1."""
    moved = [
        Movement(EVENING, "", "", "", f"{number}", 1, source_id=uuid.UUID(int=ord(cause)))
        for number, cause in enumerate(causes, start=1)
    ]
    return list(with_balance(0, moved))


def test_lines_of_one_cause_are_one_event():
    found = list(events(caused("aaabbc")))
    assert [[line.movement.reference for line in event.lines] for event in found] == [
        ["1", "2", "3"],
        ["4", "5"],
        ["6"],
    ]
    assert [(event.amount_minor, event.balance_minor) for event in found] == [(3, 3), (2, 5), (1, 6)]


@pytest.mark.parametrize(
    ("causes", "begins"),
    [
        ("abcd", []),
        # A page of four, and one of two that is half of one.
        ("abcdef", [4]),
        # One alone goes with the four before it.
        ("abcde", []),
        # What happened at once stays together: the page ends after the fifth.
        ("abcdddef", [6]),
        ("abcdefghij", [4, 8]),
        ("", []),
    ],
)
def test_a_page_ends_where_something_else_happened(causes, begins):
    pages: list[list[object]] = []
    assert [line.balance_minor for line in paged(caused(causes), pages, size=4)] == list(range(1, len(causes) + 1))
    # The place is the line before the page: its time, its number, and the balance, which is one unit a line.
    assert pages == [[EVENING.isoformat(), begin, begin] for begin in begins]


def test_a_period_is_whole_days_of_the_clubs_zone():
    begin, end = period(date(2026, 11, 1), date(2026, 11, 30), "Asia/Taipei")
    # Taipei is eight hours ahead of UTC.
    assert begin.astimezone(UTC) == datetime(2026, 10, 31, 16, tzinfo=UTC)
    assert end.astimezone(UTC) == datetime(2026, 11, 30, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (date(2026, 11, 1), date(2026, 11, 30), "1 to 30 November 2026"),
        (date(2026, 10, 31), date(2026, 11, 30), "31 October to 30 November 2026"),
        (date(2025, 12, 1), date(2026, 1, 31), "1 December 2025 to 31 January 2026"),
        (date(2026, 11, 5), date(2026, 11, 5), "5 November 2026"),
    ],
)
def test_a_period_names_month_and_year_no_oftener_than_needed(first, last, words):
    assert period_words(Statement(first_day=first, last_day=last)) == words
