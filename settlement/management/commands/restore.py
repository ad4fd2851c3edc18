"""Everything back from one file, verified."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from settlement.archive import BackupError
from settlement.backup import restore_backup


class Command(BaseCommand):
    help = "Restore a backup into an empty database and data folder, and verify it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="put aside what is there (nothing is deleted)")

    def handle(self, **options: Any) -> None:
        try:
            restore_backup(options["file"], is_replacing=options["replace"], say=self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
