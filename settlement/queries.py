"""What is in the books, as the pages, the API and the sheets show it."""

import uuid
import zoneinfo
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from django.db.models import QuerySet

from accounts.models import Account, Transfer
from settlement.models import Payment, SettledPair, Settlement
from settlement.payments import holder_name
from settlement.statements import Movement


def period(first_day: date, last_day: date, time_zone: str) -> tuple[datetime, datetime]:
    """The moments at which a period of whole days begins and at which it is over, in that zone."""
    zone = zoneinfo.ZoneInfo(time_zone)
    return (
        datetime.combine(first_day, time(), zone),
        datetime.combine(last_day + timedelta(days=1), time(), zone),
    )


def account_lines(account: Account, before: int | None, *, limit: int) -> list[Movement]:
    """The account's last transfers below that sequence, the newest first; two index ranges, never the whole."""
    rows = with_holders(Transfer.objects.all())
    if before is not None:
        rows = rows.filter(sequence__lt=before)
    found: list[Transfer] = []
    for side in ("debit_account", "credit_account"):
        found += rows.filter(**{side: account}).order_by("-sequence")[:limit]
    found.sort(key=lambda transfer: -transfer.sequence)
    return as_movements(found[:limit], account)


def with_holders(rows: QuerySet[Transfer]) -> QuerySet[Transfer]:
    """The transfers with all that a movement tells of them."""
    return rows.select_related(
        "debit_account__player", "credit_account__player", "settled_pair", "reverses__settled_pair"
    )


def tables_of(transfers: Sequence[Transfer]) -> dict[uuid.UUID, str]:
    """By source, the table whose session caused these transfers: by its settlement, or by a payment for it."""
    sources = {transfer.source_id for transfer in transfers}
    return dict(Settlement.objects.filter(pk__in=sources).values_list("pk", "session__table")) | dict(
        Payment.objects.filter(pk__in=sources, session__isnull=False).values_list("pk", "session__table")
    )


def as_movements(transfers: Sequence[Transfer], account: Account) -> list[Movement]:
    """Transfers as the account's holder sees them, in their order; two queries."""
    tables = tables_of(transfers)
    return [_movement(transfer, account, tables) for transfer in transfers]


def _movement(transfer: Transfer, account: Account, tables: dict[uuid.UUID, str]) -> Movement:
    is_credit = transfer.credit_account_id == account.pk
    other = transfer.debit_account if is_credit else transfer.credit_account
    caused = transfer.reverses or transfer
    pair: SettledPair | None = getattr(caused, "settled_pair", None)
    return Movement(
        occurred_at=transfer.occurred_at,
        table=tables.get(transfer.source_id, ""),
        description=str(transfer.get_kind_display()).capitalize(),
        other=holder_name(other),
        reference=f"{transfer.sequence}",
        amount_minor=transfer.amount_minor if is_credit else -transfer.amount_minor,
        hands=pair.hands if pair else None,
        points=(pair.points if is_credit else -pair.points) if pair else None,
        kind=caused.kind,
        is_reversal=transfer.reverses_id is not None,
        source_id=transfer.source_id,
    )


def balances(club_id: uuid.UUID) -> list[Account]:
    """The players' accounts that are not zero, by currency and name."""
    return list(
        Account.objects.filter(club_id=club_id, kind=Account.Kind.PLAYER)
        .exclude(balance_minor=0)
        .select_related("player")
        .order_by("currency", "player__name_key", "pk")
    )
