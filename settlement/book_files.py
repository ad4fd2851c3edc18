"""Parts of the book as files: a session or the ledger of a period, as a workbook with the CSV beside it.

A session of few hands is answered at once; everything else is a job's.
"""

import hashlib
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.csv_files import csv_lines
from accounts.models import Book, Club, User
from accounts.money import check_currency
from accounts.services import lock_club
from hands.models import Hand, Session
from jobs import queue
from jobs.queue import Claim, LeaseLost
from settlement.excel import day_of
from settlement.ledger_workbook import write_ledger
from settlement.models import BookFile
from settlement.services import check_period, clear_folder
from settlement.session_content import session_content
from settlement.session_workbook import session_csv_rows, write_session
from settlement.statement_words import plain_name

BOOK_FILE: Final = "book_file"
EXCEL: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV: Final = "text/csv; charset=utf-8"
# Measured: so many hands of six seats are read, scored and written in about a second.
MOST_HANDS_AT_ONCE: Final = 300


@transaction.atomic
def request_ledger_file(*, club: Club, currency: str, first_day: date, last_day: date, author: User | None) -> BookFile:
    """Ask for the ledger of a period; while the same is being made for anybody, that is the one.

    Raises ``ValidationError`` when the period runs backwards or out of the calendar, or the currency is not one.
    """
    check_currency(currency)
    check_period(first_day, last_day)
    return _request(club, author, session=None, currency=currency, first_day=first_day, last_day=last_day)


@transaction.atomic
def request_session_file(*, session: Session, author: User | None) -> BookFile:
    """Ask for a session's files; while they are being made for anybody, those are the ones."""
    return _request(session.club, author, session=session, currency=session.currency)


def _request(club: Club, author: User | None, **what: Any) -> BookFile:
    # The club's row is the lock, so that a double tap makes one.
    lock_club(club.pk)
    under_way = queue.under_way(BOOK_FILE, club_id=club.pk)
    if there := BookFile.objects.filter(pk__in=under_way.values("subject_id"), **what).first():
        return there
    found = BookFile.objects.create(club=club, time_zone=club.time_zone, requested_by=author, **what)
    session: Session | None = what["session"]
    audit.note(club.pk, "book_file.asked", found.pk, name=session.table if session else found.currency)
    queue.enqueue(kind=BOOK_FILE, key=f"{BOOK_FILE}/{found.pk}", subject_id=found.pk, club_id=club.pk)
    return found


def make_book_file(*, claim: Claim) -> None:
    """Write both files and keep them with their digests.

    They are stored under names of this claim's own; only the transaction that finishes the job makes them the
    row's. What an attempt before this one left behind is cleared away. Raises ``ValidationError`` for a session
    whose amounts cannot be kept.
    """
    found = BookFile.objects.select_related("club", "session__club", "session__rule_set").get(pk=claim.subject_id)
    folder = f"book-files/{found.pk}"
    clear_folder(folder)
    with TemporaryDirectory() as scratch:
        workbook, csv_file = Path(scratch) / "book.xlsx", Path(scratch) / "book.csv"
        found.made_at = timezone.now()
        if found.session is not None:
            _write_session_files(claim, found, found.session, workbook, csv_file)
        else:
            book = Book.objects.get(club=found.club_id)
            found.head_sequence, found.head_hash = book.head_sequence, book.head_hash
            write_ledger(found, workbook, csv_file, lambda done, total: claim.report(done=done, total=total))
        _store(found, f"{folder}/{claim.token.hex}", workbook, csv_file)
    try:
        with claim.finish():
            found.save()
    except LeaseLost:
        # Only now is it certain that the row does not name them: after another error it may.
        for name in (found.workbook.name, found.csv.name):
            default_storage.delete(name)
        raise


def _write_session_files(claim: Claim, found: BookFile, session: Session, workbook: Path, csv_file: Path) -> None:
    content = session_content(session)
    found.head_sequence, found.head_hash = content.head_sequence, content.head_hash
    # Read it is half of the work.
    claim.report(done=len(content.hands), total=2 * len(content.hands))
    write_session(content, workbook)
    with csv_file.open("w", encoding="utf-8", newline="") as csv:
        csv.writelines(csv_lines(session_csv_rows(content)))


def _store(found: BookFile, name: str, workbook: Path, csv_file: Path) -> None:
    """Both files into the storage, or neither."""
    stored = []
    try:
        for field, path in (("workbook", workbook), ("csv", csv_file)):
            with path.open("rb") as file:
                setattr(found, f"{field}_sha256", hashlib.file_digest(file, "sha256").hexdigest())
                file.seek(0)
                stored.append(default_storage.save(f"{name}{path.suffix}", File(file)))
            getattr(found, field).name = stored[-1]
    except Exception:
        for name in stored:
            default_storage.delete(name)
        raise


def is_small(session: Session) -> bool:
    """Whether the session's files can be made while somebody waits."""
    return Hand.objects.filter(session=session, current__is_void=False).count() <= MOST_HANDS_AT_ONCE


def workbook_at_once(session: Session) -> bytes:
    """The workbook of a session that ``is_small``. Raises ``ValidationError`` like `session_content`."""
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "session.xlsx"
        write_session(session_content(session), path)
        return path.read_bytes()


def csv_at_once(session: Session) -> bytes:
    """Its hands as CSV. Raises like ``workbook_at_once``."""
    return "".join(csv_lines(session_csv_rows(session_content(session)))).encode()


def session_file_name(session: Session, suffix: str) -> str:
    """A plain name for a download, with the day of the club's zone on which it began."""
    name = plain_name(session.table) or "table"
    return f"session-{name}-{day_of(session.started_at, session.club.time_zone)}.{suffix}"


def file_name(found: BookFile, suffix: str) -> str:
    if found.session is not None:
        return session_file_name(found.session, suffix)
    return f"ledger-{found.currency}-{found.first_day}-{found.last_day}.{suffix}"
