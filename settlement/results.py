"""What a player's play comes to: rows and homeruns won, points and money session by session, and head to head."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.db.models import Q, Sum

from accounts.merging import names_of
from accounts.models import Account, Merge, Player, Transfer
from accounts.money import format_money
from hands.chart import Chart, Series, draw
from hands.compact import fetch_rows
from hands.models import Tally
from hands.scoring.games import ROWS
from hands.tallies import LOST, WON
from hands.templatetags.cards import ROW_WORDS
from settlement.models import Settlement

FEW_HANDS: Final = 30
# More are drawn, and listed behind the chart, at every n-th.
MOST_SESSIONS: Final = 60
_PLAY: Final = (Transfer.Kind.SETTLEMENT, Transfer.Kind.RAKE, Transfer.Kind.FEE, Transfer.Kind.REVERSAL)


@dataclass(frozen=True)
class RowRate:
    """How often a row was won and tied, in percent of those compared; ``even`` is where won and lost are the same."""

    row: str
    compared: int
    won: int
    lost: int

    @property
    def tied(self) -> int:
        return self.compared - self.won - self.lost

    @property
    def percent(self) -> float:
        return 100 * self.won / self.compared if self.compared else 0.0

    @property
    def percent_tied(self) -> float:
        return 100 * self.tied / self.compared if self.compared else 0.0

    @property
    def percent_lost(self) -> float:
        return 100 * self.lost / self.compared if self.compared else 0.0

    @property
    def even(self) -> float:
        return 50 * (self.won + self.lost) / self.compared if self.compared else 50.0


@dataclass(frozen=True)
class Counted:
    """Hands, points, homeruns and row rates over some tallies. ``boards`` has the rates of each board apart."""

    hands: int
    points: int
    homeruns_won: int
    homeruns_lost: int
    rows: list[RowRate]
    boards: list[tuple[int, list[RowRate]]]

    @property
    def is_few(self) -> bool:
        return self.hands < FEW_HANDS


@dataclass(frozen=True)
class Opponent:
    """How the player stands against another; money in the chosen currency, as it was settled pair by pair."""

    player: Player
    counted: Counted
    amount_minor: int


@dataclass(frozen=True)
class Evening:
    """A session of the player in the chosen currency; ``amount_minor`` is None until it is settled."""

    # As the database's driver writes it: of thousands, a page shows a few.
    key: Any
    hands: int
    points: int
    amount_minor: int | None

    @property
    def session_id(self) -> uuid.UUID:
        return uuid.UUID(str(self.key))


@dataclass(frozen=True)
class Results:
    """Everything that a player's page shows of their play; ``evenings`` are in the order of play."""

    counted: Counted
    opponents: list[Opponent]
    evenings: list[Evening]

    def charts(self, currency: str) -> tuple[Chart, Chart] | None:
        """Running points and running money over the sessions; None before the second, when there is no line yet."""
        if len(self.evenings) < 2:
            return None
        numbers = range(1, len(self.evenings) + 1)
        points = _running([one.points for one in self.evenings])
        money = _running([one.amount_minor or 0 for one in self.evenings])
        in_money = partial(format_money, currency=currency, sign=True)
        return (
            draw(numbers, [Series(0, "", points)], most=MOST_SESSIONS),
            draw(numbers, [Series(0, "", money)], label=in_money, most=MOST_SESSIONS),
        )


def results_of(player: Player, currency: str) -> Results:
    """The player's results under every name. Tallies must be up to date; a fixed number of queries."""
    names = names_of(player.pk)
    held = Account.objects.filter(player__in=names, currency=currency, kind=Account.Kind.PLAYER)
    accounts = list(held.values_list("pk", flat=True))
    all_hands = Tally.objects.filter(player__in=names, opponent=None).aggregate(**_SUMS)
    return Results(
        counted=_counted(all_hands),
        opponents=_opponents(names, accounts),
        evenings=_evenings(names, accounts, currency),
    )


_NAMES: Final = ("hands", "points", "homeruns_won", "homeruns_lost", "compared_1", "compared_2", *WON, *LOST)
_SUMS: Final[dict[str, Any]] = {f"sum_{name}": Sum(name) for name in _NAMES}


