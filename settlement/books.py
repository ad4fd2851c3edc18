"""What the pages of a club's books and jobs show."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Book, Club, Transfer
from hands.imports import IMPORT
from hands.luck import WORTH
from hands.rescoring import RESCORE
from hands.tallies import TALLY
from jobs.models import Job
from settlement.book_files import BOOK_FILE
from settlement.bundles import BUNDLE
from settlement.exports import EXPORT
from settlement.models import Verification
from settlement.notices import NOTICE
from settlement.queries import tables_of
from settlement.services import SETTLE, STATEMENT
from settlement.verify import VERIFY
from settlement.webhooks import WEBHOOK

ENTRIES: Final = 50
VERIFICATIONS: Final = 5
JOBS: Final = 100
JOB_WORDS: Final = {
    SETTLE: _("Settle a session"),
    STATEMENT: _("Make a statement"),
    BUNDLE: _("Make everybody's statements"),
    IMPORT: _("Read a hand history"),
    RESCORE: _("Score hands again"),
    TALLY: _("Count a player's hands"),
    WORTH: _("Work out a player's luck"),
    VERIFY: _("Verify the books"),
    NOTICE: _("Mail a notice"),
    WEBHOOK: _("Deliver a webhook"),
    EXPORT: _("Export the club"),
    BOOK_FILE: _("Write a workbook"),
}


def books_page(club: Club, before: str) -> dict[str, Any]:
    """The book's head, what verifications said, and the entries below sequence ``before``, the newest first."""
    listed = _entries(club, before)
    verifications = list(
        Verification.objects.filter(club=club).select_related("requested_by").order_by("-requested_at")[:VERIFICATIONS]
    )
    jobs = {job.subject_id: job for job in Job.objects.filter(subject_id__in=[row.pk for row in verifications])}
    lines = [(row, jobs.get(row.pk)) for row in verifications]
    return {
        "club": club,
        "section": "books",
        "book": Book.objects.get(club=club),
        "verifications": lines,
        "is_verifying": any(job and not job.is_over for _row, job in lines),
        "entries": listed,
        "next": listed[-1].transfer.sequence if len(listed) == ENTRIES else None,
        "is_first_page": not before,
    }


@dataclass(frozen=True)
class Entry:
    """One transfer of the book, and the table whose session caused it."""

    transfer: Transfer
    table: str


def _entries(club: Club, before: str) -> list[Entry]:
    """One range of the index of (club, sequence), never the whole; the names come in queries of their own."""
    rows = Transfer.objects.filter(club=club).order_by("-sequence")
    if before.isdecimal():
        rows = rows.filter(sequence__lt=int(before[:18]))
    transfers = list(rows.prefetch_related("debit_account__player", "credit_account__player")[:ENTRIES])
    tables = tables_of(transfers)
    return [Entry(transfer, tables.get(transfer.source_id, "")) for transfer in transfers]


def jobs_page(club: Club) -> dict[str, Any]:
    """The club's last jobs, the newest first."""
    rows = list(Job.objects.filter(club_id=club.pk).order_by("-created_at")[:JOBS])
    # What waits for a later hour changes nothing in front of who looks.
    soon = timezone.now() + timedelta(minutes=1)
    return {
        "club": club,
        "section": "keys",
        "jobs": [(job, JOB_WORDS.get(job.kind, job.kind)) for job in rows],
        "is_working": any(not job.is_over and job.not_before < soon for job in rows),
    }
