"""Who sits where: seats are occupancies, and hands may be written down in any order."""

import uuid
from collections import defaultdict
from collections.abc import Iterable

from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.models import Player
from accounts.names import fold_name
from hands.history import SeatRecord
from hands.models import Seat, Session


class Seating:
    """The seats of one session while hands are written into it. ``save`` stores what changed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.seats: dict[int, list[Seat]] = defaultdict(list)
        for seat in Seat.objects.filter(session=session).select_related("player"):
            self.seats[seat.number].append(seat)
        self.changed: dict[int, Seat] = {}
        self.created: list[Seat] = []
        self.by_id: dict[uuid.UUID, Player] = {}
        self.by_external_id: dict[str, Player] = {}
        self.by_name: dict[str, Player] = {}

    def know_players(self, records: Iterable[SeatRecord]) -> None:
        """Find the players of these seats in the club, and make those that are not there."""
        club_id = self.session.club_id
        records = list(records)
        players = Player.objects.filter(club_id=club_id)
        ids = {record.player_id for record in records if record.player_id}
        external = {record.external_id: record.name for record in records if record.external_id}
        names = {
            fold_name(record.name): record.name
            for record in records
            if record.player_id is None and record.external_id is None
        }
        self.by_id = players.in_bulk(ids) if ids else {}
        self._find(players.filter(external_id__in=external), players.filter(name_key__in=names, external_id=None))
        missing = [
            Player(club_id=club_id, name=name, name_key=fold_name(name), external_id=external_id)
            for external_id, name in external.items()
            if external_id not in self.by_external_id
        ] + [Player(club_id=club_id, name=name, name_key=key) for key, name in names.items() if key not in self.by_name]
        if missing:
            # Another import may be making the same player: the one that is stored counts.
            Player.objects.bulk_create(missing, ignore_conflicts=True)
            self._find(players.filter(external_id__in=external), players.filter(name_key__in=names, external_id=None))

    def _find(self, external: Iterable[Player], named: Iterable[Player]) -> None:
        self.by_external_id = {player.external_id: player for player in external if player.external_id}
        self.by_name = {player.name_key: player for player in named}

    def seat(self, record: SeatRecord, *, hand_number: int) -> Seat:
        """The occupancy of that seat in that hand. Raises ``ValidationError`` when the player does not sit there.

        A page names a player that sits; a history tells who sat, so there the occupancies follow the hands.
        """
        if record.player_id is not None:
            player = self.by_id.get(record.player_id)
            seat = self._covering(record.number, hand_number)
            if player is None or seat is None or seat.player_id != player.pk:
                raise fault(
                    "/seats",
                    "does_not_sit",
                    _("%(name)s does not sit on seat %(number)d in hand %(hand)d.")
                    % {"name": record.name, "number": record.number, "hand": hand_number},
                )
            return seat
        if record.external_id is not None:
            player = self.by_external_id[record.external_id]
        else:
            player = self.by_name[fold_name(record.name)]
        return self._occupy(record.number, player, hand_number)

    def _covering(self, number: int, hand_number: int) -> Seat | None:
        return next(
            (
                seat
                for seat in self.seats[number]
                if seat.first_hand <= hand_number and (seat.last_hand is None or seat.last_hand >= hand_number)
            ),
            None,
        )

    def _occupy(self, number: int, player: Player, hand_number: int) -> Seat:
        covering = self._covering(number, hand_number)
        if covering is not None and covering.player_id == player.pk:
            return covering
        for seats in self.seats.values():
            for seat in seats:
                if seat.last_hand is None and seat.player_id == player.pk and seat.first_hand <= hand_number:
                    self._leave(seat, hand_number)
        last_hand = None
        if covering is not None:
            if covering.last_hand is not None:
                # In the middle of somebody else's span: this hand only.
                last_hand = hand_number
            else:
                self._leave(covering, hand_number)
        later = [
            seat.first_hand
            for seats in self.seats.values()
            for seat in seats
            if seat.first_hand > hand_number and (seat.number == number or seat.player_id == player.pk)
        ]
        if later and last_hand is None:
            last_hand = hand_number
        seat = Seat(session=self.session, number=number, player=player, first_hand=hand_number, last_hand=last_hand)
        self.seats[number].append(seat)
        self.created.append(seat)
        return seat

    def _leave(self, seat: Seat, hand_number: int) -> None:
        """The seat's occupancy ends before this hand (or with its own first, where it has just begun)."""
        seat.last_hand = max(seat.first_hand, hand_number - 1)
        if seat.pk is not None:
            self.changed[seat.pk] = seat

    def save(self) -> None:
        for seat in self.changed.values():
            seat.save(update_fields=["last_hand"])
        Seat.objects.bulk_create(self.created)
