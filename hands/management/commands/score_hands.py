"""Score a hand history without a database: one JSON line a hand, in the order of the input."""

import json
import sys
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from hands.import_files import HistoryFile
from hands.imports import read_lines
from hands.report import score_report
from hands.scoring.games import PRESETS


class Command(BaseCommand):
    help = "Score a hand history (NDJSON, the API's format; - for standard input) and print a JSON line a hand."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="an NDJSON file, or - for standard input")
        parser.add_argument("--explain", action="store_true", help="also say why: best five cards, reasons of pairs")

    def handle(self, **options: Any) -> None:
        self.explain = options["explain"]
        if options["file"] == "-":
            self.is_faulty = self._score(sys.stdin.buffer)
        else:
            try:
                with Path(options["file"]).open("rb") as file:
                    self.is_faulty = self._score(file)
            except OSError as error:
                raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        if self.is_faulty:
            sys.exit(1)

    def _score(self, file: BinaryIO) -> bool:
        is_faulty = False
        opened = HistoryFile(file)
        if opened.foreign is not None:
            raise CommandError(opened.foreign)
        for line in read_lines(opened.pieces(), PRESETS):
            for pointer, _code, sentence in line.faults:
                is_faulty = True
                self.stderr.write(f"Line {line.piece.number}{f' ({pointer})' if pointer else ''}: {sentence}")
            if line.head is None or line.deal is None:
                continue
            names = [seat.external_id or seat.name for seat in line.deal.seats]
            if line.deal.has_cards:
                report = score_report(
                    boards=line.deal.boards,
                    setups=[seat.setup for seat in line.deal.seats],
                    names=names,
                    rules=line.head.rules,
                    explain=self.explain,
                )
            else:
                report = {"net": dict(zip(names, line.deal.points, strict=True))}
            self.stdout.write(json.dumps({"external_id": line.deal.external_id, **report}, ensure_ascii=False))
        return is_faulty
