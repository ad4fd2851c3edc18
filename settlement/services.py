"""Sessions into money, money into transfers, transfers into statements.

The order of locks is always the same: the job's row, the session's, the book's.
"""

import hashlib
import uuid
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit, ledger, merging
from accounts.faults import fault
from accounts.ledger import Entry
from accounts.models import Account, Book, Player, Transfer, User
from accounts.money import check_currency
from hands.house_money import house_money_of
from hands.models import Hand, Session
from hands.queries import (
    StoredHand,
    hands_digest,
    hands_played,
    load_hands,
    pair_sums,
    points_without_cards,
    position_order,
)
from hands.rulesets import rules_of
from jobs import events, queue
from jobs.models import Job
from jobs.queue import Claim, LeaseLost
from settlement import amounts
from settlement.amounts import Outcome
from settlement.models import SettledPair, Settlement, Statement
from settlement.moments import one_moment
from settlement.statement_content import StatementContent
from settlement.statement_workbook import write_statement
from settlement.statements import Tally, paged
from settlement.table_stakes import match_of

SETTLE = "settle"
STATEMENT = "statement"
# What a sheet can hold as dates, with a day to spare at the end.
YEARS: Final = (1900, 9998)


@transaction.atomic
def request_settlement(*, session: Session) -> Job:
    """Write the job that settles a closed session; asking again for the same revision is the same job.

    Raises ``ValidationError`` when the session is still open. A job that failed is begun again.
    """
    # The session's row is the lock: a reopening and this request cannot pass each other.
    Session.objects.filter(pk=session.pk).update(state=F("state"))
    session.refresh_from_db(fields=["state", "revision"])
    if session.state == Session.State.OPEN:
        raise fault("", "session_open", _("Close the session first; then it can be settled."))
    revision = session.revision
    if session.state == Session.State.SETTLED:
        revision = Settlement.objects.get(session=session, reversed_at=None).revision
    audit.note(session.club_id, "settlement.asked", session.pk, name=session.table)
    job = queue.enqueue(kind=SETTLE, key=_settle_key(session, revision), subject_id=session.pk, club_id=session.club_id)
    if job.status == Job.Status.FAILED:
        queue.retry(job.pk)
    return job


def _settle_key(session: Session, revision: int) -> str:
    return f"{SETTLE}/{session.pk}/{revision}"


def settle_session(*, session_id: uuid.UUID, asked: str | None = None) -> Settlement:
    """Turn the session's pair sums into transfers at its point value: loser debit, winner credit.

    Must run inside the transaction that finishes its job; ``asked`` is that job's key, which names the revision
    that somebody saw and asked to settle. Settling what is settled returns the live settlement and changes
    nothing. Raises ``ValidationError`` when the session was changed since, even if it is closed once more.
    """
    locked = Session.objects.filter(pk=session_id, state=Session.State.CLOSED).update(state=Session.State.SETTLED)
    session = Session.objects.select_related("rule_set").get(pk=session_id)
    if not locked and session.state == Session.State.OPEN:
        raise fault("", "session_open", _("The session was opened again; close it, then settle."))
    if not locked:
        return Settlement.objects.get(session=session, reversed_at=None)
    if asked is not None and asked != _settle_key(session, session.revision):
        raise fault("", "session_changed", _("The session was changed since; settle it as it is now."))
    hands = list(load_hands(Hand.objects.filter(session=session)))
    settlement = Settlement.objects.create(
        id=uuid.uuid4(),
        session=session,
        revision=session.revision,
        hands_digest=hands_digest(session),
        hands=len(hands),
        settled_at=timezone.now(),
        occurred_at=_occurred_at(session, hands),
    )
    _post_outcome(settlement, session, outcome_of(session, hands))
    audit.note(
        session.club_id,
        "settlement.made",
        settlement.pk,
        session=str(session.pk),
        revision=session.revision,
        name=session.table,
    )
    events.announce("session.settled", club_id=session.club_id, subject_id=settlement.pk)
    return settlement


def _occurred_at(session: Session, hands: Sequence[StoredHand]) -> datetime:
    """The date of a settlement's transfers: the evening when the last card was played, however late it is settled.

    A correction is dated when it is made: what a statement of that evening said stays true.
    """
    if Settlement.objects.filter(session=session).exists():
        return timezone.now()
    return max((hand.played_at for hand in hands), default=session.started_at)


