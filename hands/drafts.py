"""Hands that are being entered: kept from tap to tap, taken over by another phone, turned into hands and back.

A draft is changed only by who has seen its newest revision; whoever comes later is shown the other's cards first.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.models import User
from hands.besides import mark_choices, most_discards
from hands.corrections import correct_hand
from hands.deal_models import DealProof
from hands.expected import expected_hand
from hands.history import Deal
from hands.models import Draft, Hand, Seat, Session, Setup
from hands.queries import StoredHand, load_hands
from hands.rulesets import rules_of
from hands.scoring.cards import UnreadableCard, card_text, parse_card
from hands.scoring.games import GAMES, MOST_SEATS, ROWS, Rules
from hands.scoring.taiwanese.rules import BOARD_SIZE
from hands.services import Recorded, record_hand

UNDO_SECONDS: Final = 30
# The cards of every row and board by the name of its field in the form, "" where a card is still missing, and the
# numbers of the seats that sit out: {"rows": {"board_1": ["Ks", "", "", "", ""], "top_3": ["Js"]}, "out": [2]}. Where a
# seat has marks (`hands.besides`), "marks" are there too, by the name of their field: {"fantasyland_3": 14}.
Facts = dict[str, Any]


class DraftChanged(Exception):
    """Somebody else was there meanwhile: ``theirs`` is what the draft holds now, None where it was thrown away."""

    def __init__(self, theirs: Draft | None) -> None:
        super().__init__("the draft changed meanwhile")
        self.theirs = theirs


class AlreadyRecorded(Exception):
    """The draft has become a hand."""

    def __init__(self, hand: Hand) -> None:
        super().__init__("the draft has become a hand")
        self.hand = hand


def row_sizes(rules: Rules) -> dict[str, int]:
    """Every board and row of a hand by these rules, by the name of its field, and how many cards it holds."""
    sizes = {f"board_{board}": BOARD_SIZE for board in range(1, rules.boards + 1)}
    for seat in range(1, MOST_SEATS + 1):
        sizes |= {f"{row}_{seat}": size for row, size in zip(ROWS, GAMES[rules.game].row_sizes, strict=True)}
        if most := most_discards(rules):
            sizes[f"discards_{seat}"] = most
    return sizes


def read_facts(value: Any, rules: Rules) -> Facts:
    """What a phone sent as the facts of a draft, checked and in one form. Raises ``ValidationError``."""
    sizes = row_sizes(rules)
    rows, out = (value.get("rows"), value.get("out")) if isinstance(value, dict) else (None, None)
    if not isinstance(rows, dict) or not isinstance(out, list) or not rows.keys() <= sizes.keys():
        raise no_draft()
    if not all(type(seat) is int and 1 <= seat <= MOST_SEATS for seat in out):
        raise no_draft()
    read = {name: _read_row(cards, sizes[name]) for name, cards in rows.items()}
    facts = {"rows": {name: cards for name, cards in sorted(read.items()) if any(cards)}, "out": sorted(set(out))}
    marks = _read_marks(value.get("marks", {}), rules)
    return facts | {"marks": marks} if marks else facts


def _read_marks(value: Any, rules: Rules) -> dict[str, int]:
    seats = range(1, MOST_SEATS + 1)
    known = {f"{mark}_{seat}": choices for mark, choices in mark_choices(rules).items() for seat in seats}
    if not isinstance(value, dict) or not all(
        type(mark) is int and mark in known.get(name, ()) for name, mark in value.items()
    ):
        raise no_draft()
    return dict(sorted(value.items()))


def _read_row(cards: Any, size: int) -> list[str]:
    if not isinstance(cards, list) or len(cards) > size or not all(isinstance(card, str) for card in cards):
        raise no_draft()
    try:
        read = [card_text(parse_card(card)) if card else "" for card in cards]
    except UnreadableCard:
        raise no_draft() from None
    return read + [""] * (size - len(read))


def no_draft() -> Exception:
    sentence = _("This cannot be kept as a draft. Open the page again; your cards are on this phone.")
    return fault("/facts", "draft", sentence)


def facts_text(facts: Facts) -> str:
    """Facts as they are kept; the same facts are the same text."""
    return json.dumps(facts, separators=(",", ":"))


def lock_session(session: Session) -> None:
    """The session's row: recording, keeping and throwing away wait for each other. Raises where it is not open."""
    if not Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(state=F("state")):
        raise fault("", "session_closed", _("This session is closed; no hand can be added to it."))


