"""The one way by which new hands get into the book: what becomes of a deal, then its rows, in bulk.

Pages, the API and imports all come here through ``hands.services``; a dry run asks ``decide`` the same questions
of what the book and the file before the line would hold.
"""

import json
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

import numpy as np
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.models import User
from hands.history import Deal, besides_columns, cards_column
from hands.ids import growing_id
from hands.models import Board, Discrepancy, Hand, HandVersion, Import, Seat, Session, Setup
from hands.points_only import check_points_only, is_capped, points_under_cap
from hands.rows import insert_rows
from hands.rulesets import rules_of
from hands.scoring import batch, chinese, games
from hands.scoring.games import Rules
from hands.seating import Seating
from hands.street_document import streets_document

Result = Literal["accepted", "duplicate", "conflict", "rejected"]
# From so many hands on, the batch is faster than hand by hand.
FEWEST_FOR_BATCH: Final = 16


@dataclass(frozen=True)
class Recorded:
    """What became of one deal. A conflict has changed nothing; its sentence says what differs, at ``pointer`` first.

    ``fault`` says why a deal cannot go in although its document is right: its number is taken (a conflict), or its
    session is over (rejected).
    """

    result: Result
    hand: Hand
    sentence: str = ""
    pointer: str = ""
    digest: str = ""
    fault: ValidationError | None = None
    # Of a hand that went in: whether its sender claims other points for a seat than ours.
    is_differing: bool = False
    # Of a hand that went in all the same: where in its document, a code and a sentence (`hands.fantasyland`).
    warnings: tuple[tuple[str, str, str], ...] = ()


@dataclass
class Known:
    """What is in the book of a session, as far as some deals ask.

    ``hands`` are by external id and by client key, each with the digest of its content, its time and its button;
    ``numbers`` are taken, ``last`` is the highest of all. Where it ``is_capped``, every hand needs its cards.
    """

    is_open: bool
    hands: dict[object, tuple[Hand, str, datetime, int | None]]
    numbers: set[int]
    last: int
    is_capped: bool = False


def known_of(session: Session, deals: Sequence[Deal], *, is_open: bool) -> Known:
    """What the book has of the session; the caller holds its row, so that it stays true."""
    external_ids = [deal.external_id for deal in deals if deal.external_id is not None]
    client_keys = [deal.client_key for deal in deals if deal.client_key is not None]
    numbers = [deal.number for deal in deals if deal.number is not None]
    of_session = Hand.objects.filter(session=session).order_by()
    known = Known(is_open, {}, set(), 0, is_capped(session.rule_set))
    if len(numbers) < len(deals):
        known.last = of_session.aggregate(last=Max("number"))["last"] or 0
    sent = Q(external_id__in=external_ids) | Q(client_key__in=client_keys) | Q(number__in=numbers)
    columns = ("pk", "number", "external_id", "client_key", "current__digest", "current__played_at", "current__button")
    for key, number, external_id, client_key, *content in of_session.filter(sent).values_list(*columns):
        known.numbers.add(number)
        hand = Hand(id=key, number=number, external_id=external_id, client_key=client_key)
        known.hands |= dict.fromkeys([one for one in (external_id, client_key) if one is not None], (hand, *content))
    return known


def decide(known: Known, deal: Deal) -> Recorded:
    """What becomes of the deal; one that goes in is known from then on."""
    keys = [key for key in (deal.external_id, deal.client_key) if key is not None]
    for key in keys:
        if key in known.hands:
            return _compare(*known.hands[key], deal)
    number = deal.number or known.last + 1
    hand = Hand(
        id=growing_id(),
        number=number,
        external_id=deal.external_id,
        client_key=deal.client_key,
        current_id=growing_id(),
    )
    if not known.is_open:
        closed = fault("", "session_closed", _("This session is closed; no hand can be added to it."))
        return Recorded("rejected", hand, fault=closed)
    if known.is_capped and not deal.has_cards:
        return Recorded("rejected", hand, fault=points_under_cap())
    if number in known.numbers:
        sentence = _("Hand %(number)d is in the book already.") % {"number": number}
        return Recorded("conflict", hand, sentence, fault=fault("/number", "number_taken", sentence))
    known.numbers.add(number)
    known.last = max(known.last, number)
    digest = deal.digest(number)
    for key in keys:
        known.hands[key] = (hand, digest, deal.played_at, deal.button)
    return Recorded("accepted", hand, digest=digest)


def _compare(hand: Hand, digest: str, played_at: datetime, button: int | None, deal: Deal) -> Recorded:
    if deal.client_key is not None:
        # Time and button of a form are those of the moment when it was sent, and a second tap comes later.
        deal = replace(deal, played_at=played_at, button=button)
    if digest == deal.digest(deal.number or hand.number):
        return Recorded("duplicate", hand)
    sentence = _("Hand %(number)d is in the book with other cards, players or times. Nothing was changed.")
    if not digest:
        sentence = _("Hand %(number)d is in the book, and void. Nothing was changed.")
    return Recorded("conflict", hand, sentence % {"number": hand.number})


