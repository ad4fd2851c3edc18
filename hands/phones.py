"""Own phones at the table: a phone takes a seat without an account, sets its cards, locks them; the host sees how many.

A phone is known by a token that only it has. Nobody reads a setup before all of a hand are locked, the host neither;
then the host enters the boards as for any hand, or shows those that the house dealt, and `record_hand` takes only what
was locked.
"""

import hashlib
import secrets
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import User
from hands.deal_models import HouseDeal
from hands.deal_rounds import SHOWN, begin_deal, cards_dealt, deal_of, deal_when_given, hand_of, read_part
from hands.drafts import facts_text, keep_draft, lock_session, no_draft, read_facts
from hands.models import Draft, Seat, Session
from hands.phone_models import CodeTries, HiddenSetup, Phone, PhoneTable
from hands.phone_rounds import (
    FEWEST,
    NOTHING_LAID,
    cards_of,
    draft_of,
    lock_table,
    open_when_locked,
    rows_of,
    setups_of,
    unlock,
    what_stops,
)
from hands.reading import say
from hands.rulesets import rules_of
from hands.scoring import taiwanese
from hands.scoring.cards import card_text, parse_cards
from hands.scoring.taiwanese import Rules
from hands.scoring.taiwanese.rules import BOARD_SIZE
from hands.seating import next_number

# Without those that are taken for each other: 31 to the power of 6 is 887 million codes.
CODE_LETTERS: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH: Final = 6
# A table that sits down needs six tries; who guesses needs millions. From all addresses together it is more.
TRIES_SECONDS: Final = 600
MOST_TRIES: Final = 30
MOST_TRIES_OF_ALL: Final = 600


class SetupChanged(Exception):
    """The phone laid something else meanwhile, in another of its tabs: ``theirs`` is what is kept."""

    def __init__(self, theirs: HiddenSetup) -> None:
        super().__init__("the setup changed meanwhile")
        self.theirs = theirs


# ---------------------------------------------------------------- the host


@transaction.atomic
def open_round(*, session: Session, is_dealt: bool = False) -> PhoneTable:
    """Let everybody who sits set the next hand on their own phone; one that is being set goes on.

    ``is_dealt``: the house deals, as soon as every seat has given its part to the deal.

    Raises ``ValidationError`` when the session is not open, is no Taiwanese Poker, or fewer than two sit.
    """
    lock_session(session)
    if session.rule_set.game != "taiwanese":
        raise fault("", "game", _("Own phones are there for Taiwanese Poker."))
    seats = list(Seat.objects.filter(session=session, last_hand=None))
    if len(seats) < FEWEST:
        raise fault("", "seat_count", _("Two seats at least must be taken."))
    PhoneTable.objects.get_or_create(session=session, defaults={"code": _new_code()})
    table = lock_table(session, round_key=None)
    if table is None:
        return PhoneTable.objects.get(session=session)
    table.round_key, table.revealed_at = uuid.uuid4(), None
    table.save(update_fields=["round_key", "revealed_at"])
    HiddenSetup.objects.bulk_create(HiddenSetup(table=table, seat=seat, facts=NOTHING_LAID) for seat in seats)
    if is_dealt:
        begin_deal(table)
    audit.note(session.club_id, "phones.begun", session.pk, number=next_number(session))
    return table


@transaction.atomic
def stop_round(*, session: Session, round_key: uuid.UUID) -> None:
    """Forget what was set of the hand; the phones keep their seats. Where that hand is over nothing changes."""
    table = lock_table(session, round_key=round_key)
    if table is None:
        return
    HiddenSetup.objects.filter(table=table).delete()
    HouseDeal.objects.filter(table=table).delete()
    Draft.objects.filter(session=session, client_key=table.round_key).delete()
    PhoneTable.objects.filter(pk=table.pk).update(round_key=None, revealed_at=None)
    audit.note(session.club_id, "phones.stopped", session.pk, number=next_number(session))


@transaction.atomic
def free_seat(*, session: Session, number: int) -> None:
    """Take the seat from the phone that holds it, so that another can. What it laid nobody sees any more."""
    lock_table(session)
    phone = Phone.objects.filter(table__session=session, seat__number=number).select_related("seat__player").first()
    if phone is None:
        return
    HiddenSetup.objects.filter(seat=phone.seat_id, locked_at=None).update(facts=NOTHING_LAID, part="")
    phone.delete()
    audit.note(session.club_id, "phone.freed", session.pk, name=phone.seat.player.name, seat=number)


