"""One club with one of everything that the API tells of, and how it is called."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.core.files.base import ContentFile
from django.test import Client

from accounts.models import Account, Club, Player, User
from accounts.services import claim_player, create_api_key
from hands.imports import request_import
from hands.models import Hand, Import, RuleSet, Session
from jobs import queue
from jobs.models import Job
from settlement.book_files import request_ledger_file
from settlement.disputes import raise_dispute
from settlement.exports import request_export
from settlement.models import Payment, Settlement, Statement
from settlement.payments import Wanted, record_payments
from settlement.reminders import ask_reminder
from settlement.services import request_statement
from settlement.webhooks import create_webhook, send_ping
from tests.deals import EVENING, play, settle


@dataclass
class World:
    """``ids`` has an id for every name in an address."""

    club: Club
    key: str
    ids: dict[str, Any]

    def call(self, client: Client, method: str, address: str, body: Any = None, **headers: str) -> Any:
        """One call with the club's key; a body is sent as JSON."""
        raw = json.dumps(body) if body is not None else b""
        sent = {"Authorization": f"Api-Key {self.key}"} | {name.replace("_", "-"): v for name, v in headers.items()}
        return client.generic(method.upper(), address, raw, content_type="application/json", headers=sent)


def make_world(club: Club, owner: User) -> World:
    """A settled session, an open one, a payment, a dispute, a reminder, files, a faulty import, a webhook."""
    settled, still_open = play(club), play(club, table="Second table")
    settle(settled)
    # Who has a log-in can be reminded.
    payer = Player.objects.get(club=club, name="Ben")
    claim_player(player=payer, user=User.objects.create_user("ben@example.com", "a long password"))
    ana, ben = (Account.objects.get(player__name=name, club=club) for name in ("Ana", "Ben"))
    wanted = Wanted(uuid.uuid4(), ben, ana, 100, session=settled)
    (payment,) = record_payments(club=club, wanted=[wanted], author=owner)
    player = Player.objects.get(club=club, name="Ana")
    request_statement(player=player, currency="USD", first_day=EVENING.date(), last_day=EVENING.date(), author=owner)
    days = {"first_day": EVENING.date(), "last_day": EVENING.date()}
    book_file = request_ledger_file(club=club, currency="USD", author=owner, **days)
    export = request_export(club=club, author=owner)
    dispute = raise_dispute(club=club, sentence="Not so.", author=owner, player=player, payment=payment)
    chi = Account.objects.get(player__name="Chi", club=club)
    reminder = ask_reminder(payer=ben, payee=chi, session=settled, author=owner)
    request_import(club=club, file=ContentFile(b'{"game": 1}\n', name="h.ndjson"), file_name="h.ndjson", author=owner)
    for job_id in Job.objects.filter(status="queued").values_list("pk", flat=True):
        queue.run_to_end(job_id)
    webhook, _secret = create_webhook(
        club=club, url="https://club.example/told", events=["session.settled"], author=owner
    )
    _key, secret = create_api_key(club=club, name="All", scope="settle", author=owner)
    ids = {
        "player_id": player.pk,
        "rule_set_id": RuleSet.objects.filter(club=club).first().pk,
        "session_id": settled.pk,
        "open_session_id": still_open.pk,
        "hand_id": Hand.objects.get(session=still_open).pk,
        "import_id": Import.objects.get(club=club).pk,
        "transfer_id": payment.transfer_id,
        "payment_id": Payment.objects.get(club=club).pk,
        "settlement_id": Settlement.objects.get(session=settled).pk,
        "statement_id": Statement.objects.get(club=club).pk,
        "book_file_id": book_file.pk,
        "export_id": export.pk,
        "dispute_id": dispute.pk,
        "reminder_id": reminder.pk,
        "webhook_id": webhook.pk,
        "delivery_id": send_ping(webhook=webhook).pk,
        "payer": ben.pk,
        "payee": ana.pk,
    }
    assert Session.objects.filter(club=club).count() == 2
    return World(club, secret, ids)
