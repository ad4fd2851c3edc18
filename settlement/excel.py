"""Workbooks. The only place that knows openpyxl, and the one that knows its traps.

Write-only mode keeps memory flat; so widths, panes and print settings come before the first row. Text goes in
as text whatever it begins with, times go in without a zone, and what a sheet cannot hold is replaced.
"""

import re
import zoneinfo
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.cell import Cell, WriteOnlyCell
from openpyxl.cell.cell import TYPE_STRING
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter

from accounts.money import exponent, to_decimal

FELT: Final = "1D5543"
LOSS: Final = "A6361F"
INK_2: Final = "4C5A53"
# The paper of ECMA-376: 9 is A4.
A4: Final = 9
LONGEST_TEXT: Final = 32_767
# What XML 1.0 or Excel cannot hold: control characters, surrogates, the two non-characters.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

TITLE = Font(name="Calibri", size=18, bold=True, color=FELT)
BOLD = Font(name="Calibri", size=11, bold=True)
PLAIN = Font(name="Calibri", size=11)
QUIET = Font(name="Calibri", size=11, color=INK_2)
RED = Font(name="Calibri", size=11, color=LOSS)
HEAD = Font(name="Calibri", size=11, bold=True, color="FFFFFF")
HEAD_FILL = PatternFill("solid", fgColor=FELT)
CLOSING = Border(top=Side(style="thin"), bottom=Side(style="double"))
RIGHT = Alignment(horizontal="right", vertical="center")
LEFT = Alignment(horizontal="left", vertical="center")
# A text that follows a column of numbers keeps clear of them.
CLEAR = Alignment(horizontal="left", vertical="center", indent=1)
HEAD_HEIGHT: Final = 22

POINTS: Final = "+#,##0;\N{MINUS SIGN}#,##0;0"
DAY: Final = "d mmm yyyy"


@dataclass(frozen=True)
class Column:
    title: str
    width: float
    alignment: Alignment = LEFT


def money_format(currency: str, symbol: str, *, sign: bool = True) -> str:
    """Excel's number format for the currency: its own decimals, the sign before the symbol, U+2212 below zero."""
    decimals = "." + "0" * exponent(currency) if exponent(currency) else ""
    number = f'"{symbol}"#,##0{decimals}'
    return f"{'+' if sign else ''}{number};\N{MINUS SIGN}{number};{number}"


def writable(text: str) -> str:
    """The text as a cell can hold it, whole: what cannot be written becomes U+FFFD; beyond the limit it ends in …"""
    clean = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return clean if len(clean) <= LONGEST_TEXT else clean[: LONGEST_TEXT - 1] + "…"


class Sheet:
    """One sheet in write-only mode: layout first, then rows."""

    def __init__(
        self, book: Workbook, title: str, columns: Sequence[Column], *, frozen_rows: int, foot: str = ""
    ) -> None:
        self.sheet = book.create_sheet(title)
        self.columns = columns
        for place, column in enumerate(columns, start=1):
            self.sheet.column_dimensions[get_column_letter(place)].width = column.width
        self.sheet.freeze_panes = f"A{frozen_rows + 1}"
        self.sheet.print_title_rows = f"{frozen_rows}:{frozen_rows}"
        self.sheet.page_setup.orientation = "landscape"
        self.sheet.page_setup.paperSize = A4
        self.sheet.page_setup.fitToHeight = 0
        self.sheet.sheet_properties.pageSetUpPr.fitToPage = True
        self.sheet.oddFooter.left.text = foot.replace("&", "&&")
        self.sheet.oddFooter.right.text = _("Page &P of &N")
        self.rows = 0

    def cell(self, value: Any, font: Font = PLAIN, number_format: str | None = None) -> Cell:
        if isinstance(value, str):
            # The type is set after the value: openpyxl takes a leading "=" for a formula.
            cell = WriteOnlyCell(self.sheet, value=writable(value))
            cell.data_type = TYPE_STRING
        else:
            cell = WriteOnlyCell(self.sheet, value=value)
        cell.font = font
        if number_format:
            cell.number_format = number_format
        return cell

    def append(self, cells: Sequence[Cell], *, height: float | None = None) -> None:
        """Write the next row; each cell keeps to its column's side, but for a text that stands alone."""
        for column, cell in zip(self.columns, cells, strict=False):
            if len(cells) > 1:
                cell.alignment = column.alignment
        self.rows += 1
        if height is not None:
            self.sheet.row_dimensions[self.rows].height = height
        self.sheet.append(list(cells))

    def text_row(self, text: str = "", font: Font = PLAIN) -> None:
        self.append([self.cell(text, font)] if text else [])

    def head(self) -> None:
        cells = []
        for column in self.columns:
            cell = self.cell(column.title, HEAD)
            cell.fill = HEAD_FILL
            cells.append(cell)
        self.append(cells, height=HEAD_HEIGHT)
        self.head_row = self.rows

    def filter_to_here(self) -> None:
        """Put the filter on the table from its head to the last row."""
        last = get_column_letter(len(self.columns))
        self.sheet.auto_filter.ref = f"A{self.head_row}:{last}{self.rows}"


@contextmanager
def workbook(path: Path) -> Iterator[Workbook]:
    """A new workbook, written to ``path`` when the block ends well: whole or not at all, and nothing besides."""
    book = Workbook(write_only=True)
    book.properties.creator = "Homerun"
    part = path.with_suffix(".part")
    try:
        yield book
        book.save(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
        for sheet in book.worksheets:
            _drop_rows(sheet)


def _drop_rows(sheet: Any) -> None:
    """Remove the temporary file of a sheet's rows, which openpyxl keeps until the process ends if a save fails."""
    if sheet._writer is None:
        return
    for rows in (sheet._rows, sheet._writer.xf):
        if rows is not None:
            with suppress(Exception):
                rows.close()
    Path(sheet._writer.out).unlink(missing_ok=True)


def day_of(moment: datetime, time_zone: str) -> Any:
    """The calendar day of a moment in that zone: a real date, which is all that Excel can hold."""
    return moment.astimezone(zoneinfo.ZoneInfo(time_zone)).date()


def minute_of(moment: datetime, time_zone: str) -> datetime:
    """The wall-clock time of a moment in that zone, without the zone (Excel has none)."""
    return moment.astimezone(zoneinfo.ZoneInfo(time_zone)).replace(tzinfo=None, microsecond=0)


def amount(amount_minor: int, currency: str) -> Decimal:
    return to_decimal(amount_minor, currency)
