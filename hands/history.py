"""One hand as a document (the format of the API, of imports and of the form) and as a record.

Reading checks everything that can be known without the database: shapes, names, times, money, and the game's
own rules through the scoring core. All faults of a hand are found at once, each with its place.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Final

from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.names import NAME_LENGTH, fold_name
from hands.fields import unknown_fields
from hands.foreign import foreign_hand
from hands.heads import Head, Heads, read_game, read_head
from hands.points_document import gives_points, points_faults, read_points
from hands.reading import Reader, say
from hands.scoring import chinese
from hands.scoring.cards import CARD_TEXTS
from hands.scoring.games import GAMES, MOST_BOARDS, MOST_SEATS, PRESETS, ROWS, Game, Rules, Setup
from hands.street_document import read_streets, street_faults, streets_content

FEWEST_SEATS: Final = min(game.fewest_seats for game in GAMES.values())
MOST_NUMBER: Final = 10**6
MOST_FANTASYLAND: Final = max(cards for game in GAMES.values() for cards in (0, *game.fantasyland_cards))
# More than any hand can be worth, so that a claim is a number that the book can keep.
MOST_CLAIMED: Final = 10**9


@dataclass(frozen=True)
class SeatRecord:
    """One seat of a deal. The player is known by id (pages), by the club's own id, or by name."""

    number: int
    name: str
    setup: Setup
    external_id: str | None = None
    player_id: uuid.UUID | None = None


@dataclass(frozen=True)
class Deal:
    """The facts of one hand, checked against its rules: cards as the scoring core knows them."""

    boards: tuple[tuple[int, ...], ...]
    seats: tuple[SeatRecord, ...]
    played_at: datetime
    button: int | None = None
    number: int | None = None
    external_id: str | None = None
    client_key: uuid.UUID | None = None
    # Of a hand for which nobody kept the cards: each seat's points, in the order of ``seats``; its rows are empty.
    points: tuple[int, ...] = ()
    # What the sender says that each seat won or lost, by seat number. It is compared, and is no part of the facts.
    claimed_points: tuple[tuple[int, int], ...] = ()
    # Of Open-Face and its kin, where they are told: who placed which cards when.
    streets: tuple[chinese.Street, ...] = ()
    # Pointers of fields that mean nothing here; they are passed over.
    unknown_fields: tuple[str, ...] = ()

    @property
    def has_cards(self) -> bool:
        return not self.points

    def net_points(self, rules: Rules) -> Sequence[int]:
        """Each seat's points, in the order of ``seats``: those that were written down, else what the cards say."""
        return self.points or GAMES[rules.game].net_points(self.boards, [seat.setup for seat in self.seats], rules)

    def digest(self, number: int) -> str:
        """SHA-256 of the canonical content under that number: what was dealt, to whom, when.

        The cards of a row have no order; those of a board came one after the other.
        """
        content = [
            number,
            self.played_at.astimezone(UTC).isoformat(),
            self.button,
            self.boards,
            [
                [
                    seat.number,
                    seat.external_id or str(seat.player_id or seat.name),
                    seat.setup.top if len(seat.setup.top) < 2 else (),
                    sorted(seat.setup.middle),
                    sorted(seat.setup.bottom),
                    *_besides(seat.setup),
                ]
                for seat in sorted(self.seats, key=_seat_number)
            ],
        ]
        if self.points:
            content.append(sorted(zip([seat.number for seat in self.seats], self.points, strict=True)))
        if self.streets:
            content.append({"streets": streets_content(self.streets)})
        return hashlib.sha256(_CANONICAL.encode(content).encode()).hexdigest()


def _besides(setup: Setup) -> list[object]:
    """What a setup of the Chinese family says besides its rows; a top of several cards has no order either."""
    if not isinstance(setup, chinese.Setup):
        return []
    return [sorted(setup.top), sorted(setup.discards), setup.fantasyland, setup.surrendered]


_CANONICAL: Final = json.JSONEncoder(separators=(",", ":"))
_seat_number = attrgetter("number")


def read_hand(document: Any, named: Mapping[str, Rules], heads: Heads | None = None) -> tuple[Head, Deal]:
    """One hand of a history: what it says of its session, and its facts. ``named`` are what a rule set's name means.

    A hand has its cards: ``boards`` where the game has them, and each seat's rows ``top``, ``middle`` and ``bottom``;
    in the Chinese family also ``discards``, ``fantasyland`` and ``surrendered`` where they say something, and the hand
    may tell its ``streets`` (`hands.street_document`). Where nobody kept the cards, every seat has ``points`` instead,
    a whole number, and there are no boards and no rows: ``{"seat": 1, "player": {"name": "Ana"}, "points": 12}``. The
    points of a hand sum to zero; a mixture of both is a fault.

    ``heads`` remembers what the hands before it said of their sessions. Raises ``ValidationError`` with every fault
    of both, or with one where the document is another format's.
    """
    reader = Reader(document)
    if (sentence := foreign_hand(reader.document)) is not None:
        raise fault("", "foreign", sentence)
    head = heads.read(reader, named) if heads is not None else read_head(reader, named)
    game = GAMES[head.rules.game] if head and head.rules else read_game(reader.document)
    deal = _read_deal(reader, game, head.rules if head else None, needs_id=True)
    reader.finish()
    if unknown := unknown_fields(reader.document):
        deal = replace(deal, unknown_fields=unknown)
    return head, deal  # type: ignore[return-value]  # one that is None has left faults


