"""What the pages of settling and balances show."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.models import Account, AuditRow
from hands import corrections
from hands.drafts import open_drafts
from hands.history import Deal
from hands.house_money import house_money_of
from hands.models import Hand, HandVersion, Seat, Session
from hands.pages import standings
from hands.queries import StoredHand, as_stored, load_hands, load_versions
from hands.scoring.games import Rules
from jobs.models import Job
from settlement.amounts import Outcome
from settlement.bank import look_into_bank
from settlement.disputes import open_disputes
from settlement.models import SettledPair, Settlement
from settlement.owing import as_text, session_owing
from settlement.payment_pages import lines_of
from settlement.queries import account_lines
from settlement.services import SETTLE, outcome_of
from settlement.table_stakes import match_of, stakes_shown


def settle_page(session: Session, *, with_pairs: bool = False) -> dict[str, Any]:
    """Nets and their sum, the cap and the rake at work, the bank, and who pays whom once it is settled."""
    settlement = Settlement.objects.filter(session=session, reversed_at=None).first()
    job = Job.objects.filter(kind=SETTLE, subject_id=session.pk).order_by("-created_at").first()
    rows = standings(session)
    hands = list(load_hands(Hand.objects.filter(session=session)))
    context = {
        "club": session.club,
        "session": session,
        "standings": rows,
        "total_points": sum(row["points"] for row in rows),
        "hand_count": len(hands),
        "settlement": settlement,
        "job": job,
        "with_pairs": with_pairs,
        "pair_count": len(rows) * (len(rows) - 1) // 2,
        "disputes": open_disputes(session),
        "open_drafts": open_drafts(session),
    }
    try:
        outcome = outcome_of(session, hands)
    except ValidationError as error:
        return context | {"fault": " ".join(error.messages)}
    bank = look_into_bank(session)
    context |= {"bank": bank, "house": _house_lines(rows, outcome, session)}
    if (match := match_of(session, hands)) is not None:
        context["stakes"] = stakes_shown(session, rows, hands, match)
    if settlement is None:
        return context
    found = session_owing(session, settlement)
    title = _("%(table)s, %(date)s") % {"table": session.table, "date": date_format(session.started_at, "j M")}
    pairs = SettledPair.objects.filter(settlement=settlement).select_related("winner", "loser", "transfer")
    return context | {
        "pairs": pairs if with_pairs else [],
        "lines": lines_of(found),
        "payment_count": len(found.payments) + len(found.dues),
        "payments_minor": found.total_minor,
        "pay_values": [line.value for line in found.dues if line.is_open],
        "text": as_text(title, found.dues, found.payments),
    }


def _house_lines(rows: Sequence[dict[str, Any]], outcome: Outcome, session: Session) -> dict[str, Any] | None:
    """Who bore what: each player's result in full, after the cap, and what the house took; None without a house."""
    money = house_money_of(session.rule_set)
    if not money.document():
        return None
    nets, results = outcome.nets(), outcome.results()
    lines = []
    for row in rows:
        key = row["player"].pk
        full_minor, net_minor = row["amount_minor"], nets.get(key, 0)
        lines.append(
            {
                "row": row,
                "full_minor": full_minor,
                "cut_minor": net_minor - full_minor,
                "taken_minor": -outcome.taken.get(key, 0),
                "net_minor": results.get(key, 0),
            }
        )
    return {
        "money": money,
        "lines": lines,
        "is_cut": any(line["cut_minor"] for line in lines),
        "taken_minor": sum(outcome.taken.values()),
    }


def seats_for_correction(hand: Hand) -> list[Seat]:
    """Who sat at the table when the hand was played: those in it, and those who may have been left out."""
    sat = Q(first_hand__lte=hand.number) & (Q(last_hand=None) | Q(last_hand__gte=hand.number))
    in_it = Q(setups__version=hand.current_id)
    rows = Seat.objects.filter(sat | in_it, session=hand.session).select_related("player").distinct().order_by("number")
    return list({seat.number: seat for seat in rows}.values())


def correction_preview(hand: Hand, stored: StoredHand | None, deal: Deal | None, rules: Rules) -> dict[str, Any]:
    """Before and after of a correction, and what it does to every balance, with the house's cap and rake."""
    session = hand.session
    found = corrections.effects(stored=stored, deal=deal, rules=rules)
    hands = list(load_hands(Hand.objects.filter(session=session)))
    rest = [one for one in hands if one.id != hand.pk]
    if deal is not None:
        rest.append(as_stored(hand, deal, rules))
        rest.sort(key=lambda one: one.number)
    fault = ""
    before: dict[Any, int] = {}
    after: dict[Any, int] = {}
    try:
        before, after = (outcome_of(session, some).results() for some in (hands, rest))
    except ValidationError as error:
        fault = " ".join(error.messages)
    return {
        "fault": fault,
        "changes": corrections.changes(stored, deal),
        "effects": [(effect, after.get(effect.player.pk, 0) - before.get(effect.player.pk, 0)) for effect in found],
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
        "account": account,
        "lines": lines,
        "next": lines[-1].reference if len(lines) == ACCOUNT_LINES else None,
    }