def outcome_of(session: Session, hands: Sequence[StoredHand]) -> Outcome:
    """What the session's hands come to, by its rule set and its house.

    Raises ``ValidationError`` for too much, and for a stake that is not known yet.
    """
    try:
        match = match_of(session, hands)
        return amounts.outcome(
            pair_sums(hands, rules_of(session.rule_set)),
            points_without_cards=points_without_cards(hands),
            hands_played=hands_played(hands),
            seats=position_order(session, hands),
            point_value_minor=session.point_value_minor,
            terms=house_money_of(session.rule_set),
            from_stakes=match.paid() if match else None,
        )
    except amounts.AmountTooLarge:
        raise fault("", "amount_too_large", _("An amount of this session is too large to be kept.")) from None


def _post_outcome(settlement: Settlement, session: Session, outcome: Outcome) -> None:
    """Loser to winner for every pair; to or from the table for hands without cards; what the house takes."""
    keys = {key for debt in outcome.debts for key in (debt.loser, debt.winner)} | {*outcome.shares, *outcome.taken}
    players = Player.objects.in_bulk(keys)
    accounts = ledger.player_accounts(players.values(), session.currency)
    # In the order of names, so that a statement and the page list the opponents as people look for them.
    names = {key: (player.name_key, str(key)) for key, player in players.items()}
    lines = sorted(
        zip(outcome.debts, outcome.paid, strict=True),
        key=lambda line: sorted([names[line[0].loser], names[line[0].winner]]),
    )
    moves: list[tuple[Account, Account, int, str, str]] = [
        (
            accounts[debt.loser],
            accounts[debt.winner],
            paid_minor,
            Transfer.Kind.SETTLEMENT,
            f"{debt.loser}/{debt.winner}",
        )
        for debt, paid_minor in lines
        if paid_minor
    ]
    pairs = len(moves)
    if outcome.shares:
        table = ledger.club_account(session.club_id, session.currency, Account.Kind.TABLE, session.pk)
        # Who pays the table comes first, so that it never owes what it does not have.
        for key in sorted(outcome.shares, key=lambda key: (outcome.shares[key] > 0, names[key])):
            share_minor = outcome.shares[key]
            debit, credit = (accounts[key], table) if share_minor < 0 else (table, accounts[key])
            moves.append((debit, credit, abs(share_minor), Transfer.Kind.SETTLEMENT, f"table/{key}"))
    kind = Transfer.Kind.FEE if house_money_of(session.rule_set).seat_fee_minor else Transfer.Kind.RAKE
    if taken := {key: amount_minor for key, amount_minor in outcome.taken.items() if amount_minor}:
        house = ledger.club_account(session.club_id, session.currency, Account.Kind.HOUSE)
        for key in sorted(taken, key=lambda key: names[key]):
            moves.append((accounts[key], house, taken[key], kind, f"house/{key}"))
    transfers = ledger.post(
        session.club_id,
        [
            Entry(
                debit=debit,
                credit=credit,
                amount_minor=amount_minor,
                kind=kind,
                source_id=settlement.pk,
                source_key=f"settlement/{settlement.pk}/{key}",
                occurred_at=settlement.occurred_at,
            )
            for debit, credit, amount_minor, kind, key in moves
        ],
    )
    posted = iter(transfers[:pairs])
    SettledPair.objects.bulk_create(
        SettledPair(
            settlement=settlement,
            winner_id=debt.winner,
            loser_id=debt.loser,
            hands=debt.hands,
            points=debt.points,
            transfer=next(posted) if paid_minor else None,
        )
        for debt, paid_minor in lines
    )
    merging.move_balances(club_id=session.club_id, player_ids=players, occurred_at=settlement.occurred_at)


@transaction.atomic
def request_statement(
    *, player: Player, currency: str, first_day: date, last_day: date, author: User | None
) -> Statement:
    """The player's statement over a period: the one that there is, or a new one and the job that makes it.

    Asked again it is the same statement, for as long as the book has nothing else for that player, currency and
    period; once it has, a new statement replaces the old one. One whose job failed is begun again. Raises
    ``ValidationError`` when the period runs backwards or out of the calendar, or the currency is not one.
    """
    check_currency(currency)
    check_period(first_day, last_day)
    # The player's row is the lock, so that a double tap makes one.
    Player.objects.filter(pk=player.pk).update(created_at=F("created_at"))
    of_period = Statement.objects.filter(player=player, currency=currency, first_day=first_day, last_day=last_day)
    there = of_period.filter(replaced_by=None).select_related("club", "player").first()
    if there is not None and not _is_outdated(there):
        queue.retry(Job.objects.values_list("pk", flat=True).get(kind=STATEMENT, subject_id=there.pk))
        return there
    statement = Statement.objects.create(
        club_id=player.club_id,
        player=player,
        currency=currency,
        first_day=first_day,
        last_day=last_day,
        time_zone=player.club.time_zone,
        requested_by=author,
        replaces=there,
    )
    audit.note(player.club_id, "statement.asked", statement.pk, name=player.name, currency=currency)
    queue.enqueue(kind=STATEMENT, key=f"{STATEMENT}/{statement.pk}", subject_id=statement.pk, club_id=statement.club_id)
    return statement


