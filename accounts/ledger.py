"""The ledger: the only writer of transfers.

Every transfer moves a positive whole number of minor units from a debit account to a credit account of one
club and one currency, so no posting can fail to balance. A balance is credits less debits. Each transfer's
hash covers its contents and the hash of the one before it in its club, so that nothing can be changed or
left out unseen.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Account, Book, Club, Player, Transfer
from accounts.money import MOST_MINOR, check_currency

# What the first transfer of every club is chained to.
FIRST_HASH: Final = "0" * 64


@dataclass(frozen=True)
class Entry:
    """One transfer to be posted: minor units, from ``debit`` to ``credit``, once per ``source_key``."""

    debit: Account
    credit: Account
    amount_minor: int
    kind: str
    source_id: uuid.UUID
    source_key: str
    occurred_at: datetime
    reverses: Transfer | None = None


def open_book(club: Club) -> Book:
    """Begin the book of a new club."""
    return Book.objects.create(club=club, head_hash=FIRST_HASH)


def player_account(player: Player, currency: str) -> Account:
    """The player's account in that currency, opened when it is not there."""
    return player_accounts([player], currency)[player.pk]


def player_accounts(players: Iterable[Player], currency: str) -> dict[uuid.UUID, Account]:
    """The accounts of several players by player id, opened where they are missing."""
    check_currency(currency)
    wanted = {player.pk: player for player in players}
    held = Account.objects.filter(player__in=wanted, currency=currency, kind=Account.Kind.PLAYER)
    accounts = {account.player_id: account for account in held if account.player_id is not None}
    if missing := [player for key, player in wanted.items() if key not in accounts]:
        Account.objects.bulk_create(
            [
                Account(club_id=player.club_id, currency=currency, kind=Account.Kind.PLAYER, player=player)
                for player in missing
            ],
            ignore_conflicts=True,
        )
        accounts = {account.player_id: account for account in held.all() if account.player_id is not None}
    return accounts


def club_account(club_id: uuid.UUID, currency: str, kind: str, reference: uuid.UUID | None = None) -> Account:
    """The club's house or bank account in that currency, or the table account of ``reference``; opened when new."""
    check_currency(currency)
    account, _created = Account.objects.get_or_create(
        club_id=club_id, currency=currency, kind=kind, reference=reference
    )
    return account


def lock_book(club_id: uuid.UUID) -> Book:
    """The club's book, in which nobody else posts until this transaction ends."""
    Book.objects.filter(club_id=club_id).update(head_sequence=F("head_sequence"))
    return Book.objects.get(club_id=club_id)


