"""What a player's page shows: the balance and what it is made of, the play, who to pay, and the statements."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Q, Sum
from django.utils import timezone

from accounts.merging import names_of
from accounts.models import Account, Merge, Player, User
from hands.chart import Series, draw
from hands.luck import latest_job, luck_of
from hands.models import Session
from hands.tallies import bring_up_to_date, sessions_of
from settlement.models import Payment
from settlement.months import month_of
from settlement.owing import club_owing
from settlement.payment_pages import LATEST, due_line, payment_line
from settlement.results import FEW_HANDS, MOST_SESSIONS, Evening, results_of

SESSIONS: Final = 20
OPPONENTS: Final = 100


def chosen_account(player: Player, accounts: Sequence[Account], currency: str | None) -> Account | None:
    """The account in that currency, else in that of the player's last session, else any; None without one."""
    held = {account.currency: account for account in accounts}
    return held.get(currency or "") or held.get(_last_currency(player)) or next(iter(accounts), None)


def _last_currency(player: Player) -> str:
    rows = sessions_of(names_of(player.pk)).order_by("-started_at").values_list("currency", flat=True)
    return rows.first() or ""


def player_page(
    player: Player, accounts: Sequence[Account], account: Account | None, user: User, query: Mapping[str, str]
) -> dict[str, Any]:
    """The page of one account, in the month and with the page of sessions that ``query`` names; both have a default."""
    standing = Merge.objects.filter(undone_at=None)
    context = {
        "club": player.club,
        "section": "players" if player.is_kept else "",
        "player": player,
        "is_own": player.user_id == user.pk,
        "merged_into": standing.filter(merged=player).select_related("kept").first(),
        "merges": standing.filter(kept=player).select_related("merged"),
        "elsewhere": Player.objects.filter(user=user, club__put_away_at=None)
        .exclude(pk=player.pk)
        .select_related("club"),
        "accounts": accounts,
        "account": account,
        # Beside a sentence that says who owes, the amount stands without a sign.
        "owed_minor": abs(account.balance_minor) if account else 0,
        "statements": player.statements.order_by("-requested_at")[:20],
    }
    job = bring_up_to_date(player=player)
    if job is not None:
        context["job"] = job
    else:
        context |= _play(player, account.currency if account else _last_currency(player), query) | _luck(player)
    return context if account is None else context | _money(player, account, query)


def _play(player: Player, currency: str, query: Mapping[str, str]) -> dict[str, Any]:
    results = results_of(player, currency)
    charts = results.charts(currency)
    context: dict[str, Any] = {
        "results": results,
        "currency": currency,
        "opponents": results.opponents[:OPPONENTS],
    } | _sessions(player, results.evenings, query.get("page", ""))
    if charts is not None:
        points, money = charts
        context |= {"points_chart": points, "money_chart": money}
        shown = [results.evenings[number - 1].session_id for number, _points in points.table]
        started = dict(Session.objects.filter(pk__in=shown).values_list("pk", "started_at"))
        context["running"] = [
            (number, started[key], *of_points, *of_money)
            for key, (number, of_points), (_number, of_money) in zip(shown, points.table, money.table, strict=True)
        ]
    return context


def _luck(player: Player) -> dict[str, Any]:
    """Luck and points left on the table, as far as they are worked out; a chart from the second session on."""
    luck, job = luck_of(player), latest_job(player)
    context: dict[str, Any] = {
        "luck": luck,
        "luck_is_few": luck.hands < FEW_HANDS,
        "luck_job": None if job is None or job.status == job.Status.DONE else job,
    }
    if len(luck.evenings) > 1:
        numbers = range(1, len(luck.evenings) + 1)
        totals = tuple(round(one.running) for one in luck.evenings)
        context["luck_chart"] = draw(numbers, [Series(0, "", totals)], most=MOST_SESSIONS)
    return context


def _sessions(player: Player, evenings: Sequence[Evening], page: str) -> dict[str, Any]:
    """A page of sessions, the newest first, each with what was paid for it by or to the player."""
    number = min(int(page[:6]) if page.isdecimal() else 1, -(-len(evenings) // SESSIONS)) or 1
    shown = evenings[::-1][SESSIONS * (number - 1) : SESSIONS * number]
    sessions = Session.objects.in_bulk([one.session_id for one in shown])
    names, this_year = names_of(player.pk), timezone.now().year
    paid = Payment.objects.filter(
        Q(payer__player__in=names) | Q(payee__player__in=names),
        session__in=sessions,
        kind=Payment.Kind.PAYMENT,
        state=Payment.State.PAID,
    )
    sums: Counter[uuid.UUID] = Counter(dict(paid.order_by().values_list("session").annotate(Sum("amount_minor"))))
    return {
        "sessions": [
            {
                "session": sessions[one.session_id],
                "evening": one,
                "year": year if (year := sessions[one.session_id].started_at.year) != this_year else "",
                "paid_minor": sums[one.session_id],
                "is_paid": bool(one.amount_minor) and sums[one.session_id] >= abs(one.amount_minor or 0),
            }
            for one in shown
        ],
        "newer_page": number - 1,
        "older_page": number + 1 if SESSIONS * number < len(evenings) else 0,
    }


def _money(player: Player, account: Account, query: Mapping[str, str]) -> dict[str, Any]:
    dues = [line for line in club_owing(player.club, account.currency).dues if account in (line.payer, line.payee)]
    made = Payment.objects.filter(Q(payer=account) | Q(payee=account)).select_related("payer__player", "payee__player")
    return {
        "month": month_of(account, query.get("month", "")),
        "dues": [due_line(line) for line in dues],
        "payments": [payment_line(one) for one in made[:LATEST]],
    }
