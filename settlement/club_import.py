"""A club's export into an empty club: facts through the services, and the same balances at the end, or nothing.

The whole file is one transaction. Versions of hands keep their numbers, reasons and times. Not made again are
settlements that were reversed, and the numbers of statements: what counts now is settled once.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts import audit, ledger
from accounts.faults import fault
from accounts.merging import merge_players, undo_merge
from accounts.models import Account, Club, Player, User
from accounts.money import MOST_MINOR, check_currency, format_money
from accounts.names import fold_name
from accounts.services import create_club, lock_club
from hands.models import Hand, RuleSet, Session
from hands.reading import Reader
from hands.restoring import (
    KeptHand,
    free_text,
    known,
    read_hand_line,
    restore_hands,
    restore_rule_set,
    restore_session,
)
from hands.services import close_session
from settlement.club_files import at_line, read_club_file
from settlement.club_lines import holder_key
from settlement.models import Dispute, Payment
from settlement.payments import NOTE_LENGTH, Wanted, cancel_payment, record_payments
from settlement.services import settle_session

BLOCK: Final = 500
# What a file says of what followed from the rest; it is only counted.
FACTS: Final = frozenset({"settlement", "transfer", "statement"})


@dataclass
class ImportedClub:
    """The club, and how many lines of each kind were read. Its balances are the file's."""

    club: Club
    counts: Counter[str] = field(default_factory=Counter)


@transaction.atomic
def import_club(*, file: IO[bytes], owner: User, club: Club | None = None) -> ImportedClub:
    """Bring everything of an export into an empty club, or into a new one of that name; all of it or nothing.

    Raises ``ValidationError`` with the number of the line that is wrong, when the club is not empty, or when a
    balance differs from the file's at the end.
    """
    lines = read_club_file(file)
    _number, head = next(lines, (0, {}))
    if club is None:
        with _line(1):
            club = create_club(owner=owner, name=str(head.get("name", "")), time_zone=str(head.get("time_zone", "")))
    # The club's row is the lock: of two imports into it, the second finds it full.
    lock_club(club.pk)
    _refuse_full(club)
    reading = _Reading(club, owner)
    imported = ImportedClub(club)
    for number, document in lines:
        kind = document["kind"]
        reading.turn_to(kind)
        with _line(number):
            if kind not in FACTS:
                reading.readers[kind](document)
        imported.counts[kind] += 1
    reading.turn_to("end")
    reading.compare_balances()
    audit.note(club.pk, "club.imported", club.pk, name=club.name, **imported.counts)
    return imported


def _refuse_full(club: Club) -> None:
    rows: tuple[Any, ...] = (Player, Session, RuleSet, Account)
    if any(model.objects.filter(club=club).exists() for model in rows):
        raise fault(
            "", "not_empty", _("%(name)s is not empty; an export goes into an empty club.") % {"name": club.name}
        )


@contextmanager
def _line(number: int) -> Iterator[None]:
    """Whatever is wrong in here is wrong with that line."""
    try:
        yield
    except ValidationError as error:
        raise at_line(number, error) from None
    except (IntegrityError, DataError):
        words = _("This contradicts the lines before it, or does not fit into the book.")
        raise at_line(number, fault("", "contradiction", words)) from None


