"""Backups: everything in one file, of one moment, while the service runs; and everything back, proved."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import Book, Club
from jobs.data_folder import FolderInUse, lock_data_folder
from settlement import dumps, verify
from settlement.archive import DUMPS, Archive, BackupError, read_archive, write_archive
from settlement.moments import one_moment

Say = Callable[[str], None]
ENGINES: Final = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def make_backup(path: Path) -> dict[str, Any]:
    """Write database and files into ``path``, which must not be there; return the manifest.

    The database is that of one moment. The files are read after it: a row names a file only when that is
    stored, and no stored file ever changes, so every file that a row of the dump names is in the archive.
    """
    if path.exists():
        raise BackupError(f"{path} is there already.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}.")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as scratch:
        dump = Path(scratch) / DUMPS[connection.vendor]
        with one_moment():
            manifest = {
                "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
                "engine": connection.vendor,
                "engine_version": ".".join(map(str, connection.get_database_version())),
                "migrations": sorted(MigrationRecorder(connection).applied_migrations()),
                "heads": _heads(),
            }
            dumps.dump_database(dump)
        part = Path(scratch) / "archive"
        write_archive(part, dump=dump, files=Path(settings.MEDIA_ROOT), manifest=manifest)
        part.rename(path)
    return manifest


def restore_backup(path: Path, *, is_replacing: bool, say: Say) -> None:
    """Put a backup in place, make the guards again, and prove chain heads, books and cards.

    Everything about the archive is checked first. With ``is_replacing`` what was there is put aside, and
    ``say`` told where. Raises ``BackupError``; after the first word of ``say`` something has changed.
    """
    archive = read_archive(path)
    _check_it_fits(archive.manifest)
    try:
        lock = lock_data_folder(settings.DATA_DIR)
    except FolderInUse as folder:
        raise BackupError(f"Homerun runs on {folder}. Stop it first.") from None
    with lock:
        _make_room(is_replacing=is_replacing, say=say)
        files = Path(settings.MEDIA_ROOT)
        with tempfile.TemporaryDirectory(dir=settings.DATA_DIR, prefix=".restore-") as scratch:
            name = DUMPS[connection.vendor]
            archive.extract(name, Path(scratch) / name)
            archive.extract_files(Path(scratch) / "files")
            dumps.restore_database(Path(scratch) / name)
            if archive.files():
                with contextlib.suppress(FileNotFoundError):
                    files.rmdir()
                files.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(Path(scratch) / "files", files)
        # Also where nothing has to be migrated this makes the guards again.
        call_command("migrate", interactive=False, verbosity=0)
        _prove(archive, say)


def _heads() -> dict[str, list[Any]]:
    books = Book.objects.values_list("club_id", "head_sequence", "head_hash")
    return {str(club_id): [sequence, head] for club_id, sequence, head in books}


def _check_it_fits(manifest: dict[str, Any]) -> None:
    if manifest["engine"] != connection.vendor:
        theirs, ours = ENGINES[manifest["engine"]], ENGINES[connection.vendor]
        raise BackupError(f"This is a backup of {theirs}; the database here is {ours} (DATABASE_URL).")
    known = MigrationLoader(None).disk_migrations
    newer = [".".join(applied) for applied in manifest["migrations"] if tuple(applied) not in known]
    if newer:
        raise BackupError(f"A newer version of Homerun made this backup ({newer[0]}). Update first.")


def _make_room(*, is_replacing: bool, say: Say) -> None:
    files = Path(settings.MEDIA_ROOT)
    has_files = files.exists() and any(files.iterdir())
    is_empty = dumps.is_empty() and not has_files
    if not is_empty and not is_replacing:
        raise BackupError("There is data here already. --replace puts it aside and restores the backup in its place.")
    dumps.check_nobody_else_is_there()
    if is_empty:
        return
    now = datetime.now(UTC)
    folder = settings.DATA_DIR / f"replaced-{now:%Y%m%d-%H%M%S}"
    folder.mkdir()
    say(f"What was here is put aside: {dumps.put_aside(folder, now)}; files in {folder}.")
    if has_files:
        shutil.move(files, folder / "files")


def _prove(archive: Archive, say: Say) -> None:
    findings = [sentence] if (sentence := verify.missing_guards()) else []
    findings += [found.finding for club in Club.objects.all() if (found := verify.verify_club(club)).finding]
    if _heads() != archive.manifest["heads"]:
        findings.append("The heads of the books are not those that the backup was made with.")
    if findings:
        raise BackupError("It is restored, but not right. " + " ".join(findings))
    entries = sum(sequence for sequence, _hash in archive.manifest["heads"].values())
    say(f"Restored and verified (clubs: {len(archive.manifest['heads'])}, entries: {entries:,}).")
    connections.close_all()
