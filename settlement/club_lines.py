"""The sections of a club's export, in the order in which an import needs them; each read in blocks.

Format ``homerun-club/1``: gzip, UTF-8, a JSON object a line, each with its ``kind``. The first line is the ``club``,
the last one the ``end`` with the number of lines before it. Ids are those of the exporting book and only tie lines
together; an import makes its own. Settlements, transfers, balances and statements are what followed from the rest:
facts to compare. Left out are people's log-ins, keys, live pages, drafts, files and the list of who did what.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from django.db.models import Count, Model, Q, QuerySet, Sum

from accounts.models import Account, Club, Merge, Player, Transfer
from hands.club_lines import hand_lines, moment, rule_set_line, session_lines
from hands.models import Hand, RuleSet, Session
from settlement.models import Dispute, Payment, Settlement, Statement

FORMAT: Final = "homerun-club/1"
BLOCK: Final = 500

# The lines of one block, and where the next one begins ("" where the section is over).
Block = tuple[list[dict[str, Any]], str]
Read = Callable[[Club, str], Block]


def holder_key(account: Account) -> str:
    """Whose account it is: a player's id, or ``house``, ``bank`` or ``table``."""
    return str(account.player_id) if account.player_id else account.kind


def _by_place(rows: Callable[[Club], QuerySet[Any]], lines: Callable[[Sequence[Any]], list[dict[str, Any]]]) -> Read:
    """A section of few rows, or of rows without a better order: the place is their count."""

    def read(club: Club, after: str) -> Block:
        start = int(after or 0)
        found = list(rows(club)[start : start + BLOCK])
        return lines(found), str(start + BLOCK) if len(found) == BLOCK else ""

    return read


def _each(line: Callable[[Any], dict[str, Any]]) -> Callable[[Iterable[Model]], list[dict[str, Any]]]:
    return lambda rows: [line(row) for row in rows]


def _hands(club: Club, after: str) -> Block:
    rows = Hand.objects.filter(session__club=club).order_by("session_id", "number")
    if after:
        session_id, number = after.split()
        rows = rows.filter(Q(session_id__gt=session_id) | Q(session_id=session_id, number__gt=int(number)))
    found = list(rows[:BLOCK])
    disputes = _disputes(Dispute.objects.filter(hand__in=found), "hand_id")
    lines = [
        line | ({"disputes": disputes[hand.pk]} if hand.pk in disputes else {})
        for hand, line in zip(found, hand_lines(found), strict=True)
    ]
    return lines, f"{found[-1].session_id} {found[-1].number}" if len(found) == BLOCK else ""


def _transfers(club: Club, after: str) -> Block:
    rows = Transfer.objects.filter(club=club, sequence__gt=int(after or 0)).order_by("sequence")
    found = list(rows.select_related("debit_account", "credit_account")[:BLOCK])
    lines = [
        {
            "sequence": one.sequence,
            "debit": holder_key(one.debit_account),
            "credit": holder_key(one.credit_account),
            "amount_minor": one.amount_minor,
            "currency": one.currency,
            "transfer": one.kind,
            "occurred_at": moment(one.occurred_at),
            "hash": one.hash,
        }
        for one in found
    ]
    return lines, str(found[-1].sequence) if len(found) == BLOCK else ""


def _player(player: Player) -> dict[str, Any]:
    return {
        "id": str(player.pk),
        "external_id": player.external_id,
        "name": player.name,
        "payment_note": player.payment_note or None,
        "payment_link": player.payment_link or None,
        "deactivated_at": moment(player.deactivated_at),
    }


def _settlements(rows: Sequence[Settlement]) -> list[dict[str, Any]]:
    return [
        {
            "session": str(one.session_id),
            "revision": one.revision,
            "hands": one.hands,
            "settled_at": moment(one.settled_at),
            "occurred_at": moment(one.occurred_at),
            "reversed_at": moment(one.reversed_at),
            "pairs": [
                {
                    "winner": str(pair.winner_id),
                    "loser": str(pair.loser_id),
                    "hands": pair.hands,
                    "points": pair.points,
                    "amount_minor": pair.transfer.amount_minor if pair.transfer else 0,
                }
                for pair in one.pairs.all()
            ],
        }
        for one in rows
    ]