@transaction.atomic
def unlock_seat(*, session: Session, number: int) -> None:
    """Let a seat that has locked set again; it is noted, and everybody sees it. Raises ``ValidationError``."""
    setup = _setup_of_host(session, number)
    if setup.locked_at is None:
        return
    unlock(setup)
    setup.unlocked_at = timezone.now()
    setup.save(update_fields=["locked_at", "unlocked_at", "facts"])
    audit.note(session.club_id, "setup.unlocked", session.pk, name=setup.seat.player.name, seat=number)


@transaction.atomic
def sit_out(*, session: Session, number: int) -> None:
    """Leave a seat out of this hand.

    Raises ``ValidationError`` where two would not be left, the house has dealt, or all cards are open.
    """
    setup = _setup_of_host(session, number)
    if len(setups_of(setup.table)) <= FEWEST:
        raise fault("/number", "seat_count", _("Two seats at least must play."))
    if hand_of(setup.table, number) is not None:
        raise fault("/number", "dealt", _("The cards are dealt: everybody plays this hand, or it is given up."))
    setup.delete()
    audit.note(session.club_id, "setup.left_out", session.pk, name=setup.seat.player.name, seat=number)
    deal_when_given(setup.table, setups_of(setup.table))
    open_when_locked(setup.table)


def _setup_of_host(session: Session, number: int) -> HiddenSetup:
    table = lock_table(session, round_key__isnull=False)
    setup = next((one for one in setups_of(table) if one.seat.number == number), None) if table else None
    if table is None or setup is None:
        raise fault("/number", "not_setting", _("Seat %(number)d is setting no hand.") % {"number": number})
    if table.revealed_at is not None:
        raise fault("/number", "revealed", _("All cards are open. Save the hand, then correct what is wrong."))
    setup.table = table
    return setup


@transaction.atomic
def begin_boards(*, session: Session, author: User | None) -> uuid.UUID:
    """The hand as a draft with everything that was locked, so that only its boards are to be entered; its key.

    Of a hand that the house dealt the boards are in it too. Raises ``ValidationError`` while not all are locked or the
    house has boards to show, and where ``what_stops`` the hand.
    """
    lock_session(session)
    table = lock_table(session, round_key__isnull=False)
    if table is not None:
        open_when_locked(table)
        table.refresh_from_db()
        _refuse_stopped(table)
    if table is None or table.round_key is None or table.revealed_at is None:
        raise fault("", "not_all_locked", _("The boards come when every seat has locked its cards."))
    dealt = deal_of(table)
    if dealt is not None and dealt.known < BOARD_SIZE:
        raise fault("", "boards_hidden", _("The hand can be saved when the boards are shown."))
    if not Draft.objects.filter(session=session, client_key=table.round_key).exists():
        setups = setups_of(table)
        seated = Seat.objects.filter(session=session, last_hand=None).values_list("number", flat=True)
        facts = {
            "rows": {f"{row}_{one.seat.number}": cards for one in setups for row, cards in rows_of(one).items()},
            "out": sorted(set(seated) - {one.seat.number for one in setups}),
        }
        if dealt is not None:
            boards = enumerate(cards_dealt(table, dealt).boards, start=1)
            facts["rows"] |= {f"board_{number}": [card_text(card) for card in board] for number, board in boards}
        keep_draft(session=session, client_key=table.round_key, facts=facts, based_on=0, author=author)
    return table.round_key


@transaction.atomic
def show_street(*, session: Session, known: int) -> None:
    """Show the next street of all boards that the house dealt, where ``known`` cards of each lie now.

    A second press of the same button shows nothing more. Raises ``ValidationError`` while not all are locked,
    and where ``what_stops`` the hand.
    """
    table = lock_table(session, round_key__isnull=False)
    dealt = deal_of(table) if table else None
    if table is not None:
        _refuse_stopped(table)
    if table is None or dealt is None or table.revealed_at is None:
        raise fault("", "not_all_locked", _("The boards come when every seat has locked its cards."))
    if dealt.known == known and known in SHOWN:
        HouseDeal.objects.filter(pk=dealt.pk).update(known=SHOWN[known])


