"""Load the demo club through the product's own doors: import, settle and export jobs."""

import time
import uuid
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from accounts.models import Club, Player, User
from accounts.services import create_club
from hands import demo
from hands.imports import request_import
from hands.models import Import, Session
from hands.services import close_session
from jobs.models import Job
from jobs.parent import leave_with_parent
from settlement.models import Payment, Settlement, Statement
from settlement.owing import session_owing
from settlement.payments import Wanted, record_payments
from settlement.services import request_settlement, request_statement


class Command(BaseCommand):
    help = "Load the demo club if no club is there yet, and say how to look at it (a worker must be running)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, **options: Any) -> None:
        leave_with_parent()
        user = User.objects.filter(email=demo.EMAIL).first()
        if user is None and Club.objects.exists():
            return
        if user is None:
            user = User.objects.create_user(demo.EMAIL, demo.PASSWORD)
        club = Club.objects.filter(memberships__user=user).order_by("created_at").first() or create_club(
            owner=user, name=demo.CLUB
        )
        statement = self._first_statement(club, user)
        where = reverse("statement", args=[statement.pk])
        self.stdout.write(
            f"Demo log-in: {demo.EMAIL}, password “{demo.PASSWORD}”\n"
            f"First statement: http://127.0.0.1:{options['port']}{where}\n"
            f"                 {statement.file.path}"
        )

    def _first_statement(self, club: Club, user: User) -> Statement:
        made = Statement.objects.filter(club=club, player__name__in=demo.PEOPLE).exclude(file="")
        # The last step: whatever people did with the demo since then is theirs.
        if not made.filter(player__name=demo.PEOPLE[-1]).exists():
            self._load(club, user)
        return made.earliest("number")

    def _load(self, club: Club, user: User) -> None:
        """Every step may be the one at which an earlier start was cut off: each is done where it is not done yet."""
        history = Import.objects.filter(club=club).order_by("created_at").first()
        if history is None:
            file = ContentFile(demo.history(timezone.now()))
            history = request_import(club=club, file=file, file_name="demo.ndjson", author=user)
        self._wait(history.pk)
        for external_id in (demo.SETTLED.external_id, demo.CLOSED.external_id):
            close_session(session=Session.objects.get(club=club, external_id=external_id))
        settled = Session.objects.get(club=club, external_id=demo.SETTLED.external_id)
        request_settlement(session=settled)
        self._wait(settled.pk)
        if not Payment.objects.filter(session=settled).exists():
            self._pay(settled, user)
        today = timezone.now().date()
        for name in demo.PEOPLE:
            player = Player.objects.get(club=club, name=name)
            statement = player.statements.order_by("requested_at").first() or request_statement(
                player=player, currency="USD", first_day=today - timedelta(days=30), last_day=today, author=user
            )
            self._wait(statement.pk)

    def _pay(self, session: Session, user: User) -> None:
        """The next day, of what is owed: one is paid, one by half, and one waits for the payee's word."""
        settlement = Settlement.objects.get(session=session, reversed_at=None)
        paid, part, waiting, *_rest = session_owing(session, settlement).dues
        wanted = [
            Wanted(
                due.payment_id,
                due.payer,
                due.payee,
                due.amount_minor // 2 if due is part else due.amount_minor,
                session=session,
                paid_at=settlement.occurred_at + timedelta(days=1),
                is_pending=due is waiting,
            )
            for due in (paid, part, waiting)
        ]
        record_payments(club=session.club, wanted=wanted, author=user)

    def _wait(self, subject_id: uuid.UUID) -> None:
        while True:
            job = Job.objects.filter(subject_id=subject_id).latest("created_at")
            if job.status == Job.Status.DONE:
                return
            if job.status == Job.Status.FAILED:
                raise CommandError(f"The demo could not be loaded: {job.error}")
            time.sleep(0.05)
