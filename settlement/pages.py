"""What the pages of settling, balances and statements show."""

import re
from collections.abc import Sequence
from typing import Any

from accounts.models import Account, Player
from hands.models import Hand, Seat, Session
from hands.pages import standings
from jobs.models import Job
from settlement.models import SettledPair, Settlement, Statement
from settlement.queries import statement_content
from settlement.services import SETTLE
from settlement.statements import closing_balance, with_balance


def settle_page(session: Session) -> dict[str, Any]:
    """Nets and their sum, the job where there is one, and who owes whom once it is settled."""
    settlement = Settlement.objects.filter(session=session, reversed_at=None).first()
    job = Job.objects.filter(kind=SETTLE, subject_id=session.pk).order_by("-created_at").first()
    rows = standings(session)
    pairs = SettledPair.objects.filter(settlement=settlement).select_related("winner", "loser", "transfer")
    accounts = Account.objects.filter(
        kind=Account.Kind.PLAYER, currency=session.currency, player__in=[row["player"] for row in rows]
    ).select_related("player")
    return {
        "club": session.club,
        "session": session,
        "standings": rows,
        "total_points": sum(row["points"] for row in rows),
        "hand_count": Hand.objects.filter(session=session, current__is_void=False).count(),
        "settlement": settlement,
        "job": job,
        "pairs": pairs if settlement else [],
        "balances": sorted(accounts, key=lambda account: -account.balance_minor) if settlement else [],
    }


def player_page(player: Player, accounts: Sequence[Account], currency: str | None) -> dict[str, Any]:
    account = next((account for account in accounts if account.currency == currency), accounts[0] if accounts else None)
    sessions = Session.objects.filter(pk__in=Seat.objects.filter(player=player).values("session"))
    return {
        "club": player.club,
        "section": "players",
        "player": player,
        "accounts": accounts,
        "account": account,
        # Beside a sentence that says who owes, the amount stands without a sign.
        "owed_minor": abs(account.balance_minor) if account else 0,
        "statements": player.statements.order_by("-requested_at")[:20],
        "sessions": sessions.order_by("-started_at")[:20],
    }


def statement_page(statement: Statement) -> dict[str, Any]:
    """The statement's lines as the books give them now (the workbook is what was made)."""
    content = statement_content(statement)
    lines = with_balance(content.opening_minor, content.movements)
    return {
        "club": statement.club,
        "statement": statement,
        "opening_minor": content.opening_minor,
        "lines": lines,
        "closing_minor": closing_balance(content.opening_minor, lines),
    }


def file_name(statement: Statement) -> str:
    """A plain name for the downloaded workbook; the player's name as far as file systems allow."""
    name = re.sub(r"[^\w-]+", "-", statement.player.name).strip("-") or "player"
    return f"statement-{statement.number}-{name}-{statement.first_day}-{statement.last_day}.xlsx"