def _newest(session: Session, client_key: uuid.UUID) -> Draft | None:
    """The draft as it is. Raises ``AlreadyRecorded`` when it has become a hand."""
    hand = Hand.objects.filter(session=session, client_key=client_key).first()
    if hand is not None:
        raise AlreadyRecorded(hand)
    return Draft.objects.filter(session=session, client_key=client_key).select_related("author").first()


@transaction.atomic
def keep_draft(*, session: Session, client_key: uuid.UUID, facts: Any, based_on: int, author: User | None) -> Draft:
    """Keep what was tapped so far. ``based_on`` is the revision that the author saw, 0 for a draft that is new.

    The same facts again are no change, whoever sends them. Raises ``DraftChanged`` when somebody else changed or threw
    away what the author saw, ``AlreadyRecorded``, and ``ValidationError`` for facts that are none and a closed session.
    """
    kept = read_facts(facts, rules_of(session.rule_set))
    text, now = facts_text(kept), timezone.now()
    lock_session(session)
    draft = _newest(session, client_key)
    if draft is None and based_on == 0:
        draft = Draft(session=session, client_key=client_key, revision=0)
    elif draft is not None and draft.facts == text:
        return draft
    elif draft is None or draft.revision != based_on:
        raise DraftChanged(draft)
    draft.facts, draft.author, draft.updated_at = text, author, now
    draft.cards = sum(bool(card) for cards in kept["rows"].values() for card in cards)
    draft.revision += 1
    draft.save()
    return draft


@transaction.atomic
def throw_away_draft(*, session: Session, client_key: uuid.UUID, based_on: int) -> None:
    """Delete a draft as its author saw it; one that is not there stays so. Raises as ``keep_draft`` does."""
    lock_session(session)
    draft = _newest(session, client_key)
    if draft is None:
        return
    if draft.revision != based_on:
        raise DraftChanged(draft)
    draft.delete()


@transaction.atomic
def record_draft(*, session: Session, deal: Deal, based_on: int, author: User | None) -> Recorded:
    """Record a hand that was entered as a draft, and put that away in the same transaction.

    Raises ``DraftChanged`` when somebody else changed the draft after its revision ``based_on``, and what
    ``record_hand`` raises.
    """
    # A hand that is there already may be sent again after its session was closed: that is `record_hand`'s to say.
    Session.objects.filter(pk=session.pk).update(state=F("state"))
    draft = Draft.objects.filter(session=session, client_key=deal.client_key).select_related("author").first()
    if draft is not None and draft.revision != based_on:
        raise DraftChanged(draft)
    return record_hand(session=session, deal=deal, author=author)


@transaction.atomic
def undo_hand(*, hand: Hand, author: User | None) -> Draft:
    """Take a hand back that was saved at most 30 s ago: it is void, marked undone, and its cards are a draft again.

    The draft has a key of its own. Raises ``ValidationError``: code ``too_late`` for an older hand, and for one that is
    void or was corrected meanwhile, ``dealt`` for one that the house dealt, whose cards are as they were dealt.
    """
    lock_session(hand.session)
    if DealProof.objects.filter(hand=hand).exists():
        sentence = _("The house dealt this hand. If something is wrong, correct it, with a reason.")
        raise fault("", "dealt", sentence)
    stored = next(load_hands(Hand.objects.filter(pk=hand.pk)), None)
    current = Hand.objects.select_related("current").get(pk=hand.pk).current
    now = timezone.now()
    if stored is None or current.version != 1:
        raise fault("", "too_late", _("This hand was changed since it was saved; nothing was undone."))
    if now - current.created_at > timedelta(seconds=UNDO_SECONDS):
        sentence = _("Undo works for %(seconds)d seconds after saving. Correct the hand instead, with a reason.")
        raise fault("", "too_late", sentence % {"seconds": UNDO_SECONDS})
    correct_hand(
        hand=hand,
        based_on=current.version,
        deal=None,
        reason=_("Undone right after saving"),
        author=author,
        is_undone=True,
    )
    facts = _facts_of(hand.session, stored)
    return keep_draft(session=hand.session, client_key=uuid.uuid4(), facts=facts, based_on=0, author=author)