def write_first_versions(
    session: Session, fresh: Sequence[tuple[Recorded, Deal]], *, author: User | None, history: Import | None
) -> set[uuid.UUID]:
    """The rows of hands that go in: identity, version, boards, setups with their points, claims that differ.

    Returns the hands of which a claim differs.
    """
    if not fresh:
        return set()
    for _answer, deal in fresh:
        check_points_only(deal, session.rule_set)
    seating = Seating(session)
    seating.know_players([seat for _answer, deal in fresh for seat in deal.seats])
    # In the order of their numbers, so that who sat down when does not depend on the order of a file.
    fresh = sorted(fresh, key=lambda pair: pair[0].hand.number)
    seats = [seating.seat_all(deal.seats, hand_number=answer.hand.number) for answer, deal in fresh]
    nets = score_deals([deal for _answer, deal in fresh], rules_of(session.rule_set))
    when = connection.ops.adapt_datetimefield_value
    author_id, now = author.pk if author else None, when(timezone.now())
    hands, versions, facts = [], [], FactRows()
    session_id = session.pk.hex
    for (answer, deal), occupied, net in zip(fresh, seats, nets, strict=True):
        hand = answer.hand
        hand.session = session
        hand_id, version = hand.id.hex, hand.current_id.hex
        key = hand.client_key.hex if hand.client_key else None
        hands.append((hand_id, session_id, hand.number, hand.external_id, key, version))
        versions.append(
            (
                version,
                hand_id,
                1,
                author_id,
                "",
                False,
                False,
                deal.has_cards,
                when(deal.played_at),
                deal.button,
                streets_column(deal.streets),
                answer.digest,
                now,
            )
        )
        facts.add(version, deal, occupied, net)
    write_rows(hands, versions, facts)
    return _write_discrepancies(fresh, nets, history)


class FactRows:
    """The rows of boards and setups of many versions, as `insert_rows` takes them."""

    def __init__(self) -> None:
        self.boards: list[tuple[object, ...]] = []
        self.setups: list[tuple[object, ...]] = []

    def add(self, version: str, deal: Deal, seats: Sequence[Seat], net: Sequence[int]) -> None:
        for place, board in enumerate(deal.boards, start=1):
            self.boards.append((version, place, cards_column(board)))
        for record, seat, points in zip(deal.seats, seats, net, strict=True):
            rows = record.setup
            cards = (cards_column(rows.top), cards_column(rows.middle), cards_column(rows.bottom))
            self.setups.append((version, seat.pk, *cards, *besides_columns(rows), points))

    def write(self) -> None:
        """Insert them; see ``insert_rows``."""
        insert_rows(Board, ("version", "number", "cards"), self.boards)
        insert_rows(Setup, _SETUP, self.setups)


def write_rows(hands: Sequence[tuple[object, ...]], versions: Sequence[tuple[object, ...]], facts: FactRows) -> None:
    """Hands that are new, with their versions and what these say. See ``insert_rows``."""
    insert_rows(Hand, ("id", "session", "number", "external_id", "client_key", "current"), hands)
    insert_rows(HandVersion, _VERSION, versions)
    facts.write()


def _write_discrepancies(
    fresh: Sequence[tuple[Recorded, Deal]], nets: Sequence[Sequence[int]], history: Import | None
) -> set[uuid.UUID]:
    found = [
        (answer.hand, *difference)
        for (answer, deal), net in zip(fresh, nets, strict=True)
        for difference in differences(deal, net)
    ]
    Discrepancy.objects.bulk_create(
        Discrepancy(
            version_id=hand.current_id,
            history=history,
            seat_number=number,
            claimed_points=claimed,
            our_points=ours,
        )
        for hand, number, claimed, ours in found
    )
    return {hand.pk for hand, *_difference in found}


_SETUP: Final = ("version", "seat", "top", "middle", "bottom", "discards", "fantasyland", "surrendered", "net_points")
_VERSION: Final = (
    "id",
    "hand",
    "version",
    "author",
    "reason",
    "is_void",
    "is_undone",
    "has_cards",
    "played_at",
    "button",
    "streets",
    "digest",
    "created_at",
)


def streets_column(streets: Sequence[chinese.Street]) -> str | None:
    """As the driver takes them; none where they are not told."""
    return json.dumps(streets_document(streets)) if streets else None


def differences(deal: Deal, net: Sequence[int]) -> list[tuple[int, int, int]]:
    """Seat number, claimed points and ours, for every seat of which the sender claims other points."""
    if not deal.claimed_points:
        return []
    ours = {record.number: points for record, points in zip(deal.seats, net, strict=True)}
    return [(number, claimed, ours[number]) for number, claimed in deal.claimed_points if ours[number] != claimed]


def score_deals(deals: Sequence[Deal], rules: Rules) -> list[tuple[int, ...]]:
    """Each deal's net points by seat, in the order of ``deals``; many go through the batch together."""
    nets: list[tuple[int, ...]] = [()] * len(deals)
    by_seats: dict[int, list[int]] = defaultdict(list)
    for place, deal in enumerate(deals):
        # A seat that surrendered shows no cards, so its hand does not fit among the others of a batch.
        if deal.has_cards and not any(besides_columns(seat.setup)[-1] for seat in deal.seats):
            by_seats[len(deal.seats)].append(place)
        else:
            nets[place] = tuple(deal.net_points(rules))
    for count, places in by_seats.items():
        if len(places) < FEWEST_FOR_BATCH:
            for place in places:
                nets[place] = tuple(deals[place].net_points(rules))
            continue
        boards = np.array([deals[place].boards for place in places], dtype=np.uint8)
        cards = [[_cards(seat.setup) for seat in deals[place].seats] for place in places]
        setups = np.array(cards, dtype=np.uint8).reshape(len(places), count, -1)
        points = batch.net_points(boards.reshape(len(places), -1, 5), setups, rules)
        for place, net in zip(places, points.tolist(), strict=True):
            nets[place] = tuple(net)
    return nets


def _cards(setup: games.Setup) -> tuple[int, ...]:
    return setup.top + setup.middle + setup.bottom