def _refuse_stopped(table: PhoneTable) -> None:
    if stopped := what_stops(table, setups_of(table)):
        raise stopped


def _new_code() -> str:
    while True:
        code = "".join(secrets.choice(CODE_LETTERS) for _letter in range(CODE_LENGTH))
        if not PhoneTable.objects.filter(code=code).exists():
            return code


# ---------------------------------------------------------------- a phone


def find_table(*, code: str, address: str) -> PhoneTable:
    """The table with this code, typed by whoever calls from ``address``. Every try counts, right or wrong.

    Raises ``ValidationError``: ``too_many_tries``, or ``no_table``.
    """
    if not _may_try(address):
        sentence = _("Too many codes were tried. Scan the QR code instead, or wait %(minutes)d minutes.")
        raise fault("/code", "too_many_tries", sentence % {"minutes": TRIES_SECONDS // 60})
    open_tables = PhoneTable.objects.filter(session__state=Session.State.OPEN, session__club__put_away_at=None)
    table = open_tables.filter(code="".join(code.split()).upper()[:CODE_LENGTH]).first()
    if table is None:
        raise fault("/code", "no_table", _("No table has this code now. Look at the host's phone again."))
    return table


@transaction.atomic
def _may_try(address: str) -> bool:
    window = int(time.time()) // TRIES_SECONDS
    counts = []
    for counted in ("", address):
        CodeTries.objects.get_or_create(address=counted, defaults={"window": window, "count": 0})
        mine = CodeTries.objects.filter(address=counted)
        mine.exclude(window=window).update(window=window, count=0)
        mine.update(count=F("count") + 1)
        counts.append(mine.values_list("count", flat=True).get())
    CodeTries.objects.filter(window__lt=window).delete()
    return counts[0] <= MOST_TRIES_OF_ALL and counts[1] <= MOST_TRIES


@transaction.atomic
def take_seat(*, table: PhoneTable, number: int, token: str = "") -> str:
    """Give a seat that no phone holds to the phone that asks; returns its token, which is kept nowhere else.

    ``token`` is the one that the phone has, if any: one that holds a seat at this table keeps that, so that a second
    press, or another tab, neither is refused nor takes a second chair. Raises ``ValidationError`` when nobody sits
    there, or another phone was first.
    """
    if lock_table(table.session) is None:
        raise fault("", "session_closed", _("This session is closed."))
    if token and find_phone(join_id=table.join_id, token=token) is not None:
        return token
    seat = Seat.objects.filter(session=table.session, number=number, last_hand=None).select_related("player").first()
    if seat is None:
        raise fault("/number", "nobody_sits", _("Nobody sits on seat %(number)d.") % {"number": number})
    if Phone.objects.filter(seat=seat).exists():
        sentence = _("Another phone holds the seat of %(name)s. The host can free it.")
        raise fault("/number", "seat_taken", sentence % {"name": seat.player.name})
    if not token or Phone.objects.filter(secret_sha256=_digest(token)).exists():
        token = new_token()
    Phone.objects.create(table=table, seat=seat, secret_sha256=_digest(token))
    audit.note(table.session.club_id, "phone.joined", table.session_id, name=seat.player.name, seat=number)
    return token


def new_token() -> str:
    return secrets.token_urlsafe(32)


def find_phone(*, join_id: uuid.UUID, token: str) -> Phone | None:
    """The phone that has this token, with its seat, table, session and club in one query; None for a dead token.

    ``draft_revision`` is that of the boards that the host enters, None where there are none.
    """
    return (
        Phone.objects.annotate(draft_revision=draft_of("table__").values("revision"))
        .select_related("seat__player", "table__session__club", "table__session__rule_set")
        .filter(
            secret_sha256=_digest(token),
            table__join_id=join_id,
            table__session__state=Session.State.OPEN,
            table__session__club__put_away_at=None,
            seat__last_hand=None,
        )
        .first()
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def give_part(*, phone: Phone, round_key: uuid.UUID, text: str) -> None:
    """Give the seat's part to the house's deal; the first one counts. The last one deals.

    The cards will be this phone's alone. Raises ``ValidationError`` for no part (``part``) and where none is wanted.
    """
    part = read_part(text)
    table = lock_table(phone.table.session, round_key=round_key)
    setup = HiddenSetup.objects.filter(table=table, seat=phone.seat_id).first()
    dealt = deal_of(table) if table else None
    # After the deal a seat's cards belong to a phone already, and to no other.
    if table is None or setup is None or dealt is None or dealt.parts is not None:
        raise _not_setting()
    if not setup.part:
        setup.part, setup.phone = part, phone
        setup.save(update_fields=["part", "phone"])
        deal_when_given(table, setups_of(table))


def _refuse_undealt(table: PhoneTable, setup: HiddenSetup, phone: Phone) -> None:
    """Where the house deals only the phone that was dealt cards sets them, and no others."""
    if deal_of(table) is None:
        return
    hand = hand_of(table, phone.seat.number)
    if hand is None or setup.phone_id != phone.pk:
        raise _not_setting()
    if not set(cards_of(setup)) <= set(hand):
        raise fault("", "not_dealt", _("These are not the cards that you were dealt."))


@transaction.atomic
def keep_setup(*, phone: Phone, round_key: uuid.UUID, facts: Any, based_on: int) -> int:
    """Keep what the phone has laid so far, as ``keep_draft`` does; returns the revision.

    Raises ``SetupChanged``, and ``ValidationError`` for facts that are none (code ``draft``) and where this hand is
    not being set by this seat any more (``not_setting``).
    """
    text = _own_facts(phone, facts)
    mine = HiddenSetup.objects.filter(
        table=phone.table_id, table__round_key=round_key, seat=phone.seat_id, locked_at=None
    )
    if not mine.update(revision=F("revision")):
        raise _not_setting()
    setup = mine.get()
    if setup.facts == text:
        return setup.revision
    if setup.revision != based_on:
        raise SetupChanged(setup)
    setup.facts = text
    _refuse_undealt(phone.table, setup, phone)
    mine.update(facts=text, phone=phone, revision=based_on + 1)
    return based_on + 1


@transaction.atomic
def confirm_setup(*, phone: Phone, round_key: uuid.UUID, facts: Any) -> None:
    """Lock these seven cards. It is final unless the host unlocks the seat; the last lock opens the hand.

    Raises ``ValidationError`` with what is wrong with the setup alone, never with what others hold.
    """
    text = _own_facts(phone, facts)
    table = lock_table(phone.table.session, round_key=round_key)
    setup = HiddenSetup.objects.filter(table=table, seat=phone.seat_id).select_related("seat__player").first()
    if table is None or setup is None:
        raise _not_setting()
    if setup.locked_at is not None:
        if (setup.facts, setup.phone_id) == (text, phone.pk):
            return
        raise fault("", "locked", _("Your cards are locked. Only the host can unlock the seat."))
    setup.facts = text
    _refuse_undealt(table, setup, phone)
    setup.phone, setup.locked_at = phone, timezone.now()
    rows = {row: parse_cards("".join(cards)) for row, cards in rows_of(setup).items()}
    for wrong in setup_faults(setup.seat, rules_of(table.session.rule_set), rows):
        raise wrong
    setup.revision += 1
    setup.save(update_fields=["facts", "phone", "locked_at", "revision"])
    open_when_locked(table)


def _own_facts(phone: Phone, facts: Any) -> str:
    kept = read_facts(facts, rules_of(phone.table.session.rule_set))
    if kept["out"] or not kept["rows"].keys() <= {f"{row}_{phone.seat.number}" for row in taiwanese.ROWS}:
        raise no_draft()
    return facts_text(kept)


def setup_faults(seat: Seat, rules: Rules, rows: Mapping[str, Sequence[int]]) -> Iterator[ValidationError]:
    """What is wrong with one seat's cards, row by row, whatever others hold; pointers like `/seats/0/bottom`."""
    setup = taiwanese.Setup(*(tuple(rows[row]) for row in taiwanese.ROWS))
    for problem in taiwanese.check(rules=rules, boards=(), seats=[(seat.number, seat.player.name, setup)]):
        # One seat without boards is no hand; what is said of its cards holds all the same.
        if problem.pointer.startswith("/seats/0/"):
            yield say(problem)


def _not_setting() -> Exception:
    return fault("", "not_setting", _("This hand is not being set any more."))