def _facts_of(session: Session, stored: StoredHand) -> Facts:
    rows = {f"board_{number}": board for number, board in enumerate(stored.boards, start=1)}
    marks: dict[str, int] = {}
    for seat in stored.seats:
        rows |= {f"{row}_{seat.number}": getattr(seat.setup, row) for row in (*ROWS, "discards")}
        of_seat = {name: int(getattr(seat.setup, name)) for name in ("fantasyland", "surrendered")}
        marks |= {f"{name}_{seat.number}": mark for name, mark in of_seat.items() if mark}
    played = {seat.number for seat in stored.seats}
    seated = Seat.objects.filter(session=session, last_hand=None).values_list("number", flat=True)
    return {
        "rows": {name: [card_text(card) for card in cards] for name, cards in rows.items() if cards},
        "out": [number for number in seated if number not in played],
        "marks": marks,
    }


def open_drafts(session: Session) -> list[Draft]:
    """The session's drafts that hold cards, the newest first, each with its author."""
    return list(Draft.objects.filter(session=session, cards__gt=0).select_related("author"))


@dataclass(frozen=True)
class Entry:
    """A hand to be entered: under which key, and what is known of it already."""

    client_key: uuid.UUID
    facts: Facts
    revision: int
    draft: Draft | None


def begin_entry(session: Session, *, wanted: str, seats: list[Seat]) -> Entry:
    """What the entry page starts with: the draft ``wanted`` (its key), a ``new`` one, or, unsaid, the newest draft."""
    drafts = Draft.objects.filter(session=session).select_related("author")
    key = read_key(wanted)
    draft = None
    if key is not None:
        draft = drafts.filter(client_key=key).first()
    elif wanted != "new":
        draft = drafts.filter(cards__gt=0).first()
    if draft is not None:
        return Entry(draft.client_key, json.loads(draft.facts), draft.revision, draft)
    # A key that is in the book already would never be taken again.
    if key is None or Hand.objects.filter(session=session, client_key=key).exists():
        key = uuid.uuid4()
    facts: Facts = {"rows": {}, "out": _sat_out_last(session, seats)}
    marks = proposed_marks(session, seats)
    return Entry(key, facts | {"marks": marks} if marks else facts, 0, None)


def proposed_marks(session: Session, seats: Sequence[Seat]) -> dict[str, int]:
    """The marks that a new hand begins with: who is dealt in Fantasyland because of the hand before."""
    owed = expected_hand(session).owed
    return {f"fantasyland_{seat.number}": owed[seat.player_id].cards for seat in seats if seat.player_id in owed}


def read_key(text: str) -> uuid.UUID | None:
    """The key of a hand as an address or a form has it; None for a text that is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _sat_out_last(session: Session, seats: list[Seat]) -> list[int]:
    """The seats that did not play the last hand, but for who sat down after it: seats carry over."""
    last = Hand.objects.filter(session=session, current__is_void=False).order_by("-number").first()
    if last is None:
        return []
    played = set(Setup.objects.filter(version=last.current_id).values_list("seat__number", flat=True))
    out = [seat.number for seat in seats if seat.first_hand <= last.number and seat.number not in played]
    return out if len(seats) - len(out) >= 2 else []


def answer_of(draft: Draft | None) -> Mapping[str, Any] | None:
    """A draft as it is sent to a phone."""
    if draft is None:
        return None
    return {
        "revision": draft.revision,
        "facts": json.loads(draft.facts),
        "author": str(draft.author or _("Somebody")),
        "at": draft.updated_at.isoformat(),
    }
