"""Everything a club has, in one file: a job that writes it in blocks and goes on where it stopped.

Every block is a gzip member of its own, so the parts laid end to end are the file. The blocks are one moment of the
book: where anything has changed by the last one, the file is begun anew.
"""

import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from tempfile import TemporaryFile
from typing import Any, Final

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Book, Club, User
from accounts.services import lock_club
from jobs import queue
from jobs.queue import Claim
from settlement.club_lines import FORMAT, SECTIONS, moment_of
from settlement.models import ClubExport

EXPORT: Final = "export"
# How often the file of a club that goes on playing is begun before it is asked to wait.
MOST_BEGUN: Final = 4
_COLUMNS: Final = ("moment", "begun", "section", "after", "parts", "lines")


@transaction.atomic
def request_export(*, club: Club, author: User | None) -> ClubExport:
    """Write the job that exports the club; while one waits or runs, that is the one."""
    # The club's row is the lock, so that a double tap makes one.
    lock_club(club.pk)
    under_way = queue.under_way(EXPORT, club_id=club.pk)
    if there := ClubExport.objects.filter(pk__in=under_way.values("subject_id")).first():
        return there
    export = ClubExport.objects.create(club=club, requested_by=author)
    audit.note(club.pk, "export.asked", export.pk)
    queue.enqueue(kind=EXPORT, key=f"{EXPORT}/{export.pk}", subject_id=export.pk, club_id=club.pk)
    return export


def run_export(*, claim: Claim) -> None:
    """Write the rest of the file, block by block; the last transaction names it and finishes the job.

    Raises ``ValidationError`` where the club changed under every attempt.
    """
    export = ClubExport.objects.select_related("club").get(pk=claim.subject_id)
    if export.made_at is None:
        while not _write_all(claim, export):
            pass
        _put_together(claim, export)
    else:
        with claim.finish():
            pass


def _write_all(claim: Claim, export: ClubExport) -> bool:
    """Write what is missing; False where the club is another by now, and the file has to be begun anew."""
    if not export.moment:
        with claim.block():
            is_begun = _begin(export)
        if not is_begun:
            words = _("The club was played in all the while; ask again when its tables are quiet.")
            raise fault("", "club_changed", words)
    total = sum(_counts(export.moment))
    while export.section:
        lines, section, after = _next_block(export)
        if lines:
            name = f"{_folder(export)}/part-{claim.token.hex}-{len(export.parts):06}"
            export.parts.append(default_storage.save(name, ContentFile(_packed(lines))))
            export.lines += len(lines)
        export.section, export.after = section, after
        with claim.block():
            export.save(update_fields=_COLUMNS)
            claim.report(done=export.lines, total=max(export.lines, total))
    if _moment(export.club) == export.moment:
        return True
    with claim.block():
        export.moment = {}
        export.save(update_fields=["moment"])
    return False


def _begin(export: ClubExport) -> bool:
    """Fix the moment; False where that was done too often. Asked again, the export has all its attempts again."""
    if export.begun == MOST_BEGUN:
        ClubExport.objects.filter(pk=export.pk).update(begun=0)
        return False
    export.moment, export.begun = _moment(export.club), export.begun + 1
    export.section, export.after, export.parts, export.lines = "club", "", [], 0
    export.save(update_fields=_COLUMNS)
    return True


def _moment(club: Club) -> dict[str, Any]:
    # The book's row may be cached from before.
    club.book = Book.objects.get(club=club)
    found: dict[str, Any] = json.loads(json.dumps(moment_of(club)))
    return found


def _counts(moment: dict[str, Any]) -> Iterator[int]:
    for name in ("player", "ruleset", "merge", "statement", "hands", "sequence"):
        yield moment[name]
    yield from moment["sessions"].values()
    yield from moment["payments"].values()


def _next_block(export: ClubExport) -> tuple[list[dict[str, Any]], str, str]:
    """The next lines of the file, and where the ones after them begin ("" where these are the last)."""
    order = ["club", *SECTIONS, "end"]
    club, section = export.club, export.section
    after = ""
    if section == "club":
        lines = [
            {
                "kind": "club",
                "format": FORMAT,
                "name": club.name,
                "time_zone": club.time_zone,
                "made_at": timezone.now().isoformat(),
                "head": {"sequence": export.moment["sequence"], "hash": export.moment["hash"]},
            }
        ]
    elif section == "end":
        lines = [{"kind": "end", "lines": export.lines}]
    else:
        found, after = SECTIONS[section](club, export.after)
        lines = [{"kind": section} | line for line in found]
    if not after:
        section = order[order.index(section) + 1] if section != "end" else ""
    return lines, section, after


def _packed(lines: Sequence[dict[str, Any]]) -> bytes:
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    # Without a time in its head, so that the same lines are the same bytes.
    return gzip.compress(text.encode(), mtime=0)


def _put_together(claim: Claim, export: ClubExport) -> None:
    digest = hashlib.sha256()
    with TemporaryFile() as whole:
        for name in export.parts:
            with default_storage.open(name) as part:
                shutil.copyfileobj(part, whole)
        whole.seek(0)
        while chunk := whole.read(1 << 20):
            digest.update(chunk)
        export.size_bytes = whole.tell()
        whole.seek(0)
        export.file.name = default_storage.save(f"{_folder(export)}/{claim.token.hex}.ndjson.gz", File(whole))
    export.sha256, export.made_at = digest.hexdigest(), timezone.now()
    with claim.finish():
        export.save(update_fields=["file", "size_bytes", "sha256", "made_at"])
        audit.note(export.club_id, "export.made", export.pk, lines=export.lines)
    _clear(export)


def _clear(export: ClubExport) -> None:
    """Whatever attempts left behind, but for the file."""
    _folders, names = default_storage.listdir(_folder(export))
    for name in names:
        if (path := f"{_folder(export)}/{name}") != export.file.name:
            default_storage.delete(path)


def file_name(export: ClubExport) -> str:
    """A plain name for the download of an export that is made."""
    return f"{slugify(export.club.name) or 'club'}-{export.made_at:%Y-%m-%d}.ndjson.gz"


def _folder(export: ClubExport) -> str:
    return f"exports/{export.pk}"
