"""A month of a player's account as the player reads it: a line for each session and each payment, with the balance.

The book has a transfer for every pair of players; here a session's are one line. What is added up are the account's own
transfers, so that opening, lines and closing are the ledger's.
"""

import uuid
import zoneinfo
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db.models import Max, Min, Q, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Account, Transfer
from hands.models import Tally
from hands.templatetags.cards import format_points
from settlement.models import Payment, Settlement
from settlement.queries import period

MOST_LINES: Final = 100
_OF_SESSIONS: Final = frozenset([Transfer.Kind.SETTLEMENT, Transfer.Kind.RAKE, Transfer.Kind.FEE])
_PAID: Final = frozenset([Transfer.Kind.PAYMENT, Transfer.Kind.BUY_IN, Transfer.Kind.CASH_OUT])


@dataclass(frozen=True)
class MonthLine:
    """One line: when (of the last transfer in it), what, its amount, the balance after it, and the page that tells how
    it came about. ``is_play``: a result, in the colour of gain or loss; a payment is ink."""

    at: datetime
    title: str
    words: str
    amount_minor: int
    balance_minor: int
    url: str
    is_play: bool


@dataclass(frozen=True)
class Month:
    """A month of one account. ``lines`` are the newest hundred, newest first; ``left_out`` counts those besides."""

    first_day: date
    last_day: date
    opening_minor: int
    closing_minor: int
    lines: list[MonthLine]
    left_out: int
    sessions: int
    payments: int
    # The nearest months that have lines, as their first days.
    before: date | None
    after: date | None

    @property
    def sentence(self) -> str:
        """What the month's balance comes after: "After 4 sessions and 3 payments in November"; empty without lines."""
        words = []
        if self.sessions:
            words.append(ngettext("%(count)d session", "%(count)d sessions", self.sessions) % {"count": self.sessions})
        if self.payments:
            words.append(ngettext("%(count)d payment", "%(count)d payments", self.payments) % {"count": self.payments})
        if not words:
            return ""
        year_now = timezone.now().year
        month = date_format(self.first_day, "F" if self.first_day.year == year_now else "F Y")
        if len(words) == 2:
            return _("After %(sessions)s and %(payments)s in %(month)s") % {
                "sessions": words[0],
                "payments": words[1],
                "month": month,
            }
        return _("After %(count)s in %(month)s") % {"count": words[0], "month": month}


@dataclass(frozen=True)
class _Moved:
    """One transfer as the account's holder sees it."""

    at: datetime
    sequence: int
    source_id: uuid.UUID
    kind: str
    amount_minor: int
    other_id: uuid.UUID


