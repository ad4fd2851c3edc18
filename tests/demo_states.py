"""The demo club with something in every state that pictures show; run by `tests.screenshots` beside the service."""

import uuid
from collections.abc import Sequence
from datetime import date

from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from accounts.models import Account, Club, Player, User
from accounts.services import claim_player, players_named
from hands import demo
from hands.import_sample import sample_lines
from hands.imports import request_import
from hands.luck import request_luck
from hands.models import Hand, Session
from hands.scoring.taiwanese import PRESETS
from hands.services import open_session
from jobs import queue
from jobs.models import Job
from settlement.bank import account_of, bank_of, record_at_bank
from settlement.book_files import request_ledger_file
from settlement.bundles import request_bundle
from settlement.disputes import decline_dispute, raise_dispute
from settlement.models import Payment, Statement
from settlement.notices import mark_read, off_text
from settlement.payments import Wanted, record_payments
from settlement.services import request_statement
from tests.deals import EVENING
from tests.everything import practice_addresses
from tests.ofc import FOULED, WITH_JOKER, open_table, play_hand

WRONG_LINES = b'{"spec_version": "1.0", "game": "taiwanese"}\n{"spec_version": "1.0", "hands": }\n'


def addresses() -> dict[str, str]:
    """Pages of the demo club by the name of their picture."""
    owner = User.objects.get(email=demo.EMAIL)
    club = Club.objects.get(memberships__user=owner)
    settled, closed, running = (Session.objects.get(club=club, external_id=one.external_id) for one in demo.SESSIONS)
    empty = _begin(club, "Friday table", demo.PEOPLE, owner)
    # People of its own: who buys chips owes the bank, which would change what is open elsewhere.
    chips = _begin(club, "With a bank", ["Gil", "Hana"], owner)
    _buy_in(chips, owner)
    # Of others too, so that nobody's page changes.
    laid = open_table(club, names=("Ines", "Jon", "Kim"))
    play_hand(laid, dict(zip(("Ines", "Jon", "Kim"), FOULED.values(), strict=True)))
    jokers = open_table(club, "pineapple-jokers", ("Ines", "Jon", "Kim"))
    play_hand(jokers, dict(zip(("Ines", "Jon", "Kim"), WITH_JOKER, strict=True)))
    three = _begin(club, "Three phones", ("Ines", "Jon", "Kim"), owner)
    pending, paid = (Payment.objects.filter(session=settled, state=state).first() for state in ("pending", "paid"))
    hand = Hand.objects.get(session=settled, number=24)
    _tell(club, owner, hand)
    dispute = raise_dispute(
        club=club,
        sentence="My middle was two jacks.",
        author=owner,
        player=Player.objects.get(club=club, name="Chi"),
        hand=Hand.objects.get(session=closed, number=16),
    )
    lines = sample_lines().replace(b'"Ana"', b'"Ines"').replace(b'"Ben"', b'"Jon"') + WRONG_LINES
    imported = request_import(club=club, file=ContentFile(lines), file_name="saturday.ndjson", author=owner)
    queue.run_to_end(Job.objects.get(subject_id=imported.pk).pk)
    days = {"first_day": date(2020, 1, 1), "last_day": date(2029, 12, 31)}
    ledger = request_ledger_file(club=club, currency="USD", author=owner, **days)
    queue.run_to_end(Job.objects.get(subject_id=ledger.pk).pk)
    ana = Player.objects.get(club=club, name="Ana")
    queue.run_to_end(request_luck(player=ana).pk)
    to_set, answered = practice_addresses()
    first, last = EVENING.date().replace(day=1), EVENING.date().replace(day=30)
    bundle = request_bundle(club=club, currency="USD", first_day=first, last_day=last, author=owner)
    queue.run_to_end(Job.objects.get(subject_id=bundle.pk).pk)
    bundle.refresh_from_db()
    by_club = {
        "new-session": "session-new",
        "players": "players",
        "imports": "imports",
        "new-import": "import-new",
        "books": "books",
        "ledger-files": "ledger-files",
        "jobs": "jobs",
        "members": "club",
        "rule-sets": "rule-sets",
        "open-balances": "owed",
        "statements": "statements",
        "statement-verify": "statement-verify",
        "disputes": "disputes",
    }
    return {
        "sessions": reverse("sessions"),
        "notices": reverse("notices"),
        "notices-chosen": reverse("notices-chosen"),
        "notice-off": reverse("notice-off", args=[off_text(owner.pk, "payment.asked")]),
        "board": reverse("session", args=[running.pk]),
        "board-settled": reverse("session", args=[settled.pk]),
        "board-empty": reverse("session", args=[empty.pk]),
        "live-link": reverse("live-link", args=[empty.pk]),
        "seats": reverse("seats", args=[empty.pk]),
        "phones": reverse("phones", args=[empty.pk]),
        "phones-dealt": reverse("phones", args=[three.pk]),
        "entry": reverse("hand-new", args=[empty.pk]),
        "points-only": reverse("hand-points", args=[empty.pk]),
        "bank": reverse("session-bank", args=[chips.pk]),
        "hand": reverse("hand", args=[hand.pk]),
        "pair-told": reverse("hand", args=[hand.pk]) + "?row=1-bottom-1&pair=1-2",
        "chances-deal": reverse("hand-chances", args=[hand.pk]),
        "chances-flop": reverse("hand-chances", args=[hand.pk]) + "?street=flop",
        "chances-river": reverse("hand-chances", args=[hand.pk]) + "?street=river",
        "setup-worth": reverse("hand-worth", args=[hand.pk, 2]),
        "practice": reverse("practice"),
        "practice-set": to_set,
        "practice-answer": answered,
        "correct": reverse("hand-correct", args=[hand.pk]),
        "void": reverse("hand-void", args=[hand.pk]),
        "settle-open": reverse("settle", args=[running.pk]),
        "settle-closed": reverse("settle", args=[closed.pk]),
        "settle-settled": reverse("settle", args=[settled.pk]),
        "all-pairs": reverse("settle", args=[settled.pk]) + "?pairs=1",
        "session-files": reverse("session-files", args=[settled.pk]),
        "reopen": reverse("session-reopen", args=[settled.pk]),
        "payment-pending": reverse("payment", args=[pending.pk]),
        "payment-paid": reverse("payment", args=[paid.pk]),
        "payment-new": reverse("payment-new", args=[club.pk]) + f"?session={settled.pk}",
        "hand-disputed": reverse("hand", args=[dispute.hand_id]),
        "player": reverse("player", args=[ana.pk]),
        "player-edit": reverse("player-edit", args=[ana.pk]),
        "player-erase": reverse("player-erase", args=[ana.pk]),
        "statement": reverse("statement", args=[Statement.objects.get(player=ana, pk__in=bundle.statements).pk]),
        "import": reverse("import", args=[imported.pk]),
        "rules": reverse("rule-set", args=[settled.rule_set_id]),
        "rules-progressive": reverse("rule-preset", args=[club.pk, "progressive"]),
        "rules-own-chinese": reverse("rule-sets", args=[club.pk]) + "?game=chinese",
        "board-laid": reverse("session", args=[laid.pk]),
        "hand-laid": reverse("hand", args=[Hand.objects.get(session=laid).pk]) + "?pair=1-3",
        "hand-joker": reverse("hand", args=[Hand.objects.get(session=jokers).pk]),
        "entry-laid": reverse("hand-new", args=[laid.pk]),
        "entry-plain": reverse("hand-new", args=[jokers.pk]) + "?plain=1",
    } | {name: reverse(view, args=[club.pk]) for name, view in by_club.items()}


