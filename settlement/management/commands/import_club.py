"""Bring a club's export into a new club, or into an empty one."""

import uuid
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Club, User
from settlement.club_import import import_club


class Command(BaseCommand):
    help = "Import a club's export (all of it or nothing) and hold its balances against the file's."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, help="the e-mail of the person whose club it is to be")
        parser.add_argument("--club", type=uuid.UUID, help="an empty club of that owner (default: a new one)")

    def handle(self, **options: Any) -> None:
        owner = User.objects.filter(email__iexact=options["owner"]).first()
        if owner is None:
            raise CommandError(f"Nobody has signed up as {options['owner']} yet.")
        club = None
        if options["club"]:
            club = Club.objects.filter(pk=options["club"], memberships__user=owner, put_away_at=None).first()
            if club is None:
                raise CommandError("That person has no such club.")
        try:
            with options["file"].open("rb") as file:
                imported = import_club(file=file, owner=owner, club=club)
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        counts = ", ".join(f"{count:,} {kind}" for kind, count in imported.counts.items())
        self.stdout.write(f"{imported.club.name} ({imported.club.pk}): {counts}. Every balance is the file's.")