def _payments(rows: Sequence[Payment]) -> list[dict[str, Any]]:
    disputes = _disputes(Dispute.objects.filter(payment__in=rows), "payment_id")
    return [
        {
            "payment": one.kind,
            "state": one.state,
            "was_paid": one.transfer_id is not None,
            "payer": holder_key(one.payer),
            "payee": holder_key(one.payee),
            "amount_minor": one.amount_minor,
            "currency": one.currency,
            "session": str(one.session_id) if one.session_id else None,
            "note": one.note or None,
            "paid_at": moment(one.paid_at),
            "recorded_at": moment(one.recorded_at),
            "reason": one.reason or None,
        }
        | ({"disputes": disputes[one.pk]} if one.pk in disputes else {})
        for one in rows
    ]


def _disputes(rows: QuerySet[Dispute], by: str) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for one in rows.order_by("raised_at", "pk"):
        found.setdefault(getattr(one, by), []).append(
            {
                "player": str(one.player_id) if one.player_id else None,
                "sentence": one.sentence,
                "raised_at": moment(one.raised_at),
                "state": one.state,
                "answer": one.answer or None,
                "answered_at": moment(one.answered_at),
            }
        )
    return found


def _merge(merge: Merge) -> dict[str, Any]:
    return {
        "kept": str(merge.kept_id),
        "merged": str(merge.merged_id),
        "merged_at": moment(merge.merged_at),
        "undone_at": moment(merge.undone_at),
    }


def _balance(account: Account) -> dict[str, Any]:
    return {"holder": holder_key(account), "currency": account.currency, "balance_minor": account.balance_minor}


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "number": statement.number,
        "player": str(statement.player_id),
        "currency": statement.currency,
        "first_day": statement.first_day.isoformat(),
        "last_day": statement.last_day.isoformat(),
        "made_at": moment(statement.made_at),
        "opening_minor": statement.opening_minor,
        "closing_minor": statement.closing_minor,
        "head_sequence": statement.head_sequence,
        "head_hash": statement.head_hash,
        "sha256": statement.sha256,
    }


def _of(model: type[Model], *order: str, **more: Any) -> Callable[[Club], QuerySet[Any]]:
    return lambda club: model._default_manager.filter(club=club, **more).order_by(*order, "pk")


SECTIONS: Final[dict[str, Read]] = {
    "player": _by_place(_of(Player, "created_at"), _each(_player)),
    "rule_set": _by_place(_of(RuleSet, "created_at"), _each(rule_set_line)),
    "session": _by_place(_of(Session, "started_at"), session_lines),
    "hand": _hands,
    "settlement": _by_place(
        lambda club: (
            Settlement.objects.filter(session__club=club)
            .order_by("session_id", "revision")
            .prefetch_related("pairs__transfer")
        ),
        _settlements,
    ),
    "payment": _by_place(
        lambda club: Payment.objects.filter(club=club).order_by("recorded_at", "pk").select_related("payer", "payee"),
        _payments,
    ),
    "merge": _by_place(_of(Merge, "merged_at"), _each(_merge)),
    "transfer": _transfers,
    "balance": _by_place(
        lambda club: (
            Account.objects.filter(club=club).exclude(balance_minor=0).order_by("currency", "kind", "player_id", "pk")
        ),
        _each(_balance),
    ),
    "statement": _by_place(_of(Statement, "number", number__isnull=False), _each(_statement)),
}


def moment_of(club: Club) -> dict[str, Any]:
    """What changes whenever something changes that an export holds, and how many rows of each there are."""
    sessions = Session.objects.filter(club=club)
    of_club = {model.__name__.lower(): model._default_manager.filter(club=club) for model in (Player, RuleSet, Merge)}
    of_club |= {"statement": Statement.objects.filter(club=club, number__isnull=False)}
    counts = {name: rows.count() for name, rows in of_club.items()}
    return counts | {
        "sessions": dict(sessions.order_by().values_list("state").annotate(count=Count("pk"))),
        "revisions": sessions.aggregate(sum=Sum("revision"))["sum"] or 0,
        "hands": Hand.objects.filter(session__club=club).count(),
        "payments": dict(Payment.objects.filter(club=club).order_by().values_list("state").annotate(count=Count("pk"))),
        "disputes": dict(Dispute.objects.filter(club=club).order_by().values_list("state").annotate(count=Count("pk"))),
        "undone": Merge.objects.filter(club=club).exclude(undone_at=None).count(),
        "sequence": club.book.head_sequence,
        "hash": club.book.head_hash,
    }