def _begin(club: Club, table: str, names: Sequence[str], owner: User) -> Session:
    return open_session(
        club=club,
        table=table,
        rules=PRESETS["phenom"],
        rule_set_name="phenom",
        point_value_minor=50,
        currency="USD",
        started_at=EVENING,
        players=players_named(club=club, names=dict(enumerate(names, start=1))),
        author=owner,
    )


def _buy_in(session: Session, owner: User) -> None:
    """Two buy 50.00 of chips each, and one has cashed 20.00."""
    bank = bank_of(session)
    for name, amount_minor in (("Gil", 5000), ("Hana", 5000), ("Hana", -2000)):
        holder = account_of(session, str(Player.objects.get(club=session.club, name=name).pk))
        payer, payee = (holder, bank) if amount_minor > 0 else (bank, holder)
        kind = Payment.Kind.BUY_IN if amount_minor > 0 else Payment.Kind.CASH_OUT
        one = Wanted(uuid.uuid4(), payer, payee, abs(amount_minor), kind=kind, session=session)
        record_at_bank(session=session, one=one, author=owner)


def _tell(club: Club, owner: User, hand: Hand) -> None:
    """The owner is Chi, who is told of a payment that waits, of a statement and of a dispute; one was read."""
    chi = Player.objects.get(club=club, name="Chi")
    claim_player(player=chi, user=owner)
    dispute = raise_dispute(club=club, sentence="My top was a nine.", author=owner, player=chi, hand=hand)
    decline_dispute(dispute=dispute, reason="It was a six; Ana saw it too.", author=None)
    mark_read(user=owner)
    payer, payee = (Account.objects.get(player__club=club, player__name=name) for name in ("Dora", "Chi"))
    wanted = Wanted(uuid.uuid4(), payer, payee, 550, session=hand.session, is_pending=True)
    record_payments(club=club, wanted=[wanted], author=None)
    day = timezone.now().date()
    statement = request_statement(player=chi, currency="USD", first_day=day, last_day=day, author=owner)
    queue.run_to_end(Job.objects.get(subject_id=statement.pk).pk)