class _Reading:
    """What the lines so far have made, by the ids of the file."""

    def __init__(self, club: Club, owner: User) -> None:
        self.club, self.owner, self.authors = club, owner, {owner.email: owner}
        self.players: dict[str, Player] = {}
        self.rule_sets: dict[str, RuleSet] = {}
        self.sessions: dict[str, Session] = {}
        # Each session's state and time of closing in the file; it stays open until its hands are in.
        self.ends: list[tuple[Session, str, datetime | None]] = []
        self.block: list[KeptHand] = []
        self.disputes: list[tuple[int, dict[str, Any]]] = []
        self.of_block: str = ""
        self.balances: dict[tuple[str, str], int] = {}
        self.section = "club"
        self.readers: dict[str, Callable[[dict[str, Any]], None]] = {
            "player": self.player,
            "rule_set": self.rule_set,
            "session": self.session,
            "hand": self.hand,
            "payment": self.payment,
            "merge": self.merge,
            "balance": self.balance,
        }

    def turn_to(self, kind: str) -> None:
        """Finish the section before the one that this kind begins."""
        if kind == self.section:
            return
        self.section = kind
        self.write_block()
        for session, state, closed_at in self.ends:
            if kind in {"player", "rule_set", "session", "hand"}:
                return
            if state != Session.State.OPEN:
                close_session(session=session)
                Session.objects.filter(pk=session.pk).update(closed_at=closed_at)
            if state == Session.State.SETTLED:
                settle_session(session_id=session.pk)
        self.ends = []

    def player(self, document: dict[str, Any]) -> None:
        reader = Reader(document)
        key = reader.text(document, "id", "")
        name = reader.name(document, "name", "")
        external_id = reader.text(document, "external_id", "", needed=False)
        gone = reader.time(document, "deactivated_at", "") if document.get("deactivated_at") else None
        note, link = free_text(reader, document, "payment_note"), free_text(reader, document, "payment_link")
        reader.finish()
        if link:
            URLValidator(schemes=["https"])(link)
        self.players[key] = Player.objects.create(
            club=self.club,
            name=name,
            name_key=fold_name(name),
            external_id=external_id,
            payment_note=note[:100],
            payment_link=link,
            deactivated_at=gone,
        )

    def rule_set(self, document: dict[str, Any]) -> None:
        self.rule_sets[_id(document)] = restore_rule_set(club=self.club, document=document)

    def session(self, document: dict[str, Any]) -> None:
        rule_set = known(self.rule_sets, document.get("rule_set"), "rule_set")
        session = restore_session(
            club=self.club, document=document, rule_set=rule_set, players=self.players, author=self.owner
        )
        state = document.get("state")
        if state not in Session.State.values:
            raise fault("/state", "state", _("A session is open, closed or settled."))
        reader = Reader(document)
        closed_at = reader.time(document, "closed_at", "") if state != Session.State.OPEN else None
        reader.finish()
        self.sessions[_id(document)] = session
        self.ends.append((session, state, closed_at))

    def hand(self, document: dict[str, Any]) -> None:
        key = document.get("session")
        session = known(self.sessions, key, "session")
        if key != self.of_block or len(self.block) == BLOCK:
            self.write_block()
            self.of_block = key
        self.block.append(read_hand_line(document, session.rule_set, self.players))
        self.disputes += [(document["number"], one) for one in _disputes(document)]

    def write_block(self) -> None:
        if not self.block:
            return
        session = self.sessions[self.of_block]
        try:
            with transaction.atomic():
                restore_hands(session=session, hands=self.block, authors=self.authors)
        except (IntegrityError, DataError):
            words = _("Hands %(first)d to %(last)d of %(table)s contradict each other or the hands before them.")
            first, last = self.block[0].number, self.block[-1].number
            raise fault("", "contradiction", words % {"first": first, "last": last, "table": session.table}) from None
        numbers = [number for number, _document in self.disputes]
        hands = {hand.number: hand for hand in Hand.objects.filter(session=session, number__in=numbers)}
        for number, document in self.disputes:
            self.dispute(document, session=session, hand=hands[number])
        self.block, self.disputes = [], []

    def dispute(self, document: dict[str, Any], **subject: Any) -> None:
        """As it stood, answered or not, at its own time."""
        reader = Reader(document)
        raised_at = reader.time(document, "raised_at", "/disputes")
        answered_at = reader.time(document, "answered_at", "/disputes") if document.get("answered_at") else None
        sentence, answer = free_text(reader, document, "sentence"), free_text(reader, document, "answer")
        reader.finish()
        if document.get("state") not in Dispute.State.values or not sentence:
            raise fault("/disputes", "state", _("A dispute has a sentence, and is open, corrected or declined."))
        player = document.get("player")
        dispute = Dispute.objects.create(
            club=self.club,
            player=known(self.players, player, "player") if player is not None else None,
            sentence=sentence[:500],
            state=document["state"],
            answer=answer[:500],
            answered_at=answered_at,
            **subject,
        )
        Dispute.objects.filter(pk=dispute.pk).update(raised_at=raised_at)

    def payment(self, document: dict[str, Any]) -> None:
        reader = Reader(document)
        amount_minor = reader.whole(document, "amount_minor", "", least=1, most=MOST_MINOR)
        paid_at = reader.time(document, "paid_at", "")
        note, reason = free_text(reader, document, "note"), free_text(reader, document, "reason")
        reader.finish()
        state, was_paid = document.get("state"), document.get("was_paid") is True
        if document.get("payment") not in Payment.Kind.values or state not in Payment.State.values:
            raise fault("/state", "state", _("This is no payment of an export."))
        session = document.get("session")
        one = Wanted(
            uuid.uuid4(),
            self.account(document, "payer"),
            self.account(document, "payee"),
            amount_minor,
            kind=document["payment"],
            session=known(self.sessions, session, "session") if session is not None else None,
            note=note[:NOTE_LENGTH],
            paid_at=paid_at,
            is_pending=not was_paid,
        )
        (payment,) = record_payments(club=self.club, wanted=[one], author=self.owner, accept_more=True)
        if state == Payment.State.CANCELLED:
            cancel_payment(payment=payment, reason=reason, author=self.owner)
        elif (state == Payment.State.PAID) != was_paid:
            raise fault("/was_paid", "state", _("A payment that is paid was paid, and one that is pending was not."))
        for dispute in _disputes(document):
            self.dispute(dispute, payment=payment, session=one.session)

    def account(self, document: dict[str, Any], key: str) -> Account:
        currency, holder = document.get("currency"), document.get(key)
        check_currency(currency if isinstance(currency, str) else "")
        if holder in (Account.Kind.HOUSE, Account.Kind.BANK):
            return ledger.club_account(self.club.pk, str(currency), str(holder))
        return ledger.player_account(known(self.players, holder, key), str(currency))

    def merge(self, document: dict[str, Any]) -> None:
        kept = known(self.players, document.get("kept"), "kept")
        merge = merge_players(kept=kept, merged=known(self.players, document.get("merged"), "merged"))
        if document.get("undone_at") is not None:
            undo_merge(merge=merge)

    def balance(self, document: dict[str, Any]) -> None:
        reader = Reader(document)
        balance_minor = reader.whole(document, "balance_minor", "", least=-(2**62), most=2**62)
        holder, currency = reader.text(document, "holder", ""), reader.text(document, "currency", "")
        reader.finish()
        self.balances[holder, currency] = balance_minor

    def compare_balances(self) -> None:
        """Hold every balance against the file's; the first ones that differ are named."""
        in_file = {str(player.pk): key for key, player in self.players.items()}
        ours: dict[tuple[str, str], int] = {}
        for account in Account.objects.filter(club=self.club).exclude(balance_minor=0):
            key = holder_key(account)
            ours[in_file.get(key, key), account.currency] = account.balance_minor
        differing = sorted(key for key in {*ours, *self.balances} if ours.get(key, 0) != self.balances.get(key, 0))
        if differing:
            named = [
                _("%(name)s: %(theirs)s in the file, %(ours)s here")
                % {
                    "name": self.players[holder].name if holder in self.players else holder,
                    "theirs": format_money(self.balances.get((holder, currency), 0), currency),
                    "ours": format_money(ours.get((holder, currency), 0), currency),
                }
                for holder, currency in differing[:5]
            ]
            words = _("The balances are not those of the file, so nothing was kept. %(named)s.")
            raise fault("", "balances", words % {"named": "; ".join(named)})


def _id(document: dict[str, Any]) -> str:
    key = document.get("id")
    if not isinstance(key, str):
        raise fault("/id", "text", _("id is missing, or is no text."))
    return key


def _disputes(document: dict[str, Any]) -> list[dict[str, Any]]:
    found = document.get("disputes", [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise fault("/disputes", "list", _("disputes is no list of objects."))
    return found
