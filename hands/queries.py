"""Rows of the database as records of the scoring core, with a fixed number of queries."""

import hashlib
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F, QuerySet, Sum

from hands import models
from hands.compact import fetch_rows, id_of, raw_id
from hands.history import Deal
from hands.models import Board, Hand, HandVersion, Seat, Session
from hands.scoring import chinese, taiwanese
from hands.scoring.cards import parse_cards
from hands.scoring.games import GAMES, ROWS, Rules, Setup
from hands.street_document import stored_streets

BLOCK = 500
SETUP_COLUMNS: Final = (*ROWS, "discards", "fantasyland", "surrendered")


@dataclass(frozen=True)
class StoredSeat:
    number: int
    player_id: uuid.UUID
    name: str
    setup: Setup
    net_points: int


@dataclass(frozen=True)
class StoredHand:
    """A version of a hand as it lies in the book, mostly the current one; seats in the order of their numbers."""

    id: uuid.UUID
    number: int
    external_id: str | None
    version_id: uuid.UUID
    version: int
    played_at: datetime
    button: int | None
    # Nobody kept the cards of a hand without: it has no boards, its rows are empty, its nets are the fact.
    has_cards: bool
    boards: tuple[tuple[int, ...], ...]
    seats: tuple[StoredSeat, ...]
    streets: tuple[chinese.Street, ...] = ()


def load_hands(hands: QuerySet[Hand]) -> Iterator[StoredHand]:
    """The current versions of these hands, voids left out, in their order; three queries a block of 500."""
    ids = list(hands.filter(current__is_void=False).order_by("number").values_list("current_id", flat=True))
    for start in range(0, len(ids), BLOCK):
        yield from load_versions(ids[start : start + BLOCK])


def load_versions(ids: Sequence[uuid.UUID]) -> Iterator[StoredHand]:
    """These versions, in the order of their hands and versions; a void one has no boards and no seats."""
    versions = list(
        HandVersion.objects.filter(pk__in=ids)
        .select_related("hand")
        .annotate(game=F("hand__session__rule_set__game"))
        .order_by("hand__number", "version")
    )
    games = {raw_id(version.pk): version.game for version in versions}
    boards: dict[object, list[tuple[int, ...]]] = defaultdict(list)
    shown = Board.objects.filter(version__in=ids).order_by("number")
    for version_id, cards in fetch_rows(shown.values_list("version_id", "cards")):
        boards[version_id].append(parse_cards(cards))
    seats: dict[object, list[StoredSeat]] = defaultdict(list)
    setups = models.Setup.objects.filter(version__in=ids).order_by("seat__number")
    columns = ("version_id", "seat__number", "seat__player_id", "seat__player__name", "net_points", *SETUP_COLUMNS)
    for version_id, number, player_id, name, net_points, *facts in fetch_rows(setups.values_list(*columns)):
        setup = read_setup(games[version_id], *facts)
        seats[version_id].append(StoredSeat(number, id_of(player_id), name, setup, net_points))
    for version in versions:
        yield StoredHand(
            id=version.hand_id,
            number=version.hand.number,
            external_id=version.hand.external_id,
            version_id=version.pk,
            version=version.version,
            played_at=version.played_at,
            button=version.button,
            has_cards=version.has_cards,
            boards=tuple(boards[raw_id(version.pk)]),
            seats=tuple(seats[raw_id(version.pk)]),
            streets=stored_streets(version.streets),
        )


def read_setup(game: str, top: str, middle: str, bottom: str, discards: str, fantasyland: int, gone: bool) -> Setup:
    """A setup of that game from what lies in its row (``SETUP_COLUMNS``)."""
    rows = parse_cards(top), parse_cards(middle), parse_cards(bottom)
    if GAMES[game].setup is not chinese.Setup:
        return taiwanese.Setup(*rows)
    return chinese.Setup(*rows, parse_cards(discards), fantasyland, bool(gone))


def as_stored(hand: Hand, deal: Deal, rules: Rules) -> StoredHand:
    """The hand as it would lie in the book with these facts: the next version of it, or its first."""
    return StoredHand(
        id=hand.pk,
        number=hand.number,
        external_id=hand.external_id,
        version_id=hand.pk,
        version=hand.current.version + 1 if hand.current_id else 1,
        played_at=deal.played_at,
        button=deal.button,
        has_cards=deal.has_cards,
        boards=deal.boards,
        seats=tuple(
            StoredSeat(seat.number, seat.player_id or uuid.uuid4(), seat.name, seat.setup, points)
            for seat, points in zip(deal.seats, deal.net_points(rules), strict=True)
        ),
        streets=deal.streets,
    )


