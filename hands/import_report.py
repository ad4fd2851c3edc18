"""What can be asked of an import: how it stands, its faulty lines as a file, and files that no import names."""

import uuid
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Final

from django.core.files.storage import default_storage
from django.db.models import Case, CharField, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from hands.import_files import HistoryFile
from hands.imports import IMPORT
from hands.models import Import, ImportProblem
from jobs.models import Job

FOLDER: Final = "imports"
ORPHAN_AGE: Final = timedelta(days=1)


def with_state(imports: QuerySet[Import]) -> QuerySet[Import]:
    """The imports, each with ``current_state``: its own, or failed where its job was given up."""
    given_up = Job.objects.filter(kind=IMPORT, subject_id=OuterRef("pk"), status=Job.Status.FAILED)
    return imports.annotate(
        current_state=Case(
            When(Q(finished_at=None) & Exists(given_up), then=Value(Import.State.FAILED.value)),
            default=F("state"),
            output_field=CharField(),
        )
    )


def jobs_of(imports: Iterable[Import]) -> dict[uuid.UUID, Job]:
    """The job of each import, by the import's id."""
    return {job.subject_id: job for job in Job.objects.filter(kind=IMPORT, subject_id__in=[one.pk for one in imports])}


def failed_lines(history: Import) -> Iterator[bytes]:
    """The lines that did not go in, as they were sent, each on one line: ready to be mended and sent again.

    A line without bytes (too long, or not unpacked) is left out.
    """
    numbers = (
        history.problems.exclude(result=ImportProblem.Result.ACCEPTED)
        .order_by("line")
        .values_list("line", flat=True)
        .distinct()
        .iterator()
    )
    wanted = next(numbers, None)
    with history.file.open("rb") as file:
        for piece in HistoryFile(file).pieces():
            while wanted is not None and wanted < piece.number:
                wanted = next(numbers, None)
            if wanted is None:
                return
            if wanted == piece.number and piece.raw is not None:
                # A line end inside of an element of an array can only be space between its parts.
                yield b" ".join(piece.raw.split(b"\n")).replace(b"\r", b" ").strip() + b"\n"


def clear_orphans() -> None:
    """Delete files that no import names.

    A file is stored before its row is committed, so what was killed in between leaves one. A day is far longer than
    any upload takes.
    """
    before = timezone.now() - ORPHAN_AGE
    for name in _files(FOLDER):
        if default_storage.get_modified_time(name) < before and not Import.objects.filter(file=name).exists():
            default_storage.delete(name)


def _files(folder: str) -> Iterator[str]:
    try:
        folders, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        yield f"{folder}/{name}"
    for inner in folders:
        yield from _files(f"{folder}/{inner}")
