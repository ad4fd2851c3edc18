"""Who sits where: seats are occupancies, and hands may be written down in any order.

After every hand each seat and each player has at most one occupancy at a time, and every hand lies within the
occupancies that it was played on.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Player
from accounts.names import fold_name
from accounts.services import lock_club, players_named
from hands.expected import expected_hand
from hands.history import SeatRecord
from hands.models import Hand, Seat, Session, Setup
from hands.phone_rounds import check_may_leave, go_on_without_leavers
from hands.rulesets import rules_of


class Seating:
    """The seats of one session while hands are written into it, in the order of their numbers."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seats = list(Seat.objects.filter(session=session).select_related("player"))
        # Where a player was found last: in a history mostly the seat of the hand before.
        self._found: dict[tuple[int, uuid.UUID], Seat] = {}
        self.by_id: dict[uuid.UUID, Player] = {}
        self.by_external_id: dict[str | None, Player] = {}
        self.by_name: dict[str, Player] = {}

    def know_players(self, records: Iterable[SeatRecord]) -> None:
        """Find the players of these seats in the club, and make those that are not there."""
        club_id = self.session.club_id
        records = list(records)
        ids = {record.player_id for record in records if record.player_id}
        external = {record.external_id: record.name for record in records if record.external_id}
        names = {
            fold_name(record.name): record.name
            for record in records
            if record.player_id is None and record.external_id is None
        }
        self.by_id = {seat.player_id: seat.player for seat in self.seats if seat.player_id in ids}
        if missing := ids - self.by_id.keys():
            self.by_id |= Player.objects.filter(club_id=club_id).in_bulk(missing)
        # Mostly everybody sits here already.
        held = [seat.player for seat in self.seats]
        self.by_external_id = {player.external_id: player for player in held if player.external_id in external}
        self.by_name = {p.name_key: p for p in held if p.external_id is None and p.name_key in names}
        self._find(external, names)
        if external.keys() <= self.by_external_id.keys() and names.keys() <= self.by_name.keys():
            return
        # The club's row is the lock, so that two tables that write down a new player make one.
        lock_club(club_id)
        self._find(external, names)
        Player.objects.bulk_create(
            [
                Player(club_id=club_id, name=name, name_key=fold_name(name), external_id=external_id)
                for external_id, name in external.items()
                if external_id not in self.by_external_id
            ]
            + [
                Player(club_id=club_id, name=name, name_key=key)
                for key, name in names.items()
                if key not in self.by_name
            ]
        )
        self._find(external, names)

    def _find(self, external: Collection[str], names: Collection[str]) -> None:
        players = Player.objects.filter(club_id=self.session.club_id).order_by()
        if sought := [one for one in external if one not in self.by_external_id]:
            self.by_external_id |= {player.external_id: player for player in players.filter(external_id__in=sought)}
        if sought := [one for one in names if one not in self.by_name]:
            named = players.filter(name_key__in=sought, external_id=None)
            self.by_name |= {player.name_key: player for player in named}

    def seat_all(self, records: Sequence[SeatRecord], *, hand_number: int) -> list[Seat]:
        """The occupancies of a hand's seats, in the order of ``records``. Raises ``ValidationError`` like ``seat``."""
        if not self.seats and all(record.player_id is None for record in records):
            # Nobody sits here yet: all sit down at once.
            self.seats = Seat.objects.bulk_create(
                Seat(
                    session=self.session,
                    number=record.number,
                    player=self._named(record),
                    first_hand=hand_number,
                )
                for record in records
            )
            return list(self.seats)
        return [self.seat(record, hand_number=hand_number) for record in records]

    def _named(self, record: SeatRecord) -> Player:
        if record.external_id is not None:
            return self.by_external_id[record.external_id]
        return self.by_name[fold_name(record.name)]

    def seat(self, record: SeatRecord, *, hand_number: int) -> Seat:
        """The occupancy of that seat in that hand. Raises ``ValidationError`` when the player does not sit there.

        A page names a player that sits; a history tells who sat, so there the occupancies follow the hands.
        """
        if record.player_id is not None:
            player = self.by_id.get(record.player_id)
            seat = self._held(record.number, player, hand_number) if player else None
            if seat is None:
                raise fault(
                    "/seats",
                    "does_not_sit",
                    _("%(name)s does not sit on seat %(number)d in hand %(hand)d.")
                    % {"name": record.name, "number": record.number, "hand": hand_number},
                )
            return seat
        player = self._named(record)
        return self._held(record.number, player, hand_number) or self.sit(record.number, player, hand_number)

    def _held(self, number: int, player: Player, hand_number: int) -> Seat | None:
        place = (number, player.pk)
        if (found := self._found.get(place)) is not None and _covers(found, hand_number):
            return found
        for seat in self.seats:
            if (seat.number, seat.player_id) == place and _covers(seat, hand_number):
                self._found[place] = seat
                return seat
        return None

    def sit(self, number: int, player: Player, hand_number: int) -> Seat:
        """Make room on the seat and around the player in this hand, and put the one on the other.

        A stake goes with its player.
        """
        stakes = (seat.stake_minor for seat in self.seats if seat.player_id == player.pk)
        stake_minor = next((stake for stake in stakes if stake is not None), None)
        for seat in self._rivals(number, player):
            if _covers(seat, hand_number):
                self.vacate(seat, hand_number)
        later = [seat for seat in self._rivals(number, player) if seat.first_hand > hand_number]
        following = min(later, key=lambda seat: seat.first_hand, default=None)
        if following is not None and (following.number, following.player_id) == (number, player.pk):
            following.first_hand = hand_number
            following.save(update_fields=["first_hand"])
            return following
        last_hand = following.first_hand - 1 if following else None
        return self._add(number, player.pk, hand_number, last_hand, stake_minor)

    def _rivals(self, number: int, player: Player) -> list[Seat]:
        """Every occupancy of that seat, and every one of that player."""
        return [seat for seat in self.seats if seat.number == number or seat.player_id == player.pk]

    def vacate(self, seat: Seat, hand_number: int) -> None:
        """The occupancy ends before this hand; hands that were played on it later get one of their own."""
        played = Setup.objects.filter(seat=seat)
        later = played.filter(version__hand__number__gt=hand_number)
        last_hand, has_later = seat.last_hand, later.exists()
        if seat.first_hand < hand_number or played.filter(version__hand__number=hand_number).exists():
            # Where it began with this very hand, an older version of the hand was played on it.
            seat.last_hand = max(seat.first_hand, hand_number - 1)
            seat.save(update_fields=["last_hand"])
        elif has_later:
            seat.first_hand = hand_number + 1
            seat.save(update_fields=["first_hand"])
            return
        else:
            self.seats.remove(seat)
            self._found.pop((seat.number, seat.player_id), None)
            seat.delete()
        if has_later:
            rest = self._add(seat.number, seat.player_id, hand_number + 1, last_hand, seat.stake_minor)
            later.update(seat=rest)
        go_on_without_leavers(self.session)

    def _add(
        self, number: int, player_id: uuid.UUID, first_hand: int, last_hand: int | None, stake_minor: int | None
    ) -> Seat:
        seat = Seat.objects.create(
            session=self.session,
            number=number,
            player_id=player_id,
            first_hand=first_hand,
            last_hand=last_hand,
            stake_minor=stake_minor,
        )
        self.seats.append(seat)
        return seat


