"""The hand that is being set on own phones: which setups are locked, when they open, and how recording ends it.

Whoever changes anything here holds the table's row: every change begins with `lock_table`. Pages read without it.
"""

import json
import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db.models import F, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.faults import fault
from hands.chances import STREETS
from hands.deal_rounds import check_dealt, deal_of, deal_when_given, open_deal
from hands.history import Deal, SeatRecord
from hands.models import Draft, Hand, Seat, Session
from hands.phone_models import HiddenSetup, PhoneTable
from hands.rulesets import rules_of
from hands.scoring.cards import JOKERS, card_text, parse_cards
from hands.scoring.games import ROWS

# Seats that a hand needs.
FEWEST: Final = 2
NOTHING_LAID: Final = '{"rows":{},"out":[]}'


def lock_table(session: Session, **where: Any) -> PhoneTable | None:
    """The session's table as it is now, and nobody else changes it meanwhile; None where it is not so."""
    mine = PhoneTable.objects.filter(session=session, session__state=Session.State.OPEN, **where)
    if not mine.update(revision=F("revision") + 1):
        return None
    return PhoneTable.objects.select_related("session__rule_set").get(session=session)


def setups_of(table: PhoneTable) -> list[HiddenSetup]:
    """The setups of the hand that is being set, by seat; of who has left meanwhile there is none."""
    return list(HiddenSetup.objects.filter(table=table, seat__last_hand=None).select_related("seat__player"))


def rows_of(setup: HiddenSetup) -> dict[str, list[str]]:
    """The cards laid so far, row by row, "" where one is missing."""
    rows = json.loads(setup.facts)["rows"]
    return {row: rows.get(f"{row}_{setup.seat.number}", []) for row in ROWS}


def cards_of(setup: HiddenSetup) -> list[str]:
    return [card for cards in rows_of(setup).values() for card in cards if card]


def with_draft(tables: QuerySet[PhoneTable]) -> QuerySet[PhoneTable]:
    """Each with ``draft_revision``, that of the boards that the host enters; None where there are none."""
    return tables.annotate(draft_revision=draft_of().values("revision"))


def draft_of(table: str = "") -> QuerySet[Draft]:
    """The draft of the hand that is being set, for a subquery; ``table`` is the way to the table's fields."""
    return Draft.objects.filter(session=OuterRef(f"{table}session"), client_key=OuterRef(f"{table}round_key"))


def boards_entered(table: PhoneTable, setups: Sequence[HiddenSetup]) -> list[tuple[int, ...]]:
    """As much of the boards as the host has entered so far, as streets: of four cards of a board its turn is out.

    A joker, and a card that lies in a setup or on a board already, is a slip that the host has not mended yet: it does
    not count, and as behind a gap nothing that follows on its board.
    """
    draft = Draft.objects.filter(session=table.session_id, client_key=table.round_key).first()
    rows = json.loads(draft.facts)["rows"] if draft else {}
    taken = {"", *map(card_text, JOKERS), *(card for setup in setups for card in cards_of(setup))}
    boards = []
    for number in range(1, rules_of(table.session.rule_set).boards + 1):
        cards: list[str] = []
        for card in rows.get(f"board_{number}", []):
            if card in taken:
                break
            cards.append(card)
            taken.add(card)
        out = max(street.known for street in STREETS if street.known <= len(cards))
        boards.append(parse_cards("".join(cards[:out])))
    return boards


def is_open_round(session: Session, key: uuid.UUID) -> bool:
    """Whether under this key a hand lies open on the phones, so that its boards come street by street."""
    return PhoneTable.objects.filter(session=session, round_key=key, revealed_at__isnull=False).exists()


def what_stops(table: PhoneTable, setups: Sequence[HiddenSetup]) -> ValidationError | None:
    """Why the hand can be finished no more, because of who has left the table; None while it can."""
    dealt = deal_of(table)
    if dealt is not None and dealt.parts is not None and dealt.parts.keys() != {str(one.seat.number) for one in setups}:
        sentence = _("Somebody who was dealt cards sits there no more. Give this hand up, and deal another.")
        return fault("/seats", "dealt_seats", sentence)
    if len(setups) < FEWEST:
        sentence = _("Fewer than two of those who set this hand sit here now. Give it up, and begin another.")
        return fault("/seats", "seat_count", sentence)
    return None