@dataclass(frozen=True)
class PairSum:
    """What two players are to each other over a session: ``points`` are the first one's."""

    first: uuid.UUID
    second: uuid.UUID
    hands: int
    points: int


def pair_sums(hands: Iterable[StoredHand], rules: Rules) -> list[PairSum]:
    """Every pair of players that met, worked out from the cards; in a fixed order. Hands without cards have none."""
    points: dict[tuple[uuid.UUID, uuid.UUID], int] = defaultdict(int)
    met: dict[tuple[uuid.UUID, uuid.UUID], int] = defaultdict(int)
    for hand in hands:
        if not hand.has_cards:
            continue
        score = GAMES[rules.game].score(hand.boards, [seat.setup for seat in hand.seats], rules)
        for pair in score.pairs:
            one, other = hand.seats[pair.first].player_id, hand.seats[pair.second].player_id
            key, sign = ((one, other), 1) if one < other else ((other, one), -1)
            points[key] += sign * pair.points
            met[key] += 1
    return [PairSum(*key, met[key], points[key]) for key in sorted(met)]


def points_without_cards(hands: Iterable[StoredHand]) -> dict[uuid.UUID, int]:
    """Each player's points in the hands for which nobody kept the cards."""
    points: dict[uuid.UUID, int] = defaultdict(int)
    for hand in hands:
        if not hand.has_cards:
            for seat in hand.seats:
                points[seat.player_id] += seat.net_points
    return dict(points)


def hands_played(hands: Iterable[StoredHand]) -> dict[uuid.UUID, int]:
    """How many of these hands each player was in."""
    played: dict[uuid.UUID, int] = defaultdict(int)
    for hand in hands:
        for seat in hand.seats:
            played[seat.player_id] += 1
    return dict(played)


def position_order(session: Session, hands: Iterable[StoredHand]) -> list[uuid.UUID]:
    """The session's players clockwise from the left of the first hand's button; without one from the lowest seat."""
    first = next(iter(hands), None)
    button = (first.button if first else None) or 0
    numbers: dict[uuid.UUID, int] = {}
    for number, player_id in (
        Seat.objects.filter(session=session).order_by("first_hand", "number").values_list("number", "player_id")
    ):
        numbers.setdefault(player_id, number)
    return sorted(numbers, key=lambda player_id: (numbers[player_id] <= button, numbers[player_id]))


def hands_digest(session: Session) -> str:
    """SHA-256 over the current versions of a session's hands, every card in them, and the stakes: what was settled."""
    digest = hashlib.sha256()
    hands = Hand.objects.filter(session=session).order_by("number")
    now = {"version__hand__session": session, "version__hand__current": F("version")}
    boards = Board.objects.filter(**now).order_by("version__hand__number", "number")
    setups = models.Setup.objects.filter(**now).order_by("version__hand__number", "seat__number")
    for facts in (
        hands.values_list("number", "current__version", "current__digest"),
        boards.values_list("version__hand__number", "number", "cards"),
        setups.values_list("version__hand__number", "seat__number", "seat__player_id", *ROWS),
        setups.filter(version__has_cards=False).values_list("version__hand__number", "seat__number", "net_points"),
        # Only where the Chinese family has them, so that what was settled before it keeps its digest.
        setups.exclude(discards="", fantasyland=0, surrendered=False).values_list(
            "version__hand__number", "seat__number", "discards", "fantasyland", "surrendered"
        ),
        Seat.objects.filter(session=session, stake_minor__isnull=False)
        .order_by("player_id", "stake_minor")
        .values_list("player_id", "stake_minor")
        .distinct(),
    ):
        for fact in facts:
            digest.update((":".join(map(str, fact)) + "\n").encode())
    return digest.hexdigest()


def net_points_by_player(session: Session) -> dict[uuid.UUID, int]:
    """Each player's points over the session's hands, from the stored nets."""
    setups = models.Setup.objects.filter(
        version__hand__session=session, version__hand__current=F("version"), version__is_void=False
    )
    sums = setups.order_by().values_list("seat__player_id").annotate(points=Sum("net_points"))
    return {player_id: int(points) for player_id, points in sums}
