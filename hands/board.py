"""What a session's board shows: standings, the chart over the hands, the last hand; for the host and for the table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F
from django.utils.translation import get_language

from hands.chart import Chart, Series, draw
from hands.expected import Owed, expected_hand
from hands.hand_pages import last_hand_shown
from hands.models import Hand, Seat, Session, Setup
from hands.pages import standings
from hands.queries import load_versions
from hands.rulesets import rules_of
from hands.seating import next_button
from hands.stakes import stakes_page


def board_tag(session: Session) -> str:
    """What changes whenever the board does, from the session's row alone: an ETag without its quotes."""
    return f"{session.revision}-{session.state}-{session.live_id or ''}-{get_language()}"


def session_board(session: Session, *, chosen_seat: int | None = None) -> dict[str, Any]:
    """The context of `hands/_board.html`. ``chosen_seat`` is the one whose line in the chart is thicker."""
    hands = list(
        Hand.objects.filter(session=session, current__is_void=False).select_related("current").order_by("-number")
    )
    last = next(iter(load_versions([hands[0].current_id])), None) if hands else None
    setups = Setup.objects.filter(version__hand__session=session, version=F("version__hand__current"))
    nets: dict[Any, dict[int, int]] = defaultdict(dict)
    by_player: dict[Any, dict[Any, int]] = defaultdict(dict)
    columns = ("version__hand_id", "seat__number", "seat__player_id", "net_points")
    for hand_id, number, player_id, points in setups.values_list(*columns):
        nets[hand_id][number] = points
        by_player[player_id][hand_id] = points
    numbers = sorted({number for points in nets.values() for number in points})
    rows = standings(session)
    return {
        "club": session.club,
        "session": session,
        "tag": board_tag(session),
        "is_polled": session.state != Session.State.SETTLED,
        "standings": rows,
        "button": next_button(session) if session.state == Session.State.OPEN else None,
        "chosen_seat": chosen_seat,
        "chart": _chart(hands[::-1], rows, by_player, chosen_seat),
        "seat_numbers": numbers,
        "hands": [(hand, [nets[hand.pk].get(number) for number in numbers]) for hand in hands],
        "last": last_hand_shown(last, rules_of(session.rule_set)) if last and last.has_cards else None,
    }


def _chart(
    hands: Sequence[Hand],
    rows: Sequence[dict[str, Any]],
    by_player: dict[Any, dict[Any, int]],
    chosen_seat: int | None,
) -> Chart | None:
    """A line for everybody who has played; from the first hand of a player on, hands sat out leave it level."""
    series = []
    for row in rows:
        points = by_player.get(row["player"].pk, {})
        total: int | None = None
        totals = []
        for hand in hands:
            if hand.pk in points:
                total = (total or 0) + points[hand.pk]
            totals.append(total)
        if total is not None:
            series.append(Series(row["number"], row["player"].name, tuple(totals)))
    return draw([hand.number for hand in hands], series, chosen_seat) if series else None


def seats_page(session: Session) -> dict[str, Any]:
    """Every chair of the table with who sits there and what they are owed, who left, and where the button is."""
    owed = expected_hand(session).owed
    most = rules_of(session.rule_set).seats
    here: dict[int, Seat] = {}
    left: list[Seat] = []
    for seat in Seat.objects.filter(session=session).select_related("player").order_by("number", "first_hand"):
        if seat.last_hand is None:
            here[seat.number] = seat
        else:
            left.append(seat)
    return {
        "club": session.club,
        "session": session,
        "chairs": [(number, here.get(number), _owed(here.get(number), owed)) for number in range(1, most + 1)],
        "left": left,
        "button": next_button(session),
        "stakes": stakes_page(session),
        "known": session.club.players.values_list("name", flat=True),
    }


def _owed(seat: Seat | None, owed: Mapping[Any, Owed]) -> int:
    """The cards that the seat is dealt in Fantasyland in the next hand."""
    return owed[seat.player_id].cards if seat and seat.player_id in owed else 0
