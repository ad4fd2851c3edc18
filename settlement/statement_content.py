"""What a statement says, read from the book bit by bit: however long it is, little of it is in memory at once.

Lines are the entries of the player's account that are dated in the period, up to the statement's head. The sessions are
the settlements, and the reversals of settlements, that made those lines, so that both come to the same sum; the
hands are those that the settlements paid which stood at the end of the period, as they were then.
"""

import hashlib
import heapq
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final, TypeVar

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum

from accounts.ledger import balance_before
from accounts.models import Account, Transfer
from hands.models import HandVersion, Seat, Session, Setup
from hands.queries import StoredHand, load_versions
from settlement.models import Payment, SettledPair, Settlement, Statement
from settlement.payments import holder_name
from settlement.queries import as_movements, period, with_holders
from settlement.statements import GROUPS, Line, Movement, with_balance

BLOCK: Final = 500
SESSIONS: Final = 100
# The last line before a place: when it occurred, and its number in the book.
Place = tuple[datetime, int]
Item = TypeVar("Item")


@dataclass(frozen=True)
class SettledSession:
    """What one settlement, or its reversal, did to the player. Minor units; a reversal has every sign turned.

    ``points`` times the point value, ``cut_minor`` (what a cap took off) and ``fees_minor`` (what the house took,
    below zero) are ``amount_minor``. ``paid_minor`` is what was paid for the session by the end of the period.
    """

    moment: datetime
    settlement: Settlement
    is_reversal: bool
    hands: int
    points: int
    cut_minor: int
    fees_minor: int
    amount_minor: int
    paid_minor: int


@dataclass
class Opponent:
    """What stood between the player and one other holder over the period; ``merged_minor`` by making names one."""

    name: str
    sessions: int = 0
    hands: int = 0
    points: int = 0
    played_minor: int = 0
    paid_minor: int = 0
    merged_minor: int = 0


