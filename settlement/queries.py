"""What is in the books, as the pages, the API and the sheets show it."""

import uuid
import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import F, Q

from accounts.ledger import balance_before
from accounts.models import Account, Transfer
from hands.models import Hand, Session, Setup
from hands.queries import StoredHand, load_hands
from settlement.models import Payment, SettledPair, Settlement, Statement
from settlement.payments import holder_name
from settlement.statements import Movement


def period(first_day: date, last_day: date, time_zone: str) -> tuple[datetime, datetime]:
    """The moments at which a period of whole days begins and at which it is over, in that zone."""
    zone = zoneinfo.ZoneInfo(time_zone)
    return (
        datetime.combine(first_day, time(), zone),
        datetime.combine(last_day + timedelta(days=1), time(), zone),
    )


def movements(account: Account, begin: datetime, end: datetime) -> list[Movement]:
    """The account's transfers of that time, in the order in which they occurred; a fixed number of queries."""
    transfers = (
        Transfer.objects.filter(Q(debit_account=account) | Q(credit_account=account))
        .filter(occurred_at__gte=begin, occurred_at__lt=end)
        .select_related("debit_account__player", "credit_account__player", "settled_pair", "reverses__settled_pair")
        .order_by("occurred_at", "sequence")
    )
    return _as_movements(list(transfers), account)


def account_lines(account: Account, before: int | None, *, limit: int) -> list[Movement]:
    """The account's last transfers below that sequence, the newest first; two index ranges, never the whole."""
    rows = Transfer.objects.select_related(
        "debit_account__player", "credit_account__player", "settled_pair", "reverses__settled_pair"
    )
    if before is not None:
        rows = rows.filter(sequence__lt=before)
    found: list[Transfer] = []
    for side in ("debit_account", "credit_account"):
        found += rows.filter(**{side: account}).order_by("-sequence")[:limit]
    found.sort(key=lambda transfer: -transfer.sequence)
    return _as_movements(found[:limit], account)


def tables_of(transfers: Sequence[Transfer]) -> dict[uuid.UUID, str]:
    """By source, the table whose session caused these transfers: by its settlement, or by a payment for it."""
    sources = {transfer.source_id for transfer in transfers}
    return dict(Settlement.objects.filter(pk__in=sources).values_list("pk", "session__table")) | dict(
        Payment.objects.filter(pk__in=sources, session__isnull=False).values_list("pk", "session__table")
    )


def _as_movements(transfers: Sequence[Transfer], account: Account) -> list[Movement]:
    tables = tables_of(transfers)
    return [_movement(transfer, account, tables) for transfer in transfers]


def _movement(transfer: Transfer, account: Account, tables: dict[uuid.UUID, str]) -> Movement:
    is_credit = transfer.credit_account_id == account.pk
    other = transfer.debit_account if is_credit else transfer.credit_account
    pair: SettledPair | None = getattr(transfer, "settled_pair", None)
    return Movement(
        occurred_at=transfer.occurred_at,
        table=tables.get(transfer.source_id, ""),
        description=str(transfer.get_kind_display()).capitalize(),
        other=holder_name(other),
        reference=f"{transfer.sequence}",
        amount_minor=transfer.amount_minor if is_credit else -transfer.amount_minor,
        hands=pair.hands if pair else None,
        points=(pair.points if is_credit else -pair.points) if pair else None,
    )


@dataclass(frozen=True)
class StatementContent:
    """Everything that a statement prints."""

    opening_minor: int
    movements: list[Movement]
    hands: list[tuple[Session, StoredHand]]


def statement_content(statement: Statement) -> StatementContent:
    """What the books say of the statement's player, currency and period, at this moment."""
    begin, end = period(statement.first_day, statement.last_day, statement.time_zone)
    account = Account.objects.filter(
        player=statement.player, currency=statement.currency, kind=Account.Kind.PLAYER
    ).first()
    if account is None:
        return StatementContent(0, [], [])
    return StatementContent(
        balance_before(account, begin),
        movements(account, begin, end),
        hands_settled(statement, begin, end),
    )


def hands_settled(statement: Statement, begin: datetime, end: datetime) -> list[tuple[Session, StoredHand]]:
    """The hands of the sessions settled in that time, in which the statement's player sat."""
    sessions = (
        Session.objects.filter(
            settlements__reversed_at=None,
            settlements__occurred_at__gte=begin,
            settlements__occurred_at__lt=end,
            currency=statement.currency,
            seats__player=statement.player,
        )
        .select_related("rule_set")
        .distinct()
        .order_by("started_at", "pk")
    )
    played = Setup.objects.filter(seat__player=statement.player, version=F("version__hand__current"))
    return [
        (session, hand)
        for session in sessions
        for hand in load_hands(Hand.objects.filter(session=session, pk__in=played.values("version__hand")))
    ]


def balances(club_id: uuid.UUID) -> list[Account]:
    """The players' accounts that are not zero, by currency and name."""
    return list(
        Account.objects.filter(club_id=club_id, kind=Account.Kind.PLAYER)
        .exclude(balance_minor=0)
        .select_related("player")
        .order_by("currency", "player__name_key", "pk")
    )
