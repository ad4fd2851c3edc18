"""One hand as a document (the format of the API, of imports and of the form) and as a record.

Reading checks everything that can be known without the database: shapes, names, times, money, and the game's
own rules through the scoring core. All faults of a hand are found at once, each with its place.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.money import MOST_MINOR, check_currency
from accounts.names import check_name, clean_name
from hands.scoring import taiwanese
from hands.scoring.cards import JOKERS, UnreadableCard, card_text, parse_cards
from hands.scoring.problems import Problem, Refused
from hands.scoring.taiwanese import ROWS, Rules, Setup

GAME: Final = "taiwanese"
MOST_NUMBER: Final = 10**6
ID_LENGTH: Final = 100


@dataclass(frozen=True)
class Head:
    """What a hand says of its session. ``rules`` are those of ``rule_set`` where that is a name."""

    external_id: str
    table: str
    rule_set: str
    rules: Rules
    point_value_minor: int
    currency: str
    started_at: datetime


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

    def digest(self, number: int) -> str:
        """SHA-256 of the canonical content under that number: what was dealt, to whom, when.

        The cards of a row have no order; those of a board came one after the other.
        """
        content = [
            number,
            self.played_at.astimezone(UTC).isoformat(),
            self.button,
            [list(board) for board in self.boards],
            [
                [
                    seat.number,
                    seat.external_id or str(seat.player_id or seat.name),
                    *(sorted(getattr(seat.setup, row)) for row in ROWS),
                ]
                for seat in sorted(self.seats, key=lambda seat: seat.number)
            ],
        ]
        return hashlib.sha256(json.dumps(content, separators=(",", ":")).encode()).hexdigest()


def say(problem: Problem) -> ValidationError:
    """A problem of the scoring core as a fault, in the reader's language."""
    return fault(problem.pointer, problem.code, _(problem.template).format(**problem.words))


class Reader:
    """Takes values out of a document and keeps every fault with its pointer.

    ``is_typed``: a row may be a text as a person types it, as well as a list of tokens.
    """

    def __init__(self, document: Any, *, is_typed: bool = False) -> None:
        self.is_typed = is_typed
        self.faults: list[ValidationError] = []
        # Jokers named so far: one without a number is the other one.
        self.jokers: set[int] = set()
        self.document = document if isinstance(document, dict) else {}
        if not isinstance(document, dict):
            self.refuse("", "object", _("A hand is a JSON object."))

    def refuse(self, pointer: str, code: str, sentence: str) -> None:
        self.faults.append(fault(pointer, code, sentence))

    def finish(self) -> None:
        """Raise everything that was found."""
        if self.faults:
            raise ValidationError(self.faults)

    def text(self, holder: Mapping[str, Any], key: str, pointer: str, *, needed: bool = True) -> str | None:
        value = holder.get(key)
        where = f"{pointer}/{key}"
        if value is None and not needed:
            return None
        if not isinstance(value, str) or not value.strip():
            self.refuse(where, "text", _("%(key)s is missing, or is no text.") % {"key": key})
            return None
        if len(value) > ID_LENGTH:
            self.refuse(
                where, "text_length", _("%(key)s is longer than %(most)d characters.") % {"key": key, "most": ID_LENGTH}
            )
            return None
        try:
            check_name(value[:1] if len(value) > 60 else value)
        except ValidationError as error:
            self.refuse(where, error.code or "text", error.messages[0])
            return None
        return clean_name(value)

    def name(self, holder: Mapping[str, Any], key: str, pointer: str, *, needed: bool = True) -> str | None:
        value = holder.get(key)
        if value is None and not needed:
            return None
        if not isinstance(value, str):
            self.refuse(f"{pointer}/{key}", "text", _("%(key)s is missing, or is no text.") % {"key": key})
            return None
        try:
            check_name(value)
        except ValidationError as error:
            self.refuse(f"{pointer}/{key}", error.code or "text", error.messages[0])
            return None
        return clean_name(value)

    def whole(
        self, holder: Mapping[str, Any], key: str, pointer: str, *, least: int, most: int, needed: bool = True
    ) -> int | None:
        value = holder.get(key)
        if value is None and not needed:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(
                f"{pointer}/{key}",
                "whole_number",
                _("%(key)s must be a whole number from %(least)d to %(most)d.")
                % {"key": key, "least": least, "most": most},
            )
            return None
        return value

    def time(self, holder: Mapping[str, Any], key: str, pointer: str) -> datetime | None:
        value = holder.get(key)
        where = f"{pointer}/{key}"
        try:
            moment = parse_datetime(value) if isinstance(value, str) and value.isascii() else None
        except ValueError:
            moment = None
        if moment is None:
            self.refuse(where, "time", _("%(key)s must be a time like 2026-11-28T20:41:07+08:00.") % {"key": key})
        elif moment.tzinfo is None:
            self.refuse(where, "time_offset", _("%(value)s has no offset. Add one, such as +08:00.") % {"value": value})
        else:
            try:
                return moment.astimezone(UTC)
            except OverflowError:
                self.refuse(where, "time", _("%(value)s is out of range.") % {"value": value})
        return None

    def row(self, value: Any, pointer: str) -> tuple[int, ...] | None:
        """Cards from a list of tokens, or from what a person typed."""
        if self.is_typed and isinstance(value, str):
            try:
                return self._cards(value)
            except UnreadableCard as error:
                self.card(error.token, pointer)
                return None
        if not isinstance(value, list):
            self.refuse(pointer, "cards", _('Cards must be a list such as ["As", "Kd"].'))
            return None
        cards: list[int] = []
        for place, token in enumerate(value):
            try:
                read = self._cards(token) if isinstance(token, str) else ()
                if len(read) != 1:
                    raise UnreadableCard(str(token))
                cards += read
            except UnreadableCard:
                self.card(str(token), f"{pointer}/{place}")
        return tuple(cards) if len(cards) == len(value) else None

    def _cards(self, text: str) -> tuple[int, ...]:
        cards = parse_cards(text, held=self.jokers)
        self.jokers.update(card for card in cards if card in JOKERS)
        return cards

    def card(self, token: str, pointer: str) -> None:
        shown = token if len(token) <= 12 else token[:12] + "…"
        self.refuse(
            pointer,
            "card",
            _("“%(token)s” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s).")
            % {"token": shown},
        )