@dataclass
class StatementContent:
    """The content of one statement, whose head says up to which entry the book counts."""

    statement: Statement
    # How many lines are read at a time.
    block: int = BLOCK
    account: Account | None = field(init=False)
    begin: datetime = field(init=False)
    end: datetime = field(init=False)
    opening_minor: int = 0

    def __post_init__(self) -> None:
        one = self.statement
        self.begin, self.end = period(one.first_day, one.last_day, one.time_zone)
        self.account = Account.objects.filter(
            player=one.player_id, currency=one.currency, kind=Account.Kind.PLAYER
        ).first()
        if self.account is not None:
            self.opening_minor = balance_before(self.account, self.begin, head=one.head_sequence)

    def lines(self, after: Place | None = None, balance_minor: int | None = None) -> Iterator[Line]:
        """The lines in their order, all or those after a place where the balance is that; in blocks."""
        return with_balance(self.opening_minor if balance_minor is None else balance_minor, self._movements(after))

    def _movements(self, after: Place | None) -> Iterator[Movement]:
        place = after or (self.begin, 0)
        while self.account is not None and (block := self._block(self.account, place)):
            yield from as_movements(block, self.account)
            place = (block[-1].occurred_at, block[-1].sequence)

    def _block(self, account: Account, place: Place) -> list[Transfer]:
        """The next transfers after a place: a range of an index for either side, however long the account is."""
        moment, sequence = place
        rows = with_holders(self._transfers()).filter(
            Q(occurred_at__gt=moment) | Q(occurred_at=moment, sequence__gt=sequence), occurred_at__gte=moment
        )
        found: list[Transfer] = []
        for side in ("debit_account", "credit_account"):
            found += rows.filter(**{side: account}).order_by("occurred_at", "sequence")[: self.block]
        return sorted(found, key=lambda one: (one.occurred_at, one.sequence))[: self.block]

    def has_later_entries(self) -> bool:
        """Whether the book has entries since the head that change the period's lines or what it opens with."""
        if self.account is None:
            return False
        later = Q(debit_account=self.account) | Q(credit_account=self.account)
        return Transfer.objects.filter(
            later, sequence__gt=self.statement.head_sequence, occurred_at__lt=self.end
        ).exists()

    def _transfers(self) -> QuerySet[Transfer]:
        rows = Transfer.objects.filter(occurred_at__gte=self.begin, occurred_at__lt=self.end)
        head = self.statement.head_sequence
        return rows if head is None else rows.filter(sequence__lte=head)

    # Sessions and their hands

    def _sat_in(self) -> QuerySet[Settlement]:
        seats = Seat.objects.filter(player=self.statement.player_id)
        return Settlement.objects.filter(
            session__club=self.statement.club_id,
            session__currency=self.statement.currency,
            session__in=seats.values("session"),
        )

    def standing(self) -> QuerySet[Settlement]:
        """The settlements of the period that stood when it ended: what was corrected later is a later period's."""
        stood = Q(reversed_at=None) | Q(reversed_at__gte=self.end)
        return self._sat_in().filter(stood, occurred_at__gte=self.begin, occurred_at__lt=self.end)

    def sessions_digest(self) -> str:
        """SHA-256 over the settlements and reversals of the period."""
        digest = hashlib.sha256()
        for moment, is_reversal in (("occurred_at", False), ("reversed_at", True)):
            rows = self._sat_in().filter(**{f"{moment}__gte": self.begin, f"{moment}__lt": self.end})
            for key in rows.order_by("pk").values_list("pk", flat=True).iterator(BLOCK):
                digest.update(f"{key} {is_reversal}\n".encode())
        return digest.hexdigest()

    def point_values(self) -> list[int]:
        """The different point values of the period's sessions, in minor units."""
        values = self.standing().order_by().values_list("session__point_value_minor", flat=True)
        return sorted(values.distinct())

    def sessions(self) -> Iterator[SettledSession]:
        """Settlements and reversals of the period in their order; a fixed number of queries for every hundred."""
        made, reversed_ = (
            self._sat_in()
            .filter(**{f"{moment}__gte": self.begin, f"{moment}__lt": self.end})
            .order_by(moment, "pk")
            .select_related("session__rule_set")
            .iterator(SESSIONS)
            for moment in ("occurred_at", "reversed_at")
        )
        events: Iterator[tuple[datetime, bool, Settlement]] = heapq.merge(
            ((one.occurred_at, False, one) for one in made),
            ((one.reversed_at, True, one) for one in reversed_ if one.reversed_at is not None),
            # What is taken back and settled again at once comes in that order.
            key=lambda event: (event[0], not event[1]),
        )
        for block in blocks(events, SESSIONS):
            yield from self._settled(block)

    def _settled(self, block: Sequence[tuple[datetime, bool, Settlement]]) -> Iterator[SettledSession]:
        settlements = {one.pk: one for _moment, _is_reversal, one in block}
        moved = self._moved(settlements)
        played = self.played(settlements.values())
        paid = self._paid([one.session_id for one in settlements.values()])
        for moment, is_reversal, one in block:
            hands, points = played.get(one.pk, (0, 0))
            won_minor, fees_minor = moved.get(one.pk, (0, 0))
            # Who only sat there and left has no hand, and no line.
            if not hands and not won_minor and not fees_minor:
                continue
            sign = -1 if is_reversal else 1
            yield SettledSession(
                moment=moment,
                settlement=one,
                is_reversal=is_reversal,
                hands=hands,
                points=sign * points,
                cut_minor=sign * (won_minor - points * one.session.point_value_minor),
                fees_minor=sign * fees_minor,
                amount_minor=sign * (won_minor + fees_minor),
                # For a session that was settled again it stands with what stands.
                paid_minor=0
                if is_reversal or (one.reversed_at and one.reversed_at < self.end)
                else paid.get(one.session_id, 0),
            )

    def _moved(self, settlements: Iterable[uuid.UUID]) -> dict[uuid.UUID, tuple[int, int]]:
        """By settlement what it moved on the player's account: by play, and to the house."""
        moved: dict[uuid.UUID, tuple[int, int]] = {}
        for sign, side in ((-1, "debit_account"), (1, "credit_account")):
            rows = Transfer.objects.filter(source_id__in=list(settlements), reverses=None, **{side: self.account})
            for key, kind, amount_minor in rows.values_list("source_id", "kind", "amount_minor"):
                won, fees = moved.get(key, (0, 0))
                is_play = kind == Transfer.Kind.SETTLEMENT
                moved[key] = (won + sign * amount_minor, fees) if is_play else (won, fees + sign * amount_minor)
        return moved

    def _paid(self, sessions: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
        """By session what was paid for it, as the account has it, dated before the end of the period."""
        payments = dict(Payment.objects.filter(session__in=sessions).values_list("pk", "session"))
        rows = Transfer.objects.filter(source_id__in=list(payments), occurred_at__lt=self.end)
        if self.statement.head_sequence is not None:
            rows = rows.filter(sequence__lte=self.statement.head_sequence)
        paid: dict[uuid.UUID, int] = {}
        for sign, side in ((-1, "debit_account"), (1, "credit_account")):
            for key, amount_minor in rows.filter(**{side: self.account}).values_list("source_id", "amount_minor"):
                session = payments[key]
                paid[session] = paid.get(session, 0) + sign * amount_minor
        return paid

    def played(self, settlements: Iterable[Settlement]) -> dict[uuid.UUID, tuple[int, int]]:
        """By settlement how many of its hands the player was in, and for how many points, as it paid them."""
        found: dict[uuid.UUID, tuple[int, int]] = {}
        live = {one.session_id: one.pk for one in settlements if one.reversed_at is None}
        mine = Setup.objects.filter(seat__player=self.statement.player_id, version__is_void=False)
        # By the sessions' seats: by their hands a database would look at all hands that the player ever had.
        now = mine.filter(seat__session__in=list(live), version__hand__current=F("version"))
        counts = {"hands": Count("pk"), "points": Sum("net_points")}
        for session, hands, points in now.order_by().values_list("seat__session").annotate(**counts):
            found[live[session]] = (hands, points)
        for one in settlements:
            if one.reversed_at is not None:
                sums = mine.filter(version__in=versions_paid(one)).aggregate(**counts)
                found[one.pk] = (sums["hands"], sums["points"] or 0)
        return found

    def hands(self) -> Iterator[tuple[Settlement, StoredHand]]:
        """The hands of the period in which the player sat, session by session; three queries for every 500."""
        live = (
            self.standing().filter(reversed_at=None).order_by("occurred_at", "pk").select_related("session__rule_set")
        )
        # Few, if any: what was corrected after the period ended.
        for settlement in self.standing().exclude(reversed_at=None).select_related("session__rule_set"):
            yield from self._hands_of([settlement], HandVersion.objects.filter(pk__in=versions_paid(settlement)))
        for block in blocks(live.iterator(SESSIONS), SESSIONS):
            current = HandVersion.objects.filter(hand__current=F("pk"))
            yield from self._hands_of(block, current)

    def _hands_of(
        self, settlements: Sequence[Settlement], versions: QuerySet[HandVersion]
    ) -> Iterator[tuple[Settlement, StoredHand]]:
        mine = versions.filter(is_void=False, setups__seat__player=self.statement.player_id)
        of_session = {one.session_id: one for one in settlements}
        # By the time at which their sessions began, so that the sheet follows the evenings.
        rows = mine.filter(hand__session__in=list(of_session)).order_by(
            "hand__session__started_at", "hand__session", "hand__number"
        )
        ids: Iterator[Any] = rows.values_list("pk", "hand__session").iterator(BLOCK)
        for block in blocks(ids, BLOCK):
            loaded = {hand.version_id: hand for hand in load_versions([key for key, _session in block])}
            for key, session in block:
                yield of_session[session], loaded[key]

    # Opponents

    def opponents(self) -> list[Opponent]:
        """Everybody with whom an entry of the period, or a pair of its settlements, was; in the order of names."""
        found: dict[uuid.UUID | None, Opponent] = {}
        if self.account is None:
            return []
        self._count_money(found, self.account)
        self._count_pairs(found, self.account.currency)
        return sorted(found.values(), key=lambda one: (one.name.casefold(), one.name))

    def _count_money(self, found: dict[Any, Opponent], account: Account) -> None:
        for sign, side, other in ((-1, "debit_account", "credit_account"), (1, "credit_account", "debit_account")):
            sums = (
                self._transfers()
                .filter(**{side: account})
                .order_by()
                .values_list(other, "kind", "reverses__kind")
                .annotate(sum=Sum("amount_minor"))
            )
            rows = list(sums)
            holders = Account.objects.select_related("player").in_bulk({row[0] for row in rows})
            for key, kind, reversed_kind, amount_minor in rows:
                one = found.setdefault(key, Opponent(holder_name(holders[key])))
                attribute = {"play": "played_minor", "payment": "paid_minor", "merge": "merged_minor"}[
                    GROUPS[reversed_kind or kind]
                ]
                setattr(one, attribute, getattr(one, attribute) + sign * amount_minor)

    def _count_pairs(self, found: dict[Any, Opponent], currency: str) -> None:
        for moment, sign in (("occurred_at", 1), ("reversed_at", -1)):
            settled = self._sat_in().filter(**{f"{moment}__gte": self.begin, f"{moment}__lt": self.end})
            for mine, other, side in (("winner", "loser", 1), ("loser", "winner", -1)):
                sums = (
                    SettledPair.objects.filter(settlement__in=settled, **{mine: self.statement.player_id})
                    .order_by()
                    .values_list(other, f"{other}__name")
                    .annotate(points=Sum("points"), hands=Sum("hands"), sessions=Count("pk"))
                )
                rows = list(sums)
                accounts = dict(
                    Account.objects.filter(
                        player__in=[row[0] for row in rows], currency=currency, kind=Account.Kind.PLAYER
                    ).values_list("player", "pk")
                )
                for player, name, points, hands, sessions in rows:
                    one = found.setdefault(accounts.get(player, player), Opponent(name))
                    one.points += sign * side * points
                    one.hands += sign * hands
                    one.sessions += sign * sessions


def versions_paid(settlement: Settlement) -> QuerySet[Any]:
    """Ids of the versions that a settlement paid, whatever became of their hands later."""
    newest = (
        HandVersion.objects.filter(hand=OuterRef("pk"), created_at__lte=settlement.settled_at)
        .order_by("-version")
        .values("pk")[:1]
    )
    hands = Session.objects.get(pk=settlement.session_id).hands.annotate(paid=Subquery(newest))
    return hands.values("paid")


def blocks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    items = iter(items)
    while block := list(islice(items, size)):
        yield block
