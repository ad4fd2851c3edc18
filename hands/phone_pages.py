"""What a phone at the table shows, what the host sees of the phones, and when either has changed."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy

from hands.chances import chances_shown, street_of
from hands.deal_models import HouseDeal
from hands.deal_rounds import SHOWN, deal_of, hand_of, shown_boards
from hands.entry_pages import WORDS, card_keys, key_of
from hands.forms import ROW_WORDS
from hands.hand_pages import hand_without_links
from hands.models import Hand, Seat, Session
from hands.phone_models import HiddenSetup, Phone, PhoneTable
from hands.phone_rounds import boards_entered, rows_of, setups_of, what_stops
from hands.queries import load_hands
from hands.rulesets import rules_of
from hands.scoring.cards import parse_cards
from hands.scoring.taiwanese import ROW_SIZES, ROWS, Setup
from hands.seating import next_number


@dataclass(frozen=True)
class OpenSeat:
    """A seat whose locked setup lies open."""

    number: int
    name: str
    setup: Setup


def phone_tag(phone: Phone) -> str:
    """What changes whenever this phone's page does, from the rows that `find_phone` read: an ETag without its quotes.

    Of taps only those of the host on the boards are in it: a seat is setting, or it has locked.
    """
    return f"{_tag(phone.table, phone.table.session)}-{phone.pk}-{phone.draft_revision}"


def _tag(table: PhoneTable, session: Session) -> str:
    return f"{table.pk}-{table.revision}-{session.revision}-{session.state}-{get_language()}"


def choose_page(table: PhoneTable) -> dict[str, Any]:
    """The chairs of the table, each with whether a phone holds it."""
    seats = Seat.objects.filter(session=table.session, last_hand=None).select_related("player", "phone")
    return {
        "club": table.session.club,
        "session": table.session,
        "table": table,
        "seats": [(seat, hasattr(seat, "phone")) for seat in seats],
    }


def phone_page(phone: Phone) -> dict[str, Any]:
    """What this phone shows now. ``phase`` is what its seat is in:

    ``waiting`` for the next hand, ``out`` of this one, ``part`` (the house deals and waits for this seat's part),
    ``dealing`` (for those of others), ``barred`` (another phone was dealt this seat's cards), ``setting``,
    ``locked``, ``open`` (all are locked, the setups lie open, the boards come), ``showdown``, or ``stopped`` (who left
    the table took the hand along).
    """
    table, session = phone.table, phone.table.session
    setups = setups_of(table) if table.round_key else []
    mine = next((setup for setup in setups if setup.seat_id == phone.seat_id), None)
    page = {
        "club": session.club,
        "session": session,
        "seat": phone.seat,
        "tag": phone_tag(phone),
        "table_url": reverse("table", args=[table.join_id]),
        "join_id": table.join_id,
        "number": next_number(session),
    } | _setups_seen(setups)
    if table.round_key is None:
        return page | _showdown(table)
    dealt = deal_of(table)
    phase = "stopped" if what_stops(table, setups) else _phase(phone, table, mine, dealt)
    page |= {"phase": phase, "mine": mine, "key": str(table.round_key), "dealt": dealt}
    page["shows"] = {"setting": page["key"], "part": f"part-{page['key']}"}.get(phase, "")
    page["parts_missing"] = sum(not setup.part for setup in setups)
    if phase == "open":
        page |= _open_chances(table, dealt, setups)
    elif mine is not None and mine.phone_id == phone.pk:
        page["own"] = _laid(mine)
    return page | (_entry(phone, table, mine) if mine is not None and phase == "setting" else {})


def _phase(phone: Phone, table: PhoneTable, mine: HiddenSetup | None, dealt: HouseDeal | None) -> str:
    if table.revealed_at:
        return "open"
    if mine is None:
        return "out"
    if dealt and dealt.parts is None:
        return "dealing" if mine.part else "part"
    if mine.locked_at:
        return "locked"
    return "barred" if dealt and mine.phone_id != phone.pk else "setting"


def _open_chances(table: PhoneTable, dealt: HouseDeal | None, setups: Sequence[HiddenSetup]) -> dict[str, Any]:
    """The streets that the host has shown or entered: ``chances`` in the shapes of ``chances_shown``."""
    rows = [{row: tuple(parse_cards("".join(cards))) for row, cards in rows_of(setup).items()} for setup in setups]
    seats = [
        OpenSeat(setup.seat.number, setup.seat.player.name, Setup(**cards))
        for setup, cards in zip(setups, rows, strict=True)
    ]
    rules = rules_of(table.session.rule_set)
    boards = shown_boards(table, dealt) if dealt else boards_entered(table, setups)
    said = street_of(min(map(len, boards))).said % {"boards": rules.boards}
    return {"chances": chances_shown(boards, seats, rules), "said": said}


def _setups_seen(setups: Sequence[HiddenSetup]) -> dict[str, Any]:
    """What everybody may see of the setups of a hand: who has locked, who was unlocked, what was claimed twice."""
    claims = defaultdict(list)
    for setup in setups:
        for start in range(0, len(setup.claimed), 2):
            claims[setup.claimed[start : start + 2]].append(setup.seat)
    return {
        "seats": setups,
        "locked": sum(setup.locked_at is not None for setup in setups),
        "waited_for": sum(setup.locked_at is None for setup in setups),
        "claims": sorted(claims.items()),
    }


def _showdown(table: PhoneTable) -> dict[str, Any]:
    stored = next(load_hands(Hand.objects.filter(pk=table.hand_id)), None) if table.hand_id else None
    if stored is None or not stored.has_cards:
        return {"phase": "waiting"}
    scored = hand_without_links(stored, rules_of(table.session.rule_set))
    return {"phase": "showdown", "shown": scored, "hand_number": stored.number}


def _laid(setup: HiddenSetup) -> dict[str, Any]:
    rows = rows_of(setup)
    return {"seat": setup.seat, "rows": [(ROW_WORDS[row], rows[row]) for row in ROWS]}


def _entry(phone: Phone, table: PhoneTable, setup: HiddenSetup) -> dict[str, Any]:
    """The grid of keys, and what its script has to know."""
    rules = rules_of(table.session.rule_set)
    addresses = {"join_id": table.join_id, "round_key": table.round_key}
    number = phone.seat.number
    hand = hand_of(table, number)
    return {
        "keys": card_keys(rules.jokers) if hand is None else [key_of(card) for card in hand],
        "hand": hand,
        "rows": [(f"{row}_{number}", ROW_WORDS[row], range(size)) for row, size in zip(ROWS, ROW_SIZES, strict=True)],
        "confirm_url": reverse("table-confirm", kwargs=addresses),
        "entry": {
            "boards": 0,
            "jokers": rules.jokers,
            "rows": dict(zip(ROWS, ROW_SIZES, strict=True)),
            "discards": 0,
            "cards_dealt": sum(ROW_SIZES),
            "fewest_seats": 1,
            "seats": [{"number": number, "name": phone.seat.player.name}],
            "facts": json.loads(setup.facts),
            "revision": setup.revision,
            "urls": {
                "keep": reverse("table-setup", kwargs=addresses),
                "confirm": reverse("table-confirm", kwargs=addresses),
                "page": reverse("table", args=[table.join_id]),
            },
            "words": {name: str(words) for name, words in (WORDS | PHONE_WORDS).items()},
        },
    }


def host_tag(table: PhoneTable, session: Session) -> str:
    """What changes whenever the host's page does; of a table of ``with_draft``."""
    return f"{_tag(table, session)}-{table.draft_revision}"


def host_page(session: Session, table: PhoneTable | None) -> dict[str, Any]:
    """How far every seat is; cards only when all are locked."""
    page = {"club": session.club, "session": session, "table": table, "number": next_number(session)}
    if table is None:
        return page
    setups = setups_of(table) if table.round_key else []
    by_seat = {setup.seat_id: setup for setup in setups}
    seats = list(Seat.objects.filter(session=session, last_hand=None).select_related("player", "phone"))
    page |= _setups_seen(setups) | {
        "tag": host_tag(table, session),
        "chairs": [(seat, hasattr(seat, "phone"), by_seat.get(seat.pk)) for seat in seats],
        "has_room": not all(hasattr(seat, "phone") for seat in seats),
        "is_full": bool(setups) and all(setup.locked_at for setup in setups),
    }
    if table.round_key is None:
        # A hand that was undone, voided or left with points alone is on no phone.
        told = Hand.objects.filter(pk=table.hand_id, current__is_void=False, current__has_cards=True)
        return page | {"is_shown": told.exists()}
    dealt = deal_of(table)
    if dealt is not None:
        boards = {"boards": rules_of(session.rule_set).boards}
        page |= {
            "dealt": dealt,
            "key": str(table.round_key),
            "parts_missing": sum(not setup.part for setup in setups),
            "following": street_of(SHOWN[dealt.known]).next % boards if dealt.known in SHOWN else "",
        }
    if stopped := what_stops(table, setups):
        return page | {"stopped": stopped.messages[0]}
    return page | (_open_chances(table, dealt, setups) if table.revealed_at else {})


def phones_line(session: Session) -> dict[str, Any] | None:
    """What a session's page says of its phones in a line; None where they are not in use."""
    table = PhoneTable.objects.filter(session=session).first()
    if table is None:
        return None
    setups = setups_of(table) if table.round_key else []
    return {"is_setting": bool(setups), "number": next_number(session)} | _setups_seen(setups)


# What the script of a phone says besides the words of card entry.
PHONE_WORDS: Final = {
    "confirm": gettext_lazy("Confirm"),
    "more": gettext_lazy("{0} more to confirm"),
    "not_confirmed": gettext_lazy("Not locked yet: no network. Your cards are saved on this phone. Confirm again."),
    "signed_out": gettext_lazy("Saved on this phone. Open the page again to go on."),
    "taken_back": gettext_lazy("All cards are taken back"),
}