def read_head(document: Any, *, named: Mapping[str, Rules] = taiwanese.PRESETS) -> Head:
    """The session that a hand says it belongs to; ``named`` are the rule sets that a name may mean.

    Raises ``ValidationError`` with every fault that was found.
    """
    reader = Reader(document)
    game = reader.document.get("game")
    if game != GAME:
        reader.refuse("/game", "game", _("The game must be “taiwanese”; no other is scored yet."))
    head = reader.document.get("session")
    if not isinstance(head, dict):
        reader.refuse("/session", "object", _("session is missing, or is no object."))
        reader.finish()
        head = {}
    external_id = reader.text(head, "external_id", "/session")
    table = reader.name(head, "table", "/session")
    started_at = reader.time(head, "started_at", "/session")
    name, rules = _read_rule_set(reader, head.get("rule_set", "phenom"), named)
    amount, currency = _read_point_value(reader, head.get("point_value"))
    reader.finish()
    return Head(external_id, table, name, rules, amount, currency, started_at)


def _read_rule_set(reader: Reader, value: Any, named: Mapping[str, Rules]) -> tuple[str, Rules | None]:
    if isinstance(value, str):
        if value not in named:
            reader.refuse(
                "/session/rule_set",
                "rule_set",
                _("There is no rule set “%(name)s”. Known are: %(known)s.")
                % {"name": value[:60], "known": ", ".join(sorted(named))},
            )
        return value, named.get(value)
    if not isinstance(value, dict):
        reader.refuse("/session/rule_set", "rule_set", _("rule_set must be a name or an object of parameters."))
        return "", None
    try:
        rules = Rules.from_parameters(value, pointer="/session/rule_set")
    except Refused as error:
        reader.faults += [say(problem) for problem in error.problems]
        return "", None
    for name, preset in taiwanese.PRESETS.items():
        if preset == rules:
            return name, rules
    digest = hashlib.sha256(json.dumps(rules.parameters(), sort_keys=True).encode()).hexdigest()
    return f"rules {digest[:6]}", rules


