"""The books held against themselves and against the cards: the first thing that differs is named.

A club's verification goes block by block, each block a picture of one moment that makes no writer wait: first
the chain of transfers, each hash worked out again; then every settlement, its hands scored again from their
cards; last what only the whole can show: printed heads, balances, reversals. It writes nothing; where it stands
is in the ``Verification``, which the job stores after each block and the command does not.
"""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit, guards
from accounts.models import Book, Club, User
from accounts.services import lock_club
from jobs import queue
from jobs.models import Job
from jobs.queue import Claim
from settlement import book_checks
from settlement.models import Settlement, Verification
from settlement.moments import one_moment

VERIFY: Final = "verify"
# When a club's day of verifying begins, in its own time zone: its tables are empty then.
NIGHT_HOUR: Final = 4


def missing_guards() -> str:
    """A sentence that names the guards that this database has not; empty when all stand."""
    absent = ", ".join(guards.missing(connection))
    return (
        _("The database does not guard its ledger: %(names)s missing or altered.") % {"names": absent} if absent else ""
    )


@transaction.atomic
def request_verification(*, club: Club, author: User) -> Verification:
    """Write the job that verifies the club's books; while one waits or runs, that is the one."""
    # The club's row is the lock, so that a double tap makes one.
    lock_club(club.pk)
    under_way = queue.under_way(VERIFY, club_id=club.pk)
    if there := Verification.objects.filter(pk__in=under_way.values("subject_id")).first():
        return there
    verification = Verification.objects.create(club=club, requested_by=author)
    audit.note(club.pk, "verification.asked", verification.pk)
    queue.enqueue(kind=VERIFY, key=f"{VERIFY}/{verification.pk}", subject_id=verification.pk, club_id=club.pk)
    return verification


def enqueue_nightly() -> None:
    """Ask for every club whose book is not empty, once a day of the club's own.

    A book that has not grown is verified too: what nobody may touch is what a thief touches last.
    """
    now = timezone.now()
    for club in Club.objects.filter(book__head_sequence__gt=0):
        there = now.astimezone(ZoneInfo(club.time_zone))
        day = there.date() if there.hour >= NIGHT_HOUR else there.date() - timedelta(days=1)
        key = f"{VERIFY}/{club.pk}/{day}"
        if Job.objects.filter(key=key).exists():
            continue
        with transaction.atomic():
            wanted = uuid.uuid4()
            job = queue.enqueue(kind=VERIFY, key=key, subject_id=wanted, club_id=club.pk)
            # Of several workers that look at the same moment, the one whose job it is writes the row.
            if job.subject_id == wanted:
                Verification.objects.create(id=wanted, club=club)


def run_verification(*, claim: Claim) -> None:
    """Go on where the verification stands; a finding ends it as the end does, and is no failure of the job."""
    verification = Verification.objects.get(pk=claim.subject_id)
    columns = ["transfers", "chain_hash", "settlements", "after", "finding", "finished_at"]
    for total in blocks(verification):
        with claim.block():
            verification.save(update_fields=columns)
            done = verification.transfers + verification.settlements
            claim.report(done=done, total=max(done, total))
    verification.finding = verification.finding or missing_guards()
    verification.finished_at = timezone.now()
    with claim.finish():
        verification.save(update_fields=columns)


def blocks(verification: Verification) -> Iterator[int]:
    """Verify block by block, and yield after each how many rows there are in all.

    Ends with the books, or at the first thing that differs, which is then the verification's ``finding``.
    """
    club_id = verification.club_id
    try:
        for block in (book_checks.check_chain_block, book_checks.check_settlements_block):
            is_over = False
            while not is_over:
                with one_moment():
                    is_over = block(verification)
                    total = _rows_in_all(club_id)
                yield total
        for check in (
            book_checks.check_printed_heads,
            book_checks.check_balances,
            book_checks.check_reversals,
            book_checks.check_states,
        ):
            with one_moment():
                check(club_id)
    except book_checks.Difference as difference:
        verification.finding = str(difference)


def verify_club(club: Club) -> Verification:
    """Verify a club's books here and now; nothing is stored. What differs is the ``finding`` of what is returned."""
    verification = Verification(club=club)
    for _rows in blocks(verification):
        pass
    return verification


def _rows_in_all(club_id: uuid.UUID) -> int:
    head = Book.objects.filter(club=club_id).values_list("head_sequence", flat=True).first() or 0
    return head + Settlement.objects.filter(session__club=club_id).count()
