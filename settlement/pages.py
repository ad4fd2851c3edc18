"""What the pages of settling, balances and statements show."""

import re
from collections.abc import Sequence
from typing import Any

from django.db.models import Q

from accounts.models import Account, AuditRow, Player
from hands import corrections
from hands.history import Deal
from hands.models import Hand, HandVersion, Seat, Session
from hands.pages import standings
from hands.queries import StoredHand, load_versions
from hands.scoring.taiwanese import Rules
from jobs.models import Job
from settlement.models import SettledPair, Settlement, Statement
from settlement.queries import account_lines, statement_content
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


def seats_for_correction(hand: Hand) -> list[Seat]:
    """Who sat at the table when the hand was played: those in it, and those who may have been left out."""
    sat = Q(first_hand__lte=hand.number) & (Q(last_hand=None) | Q(last_hand__gte=hand.number))
    in_it = Q(setups__version=hand.current_id)
    rows = Seat.objects.filter(sat | in_it, session=hand.session).select_related("player").distinct().order_by("number")
    return list({seat.number: seat for seat in rows}.values())


def correction_preview(hand: Hand, stored: StoredHand | None, deal: Deal | None, rules: Rules) -> dict[str, Any]:
    """Before and after of a correction, and what it does to every balance."""
    session = hand.session
    found = corrections.effects(stored=stored, deal=deal, rules=rules)
    return {
        "changes": corrections.changes(stored, deal),
        "effects": [(effect, effect.change * session.point_value_minor) for effect in found],
        "is_settled": session.state == Session.State.SETTLED,
    }


def changed_meanwhile(hand: Hand, based_on: int, mine: Deal) -> dict[str, Any]:
    """What another person made of the hand, held against what this one typed."""
    now = HandVersion.objects.select_related("author").get(hand=hand, pk=Hand.objects.get(pk=hand.pk).current_id)
    if now.version == based_on:
        return {}
    theirs = next(load_versions([now.pk]))
    return {"theirs": now, "against_theirs": corrections.changes(theirs, mine)}


def hand_history(hand: Hand) -> dict[str, Any]:
    """Every version of a hand, the newest first, each with what it changed in the one before."""
    versions = list(HandVersion.objects.filter(hand=hand).select_related("author").order_by("version"))
    stored = {version.version_id: version for version in load_versions([version.pk for version in versions])}
    entries = []
    before = None
    for version in versions:
        after = None if version.is_void else stored[version.pk]
        entries.append((version, after, corrections.changes(before, after) if version.version > 1 else []))
        before = after
    return {"club": hand.session.club, "session": hand.session, "hand": hand, "entries": entries[::-1]}


def session_history(session: Session) -> dict[str, Any]:
    """What was done to a session and its hands, from the audit, the newest first."""
    rows = AuditRow.objects.filter(club=session.club).filter(
        Q(subject_id=session.pk) | Q(detail__session=str(session.pk))
    )
    return {
        "club": session.club,
        "session": session,
        "settlements": Settlement.objects.filter(session=session).order_by("-revision"),
        "rows": rows.select_related("user", "api_key").order_by("-id")[:200],
    }


ACCOUNT_LINES = 100


def account_page(account: Account, before: str) -> dict[str, Any]:
    """An account's transfers, the newest first, by keyset: as quick with a million as with ten.

    ``before`` is the sequence that the last page ended with. Balances are worked back from the stored one.
    """
    lines = account_lines(account, int(before[:18]) if before.isdecimal() else None, limit=ACCOUNT_LINES)
    return {
        "club": account.club,
        "section": "players",
        "account": account,
        "lines": lines,
        "next": lines[-1].reference if len(lines) == ACCOUNT_LINES else None,
    }
