"""PokerNow's ledger, a CSV of stays at one table, as one result for each of its players.

A row is a stay: the chips bought, those taken away, those still on the table, and the difference. Whether a row's
amounts are cents or whole units is a setting of the room, which the file does not say: whoever brings it does.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Final, Literal

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.faults import fault, sayable
from accounts.money import MOST_MINOR, check_currency, exponent, format_money
from accounts.names import check_name, clean_name
from hands.reading import YEARS

Unit = Literal["cents", "whole"]
COLUMNS: Final = (
    "player_nickname",
    "player_id",
    "session_start_at",
    "session_end_at",
    "buy_in",
    "buy_out",
    "stack",
    "net",
)
# Chips put aside by the table's side game; newer ledgers have the column before ``net``.
ESCROW: Final = "nit_escrow"
MOST_ROWS: Final = 2_000
MOST_FAULTS: Final = 20
LONGEST_CELL: Final = 200
ID_LENGTH: Final = 80
_AMOUNT: Final = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,6})?")


@dataclass(frozen=True)
class Stay:
    """One row of the ledger, its amounts in minor units."""

    line: int
    nickname: str
    player_id: str
    started_at: datetime
    ended_at: datetime | None
    net_minor: int


@dataclass(frozen=True)
class Result:
    """What one player won over all stays, under every nickname; the first one is the newest."""

    player_id: str
    nicknames: tuple[str, ...]
    stays: int
    net_minor: int

    @property
    def name(self) -> str:
        return self.nicknames[0]


@dataclass(frozen=True)
class Ledger:
    """A table's results, the largest first; they add up to zero. ``digest`` is of the rows, whatever their order."""

    currency: str
    results: tuple[Result, ...]
    started_at: datetime
    ended_at: datetime
    digest: str
    open_stays: int


def read_ledger(text: str, *, unit: Unit, currency: str) -> Ledger:
    """The results of a ledger. Raises ``ValidationError`` with a sentence for each fault: line, column and what."""
    check_currency(currency)
    rows = _rows(text)
    faults: list[ValidationError] = []
    stays: list[Stay] = []
    seen: dict[tuple[str, str], int] = {}
    for line, cells in rows:
        if (before := seen.setdefault((cells["player_id"], cells["session_start_at"]), line)) != line:
            faults.append(_say(line, "player_id", _("this stay stands in line %(line)d already.") % {"line": before}))
        reader = _Row(line, cells, unit, currency)
        stay = reader.stay()
        faults += reader.faults
        if stay is not None:
            stays.append(stay)
    if faults:
        raise ValidationError(faults[:MOST_FAULTS])
    if difference_minor := sum(stay.net_minor for stay in stays):
        raise fault("/file", "nets_sum", _where_to_look(stays, difference_minor, currency))
    results = _results(stays)
    if len(results) < 2:
        raise fault("/file", "one_player", _("The ledger has one player only; a result needs two or more."))
    return Ledger(
        currency=currency,
        results=results,
        started_at=min(stay.started_at for stay in stays),
        ended_at=max(stay.ended_at or stay.started_at for stay in stays),
        digest=hashlib.sha256(json.dumps(sorted(list(cells.items()) for _line, cells in rows)).encode()).hexdigest(),
        open_stays=sum(stay.ended_at is None for stay in stays),
    )


def _results(stays: Sequence[Stay]) -> tuple[Result, ...]:
    by_player: dict[str, list[Stay]] = {}
    for stay in sorted(stays, key=lambda stay: (stay.started_at, stay.line), reverse=True):
        by_player.setdefault(stay.player_id, []).append(stay)
    results = [
        Result(
            player_id,
            tuple(dict.fromkeys(stay.nickname for stay in mine)),
            len(mine),
            sum(stay.net_minor for stay in mine),
        )
        for player_id, mine in by_player.items()
    ]
    return tuple(sorted(results, key=lambda result: (-result.net_minor, result.player_id)))