def check_may_leave(seat: Seat) -> None:
    """Raise ``ValidationError`` where this seat plays a hand on own phones that cannot be finished without it.

    Its cards are open or were dealt to it, or it is one of two: who leaves then would take the hand from the others.
    """
    table = PhoneTable.objects.filter(session=seat.session_id, round_key__isnull=False).first()
    setups = setups_of(table) if table else []
    if table is None or not any(setup.seat_id == seat.pk for setup in setups):
        return
    dealt = deal_of(table)
    if table.revealed_at or (dealt and dealt.parts) or len(setups) <= FEWEST:
        sentence = _("%(name)s plays the hand on own phones. Finish it or give it up first.")
        raise fault("", "plays", sentence % {"name": seat.player.name})


def go_on_without_leavers(session: Session) -> None:
    """Wait no more for who has left: a hand that waited for them alone is dealt, or opens."""
    table = lock_table(session, round_key__isnull=False)
    if table is not None:
        deal_when_given(table, setups_of(table))
        open_when_locked(table)


def open_when_locked(table: PhoneTable) -> None:
    """Open the setups where all are locked; where a card was claimed twice, its seats look again instead.

    Nothing is compared before the last one is locked, so nothing can be told, or be noticed by its time.
    """
    setups = setups_of(table)
    if table.revealed_at or any(setup.locked_at is None for setup in setups) or what_stops(table, setups):
        return
    holders = defaultdict(list)
    for setup in setups:
        for card in cards_of(setup):
            holders[card].append(setup.pk)
    twice = {card for card, seats in holders.items() if len(seats) > 1}
    for setup in setups:
        setup.claimed = "".join(card for card in cards_of(setup) if card in twice)
        if setup.claimed:
            unlock(setup)
        setup.save(update_fields=["claimed", "locked_at", "facts"])
    if not twice:
        PhoneTable.objects.filter(pk=table.pk).update(revealed_at=timezone.now())


def unlock(setup: HiddenSetup) -> None:
    """Let the seat set again. What a phone laid that holds the seat no more is nobody's to see."""
    setup.locked_at = None
    if setup.phone_id is None:
        setup.facts = NOTHING_LAID


def check_round(*, session: Session, deal: Deal) -> None:
    """Raise ``ValidationError`` where this hand was set on phones and is not what they locked."""
    table = _round_of(session, deal.client_key)
    if table is None:
        return
    setups = {setup.seat.number: setup for setup in setups_of(table)}
    if stopped := what_stops(table, list(setups.values())):
        raise stopped
    if table.revealed_at is None:
        raise fault("", "not_all_locked", _("The hand can be saved when every seat has locked its cards."))
    if setups.keys() != {seat.number for seat in deal.seats}:
        sentence = _("This hand was set on the players' own phones: those who set it play it. Nothing was saved.")
        raise fault("/seats", "locked_seats", sentence)
    check_dealt(table, deal)
    for place, seat in enumerate(deal.seats):
        if not _is_locked_so(setups[seat.number], seat):
            words = {"number": seat.number, "name": seat.name}
            sentence = _("Seat %(number)d (%(name)s) locked other cards. Save what was locked; correct it afterwards.")
            raise fault(f"/seats/{place}", "locked_setup", sentence % words)


def finish_round(*, session: Session, hand: Hand) -> None:
    """The hand is in the book: its setups go, and its showdown comes to the phones."""
    if table := _round_of(session, hand.client_key):
        open_deal(table, hand)
        HiddenSetup.objects.filter(table=table).delete()
        PhoneTable.objects.filter(pk=table.pk).update(
            round_key=None, revealed_at=None, hand=hand, revision=F("revision") + 1
        )


def is_being_set(session: Session) -> bool:
    """Whether a hand is on the phones that is no draft of the host's yet."""
    drafts = Draft.objects.filter(session=session).values("client_key")
    tables = PhoneTable.objects.filter(session=session, round_key__isnull=False)
    return tables.exclude(round_key__in=drafts).exists()


def _round_of(session: Session, client_key: uuid.UUID | None) -> PhoneTable | None:
    if client_key is None:
        return None
    tables = PhoneTable.objects.select_related("session__rule_set")
    return tables.filter(session=session, round_key=client_key).first()


def _is_locked_so(setup: HiddenSetup, seat: SeatRecord) -> bool:
    locked = rows_of(setup)
    return all(sorted(parse_cards("".join(locked[row]))) == sorted(getattr(seat.setup, row)) for row in ROWS)
