"""Imports: a hand history, line by line, each hand by itself, in blocks that are transactions.

What a block writes, the counts and the place where the next one begins go in together, so an import that was
killed goes on where it stopped and never writes a hand twice.
"""

import gc
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from django.core.exceptions import ValidationError
from django.core.files import File
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.api.parsers import read_json
from accounts.faults import fault, faults_in, sayable
from accounts.models import Club, User
from hands.heads import Head, Heads
from hands.history import Deal, read_hand
from hands.import_dry import DryBook
from hands.import_files import HistoryFile, Piece
from hands.models import Import, ImportProblem
from hands.reading import ID_LENGTH
from hands.recording import Recorded
from hands.rulesets import rules_by_name
from hands.scoring.games import Rules
from hands.services import record_each, session_for
from jobs import events, queue
from jobs.queue import Claim

IMPORT: Final = "import"
BLOCK: Final = 500
LARGEST_FILE: Final = 2 * 1024**3
# Of one line, and of all of them: what a person can read.
MOST_FAULTS_KEPT: Final = 20
MOST_UNKNOWN_KEPT: Final = 50


@transaction.atomic
def request_import(
    *,
    club: Club,
    file: File,
    file_name: str,
    author: User | None,
    on_error: str = Import.OnError.SKIP,
    is_dry_run: bool = False,
) -> Import:
    """Keep the file and write the job that reads it. Raises ``ValidationError`` for one that is too large."""
    if file.size > LARGEST_FILE:
        raise fault(
            "/file",
            "file_size",
            _("The file is larger than %(most)d GB; pack it with gzip, or send it in parts.")
            % {"most": LARGEST_FILE // 1024**3},
        )
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    history = Import(
        club=club,
        file_name=sayable(file_name, 200),
        sha256=digest.hexdigest(),
        on_error=on_error,
        is_dry_run=is_dry_run,
        created_by=author,
    )
    history.file.save(f"{history.pk}.ndjson", file, save=False)
    history.save()
    queue.enqueue(kind=IMPORT, key=f"{IMPORT}/{history.pk}", subject_id=history.pk, club_id=club.pk)
    return history


@transaction.atomic
def cancel_import(*, history: Import) -> bool:
    """Have the worker stop before its next block; what is in the book stays. False when the import is over."""
    unfinished = Import.objects.filter(pk=history.pk, finished_at=None, cancel_asked_at=None)
    if not unfinished.update(cancel_asked_at=Now()):
        return Import.objects.filter(pk=history.pk, finished_at=None).exists()
    audit.note(history.club_id, "import.cancelled", history.pk, name=history.file_name)
    return True


@dataclass
class Line:
    """One line of the file, and the hand or the faults that were read from it."""

    piece: Piece
    external_id: str = ""
    head: Head | None = None
    deal: Deal | None = None
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    # What is told of a hand that went in.
    warnings: Sequence[tuple[str, str, str]] = ()
    result: str = "rejected"
    is_differing: bool = False


def run_import(*, claim: Claim) -> None:
    """Read the rest of the file, block by block; the last block finishes the job."""
    history = Import.objects.select_related("club", "created_by").get(pk=claim.subject_id)
    with history.file.open("rb") as file:
        opened = HistoryFile(file)
        if history.is_over or opened.foreign is not None:
            with claim.finish():
                _finish(history, failure=opened.foreign or "")
        elif history.is_dry_run:
            if history.line_number:
                # What the killed worker knew of the file before this line has gone with it.
                with claim.block():
                    _begin_again(history)
            with closing(DryBook(history.club)) as dry_book:
                _read_rest(claim, history, opened, dry_book)
        else:
            _read_rest(claim, history, opened, None)


def _read_rest(claim: Claim, history: Import, opened: HistoryFile, dry_book: DryBook | None) -> None:
    pieces = opened.pieces(start=history.next_byte, number=history.line_number)
    lines = read_lines(pieces, rules_by_name(history.club))
    is_last = stops = False
    while not is_last and not stops:
        with _without_collecting():
            block = list(islice(lines, BLOCK))
        is_cancelled = Import.objects.filter(pk=history.pk).exclude(cancel_asked_at=None).exists()
        is_last = is_cancelled or len(block) < BLOCK
        with claim.finish() if is_last else claim.block():
            with _without_collecting():
                stops = not is_cancelled and _write_block(history, block, dry_book)
            if is_last or stops:
                _finish(history, is_cancelled=is_cancelled)
            else:
                claim.report(done=opened.bytes_read, total=max(history.file.size, opened.bytes_read))
    if not is_last:
        # That the block with the fault would be the last was not known when it began.
        with claim.finish():
            pass


@contextmanager
def _without_collecting() -> Iterator[None]:
    """No search for cycles while a block is made: what it holds lives until it is written, and a search finds nothing.

    Measured: a sixth of the time of reading.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_lines(pieces: Iterator[Piece], named: Mapping[str, Rules]) -> Iterator[Line]:
    """What the pieces of a file say, each by itself."""
    heads = Heads()
    for piece in pieces:
        yield read_line(piece, named, heads)


def read_line(piece: Piece, named: Mapping[str, Rules], heads: Heads) -> Line:
    """One hand from one line; what is wrong with it is in ``faults``."""
    line = Line(piece)
    if piece.raw is None:
        line.faults = [("", piece.code, piece.sentence)]
        return line
    try:
        document = read_json(piece.raw)
        if isinstance(document, dict) and isinstance(external_id := document.get("external_id"), str):
            line.external_id = sayable(external_id, ID_LENGTH)
        line.head, line.deal = read_hand(document, named, heads)
    except ValidationError as error:
        line.faults = list(islice(faults_in(error), MOST_FAULTS_KEPT))
    # The bytes are read again from the file where somebody wants the faulty lines.
    line.piece = Piece(piece.number, piece.end, None)
    return line


def _write_block(history: Import, lines: list[Line], dry_book: DryBook | None) -> bool:
    """Write the block and its counts; True when the import stops here because of a faulty line."""
    stops = False
    if history.on_error == Import.OnError.ABORT:
        stops = _record_until_fault(history, lines, dry_book)
    else:
        _record(history, lines, dry_book)
    ImportProblem.objects.bulk_create(
        ImportProblem(
            history=history,
            line=line.piece.number,
            result=line.result,
            external_id=line.external_id,
            pointer=pointer,
            code=code,
            sentence=sentence,
        )
        for line in lines
        for pointer, code, sentence in (*line.faults, *line.warnings)
    )
    for line in lines:
        column = _COUNTS[line.result]
        setattr(history, column, getattr(history, column) + 1)
        history.differing += line.is_differing
        for pointer in line.deal.unknown_fields if line.deal else ():
            if pointer in history.unknown_fields or len(history.unknown_fields) < MOST_UNKNOWN_KEPT:
                first, times = history.unknown_fields.get(pointer, (line.piece.number, 0))
                history.unknown_fields[pointer] = (first, times + 1)
    history.lines += len(lines)
    if lines:
        history.line_number, history.next_byte = lines[-1].piece.number, lines[-1].piece.end
    history.state = Import.State.RUNNING
    accepted = sum(line.result == "accepted" for line in lines)
    if accepted and dry_book is None:
        audit.note(history.club_id, "hands.imported", history.pk, count=accepted, name=history.file_name)
    _save(history)
    return stops


_COUNTS: Final = {"accepted": "accepted", "duplicate": "duplicates", "conflict": "conflicts", "rejected": "rejected"}
_PLACE: Final = ("lines", "line_number", "next_byte", "differing", "unknown_fields")


def _save(history: Import) -> None:
    history.save(update_fields=[*_COUNTS.values(), *_PLACE, "state", "failure", "finished_at"])


def _begin_again(history: Import) -> None:
    history.problems.all().delete()
    for column in (*_COUNTS.values(), "lines", "line_number", "next_byte", "differing"):
        setattr(history, column, 0)
    history.unknown_fields = {}
    _save(history)


def _finish(history: Import, *, failure: str = "", is_cancelled: bool = False) -> None:
    """Say what became of the import. Whoever tells others that an import is over does it here."""
    if history.is_over:
        return
    faulty = history.conflicts + history.rejected
    if is_cancelled:
        history.state = Import.State.CANCELLED
    elif failure or faulty == history.lines > 0:
        history.state = Import.State.FAILED
    else:
        history.state = Import.State.PARTLY_SUCCEEDED if faulty else Import.State.SUCCEEDED
    history.failure = failure
    history.finished_at = timezone.now()
    _save(history)
    events.announce("import.finished", club_id=history.club_id, subject_id=history.pk)


def _record_until_fault(history: Import, lines: list[Line], dry_book: DryBook | None) -> bool:
    """Write the lines before the first faulty one, and leave out those behind it. True when there was one."""
    unread = next((place for place, line in enumerate(lines) if line.faults), len(lines))
    del lines[unread + 1 :]
    while True:
        point = transaction.savepoint()
        _record(history, lines, dry_book)
        faulty = next((place for place, line in enumerate(lines) if line.faults), None)
        if dry_book is not None and faulty is not None:
            del lines[faulty + 1 :]
        if faulty is None or faulty == len(lines) - 1:
            transaction.savepoint_commit(point)
            return faulty is not None
        # A line that was good by itself does not fit the book: what stands behind it is not to go in.
        transaction.savepoint_rollback(point)
        del lines[faulty + 1 :]


def _record(history: Import, lines: list[Line], dry_book: DryBook | None) -> None:
    """Write what can be written; where the database refuses the block, each line by itself."""
    readable = [line for line in lines if line.deal is not None]
    try:
        with transaction.atomic():
            _record_by_session(history, readable, dry_book)
    except IntegrityError:
        for line in readable:
            try:
                with transaction.atomic():
                    _record_by_session(history, [line], dry_book)
            except IntegrityError:
                sentence = _("Another import wrote this hand at the same moment. Send the line again.")
                line.result, line.faults = "rejected", [("", "busy", sentence)]


def _record_by_session(history: Import, lines: Sequence[Line], dry_book: DryBook | None) -> None:
    by_head: dict[Head, list[Line]] = {}
    for line in lines:
        if line.head is not None:
            by_head.setdefault(line.head, []).append(line)
    for head, group in by_head.items():
        deals = [line.deal for line in group if line.deal is not None]
        try:
            answers = _answers(history, head, deals, dry_book)
        except ValidationError as error:
            # The session cannot be this one for any of them.
            for line in group:
                line.result, line.faults = "conflict", list(faults_in(error))
            continue
        for line, answer in zip(group, answers, strict=True):
            line.result, line.is_differing, line.warnings = answer.result, answer.is_differing, answer.warnings
            line.faults = []
            if answer.fault is not None:
                line.faults = list(faults_in(answer.fault))
            elif answer.result == "conflict":
                line.faults = [(answer.pointer, "conflict", answer.sentence)]


def _answers(history: Import, head: Head, deals: Sequence[Deal], dry_book: DryBook | None) -> list[Recorded]:
    if dry_book is not None:
        return dry_book.answers(head=head, deals=deals)
    session = session_for(club=history.club, head=head, author=history.created_by)
    return record_each(session=session, deals=deals, author=history.created_by, history=history)
