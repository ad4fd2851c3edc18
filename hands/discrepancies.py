"""Points that a sender claimed and that the cards do not give: found, filtered, exported, and seen mended."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db.models import Case, CharField, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Club
from hands.models import Discrepancy, Session, Setup

OPEN: Final = "open"
MENDED: Final = "mended"
VOID: Final = "void"
STATES: Final = {OPEN: gettext_lazy("open"), MENDED: gettext_lazy("mended"), VOID: gettext_lazy("hand void")}


@dataclass(frozen=True)
class Filters:
    """What a list of discrepancies is narrowed to; what cannot be read narrows nothing."""

    session_id: uuid.UUID | None = None
    history_id: uuid.UUID | None = None
    state: str = ""

    @classmethod
    def read(cls, session: str, history: str, state: str) -> "Filters":
        return cls(_id(session), _id(history), state if state in STATES else "")


def _id(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def discrepancies_of(club: Club, filters: Filters | None = None) -> QuerySet[Discrepancy]:
    """The club's discrepancies, the newest first, each with the player's name, the points now, and its state.

    It is mended when the hand's current version gives the seat what was claimed.
    """
    filters = filters or Filters()
    # Unordered: the order of setups joins the tables of the outer query, under the same names.
    setups = Setup.objects.filter(seat__number=OuterRef("seat_number")).order_by()
    then, now = setups.filter(version=OuterRef("version")), setups.filter(version=OuterRef("version__hand__current"))
    rows = Discrepancy.objects.filter(version__hand__session__club=club).order_by("-id")
    if filters.session_id:
        rows = rows.filter(version__hand__session=filters.session_id)
    if filters.history_id:
        rows = rows.filter(history=filters.history_id)
    rows = rows.annotate(
        player_name=Coalesce(Subquery(then.values("seat__player__name")[:1]), Value("")),
        points_now=Subquery(now.values("net_points")[:1]),
        state=Case(
            When(version__hand__current__is_void=True, then=Value(VOID)),
            When(points_now=F("claimed_points"), then=Value(MENDED)),
            default=Value(OPEN),
            output_field=CharField(),
        ),
    )
    if filters.state:
        rows = rows.filter(state=filters.state)
    return rows.select_related("version__hand__session", "history")


def sessions_with_discrepancies(club: Club, *, at_most: int = 200) -> QuerySet[Session]:
    """What the list can be narrowed to."""
    found = Discrepancy.objects.filter(version__hand__session__club=club).values("version__hand__session")
    return Session.objects.filter(Q(club=club) & Q(pk__in=found)).order_by("-started_at")[:at_most]


def csv_rows(rows: QuerySet[Discrepancy]) -> Iterator[tuple[object, ...]]:
    """The list as a table with its head, for a spreadsheet."""
    yield (
        _("Session"),
        _("Table"),
        _("Hand"),
        _("Hand id"),
        _("Played at"),
        _("Seat"),
        _("Player"),
        _("Claimed points"),
        _("Our points"),
        _("Points now"),
        _("State"),
        _("File"),
    )
    for row in rows.iterator(chunk_size=500):
        hand = row.version.hand
        yield (
            hand.session.external_id or "",
            hand.session.table,
            hand.number,
            hand.external_id or "",
            row.version.played_at.isoformat(),
            row.seat_number,
            row.player_name,
            row.claimed_points,
            row.our_points,
            "" if row.points_now is None else row.points_now,
            str(STATES[row.state]),
            row.history.file_name if row.history else "",
        )