def post(club_id: uuid.UUID, entries: Sequence[Entry]) -> list[Transfer]:
    """Write the transfers of one event, all or none, and return them in the order of ``entries``.

    Must be called inside a transaction, after any lock of a session: it raises the head of the club's chain,
    which is a row lock until the end of the transaction. Raises ``ValidationError`` when an entry is no
    possible transfer, and ``IntegrityError`` when a source key was posted before.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Post inside the transaction of what causes the transfers.")
    for entry in entries:
        _check(club_id, entry)
    if not entries:
        return []
    if not Book.objects.filter(club_id=club_id).update(head_sequence=F("head_sequence") + len(entries)):
        raise ValidationError(_("This club has no book."), code="no_book")
    book = Book.objects.get(club_id=club_id)
    posted_at = timezone.now()
    previous = book.head_hash
    transfers = []
    first = book.head_sequence - len(entries) + 1
    for sequence, entry in enumerate(entries, start=first):
        transfer = Transfer(
            id=uuid.uuid4(),
            club_id=club_id,
            sequence=sequence,
            debit_account=entry.debit,
            credit_account=entry.credit,
            amount_minor=entry.amount_minor,
            currency=entry.debit.currency,
            kind=entry.kind,
            source_id=entry.source_id,
            source_key=entry.source_key,
            reverses=entry.reverses,
            occurred_at=entry.occurred_at,
            posted_at=posted_at,
        )
        previous = transfer.hash = chain_hash(previous, transfer)
        transfers.append(transfer)
    Transfer.objects.bulk_create(transfers)
    changes: dict[uuid.UUID, int] = {}
    for entry in entries:
        changes[entry.debit.pk] = changes.get(entry.debit.pk, 0) - entry.amount_minor
        changes[entry.credit.pk] = changes.get(entry.credit.pk, 0) + entry.amount_minor
    # In one order everywhere, so that two postings can never wait for each other.
    for account_id, change in sorted(changes.items()):
        Account.objects.filter(pk=account_id).update(balance_minor=F("balance_minor") + change)
    Book.objects.filter(club_id=club_id).update(head_hash=previous)
    return transfers


def reverse(
    club_id: uuid.UUID, transfers: Iterable[Transfer], *, source_id: uuid.UUID, occurred_at: datetime
) -> list[Transfer]:
    """Post the opposite of each transfer, once; what was reversed before raises ``ValidationError``."""
    originals = list(transfers)
    if Transfer.objects.filter(reverses__in=originals).exists():
        raise ValidationError(_("That was reversed before; nothing was changed."), code="reversed_before")
    return post(
        club_id,
        [
            Entry(
                debit=original.credit_account,
                credit=original.debit_account,
                amount_minor=original.amount_minor,
                kind=Transfer.Kind.REVERSAL,
                source_id=source_id,
                source_key=f"reversal/{original.pk}",
                occurred_at=occurred_at,
                reverses=original,
            )
            for original in originals
        ],
    )


def balance_before(account: Account, moment: datetime, *, head: int | None = None) -> int:
    """The account's balance of all transfers that occurred before ``moment``, in minor units.

    With ``head`` only of the book's entries up to that one.
    """
    before = Q(occurred_at__lt=moment) if head is None else Q(occurred_at__lt=moment, sequence__lte=head)
    credits_ = account.credits.filter(before).aggregate(sum=Sum("amount_minor"))["sum"] or 0
    debits = account.debits.filter(before).aggregate(sum=Sum("amount_minor"))["sum"] or 0
    return int(credits_ - debits)


def chain_hash(previous: str, transfer: Transfer) -> str:
    """SHA-256, in hexadecimal, of the hash before and of everything that the transfer says.

    The contents are a JSON array in the order below, times in UTC to the microsecond, so that anybody can
    work the chain out again from an export.
    """
    contents = [
        previous,
        str(transfer.pk),
        str(transfer.club_id),
        transfer.sequence,
        str(transfer.debit_account_id),
        str(transfer.credit_account_id),
        transfer.amount_minor,
        transfer.currency,
        transfer.kind,
        str(transfer.source_id),
        transfer.source_key,
        str(transfer.reverses_id) if transfer.reverses_id else None,
        _moment(transfer.occurred_at),
        _moment(transfer.posted_at),
    ]
    return hashlib.sha256(json.dumps(contents, separators=(",", ":")).encode()).hexdigest()


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _check(club_id: uuid.UUID, entry: Entry) -> None:
    if isinstance(entry.amount_minor, bool) or not isinstance(entry.amount_minor, int):
        raise ValidationError(_("An amount is a whole number of minor units."), code="amount")
    if entry.amount_minor <= 0:
        raise ValidationError(_("A transfer needs an amount above zero."), code="amount")
    if entry.amount_minor > MOST_MINOR:
        raise ValidationError(_("That amount is too large to be kept."), code="amount_too_large")
    if entry.debit.pk == entry.credit.pk:
        raise ValidationError(_("A transfer needs two different accounts."), code="same_account")
    if {entry.debit.club_id, entry.credit.club_id} != {club_id}:
        raise ValidationError(_("Both accounts of a transfer belong to one club."), code="two_clubs")
    if entry.debit.currency != entry.credit.currency:
        raise ValidationError(_("Both accounts of a transfer are in one currency."), code="two_currencies")
    if timezone.is_naive(entry.occurred_at):
        raise ValidationError(_("A transfer needs a time with its zone."), code="naive_time")
