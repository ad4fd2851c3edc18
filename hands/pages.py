"""What the list of sessions shows, and the standings of one."""

from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q, Sum

from accounts.models import Club, User
from hands.models import Hand, Seat, Session, Setup
from hands.queries import net_points_by_player


def session_list(club: Club, user: User) -> list[Session]:
    """The club's sessions, open ones first, each with its hands' count, the names at its table, and the user's net.

    ``my_amount_minor`` is None where the user is none of the players.
    """
    rows = (
        Session.objects.filter(club=club)
        .annotate(
            hand_count=Count("hands", filter=Q(hands__current__is_void=False)),
            is_open=ExpressionWrapper(Q(state=Session.State.OPEN), BooleanField()),
        )
        .order_by("-is_open", "-started_at")[:100]
    )
    listed = list(rows)
    names: dict[Any, list[str]] = {}
    seats = Seat.objects.filter(session__in=listed).order_by("number", "first_hand")
    for session_id, name in seats.values_list("session_id", "player__name"):
        known = names.setdefault(session_id, [])
        if name not in known:
            known.append(name)
    mine = (
        Setup.objects.filter(
            version__hand__session__in=listed, version__hand__current=F("version"), seat__player__user=user
        )
        .order_by()
        .values_list("version__hand__session_id")
        .annotate(points=Sum("net_points"))
    )
    points = dict(mine)
    for session in listed:
        # For the list alone.
        session.player_names = ", ".join(names.get(session.pk, []))  # type: ignore[attr-defined]  # for the list alone
        net = points.get(session.pk)
        session.my_amount_minor = None if net is None else net * session.point_value_minor  # type: ignore[attr-defined]  # for the list alone
    return listed


def standings(session: Session) -> list[dict[str, Any]]:
    """Every player of the session by result: seat, points and money so far, points of the last hand.

    ``first_hand`` and ``left_after`` are the span of the seat that a player had last; None for who is still there.
    """
    points = net_points_by_player(session)
    last = Hand.objects.filter(session=session, current__is_void=False).order_by("-number").first()
    last_points = {}
    if last is not None:
        last_points = dict(Setup.objects.filter(version=last.current_id).values_list("seat__player_id", "net_points"))
    rows: dict[Any, dict[str, Any]] = {}
    for seat in Seat.objects.filter(session=session).select_related("player").order_by("first_hand"):
        total = points.get(seat.player_id, 0)
        rows[seat.player_id] = {
            "number": seat.number,
            "player": seat.player,
            "first_hand": seat.first_hand,
            "left_after": seat.last_hand,
            "last": last_points.get(seat.player_id),
            "points": total,
            "amount_minor": total * session.point_value_minor,
        }
    return sorted(rows.values(), key=lambda row: (-row["points"], row["number"]))