def _covers(seat: Seat, hand_number: int) -> bool:
    return seat.first_hand <= hand_number and (seat.last_hand is None or seat.last_hand >= hand_number)


@transaction.atomic
def seat_player(*, session: Session, number: int, name: str) -> Seat:
    """Seat a player from the next hand on; who sits on another chair already leaves it for this one.

    A name that the club does not know yet becomes one of its players. Raises ``ValidationError`` when the session
    is not open, the table has no such seat, somebody else sits there, or the player plays a hand on own phones on the
    other chair (`check_may_leave`). Who sits there already stays there.
    """
    change_seats(session)
    most = rules_of(session.rule_set).seats
    if not 1 <= number <= most:
        raise fault("/number", "no_such_seat", _("These rules have the seats 1 to %(most)d.") % {"most": most})
    held = Seat.objects.filter(session=session, number=number, last_hand=None).select_related("player").first()
    if held is not None and held.player.name_key == fold_name(name):
        return held
    if held is not None:
        words = _("%(name)s sits on seat %(number)d. Choose another, or let them leave first.")
        raise fault("/number", "seat_taken", words % {"name": held.player.name, "number": number})
    player = players_named(club=session.club, names={number: name})[number]
    for other in Seat.objects.filter(session=session, player=player, last_hand=None).select_related("player"):
        check_may_leave(other)
    seat = Seating(session).sit(number, player, next_number(session))
    audit.note(session.club_id, "seat.taken", session.pk, name=player.name, seat=number)
    return seat


