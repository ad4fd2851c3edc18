"""Score hands again from their cards and compare; the same job as a club's, worked on here."""

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Club
from hands.models import Session
from hands.rescoring import request_rescore
from jobs import queue
from jobs.models import Job

SHOWN = 20


class Command(BaseCommand):
    help = "Score hands again from their cards; correct stored net points that differ, or only check them."

    def add_arguments(self, parser: CommandParser) -> None:
        scope = parser.add_mutually_exclusive_group(required=True)
        scope.add_argument("--session", type=uuid.UUID, help="one session, by its id")
        scope.add_argument("--club", type=uuid.UUID, help="one club, by its id")
        scope.add_argument("--all", action="store_true", help="every club")
        parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 on a difference")

    def handle(self, **options: Any) -> None:
        session = Session.objects.filter(pk=options["session"]).first()
        club = Club.objects.filter(pk=options["club"]).first()
        if session is None and club is None and not options["all"]:
            raise CommandError("There is no such session." if options["session"] else "There is no such club.")
        rescore = request_rescore(club=club, session=session, is_check=options["check"], author=None)
        job = queue.run_to_end(Job.objects.get(subject_id=rescore.pk).pk)
        rescore.refresh_from_db()
        differences = rescore.differences.select_related("setup__seat__player", "setup__version__hand__session")
        for difference in differences[:SHOWN]:
            seat, hand = difference.setup.seat, difference.setup.version.hand
            done = "corrected" if difference.is_written else "not changed"
            self.stderr.write(
                f"{hand.session.table}, hand {hand.number}, seat {seat.number} ({seat.player.name}): stored "
                f"{difference.stored_points:+d}, the cards say {difference.right_points:+d} ({done})."
            )
        count = differences.count()
        if count > SHOWN:
            self.stderr.write(f"... and {count - SHOWN} more.")
        self.stdout.write(f"{rescore.hands} hands scored again, {count} differences.")
        if job.status == Job.Status.FAILED:
            raise CommandError(f"The re-score failed: {job.error}")
        if options["check"] and count:
            raise SystemExit(1)