def _read_point_value(reader: Reader, value: Any) -> tuple[int | None, str | None]:
    where = "/session/point_value"
    if not isinstance(value, dict):
        reader.refuse(where, "object", _('point_value must be like {"amount_minor": 50, "currency": "USD"}.'))
        return None, None
    currency = value.get("currency")
    try:
        check_currency(currency if isinstance(currency, str) else "")
    except ValidationError as error:
        reader.refuse(f"{where}/currency", "currency", error.messages[0])
        currency = None
    amount = value.get("amount_minor")
    if isinstance(amount, bool) or not isinstance(amount, int) or not 0 < amount <= MOST_MINOR:
        reader.refuse(
            f"{where}/amount_minor",
            "minor_units",
            _("A point's value must be a whole number of minor units above zero; %(amount)s is not.")
            % {"amount": json.dumps(amount)[:40]},
        )
        amount = None
    return amount, currency


def read_deal(document: Any, rules: Rules, *, is_typed: bool = False) -> Deal:
    """The facts of one hand, checked against ``rules``. Raises ``ValidationError`` with every fault found.

    A row is a list of card tokens; where ``is_typed`` it may be a text as a person types it.
    """
    reader = Reader(document, is_typed=is_typed)
    number = reader.whole(reader.document, "number", "", least=1, most=MOST_NUMBER, needed=False)
    external_id = reader.text(reader.document, "external_id", "", needed=False)
    played_at = reader.time(reader.document, "played_at", "")
    button = reader.whole(reader.document, "button", "", least=1, most=rules.seats, needed=False)
    boards = _read_boards(reader, reader.document.get("boards"))
    seats = _read_seats(reader, reader.document.get("seats"), rules)
    if boards is not None and seats is not None:
        found = taiwanese.check(
            rules=rules, boards=boards, seats=[(seat.number, seat.name, seat.setup) for seat in seats]
        )
        reader.faults += [say(problem) for problem in found]
    reader.finish()
    return Deal(
        boards=tuple(boards),
        seats=tuple(seats),
        played_at=played_at,
        button=button,
        number=number,
        external_id=external_id,
    )


def _read_boards(reader: Reader, value: Any) -> list[tuple[int, ...]] | None:
    if not isinstance(value, list):
        reader.refuse("/boards", "boards", _("boards is missing, or is no list."))
        return None
    boards = [reader.row(board, f"/boards/{place}") for place, board in enumerate(value)]
    return [board for board in boards if board is not None] if None not in boards else None


def _read_seats(reader: Reader, value: Any, rules: Rules) -> list[SeatRecord] | None:
    if not isinstance(value, list) or not all(isinstance(seat, dict) for seat in value):
        reader.refuse("/seats", "seats", _("seats is missing, or is no list of objects."))
        return None
    if len(value) > rules.seats:
        # Said before the cards are read, so that a list of a million seats costs nothing.
        reader.refuse(
            "/seats",
            "seat_count",
            _("There are %(count)d seats; these rules allow %(most)d.") % {"count": len(value), "most": rules.seats},
        )
        return None
    seats = []
    for place, seat in enumerate(value):
        pointer = f"/seats/{place}"
        number = reader.whole(seat, "seat", pointer, least=1, most=rules.seats)
        player = seat.get("player")
        if not isinstance(player, dict):
            reader.refuse(f"{pointer}/player", "object", _("player is missing, or is no object."))
            player = {"name": "?"}
        external_id = reader.text(player, "external_id", f"{pointer}/player", needed=False)
        name = reader.name(player, "name", f"{pointer}/player", needed=external_id is None)
        rows = [reader.row(seat.get(row, []), f"{pointer}/{row}") for row in ROWS]
        if number is not None and None not in rows and (name or external_id):
            setup = Setup(*(row for row in rows if row is not None))
            seats.append(SeatRecord(number, name or external_id or "", setup, external_id))
    _refuse_repeats(reader, seats)
    return seats if len(seats) == len(value) else None


def _refuse_repeats(reader: Reader, seats: Sequence[SeatRecord]) -> None:
    for place, seat in enumerate(seats):
        for before in seats[:place]:
            if seat.number == before.number:
                reader.refuse(
                    f"/seats/{place}/seat",
                    "seat_repeated",
                    _("Seat %(number)d is there twice.") % {"number": seat.number},
                )
            elif (seat.external_id or seat.name) == (before.external_id or before.name):
                reader.refuse(
                    f"/seats/{place}/player",
                    "player_repeated",
                    _("%(name)s sits on seat %(one)d and on seat %(other)d of one hand.")
                    % {"name": seat.name, "one": before.number, "other": seat.number},
                )


def cards_column(cards: Sequence[int]) -> str:
    """Cards as they are stored: two characters each, nothing between."""
    return "".join(card_text(card) for card in cards)
