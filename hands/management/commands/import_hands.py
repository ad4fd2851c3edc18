"""Import a hand history from a file: the same job as an upload, worked on here when no worker is quicker."""

import uuid
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files import File
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Club
from hands.imports import request_import
from hands.models import Import
from jobs import queue
from jobs.models import Job


class Command(BaseCommand):
    help = "Import a hand history (NDJSON or a JSON array, the API's format, also gzip) into a club."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--club", help="the club's id or name; needed when there are several")
        parser.add_argument("--on-error", choices=Import.OnError.values, default=Import.OnError.SKIP)
        parser.add_argument("--dry-run", action="store_true", help="check the file and write nothing")

    def handle(self, **options: Any) -> None:
        path: Path = options["file"]
        club = self._club(options["club"])
        try:
            with path.open("rb") as file:
                history = request_import(
                    club=club,
                    file=File(file),
                    file_name=path.name,
                    author=None,
                    on_error=options["on_error"],
                    is_dry_run=options["dry_run"],
                )
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        job = queue.run_to_end(Job.objects.get(subject_id=history.pk).pk)
        history.refresh_from_db()
        if history.failure:
            self.stderr.write(history.failure)
        for problem in history.problems.iterator():
            where = f" ({problem.pointer})" if problem.pointer else ""
            self.stderr.write(f"Line {problem.line}{where}: {problem.sentence}")
        self.stdout.write(
            f"{history.file_name}: {history.lines} lines read, {history.accepted} accepted, "
            f"{history.duplicates} duplicate, {history.conflicts} conflict, {history.rejected} rejected."
            + " Nothing was written."
            * history.is_dry_run
        )
        if job.status == Job.Status.FAILED:
            raise CommandError(f"The import failed: {job.error}")
        if history.state != Import.State.SUCCEEDED:
            raise SystemExit(1)

    def _club(self, name: str | None) -> Club:
        clubs = Club.objects.filter(test_of=None, put_away_at=None)
        if name is not None:
            clubs = Club.objects.all()
            try:
                clubs = clubs.filter(pk=uuid.UUID(name))
            except ValueError:
                clubs = clubs.filter(name=name)
        found = list(clubs[:2])
        if not found:
            raise CommandError("There is no such club.")
        if len(found) > 1:
            raise CommandError("There are several clubs: name one with --club and its id.")
        return found[0]