def _counted(sums: dict[str, Any]) -> Counted:
    found = Counter({name: int(sums[f"sum_{name}"] or 0) for name in _NAMES})
    boards = [
        (
            board,
            [
                RowRate(
                    str(word), found[f"compared_{board}"], found[f"won_{row}_{board}"], found[f"lost_{row}_{board}"]
                )
                for row, word in zip(ROWS, ROW_WORDS, strict=True)
            ],
        )
        for board in (1, 2)
        if found[f"compared_{board}"]
    ]
    rows = [
        RowRate(str(word), *(sum(getattr(rates[place], name) for _board, rates in boards) for name in _RATE))
        for place, word in enumerate(ROW_WORDS)
    ]
    return Counted(found["hands"], found["points"], found["homeruns_won"], found["homeruns_lost"], rows, boards)


_RATE: Final = ("compared", "won", "lost")


def _opponents(names: Sequence[uuid.UUID], accounts: Sequence[uuid.UUID]) -> list[Opponent]:
    """Everybody that the player met, the most hands first; a merged name counts to the one that was kept."""
    instead = dict(Merge.objects.filter(undone_at=None, club__players__in=names).values_list("merged", "kept"))
    sums: dict[uuid.UUID, Counter[str]] = defaultdict(Counter)
    rows = Tally.objects.filter(player__in=names).exclude(opponent=None).order_by()
    for row in rows.values("opponent").annotate(**_SUMS):
        key = row.pop("opponent")
        sums[instead.get(key, key)].update(row)
    money = _money_by_opponent(accounts)
    amounts: Counter[uuid.UUID] = Counter()
    for key, amount_minor in money.items():
        amounts[instead.get(key, key)] += amount_minor
    players = Player.objects.in_bulk(sums)
    found = [Opponent(players[key], _counted(sums[key]), amounts[key]) for key in sums]
    return sorted(found, key=lambda one: (-one.counted.hands, one.player.name_key))


def _money_by_opponent(accounts: Sequence[uuid.UUID]) -> Counter[uuid.UUID]:
    """What settlements moved between the player and each other, less what was taken back of it."""
    settled = Q(kind=Transfer.Kind.SETTLEMENT) | Q(reverses__kind=Transfer.Kind.SETTLEMENT)
    found: Counter[uuid.UUID] = Counter()
    for mine, other, sign in (("credit_account", "debit_account", 1), ("debit_account", "credit_account", -1)):
        rows = Transfer.objects.filter(settled, **{f"{mine}__in": accounts}).order_by()
        for player_id, amount_minor in rows.values_list(f"{other}__player").annotate(Sum("amount_minor")):
            if player_id is not None:
                found[player_id] += sign * int(amount_minor)
    return found


def _evenings(names: Sequence[uuid.UUID], accounts: Sequence[uuid.UUID], currency: str) -> list[Evening]:
    amounts: Counter[Any] = Counter()
    for side, sign in (("credit_account", 1), ("debit_account", -1)) if accounts else ():
        moved = Transfer.objects.filter(kind__in=_PLAY, **{f"{side}__in": accounts}).order_by()
        for source, amount_minor in fetch_rows(moved.values_list("source_id").annotate(Sum("amount_minor"))):
            amounts[source] += sign * int(amount_minor)
    mine = Tally.objects.filter(player__in=names, opponent=None, session__currency=currency)
    settled = Settlement.objects.filter(session__in=mine.values("session"), reversed_at=None)
    live = dict(fetch_rows(settled.order_by().values_list("session", "pk")))
    evenings: dict[Any, Evening] = {}
    rows = mine.order_by("session__started_at", "session")
    for key, hands, points in fetch_rows(rows.values_list("session", "hands", "points")):
        amount_minor = amounts[live[key]] if key in live else None
        if (there := evenings.get(key)) is not None:
            # Two names of one person at one table; the money is of both already.
            hands, points = hands + there.hands, points + there.points
        evenings[key] = Evening(key, hands, points, amount_minor)
    return list(evenings.values())


def _running(values: Sequence[int]) -> tuple[int, ...]:
    total = 0
    return tuple(total := total + value for value in values)