def _rows(text: str) -> list[tuple[int, dict[str, str]]]:
    """The rows behind the head, each with the line where it ends and its cells by column."""
    text = text.removeprefix("\ufeff")
    # A spreadsheet that saves the file again may write semicolons or tabs.
    delimiter = max(",;\t", key=text[:LONGEST_CELL].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [column.strip() for column in next(reader, [])]
        if sorted(columns) not in (sorted(COLUMNS), sorted((*COLUMNS, ESCROW))):
            raise fault(
                "/file",
                "no_ledger",
                _("This is no ledger of PokerNow: its first line must name the columns %(columns)s.")
                % {"columns": ", ".join(COLUMNS)},
            )
        rows = list(islice(_cells(reader, columns), MOST_ROWS + 1))
    except csv.Error as error:
        words = {"line": reader.line_num, "what": sayable(str(error), LONGEST_CELL)}
        raise fault("/file", "csv", _("Line %(line)d is not CSV: %(what)s.") % words) from None
    if len(rows) > MOST_ROWS:
        raise fault("/file", "row_count", _("A ledger has at most %(most)d rows.") % {"most": MOST_ROWS})
    if not rows:
        raise fault("/file", "no_rows", _("The ledger has no rows."))
    return rows


def _cells(reader: Iterator[list[str]], columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    for row in reader:
        if not any(cell.strip() for cell in row):
            continue
        line: int = reader.line_num  # type: ignore[attr-defined]  # csv's reader has it
        if len(row) != len(columns):
            words = {"line": line, "count": len(row), "needed": len(columns)}
            sentence = _("Line %(line)d has %(count)d cells; the first line names %(needed)d columns.") % words
            raise fault("/file", "cell_count", sentence)
        yield line, {column: cell.strip() for column, cell in zip(columns, row, strict=True)}


class _Row:
    """Reads one row strictly and keeps what is wrong with it."""

    def __init__(self, line: int, cells: dict[str, str], unit: Unit, currency: str) -> None:
        self.line, self.cells, self.unit, self.currency = line, cells, unit, currency
        self.faults: list[ValidationError] = []

    def refuse(self, column: str, sentence: str) -> None:
        self.faults.append(_say(self.line, column, sentence))

    def stay(self) -> Stay | None:
        cells = self.cells
        try:
            check_name(cells["player_nickname"])
        except ValidationError as error:
            self.refuse("player_nickname", error.messages[0])
        player_id = cells["player_id"]
        if not player_id or len(player_id) > ID_LENGTH or not player_id.isprintable():
            self.refuse("player_id", _("a player's id has 1 to %(most)d visible characters.") % {"most": ID_LENGTH})
        started_at = self.time("session_start_at")
        ended_at = self.time("session_end_at") if cells["session_end_at"] else None
        if started_at and ended_at and ended_at < started_at:
            self.refuse("session_end_at", _("the stay ends before it begins."))
        # An open stay has taken nothing away yet, and a closed one may have nothing on the table.
        buy_in = self.amount("buy_in")
        held = [self.amount(column, needed=False) for column in ("buy_out", "stack", ESCROW)]
        net = self.amount("net", signed=True)
        if self.faults or started_at is None or buy_in is None or net is None:
            return None
        worked_out = sum(amount or 0 for amount in held) - buy_in
        if net != worked_out:
            words = {"net": self.money(net), "worked_out": self.money(worked_out)}
            self.refuse("net", _("it says %(net)s; what was bought and what is there make %(worked_out)s.") % words)
        return Stay(self.line, clean_name(cells["player_nickname"]), player_id, started_at, ended_at, net)

    def money(self, amount_minor: int) -> str:
        return format_money(amount_minor, self.currency, sign=True)

    def time(self, column: str) -> datetime | None:
        text = self.cells[column]
        try:
            moment = parse_datetime(text) if text.isascii() else None
        except ValueError:
            moment = None
        if moment is None or moment.year not in YEARS:
            self.refuse(column, _("“%(text)s” is no time like 2026-11-28T12:41:07.000Z.") % {"text": sayable(text, 40)})
            return None
        if moment.tzinfo is None:
            self.refuse(column, _("%(text)s has no time zone; PokerNow writes a Z at the end.") % {"text": text})
            return None
        return moment.astimezone(UTC)

    def amount(self, column: str, *, needed: bool = True, signed: bool = False) -> int | None:
        """Minor units; an empty cell is nothing, which is a fault where ``needed``."""
        text = self.cells.get(column, "")
        if not text and not needed:
            return None
        shown = sayable(text, 40)
        if not _AMOUNT.fullmatch(text) or (text.startswith("-") and not signed):
            self.refuse(column, _("“%(text)s” is no amount.") % {"text": shown})
            return None
        minor = Decimal(text).scaleb(exponent(self.currency) - (2 if self.unit == "cents" else 0))
        if abs(minor) > MOST_MINOR:
            self.refuse(column, _("%(text)s is too large to be kept.") % {"text": shown})
            return None
        if minor != minor.to_integral_value():
            words = {"text": shown, "currency": self.currency}
            self.refuse(column, _("%(text)s is no whole number of minor units of %(currency)s.") % words)
            return None
        return int(minor)


def _say(line: int, column: str, sentence: str) -> ValidationError:
    words = _("Line %(line)d, %(column)s: %(sentence)s") % {"line": line, "column": column, "sentence": sentence}
    return fault("/file", column, words)


def _where_to_look(stays: Sequence[Stay], difference_minor: int, currency: str) -> str:
    """The nets do not add up to zero: by how much, and the lines where that may come from."""
    amount = format_money(difference_minor, currency, sign=True)
    sentence = _("The nets add up to %(amount)s, not to zero.") % {"amount": amount}
    if same := [stay for stay in stays if stay.net_minor == difference_minor]:
        places = _lines(same)
        return (
            f"{sentence} {_('Just that is the net of: %(places)s. Is it there once too often?') % {'places': places}}"
        )
    if still_open := [stay for stay in stays if stay.ended_at is None]:
        places = _lines(still_open)
        words = _("Look at the stays that have no end yet: %(places)s. Or a row is missing.") % {"places": places}
        return f"{sentence} {words}"
    return f"{sentence} {_('A row is missing, or was changed by hand; export the ledger again.')}"


def _lines(stays: Sequence[Stay]) -> str:
    named = [_("%(name)s (line %(line)d)") % {"name": stay.nickname, "line": stay.line} for stay in stays[:10]]
    return ", ".join(named) + (", …" if len(stays) > len(named) else "")
