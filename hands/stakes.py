"""What each player of a session by table stakes begins with. What becomes of it is `settlement.table_stakes`."""

import uuid
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.money import MOST_MINOR, format_plain
from hands.house_money import house_money_of
from hands.models import RuleSet, Seat, Session, Setup
from hands.seating import change_seats, nobody_sits

LEAST_STAKE: Final = 1


def check_stake(rule_set: RuleSet, stake_minor: int, pointer: str) -> None:
    """Raise ``ValidationError`` for what cannot be a stake by these rules."""
    if not house_money_of(rule_set).table_stakes:
        raise fault(pointer, "no_stakes", _("The rules “%(name)s” have no table stakes.") % {"name": rule_set.name})
    if not LEAST_STAKE <= stake_minor <= MOST_MINOR:
        raise fault(pointer, "stake", _("A stake is more than nothing, and no more than the book can keep."))


@transaction.atomic
def give_stake(*, session: Session, number: int, player_id: uuid.UUID | None = None, stake_minor: int) -> None:
    """Say what the player on that seat begins with; it stays theirs on every chair.

    ``player_id`` names somebody who has left the seat since. Raises ``ValidationError`` when the session is not open,
    its rules have no stakes, nobody sits there, or the player has played a hand with another stake. One that was never
    said can be said later.
    """
    change_seats(session)
    check_stake(session.rule_set, stake_minor, "/stake")
    seats = Seat.objects.filter(session=session, number=number).select_related("player")
    seat = seats.filter(**({"player": player_id} if player_id else {"last_hand": None})).first()
    if seat is None:
        raise nobody_sits(number)
    if seat.stake_minor == stake_minor:
        return
    mine = Seat.objects.filter(session=session, player=seat.player)
    if seat.stake_minor is not None and Setup.objects.filter(seat__in=mine, version__is_void=False).exists():
        words = _("%(name)s has played a hand; the stake stays as it is.")
        raise fault("/stake", "stake_frozen", words % {"name": seat.player.name})
    mine.update(stake_minor=stake_minor)
    audit.note(session.club_id, "stake.given", session.pk, name=seat.player.name, seat=number)


def stakes_page(session: Session) -> list[dict[str, Any]]:
    """Everybody's stake, each with what its field says and whether it may still be changed; nothing without stakes.

    Who has left is in it only while a stake is missing.
    """
    if not house_money_of(session.rule_set).table_stakes:
        return []
    played = set(
        Setup.objects.filter(seat__session=session, version__is_void=False).values_list("seat__player_id", flat=True)
    )
    here: dict[uuid.UUID, Seat] = {}
    for seat in Seat.objects.filter(session=session).select_related("player").order_by("number", "first_hand"):
        is_missing = seat.stake_minor is None and seat.player_id in played and seat.player_id not in here
        if seat.last_hand is None or is_missing:
            here[seat.player_id] = seat
    return [
        {
            "seat": seat,
            "typed": "" if seat.stake_minor is None else format_plain(seat.stake_minor, session.currency),
            "is_open": session.state == Session.State.OPEN
            and (seat.stake_minor is None or seat.player_id not in played),
        }
        for seat in sorted(here.values(), key=lambda seat: seat.number)
    ]


def stakes_of(session: Session) -> dict[uuid.UUID, int]:
    """Each player's stake in minor units; without those who have none yet."""
    seats = Seat.objects.filter(session=session, stake_minor__isnull=False).order_by()
    return {player_id: stake for player_id, stake in seats.values_list("player_id", "stake_minor") if stake}
