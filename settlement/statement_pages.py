"""What the pages of statements show, and a statement's lines as CSV."""

from collections.abc import Iterator
from datetime import datetime
from itertools import takewhile
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.models import Account, Club
from accounts.money import to_decimal
from jobs.models import Job
from jobs.queue import with_jobs
from settlement.excel import day_of
from settlement.models import Settlement, Statement, StatementBundle
from settlement.services import STATEMENT
from settlement.statement_content import StatementContent
from settlement.statement_words import number_words, spaced_head
from settlement.statements import PAGE, Event, Line, Movement, events

# What one page of a browser holds; a longer statement is printed from its workbook.
MOST_PRINTED: Final = 10_000
BUNDLES: Final = 20


def statement_page(statement: Statement, page: str, *, whole: bool = False) -> dict[str, Any]:
    """One page of the statement's lines, the newest first; or all of them, the oldest first, to be printed.

    What it shows is what the book said at the statement's head, as its workbook does.
    """
    later = Statement.objects.filter(replaces=statement).first()
    context = {
        "club": statement.club,
        "statement": statement,
        "job": Job.objects.get(kind=STATEMENT, subject_id=statement.pk),
        "later": later,
    }
    if not statement.file:
        return context
    pages = len(statement.pages) + 1
    is_printable = pages * PAGE <= MOST_PRINTED
    whole = whole and is_printable
    number = min(max(int(page[:9]) if page.isascii() and page.isdecimal() else 1, 1), pages)
    content = StatementContent(statement, block=PAGE + PAGE // 2)
    found = list(events(content.lines() if whole else _lines_of_page(content, pages - number)))
    rows = [_event(event, statement) for event in found]
    _add_hands(content, found, rows)
    opens, closes = (pages, 1) if whole else (number, number)
    return context | {
        "events": rows if whole else rows[::-1],
        "whole": whole,
        "page": number,
        "pages": pages,
        "is_printable": is_printable,
        "opening_minor": statement.opening_minor if opens == pages else statement.pages[pages - number - 1][2],
        "closing_minor": statement.closing_minor if closes == 1 else statement.pages[pages - number][2],
        "is_first": opens == pages,
        "is_last": closes == 1,
        "number_words": number_words(statement),
        "head": spaced_head(statement.head_hash),
    }


def _lines_of_page(content: StatementContent, place: int) -> Iterator[Line]:
    """The lines between two kept places: as little work on the last page as on the first."""
    pages = content.statement.pages
    if place == 0:
        lines = content.lines()
    else:
        moment, sequence, balance_minor = pages[place - 1]
        lines = content.lines((datetime.fromisoformat(moment), sequence), balance_minor)
    if place == len(pages):
        return lines
    end = (datetime.fromisoformat(pages[place][0]), pages[place][1])
    return takewhile(lambda line: (line.movement.occurred_at, int(line.movement.reference)) <= end, lines)


def _event(event: Event, statement: Statement) -> dict[str, Any]:
    first = event.first
    return {
        "day": day_of(first.occurred_at, statement.time_zone),
        "title": _title(first),
        "is_play": first.group == "play",
        "lines": event.lines if first.group == "play" else [],
        "references": _references(event),
        "amount_minor": event.amount_minor,
        "balance_minor": event.balance_minor,
    }


def _title(first: Movement) -> str:
    words = {"other": first.other, "table": first.table}
    if first.group == "play":
        return _("%(table)s, reversed") % words if first.is_reversal else first.table or first.description
    if first.is_reversal:
        return _taken_back(first)
    if first.kind == "payment":
        # Who pays has the credit: the book counts it for them.
        return _("Payment to %(other)s") % words if first.amount_minor > 0 else _("Payment from %(other)s") % words
    if first.kind == "buy_in":
        return _("Chips bought")
    if first.kind == "cash_out":
        return _("Chips cashed out")
    return _("Merged with %(other)s") % words


def _taken_back(first: Movement) -> str:
    if first.kind == "merge":
        return _("Merge with %(other)s undone") % {"other": first.other}
    return _("Payment taken back: %(other)s") % {"other": first.other}


def _references(event: Event) -> str:
    """The numbers of the entries, those that follow each other as a span: "1, 3–5"."""
    spans: list[list[int]] = []
    for line in event.lines:
        number = int(line.movement.reference)
        if spans and number == spans[-1][-1] + 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    return ", ".join("–".join(map(str, span)) for span in spans)


def _add_hands(content: StatementContent, found: list[Event], rows: list[dict[str, Any]]) -> None:
    """How many hands and points a settled session was to the player; one query for all of them."""
    wanted = {event.first.source_id for event in found if event.first.group == "play"}
    settlements = Settlement.objects.in_bulk(wanted)
    played = content.played(settlements.values())
    for event, row in zip(found, rows, strict=True):
        settlement = settlements.get(event.first.source_id)
        if settlement is not None:
            hands, points = played.get(settlement.pk, (0, 0))
            sign = -1 if event.first.is_reversal else 1
            row |= {"hands": hands, "points": sign * points, "session_id": settlement.session_id}


def csv_rows(statement: Statement) -> Iterator[tuple[object, ...]]:
    """The sheet Statement for programs: dates as ISO 8601 writes them, amounts as ``-34.50``."""
    content = StatementContent(statement)
    currency = statement.currency
    yield (
        _("Date"),
        _("Session"),
        _("Entry"),
        pgettext("the other side of a transfer", "With"),
        _("Reference"),
        _("Hands"),
        _("Points"),
        _("Amount (%(currency)s)") % {"currency": currency},
        _("Balance (%(currency)s)") % {"currency": currency},
    )
    nothing = ("", "", "", "")
    opening = to_decimal(content.opening_minor, currency)
    yield (statement.first_day, "", _("Opening balance"), *nothing, "", opening)
    closing_minor = content.opening_minor
    for line in content.lines():
        moved, closing_minor = line.movement, line.balance_minor
        yield (
            day_of(moved.occurred_at, statement.time_zone),
            moved.table,
            moved.description,
            moved.other,
            int(moved.reference),
            moved.hands,
            moved.points,
            to_decimal(moved.amount_minor, currency),
            to_decimal(closing_minor, currency),
        )
    yield (statement.last_day, "", _("Closing balance"), *nothing, "", to_decimal(closing_minor, currency))


def bundles_page(club: Club) -> dict[str, Any]:
    """A club's bundles of statements, the newest first, and whether one is being made."""
    listed = with_jobs(StatementBundle.objects.filter(club=club)[:BUNDLES])
    return {
        "club": club,
        "section": "statements",
        "bundles": listed,
        "is_working": any(not job.is_over for _row, job in listed),
    }


def currencies_of(club: Club) -> list[str]:
    """The currencies in which somebody of the club has an account."""
    rows = Account.objects.filter(club=club, kind=Account.Kind.PLAYER).order_by("currency")
    return list(rows.values_list("currency", flat=True).distinct())