def check_period(first_day: date, last_day: date) -> None:
    """Raise ``ValidationError`` for a period that runs backwards or out of what a sheet can hold."""
    if last_day < first_day:
        raise fault("/last_day", "period", _("The period ends before it begins."))
    if not YEARS[0] <= first_day.year <= last_day.year <= YEARS[1]:
        raise fault(
            "/first_day",
            "period",
            _("A period lies within the years %(first)d to %(last)d.") % {"first": YEARS[0], "last": YEARS[1]},
        )


def _is_outdated(statement: Statement) -> bool:
    """Whether the book has something else by now for what a made statement says."""
    if not statement.file:
        return False
    content = StatementContent(statement)
    return (
        statement.time_zone != statement.club.time_zone
        or content.has_later_entries()
        or content.sessions_digest() != statement.sessions_digest
    )


def export_statement(*, claim: Claim) -> None:
    """Make the statement's workbook and keep it with its digest.

    The file is stored under a name of this claim's own; only the transaction that finishes the job makes it the
    statement's. So a worker that died or lost the job leaves the statement as it was, no two workers ever touch
    one file, and whoever takes the job next clears away what the one before left behind.
    """
    statement = Statement.objects.select_related("club", "player", "replaces").get(pk=claim.subject_id)
    with claim.block():
        _give_number(statement)
    folder = f"statements/{statement.pk}"
    clear_folder(folder)
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "statement.xlsx"
        with one_moment():
            _write(statement, path)
        with path.open("rb") as file:
            statement.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            statement.file.name = default_storage.save(f"{folder}/{claim.token.hex}.xlsx", File(file))
    try:
        with claim.finish():
            statement.save(
                update_fields=[
                    "made_at",
                    "head_sequence",
                    "head_hash",
                    "opening_minor",
                    "closing_minor",
                    "sessions_digest",
                    "pages",
                    "sha256",
                    "file",
                ]
            )
            events.announce("statement.ready", club_id=statement.club_id, subject_id=statement.pk)
    except LeaseLost:
        # Only now is it certain that the row does not name the file: after another error it may.
        default_storage.delete(statement.file.name)
        raise


def _give_number(statement: Statement) -> None:
    ledger.lock_book(statement.club_id)
    # Read under the lock: a worker that was taken for dead may have given the number meanwhile.
    numbers = Statement.objects.filter(club_id=statement.club_id)
    number = numbers.values_list("number", flat=True).get(pk=statement.pk)
    statement.number = number or (numbers.aggregate(last=Max("number"))["last"] or 0) + 1
    numbers.filter(pk=statement.pk).update(number=statement.number)


def _write(statement: Statement, path: Path) -> None:
    """Write the workbook as of one moment: head, lines, sessions and hands agree, whatever is posted meanwhile."""
    book = Book.objects.get(club=statement.club_id)
    statement.made_at = timezone.now()
    statement.head_sequence, statement.head_hash = book.head_sequence, book.head_hash
    content = StatementContent(statement)
    statement.sessions_digest = content.sessions_digest()
    tally = Tally(content.opening_minor)
    statement.pages = []
    lines = paged(content.lines(), statement.pages)
    write_statement(content, tally.count(lines), tally, path)
    statement.opening_minor, statement.closing_minor = content.opening_minor, tally.closing_minor


def clear_folder(folder: str) -> None:
    """Remove the files that attempts before this one left behind."""
    try:
        _folders, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        default_storage.delete(f"{folder}/{name}")


@transaction.atomic
def retry_job(*, job: Job) -> bool:
    """Let a failed job of a club begin again; False, and nothing changed, when it has not failed."""
    if not queue.retry(job.pk):
        return False
    audit.note(job.club_id, "job.retried", job.subject_id, name=job.kind)
    return True