def read_deal(document: Any, rules: Rules, *, is_typed: bool = False) -> Deal:
    """The facts of one hand, checked against ``rules``. Raises ``ValidationError`` with every fault found.

    A row is a list of card tokens; where ``is_typed`` it may be a text as a person types it.
    """
    reader = Reader(document, is_typed=is_typed)
    deal = _read_deal(reader, GAMES[rules.game], rules)
    reader.finish()
    return deal


def _read_deal(reader: Reader, game: Game | None, rules: Rules | None, *, needs_id: bool = False) -> Deal | None:
    """What could be read; where something could not, the reader has faults. Without a game, only what any may have."""
    number = reader.whole(reader.document, "number", "", least=1, most=MOST_NUMBER, needed=False)
    external_id = reader.text(reader.document, "external_id", "", needed=needs_id)
    played_at = reader.time(reader.document, "played_at", "")
    button = reader.whole(reader.document, "button", "", least=1, most=MOST_SEATS, needed=False)
    if has_points := gives_points(reader.document):
        boards, points = [], read_points(reader)
    elif game is not None and not game.most_boards and reader.document.get("boards") is None:
        boards = []
    else:
        boards = _read_boards(reader, reader.document.get("boards"), rules.boards if rules else MOST_BOARDS)
    seats = _read_seats(reader, reader.document.get("seats"), game, rules.seats if rules else MOST_SEATS)
    if boards is None or seats is None or game is None:
        return None
    claimed = _read_claimed_points(reader, [seat.number for seat in seats])
    if has_points:
        if reader.document.get("streets"):
            reader.refuse("/streets", "streets", _("A hand without cards has no streets."))
        if len(points) == len(seats):
            reader.faults += points_faults([seat.name for seat in seats], points)
        return Deal(
            (), tuple(seats), played_at, button, number, external_id, points=tuple(points), claimed_points=claimed
        )
    # Where the rules cannot be read, only what no rules of the game allow is a fault.
    rules = rules or _widest_rules(game, len(boards))
    named = [(seat.number, seat.name, seat.setup) for seat in seats]
    for problem in game.check(rules=rules, boards=boards, seats=named):
        # Of a row that was not read whole, neither its size nor the places of its cards are known.
        if not any(f"{problem.pointer}/".startswith(f"{row}/") for row in reader.unread):
            reader.faults.append(say(problem))
    streets: tuple[chinese.Street, ...] = ()
    if isinstance(rules, chinese.Rules) and (streets := read_streets(reader)) and not reader.faults:
        reader.faults += street_faults(rules=rules, button=button, seats=named, streets=streets)
        streets = tuple(replace(street, dealt=()) for street in streets)
    return Deal(
        tuple(boards),
        tuple(seats),
        played_at,
        button,
        number,
        external_id,
        claimed_points=claimed,
        streets=streets,
    )


def _widest_rules(game: Game, boards: int) -> Rules:
    if game.most_boards:
        return replace(PRESETS["phenom-jokers"], boards=boards)
    widest: Rules = replace(next(iter(game.presets.values())), jokers=2)
    return replace(widest, surrender=True) if game.name == "chinese" else widest


def _read_boards(reader: Reader, value: Any, needed: int) -> list[tuple[int, ...]] | None:
    if not isinstance(value, list):
        reader.refuse("/boards", "boards", _("boards is missing, or is no list."))
        return None
    if len(value) > MOST_BOARDS:
        # Said before the cards are read, so that a list of a million boards costs nothing.
        reader.refuse(
            "/boards",
            "board_count",
            _("The hand has %(count)d boards; these rules need %(needed)d.") % {"count": len(value), "needed": needed},
        )
        return None
    return [reader.row(board, f"/boards/{place}") for place, board in enumerate(value)]


# Made once, because every hand needs all of them.
_SEAT_POINTERS: Final = tuple(
    tuple(f"/seats/{place}{part}" for part in ("", "/player", *(f"/{row}" for row in (*ROWS, "discards"))))
    for place in range(MOST_SEATS)
)


