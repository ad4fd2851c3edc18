"""Imports: a hand history, line by line, each hand by itself, in blocks that are transactions.

What a block writes, the counts and the place where the next one begins go in together, so an import that was
killed goes on where it stopped and never writes a hand twice.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Final

from django.core.exceptions import ValidationError
from django.core.files import File
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.api.parsers import read_json
from accounts.faults import faults_in, sayable
from accounts.models import Club, User
from hands.history import Deal, Head, read_hand
from hands.models import Import, ImportProblem
from hands.reading import ID_LENGTH
from hands.rulesets import rules_by_name
from hands.scoring.taiwanese import Rules
from hands.services import record_hands, session_for
from jobs import events, queue
from jobs.queue import Claim

IMPORT: Final = "import"
BLOCK: Final = 500
LONGEST_LINE: Final = 256 * 1024


@transaction.atomic
def request_import(
    *, club: Club, file: File, file_name: str, author: User | None, on_error: str = Import.OnError.SKIP
) -> Import:
    """Keep the file and write the job that reads it."""
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    history = Import(
        club=club, file_name=sayable(file_name, 200), sha256=digest.hexdigest(), on_error=on_error, created_by=author
    )
    history.file.save(f"{history.pk}.ndjson", file, save=False)
    history.save()
    queue.enqueue(kind=IMPORT, key=f"{IMPORT}/{history.pk}", subject_id=history.pk, club_id=club.pk)
    return history


@dataclass
class Line:
    """One line of the file: its number from 1, and the hand or the faults that were read from it."""

    number: int
    external_id: str = ""
    head: Head | None = None
    deal: Deal | None = None
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    result: str = "rejected"


def run_import(*, claim: Claim) -> None:
    """Read the rest of the file, block by block; the last block finishes the job."""
    history = Import.objects.select_related("club", "created_by").get(pk=claim.subject_id)
    named = rules_by_name(history.club)
    with history.file.open("rb") as file:
        size = history.file.size
        file.seek(history.next_byte)
        while True:
            lines = list(islice(read_lines(file, named, before=history.lines), BLOCK))
            is_last = file.tell() >= size
            with claim.finish() if is_last else claim.block():
                stops = _write_block(history, lines, end=file.tell(), is_last=is_last)
                if is_last:
                    events.announce("import.finished", club_id=history.club_id, subject_id=history.pk)
                else:
                    claim.report(done=history.next_byte, total=size)
            if is_last:
                return
            if stops:
                with claim.finish():
                    Import.objects.filter(pk=history.pk).update(finished_at=timezone.now())
                    events.announce("import.finished", club_id=history.club_id, subject_id=history.pk)
                return


def read_lines(file: IO[bytes], named: Mapping[str, Rules], *, before: int = 0) -> Iterator[Line]:
    """The lines of the file from where it stands, numbered on from ``before``; never more than one in memory."""
    while raw := file.readline(LONGEST_LINE + 1):
        before += 1
        if len(raw) > LONGEST_LINE:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(LONGEST_LINE)
            sentence = _("The line is longer than 256 kB; a hand needs one.")
            yield Line(before, faults=[("", "line_length", sentence)])
        elif raw.strip():
            yield read_line(raw, before, named)
        else:
            yield Line(before, result="empty")


def read_line(raw: bytes, number: int, named: Mapping[str, Rules]) -> Line:
    """One hand from one line; what is wrong with it is in ``faults``."""
    line = Line(number)
    try:
        document = read_json(raw)
        if isinstance(document, dict) and isinstance(external_id := document.get("external_id"), str):
            line.external_id = sayable(external_id, ID_LENGTH)
        line.head, line.deal = read_hand(document, named)
    except ValidationError as error:
        line.faults = list(faults_in(error))
    return line


def _write_block(history: Import, lines: list[Line], *, end: int, is_last: bool) -> bool:
    """Write the block and its counts; True when the import stops here because of a faulty line."""
    stops = False
    if history.on_error == Import.OnError.ABORT:
        stops = _record_until_fault(history, lines)
    else:
        try:
            with transaction.atomic():
                _record(history, [line for line in lines if line.deal])
        except (ValidationError, IntegrityError):
            # One of them does not fit the book: each by itself, so that the others go in.
            for line in lines:
                if line.deal:
                    _record_alone(history, line)
    problems = [
        ImportProblem(
            history=history,
            line=line.number,
            external_id=line.external_id,
            pointer=pointer,
            code=code,
            sentence=sentence,
        )
        for line in lines
        for pointer, code, sentence in line.faults
    ]
    ImportProblem.objects.bulk_create(problems)
    counts = {"accepted": "accepted", "duplicate": "duplicates", "conflict": "conflicts", "rejected": "rejected"}
    for line in lines:
        if (column := counts.get(line.result)) is not None:
            setattr(history, column, getattr(history, column) + 1)
    history.lines += len(lines)
    history.next_byte = end
    history.finished_at = timezone.now() if is_last else None
    if accepted := sum(line.result == "accepted" for line in lines):
        audit.note(history.club_id, "hands.imported", history.pk, count=accepted, name=history.file_name)
    history.save(update_fields=[*counts.values(), "lines", "next_byte", "finished_at"])
    return stops


def _record_until_fault(history: Import, lines: list[Line]) -> bool:
    """Write line after line; what follows a rejected one is not read. True when there was one."""
    for place, line in enumerate(lines):
        if line.deal:
            _record_alone(history, line)
        if line.result == "rejected":
            del lines[place + 1 :]
            return True
    return False


def _record(history: Import, lines: list[Line]) -> None:
    by_session: dict[Head, list[Line]] = {}
    for line in lines:
        if line.head is not None:
            by_session.setdefault(line.head, []).append(line)
    for head, group in by_session.items():
        session = session_for(club=history.club, head=head, author=history.created_by)
        deals = [line.deal for line in group if line.deal is not None]
        answers = record_hands(session=session, deals=deals, author=history.created_by)
        for line, answer in zip(group, answers, strict=True):
            line.result = answer.result
            line.faults = [("", "conflict", answer.sentence)] if answer.result == "conflict" else []


def _record_alone(history: Import, line: Line) -> None:
    try:
        with transaction.atomic():
            _record(history, [line])
    except ValidationError as error:
        line.faults = list(faults_in(error))
        is_conflict = any(code in {"session_conflict", "number_taken"} for _pointer, code, _sentence in line.faults)
        line.result = "conflict" if is_conflict else "rejected"
    except IntegrityError:
        line.result = "rejected"
        line.faults = [("", "busy", _("Another import wrote this hand at the same moment. Send the line again."))]