def month_of(account: Account, chosen: str) -> Month | None:
    """The month that ``chosen`` names ("2026-11"), else that of what was booked last; None for an empty account."""
    zone = zoneinfo.ZoneInfo(account.club.time_zone)
    last = _booked_last(account)
    if last is None:
        return None
    first_day = _first_day(chosen) or last.astimezone(zone).date().replace(day=1)
    last_day = (first_day + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    begin, end = period(first_day, last_day, account.club.time_zone)
    opening_minor, before, after = _around(account, begin, end)
    moved = _moved(account, begin, end)
    groups = _in_groups(moved, zone)
    closing_minor = opening_minor + sum(one.amount_minor for one in moved)
    shown = groups[-MOST_LINES:]
    before_shown = closing_minor - sum(one.amount_minor for group in shown for one in group)
    return Month(
        first_day=first_day,
        last_day=last_day,
        opening_minor=opening_minor,
        closing_minor=closing_minor,
        lines=_lines(account, shown, before_shown)[::-1],
        left_out=len(groups) - len(shown),
        sessions=sum(group[0].kind in _OF_SESSIONS for group in groups),
        payments=sum(group[0].kind in _PAID for group in groups),
        before=before.astimezone(zone).date().replace(day=1) if before else None,
        after=after.astimezone(zone).date().replace(day=1) if after else None,
    )


def _first_day(text: str) -> date | None:
    try:
        day = datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007  (a month, not a moment)
    except ValueError:
        return None
    return day if 1900 <= day.year <= 9998 else None


def _sides(account: Account) -> list[tuple[Any, int, str]]:
    """The transfers that credit and those that debit, with their sign and where the other account stands."""
    return [(account.credits, 1, "debit_account"), (account.debits, -1, "credit_account")]


def _booked_last(account: Account) -> datetime | None:
    """When that occurred which the book took in last: found by the index, however long the account is."""
    ends = [side.order_by("-sequence").values_list("sequence", "occurred_at").first() for side, _, _ in _sides(account)]
    return max((end for end in ends if end), default=(0, None))[1]


def _around(account: Account, begin: datetime, end: datetime) -> tuple[int, datetime | None, datetime | None]:
    """The balance when the month began, and when the nearest entries before and after it occurred."""
    before, after = Q(occurred_at__lt=begin), Q(occurred_at__gte=end)
    opening_minor = 0
    last, next_ = [], []
    for side, sign, _other in _sides(account):
        found = side.aggregate(
            sum=Sum("amount_minor", filter=before),
            last=Max("occurred_at", filter=before),
            next=Min("occurred_at", filter=after),
        )
        opening_minor += sign * (found["sum"] or 0)
        last += [found["last"]] if found["last"] else []
        next_ += [found["next"]] if found["next"] else []
    return opening_minor, max(last, default=None), min(next_, default=None)


def _moved(account: Account, begin: datetime, end: datetime) -> list[_Moved]:
    found = []
    for side, sign, other in _sides(account):
        rows = side.filter(occurred_at__gte=begin, occurred_at__lt=end)
        columns = ("occurred_at", "sequence", "source_id", "kind", "amount_minor", other)
        found += [
            _Moved(at, sequence, source_id, kind, sign * amount_minor, other_id)
            for at, sequence, source_id, kind, amount_minor, other_id in rows.values_list(*columns)
        ]
    return sorted(found, key=lambda one: (one.at, one.sequence))


def _in_groups(moved: Sequence[_Moved], zone: zoneinfo.ZoneInfo) -> list[list[_Moved]]:
    """What makes one line each, the oldest first: a session's transfers of a day, and every other transfer.

    What a correction moves belongs to its own day, as the book dates it.
    """
    sources = {one.source_id for one in moved}
    sessions = dict(Settlement.objects.filter(pk__in=sources).values_list("pk", "session"))
    groups: dict[Any, list[_Moved]] = {}
    for one in moved:
        session_id = sessions.get(one.source_id)
        key = (session_id, one.at.astimezone(zone).date()) if session_id else one.sequence
        groups.setdefault(key, []).append(one)
    return sorted(groups.values(), key=lambda group: (group[-1].at, group[-1].sequence))


def _lines(account: Account, groups: Sequence[Sequence[_Moved]], balance_minor: int) -> list[MonthLine]:
    """A line for each group, after ``balance_minor``."""
    sources = {group[-1].source_id for group in groups}
    settlements = Settlement.objects.filter(pk__in=sources).select_related("session").in_bulk()
    payments = Payment.objects.filter(pk__in=sources).select_related("session").in_bulk()
    played = _played(account, [settlement.session_id for settlement in settlements.values()])
    others = _names([group[-1].other_id for group in groups])
    lines = []
    for group in groups:
        last = group[-1]
        other = others[last.other_id]
        amount_minor = sum(one.amount_minor for one in group)
        balance_minor += amount_minor
        settlement, payment = settlements.get(last.source_id), payments.get(last.source_id)
        if settlement is not None:
            title, words = settlement.session.table, _session_words(group, settlement, played)
            url = reverse("settle", args=[settlement.session_id]) + "?pairs=1"
        elif payment is not None:
            title, words = _payment_words(last, payment, other)
            url = reverse("payment", args=[payment.pk])
        else:
            title = other
            words = _("two names merged") if last.kind == Transfer.Kind.MERGE else _("merge undone")
            url = reverse("account", args=[account.pk])
        lines.append(MonthLine(last.at, title, words, amount_minor, balance_minor, url, settlement is not None))
    return lines


def _played(account: Account, session_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, tuple[int, int]]:
    """By session, the hands that the account's player was in and their points."""
    rows = Tally.objects.filter(session__in=session_ids, player=account.player_id, opponent=None)
    return {session_id: (hands, points) for session_id, hands, points in rows.values_list("session", "hands", "points")}


def _session_words(group: Sequence[_Moved], settlement: Settlement, played: dict[uuid.UUID, tuple[int, int]]) -> str:
    if any(one.kind == Transfer.Kind.REVERSAL for one in group):
        is_anew = any(one.kind != Transfer.Kind.REVERSAL for one in group)
        return _("a hand was corrected") if is_anew else _("the settlement was taken back")
    if settlement.reversed_at is not None:
        return _("corrected later")
    if settlement.session_id not in played:
        return ""
    hands, points = played[settlement.session_id]
    words = ngettext("%(hands)d hand, %(points)s points", "%(hands)d hands, %(points)s points", hands)
    return words % {"hands": hands, "points": format_points(points)}


def _payment_words(moved: _Moved, payment: Payment, other: str) -> tuple[str, str]:
    """What a payment is called, and who stands behind it."""
    table = payment.session.table if payment.session else ""
    if moved.kind == Transfer.Kind.REVERSAL:
        return _("Payment taken back, %(name)s") % {"name": other}, payment.reason or table
    if payment.kind != Payment.Kind.PAYMENT:
        return str(payment.get_kind_display()).capitalize(), table
    title = (_("Paid to %(name)s") if moved.amount_minor > 0 else _("Paid by %(name)s")) % {"name": other}
    both = payment.confirmed_by_id is not None and payment.confirmed_by_id != payment.recorded_by_id
    return title, _("Payment, both confirmed") if both else payment.note or _("Payment")


def _names(account_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, str]:
    rows = Account.objects.filter(pk__in=set(account_ids)).select_related("player")
    return {one.pk: one.player.name if one.player else str(one.get_kind_display()).capitalize() for one in rows}
