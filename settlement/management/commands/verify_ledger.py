"""Hold the books against themselves and against the cards; the same checks as a club's own verification."""

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Club
from settlement import verify


class Command(BaseCommand):
    help = "Verify chain, printed heads, settlements and balances; name the first thing that differs (exit code 1)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", type=uuid.UUID, help="one club, by its id (default: every club)")

    def handle(self, **options: Any) -> None:
        clubs = Club.objects.order_by("created_at", "pk")
        if options["club"]:
            clubs = clubs.filter(pk=options["club"])
            if not clubs.exists():
                raise CommandError("There is no such club.")
        findings = [sentence] if (sentence := verify.missing_guards()) else []
        for finding in findings:
            self.stderr.write(finding)
        for club in clubs:
            verification = verify.verify_club(club)
            if verification.finding:
                findings.append(verification.finding)
                self.stderr.write(f"{club.name} ({club.pk}): {verification.finding}")
            else:
                counts = f"transfers: {verification.transfers:,}, settlements: {verification.settlements:,}"
                self.stdout.write(f"{club.name} ({club.pk}): clean ({counts})")
        if findings:
            raise SystemExit(1)