def _read_seats(reader: Reader, value: Any, game: Game | None, most: int) -> list[SeatRecord] | None:
    if not isinstance(value, list) or not all(isinstance(seat, dict) for seat in value):
        reader.refuse("/seats", "seats", _("seats is missing, or is no list of objects."))
        return None
    if len(value) > most:
        reader.refuse(
            "/seats",
            "seat_count",
            _("The hand has %(count)d seats; these rules need %(least)d to %(most)d.")
            % {"count": len(value), "least": FEWEST_SEATS, "most": most},
        )
        return None
    seats = []
    is_chinese = game is not None and game.setup is chinese.Setup
    make = chinese.Setup if is_chinese else GAMES["taiwanese"].setup
    for seat, (pointer, of_player, *of_rows, of_discards) in zip(value, _SEAT_POINTERS, strict=False):
        # Two who play by rules for two may sit on the chairs 1 and 4.
        number = reader.whole(seat, "seat", pointer, least=1, most=MOST_SEATS)
        external_id, name = _read_player(reader, seat.get("player"), of_player)
        rows = [reader.row(seat.get(row, []), of_row) for row, of_row in zip(ROWS, of_rows, strict=True)]
        besides = _read_besides(reader, seat, pointer, of_discards) if is_chinese else ()
        setup = make(*rows, *besides)
        if number is not None and name is not None:
            seats.append(SeatRecord(number, name, setup, external_id))
    _refuse_repeats(reader, seats)
    return seats if len(seats) == len(value) else None


def _read_besides(
    reader: Reader, seat: Mapping[str, Any], pointer: str, of_discards: str
) -> tuple[tuple[int, ...], int, bool]:
    """What a seat of the Chinese family says besides its rows: discards, cards in Fantasyland, a surrender."""
    discards = reader.row(seat.get("discards") or [], of_discards)
    fantasyland = reader.whole(seat, "fantasyland", pointer, least=0, most=MOST_FANTASYLAND, needed=False)
    surrendered = seat.get("surrendered", False)
    if not isinstance(surrendered, bool):
        reader.refuse(f"{pointer}/surrendered", "flag", _("surrendered must be true or false."))
    return discards, fantasyland or 0, surrendered is True


def _read_player(reader: Reader, value: Any, pointer: str) -> tuple[str | None, str | None]:
    """The club's id of a player, and the name; who has only an id is called by it."""
    if not isinstance(value, dict):
        reader.refuse(pointer, "object", _("player is missing, or is no object."))
        return None, None
    external_id = reader.text(value, "external_id", pointer, needed=False)
    if external_id is not None and value.get("name") is None:
        value = {"name": external_id[:NAME_LENGTH]}
    return external_id, reader.name(value, "name", pointer)


def _refuse_repeats(reader: Reader, seats: Sequence[SeatRecord]) -> None:
    if len({seat.number for seat in seats}) == len({_who(seat) for seat in seats}) == len(seats):
        return
    for place, seat in enumerate(seats):
        for before in seats[:place]:
            if seat.number == before.number:
                reader.refuse(
                    f"/seats/{place}/seat",
                    "seat_repeated",
                    _("Seat %(number)d is there twice.") % {"number": seat.number},
                )
            elif _who(seat) == _who(before):
                reader.refuse(
                    f"/seats/{place}/player",
                    "player_repeated",
                    _("%(name)s sits on seat %(one)d and on seat %(other)d of one hand.")
                    % {"name": seat.name, "one": before.number, "other": seat.number},
                )


def _who(seat: SeatRecord) -> tuple[str | None, str]:
    """What makes two records one player: the club's id, else the name however it is spelled."""
    return seat.external_id, "" if seat.external_id else fold_name(seat.name)


def _read_claimed_points(reader: Reader, seats: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Seat numbers and what is claimed for them; not every seat needs a claim."""
    claimed = reader.document.get("claimed_points")
    if claimed is None:
        return ()
    if not isinstance(claimed, dict):
        reader.refuse("/claimed_points", "object", _('claimed_points must be like {"1": 20, "2": -20}.'))
        return ()
    points = []
    for key in list(claimed)[: len(seats) + 1]:
        seat = next((number for number in seats if str(number) == key), None)
        if seat is None:
            reader.refuse(
                "/claimed_points",
                "seat",
                _("claimed_points names seat “%(seat)s”, which is not in the hand.") % {"seat": key[:12]},
            )
            continue
        value = reader.whole(claimed, key, "/claimed_points", least=-MOST_CLAIMED, most=MOST_CLAIMED)
        if value is not None:
            points.append((seat, value))
    return tuple(points)


def cards_column(cards: Sequence[int]) -> str:
    """Cards as they are stored: two characters each, nothing between."""
    return "".join([CARD_TEXTS[card] for card in cards])


def besides_columns(setup: Setup) -> tuple[str, int, bool]:
    """What is stored of a setup besides its rows: discards, cards in Fantasyland, whether it surrendered."""
    return cards_column(setup.discards), setup.fantasyland, setup.surrendered