@transaction.atomic
def unseat_player(*, session: Session, number: int, anyway: bool = False) -> None:
    """Who sits there plays no further hand; what was played stays. An empty seat changes nothing.

    Raises ``ValidationError`` when the session is not open, with code ``plays`` out of a hand on own phones
    (`check_may_leave`), and unless ``anyway`` with code ``fantasyland_owed`` when the player is in Fantasyland in the
    next hand.
    """
    change_seats(session)
    seating = Seating(session)
    held = next((seat for seat in seating.seats if seat.number == number and seat.last_hand is None), None)
    if held is not None:
        name = held.player.name
        if not anyway and (owed := expected_hand(session).owed.get(held.player_id)):
            words = _("%(name)s is in Fantasyland in the next hand, with %(cards)d cards.")
            raise fault(
                "",
                "fantasyland_owed",
                f"{words % {'name': name, 'cards': owed.cards}} {_('Let them play it first, or leave anyway.')}",
            )
        check_may_leave(held)
        seating.vacate(held, next_number(session))
        audit.note(session.club_id, "seat.left", session.pk, name=name, seat=number)


@transaction.atomic
def put_button(*, session: Session, number: int) -> None:
    """Put the dealer button before a seat, for the next hand. Raises ``ValidationError`` when nobody sits there."""
    change_seats(session)
    if not Seat.objects.filter(session=session, number=number, last_hand=None).exists():
        raise nobody_sits(number)
    Session.objects.filter(pk=session.pk).update(button=number)
    audit.note(session.club_id, "button.put", session.pk, seat=number)


def nobody_sits(number: int) -> ValidationError:
    return fault("/number", "nobody_sits", _("Nobody sits on seat %(number)d.") % {"number": number})


def next_number(session: Session) -> int:
    """The number that the next hand of the session gets."""
    return (Hand.objects.filter(session=session).aggregate(last=Max("number"))["last"] or 0) + 1


def next_button(session: Session) -> int | None:
    """The seat that has the button in the next hand: where the host put it, else clockwise from the last hand's.

    While anybody is in Fantasyland the button stands, because that hand continues the one before it.
    Before the first hand it is the first seat. None where nobody sits, or where the last hand had none.
    """
    taken = sorted(Seat.objects.filter(session=session, last_hand=None).values_list("number", flat=True))
    put = Session.objects.values_list("button", flat=True).get(pk=session.pk)
    if put in taken or not taken:
        return put if taken else None
    played = Hand.objects.filter(session=session, current__is_void=False).order_by("-number")
    (last,) = played.values_list("current__button").first() or (0,)
    if last in taken and expected_hand(session).owed:
        return last
    return None if last is None else next((number for number in taken if number > last), taken[0])


def change_seats(session: Session) -> None:
    """The lock: seats change only while the session is open, and never beside a hand that is being recorded."""
    is_open = Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(revision=F("revision") + 1)
    if not is_open:
        raise fault("", "session_closed", _("This session is closed; its seats stay as they are."))
