"""Everything in one file, while the service runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from settlement.archive import BackupError
from settlement.backup import make_backup


class Command(BaseCommand):
    help = "Write the database and the stored files into one file; the service may go on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = make_backup(path)
        except BackupError as error:
            raise CommandError(str(error)) from None
        entries = sum(sequence for sequence, _hash in manifest["heads"].values())
        self.stdout.write(
            f"{path}: {path.stat().st_size:,} bytes (clubs: {len(manifest['heads'])}, entries: {entries:,})."
            " It holds everything, passwords' hashes too: keep it where only you can read it."
        )
