"""Statements as tests ask for them, and their workbooks as openpyxl reads them."""

from datetime import date
from decimal import Decimal
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from accounts.models import Club, Player
from jobs.models import Job
from settlement.models import Statement
from settlement.services import request_statement
from tests.deals import done

FIRST, LAST = date(2026, 11, 1), date(2026, 11, 30)


def request(club: Club, name: str = "Ana", first: date = FIRST, last: date = LAST, currency: str = "USD") -> Statement:
    player = Player.objects.get(club=club, name=name)
    return request_statement(player=player, currency=currency, first_day=first, last_day=last, author=None)


def ask(club: Club, name: str = "Ana", first: date = FIRST, last: date = LAST, currency: str = "USD") -> Statement:
    """A statement as a person gets it: asked for, made by the job, read from the database again."""
    statement = request(club, name, first, last, currency)
    job = done(Job.objects.get(subject_id=statement.pk))
    assert (job.status, job.error) == ("done", "")
    return Statement.objects.get(pk=statement.pk)


def opened(statement: Statement) -> Workbook:
    return load_workbook(statement.file.path)


def lines(sheet: Worksheet) -> list[list[Any]]:
    """The values from the opening balance to the last line."""
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=8, max_row=len(sheet["A"]))]
    return rows[: sheet_end(sheet) - 7]


def sheet_end(sheet: Worksheet) -> int:
    """The last row of a sheet's table."""
    return int(sheet.auto_filter.ref.rpartition(":")[2].lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def foot(sheet: Worksheet) -> dict[str, list[Any]]:
    """The rows below a sheet's table by their words."""
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=sheet_end(sheet) + 1)]
    return {next(value for value in row if isinstance(value, str)): row for row in rows if any(row)}


def records(sheet: Worksheet) -> list[dict[str, Any]]:
    """A sheet's table as records."""
    head = [cell.value for cell in sheet[1]]
    rows = sheet.iter_rows(min_row=2, max_row=sheet_end(sheet))
    return [dict(zip(head, [cell.value for cell in row], strict=True)) for row in rows]


def exact(value: Any) -> Decimal:
    return Decimal(str(value))


def assert_adds_up(statement: Statement) -> None:
    """Opening and lines are the closing balance, and so are the sheets of sessions and opponents, to the minor unit."""
    book = opened(statement)
    rows = lines(book["Statement"])
    closing = exact(foot(book["Statement"])["Closing balance"][8])
    opening, amounts = exact(rows[0][8]), [exact(row[7]) for row in rows[1:]]
    assert opening + sum(amounts) == closing
    totals = {words: exact(row[7]) for words, row in foot(book["Statement"]).items() if words.startswith("Total")}
    assert sum(totals.values()) == sum(amounts)
    sessions = records(book["Sessions"])
    assert sum(exact(row["Amount"]) for row in sessions) == totals.get("Total of sessions", 0)
    for row in sessions:
        worth = row["Points"] * exact(row["Point value"]) + exact(row["Cut by cap"]) + exact(row["Fees"])
        assert worth == exact(row["Amount"])
    opponents = records(book["Opponents"])
    for column, total in (
        ("Won or lost", "Total of sessions"),
        ("Paid", "Total of payments"),
        ("Names merged", "Total of names merged"),
    ):
        assert sum(exact(row[column]) for row in opponents) == totals.get(total, 0)
    # Nobody knows against whom the points of a hand without cards were.
    if "Table" not in {row["Opponent"] for row in opponents}:
        assert sum(row["Points"] for row in opponents) == sum(row["Points"] for row in sessions)
