"""Everything that the files of a session say, of one moment."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import Book, Transfer
from hands.house_money import house_money_of
from hands.models import Hand, Session
from hands.pages import standings
from hands.queries import StoredHand, hands_played, load_hands
from settlement.amounts import Outcome
from settlement.entry_sheets import Entry
from settlement.models import Payment, Settlement
from settlement.owing import running_dues, session_owing
from settlement.payments import holder_name
from settlement.services import outcome_of
from settlement.verify import one_moment


@dataclass(frozen=True)
class Line:
    """One player: amounts in minor units. ``net`` is points times value, less what a cap cut and the house took."""

    number: int
    name: str
    hands: int
    points: int
    full_minor: int
    cut_minor: int
    taken_minor: int
    net_minor: int


@dataclass(frozen=True)
class SessionContent:
    """Everything that the workbook of a session says, of one moment."""

    session: Session
    is_settled: bool
    head_sequence: int
    head_hash: str
    hands: list[StoredHand]
    lines: list[Line]
    # By player in the order of ``lines``: their ids, and what each is to each other.
    players: list[uuid.UUID]
    pair_points: Mapping[tuple[uuid.UUID, uuid.UUID], int]
    pair_minor: Mapping[tuple[uuid.UUID, uuid.UUID], int]
    outcome: Outcome
    # Payer, payee, minor units, and how it stands.
    payments: list[tuple[str, str, int, str]]
    entries: list[Entry]

    @property
    def has_house(self) -> bool:
        return bool(house_money_of(self.session.rule_set).document())


def session_content(session: Session) -> SessionContent:
    """Read it all. Raises ``ValidationError`` where `outcome_of` does."""
    with one_moment():
        book = Book.objects.get(club=session.club_id)
        hands = list(load_hands(Hand.objects.filter(session=session)))
        outcome = outcome_of(session, hands)
        settlement = Settlement.objects.filter(session=session, reversed_at=None).first()
        rows = standings(session)
        played = hands_played(hands)
        nets, results = outcome.nets(), outcome.results()
        points, amounts = _pairs(outcome)
        return SessionContent(
            session=session,
            is_settled=settlement is not None,
            head_sequence=book.head_sequence,
            head_hash=book.head_hash,
            hands=hands,
            lines=[
                Line(
                    number=row["number"],
                    name=row["player"].name,
                    hands=played.get(row["player"].pk, 0),
                    points=row["points"],
                    full_minor=row["amount_minor"],
                    cut_minor=nets.get(row["player"].pk, 0) - row["amount_minor"],
                    taken_minor=-outcome.taken.get(row["player"].pk, 0),
                    net_minor=results.get(row["player"].pk, 0),
                )
                for row in rows
            ],
            players=[row["player"].pk for row in rows],
            pair_points=points,
            pair_minor=amounts,
            outcome=outcome,
            payments=_payments(session, settlement, outcome),
            entries=_entries(session),
        )


def _pairs(outcome: Outcome) -> tuple[dict[tuple[Any, Any], int], dict[tuple[Any, Any], int]]:
    """By (player, opponent): the player's points, and what the player got of the opponent after the cap."""
    points: dict[tuple[Any, Any], int] = {}
    amounts: dict[tuple[Any, Any], int] = {}
    for debt, paid_minor in zip(outcome.debts, outcome.paid, strict=True):
        for key, sign in (((debt.winner, debt.loser), 1), ((debt.loser, debt.winner), -1)):
            points[key], amounts[key] = sign * debt.points, sign * paid_minor
    return points, amounts


def _payments(session: Session, settlement: Settlement | None, outcome: Outcome) -> list[tuple[str, str, int, str]]:
    """Who pays whom: what was written down and what is left; while nothing is settled, what it would be."""
    if settlement is None:
        words = _("if it ended now")
        return [(due.payer, due.payee, due.amount_minor, words) for due in running_dues(session, outcome)]
    found = session_owing(session, settlement)
    states = {Payment.State.PAID: _("paid"), Payment.State.PENDING: _("not confirmed yet")}
    made = [
        (holder_name(one.payer), holder_name(one.payee), one.amount_minor, states[Payment.State(one.state)])
        for one in found.payments
    ]
    return made + [
        (
            holder_name(line.payer),
            holder_name(line.payee),
            line.amount_minor,
            _("open") if line.is_open else _("square by other payments"),
        )
        for line in found.dues
    ]


def _entries(session: Session) -> list[Entry]:
    """What the session put into the book: its settlements, what was taken back of them, and its payments."""
    causes = Q(source_id__in=Settlement.objects.filter(session=session).values("pk")) | Q(
        source_id__in=Payment.objects.filter(session=session).values("pk")
    )
    rows = Transfer.objects.filter(causes, club=session.club_id).order_by("sequence")
    return [
        Entry(one, holder_name(one.debit_account), holder_name(one.credit_account), session.table)
        for one in rows.select_related("debit_account__player", "credit_account__player")
    ]
