"""A session's and the ledger's files as tests make them and read them again."""

import csv
import io
from datetime import date
from pathlib import Path
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from accounts.csv_files import BOM
from hands.models import Session
from jobs.models import Job
from settlement import book_files
from settlement.book_files import request_ledger_file
from settlement.models import BookFile
from tests.deals import done

NOVEMBER = {"first_day": date(2026, 11, 1), "last_day": date(2026, 11, 30)}


def made(found: BookFile) -> BookFile:
    """The file as a worker makes it, read from the database again."""
    job = done(Job.objects.get(subject_id=found.pk))
    assert (job.status, job.error) == ("done", "")
    found.refresh_from_db()
    return found


def ledger_of(club, currency: str = "USD", **days: date) -> BookFile:
    return made(request_ledger_file(club=club, currency=currency, author=None, **NOVEMBER | days))


def opened(found: BookFile) -> Workbook:
    return load_workbook(found.workbook.path)


def session_book(session: Session) -> Workbook:
    return load_workbook(io.BytesIO(book_files.workbook_at_once(session)))


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix(BOM))))


def written(found: BookFile) -> str:
    return Path(found.csv.path).read_text(encoding="utf-8")


def values(sheet: Worksheet, first_row: int = 2) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in sheet.iter_rows(min_row=first_row)]
