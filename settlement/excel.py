"""Workbooks. The only place that knows openpyxl, and the one that knows its traps.

Write-only mode keeps memory flat; so widths, panes and print settings come before the first row. Text goes in
as text whatever it begins with, times go in without a zone, and what XML cannot hold is replaced. What is longer
than a cell stands whole on a sheet of its own, and a sheet that is full goes on in a second one.
"""

import re
import zoneinfo
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from babel.numbers import get_currency_symbol
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
# Excel's own limits: of a cell's text and of a sheet's title, in UTF-16 units, and of a sheet's rows.
LONGEST_TEXT: Final = 32_767
LONGEST_TITLE: Final = 31
MOST_ROWS: Final = 1_048_576
# What XML 1.0 or Excel cannot hold: control characters, surrogates, the two non-characters.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# In a cell "_x0041_" is read as the letter A (ECMA-376, ST_Xstring), unless its first sign is written that way itself.
_ESCAPE: Final = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_NO_TITLE: Final = re.compile(r"[\[\]:*?/\\]")

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
# A text that is longer than its column is wide goes on below.
TOP = Alignment(horizontal="left", vertical="top")
WRAPPED = Alignment(horizontal="left", vertical="top", wrap_text=True)
HEAD_HEIGHT: Final = 22

POINTS: Final = "+#,##0;\N{MINUS SIGN}#,##0;0"
DAY: Final = "d mmm yyyy"
MINUTE: Final = "d mmm yyyy hh:mm"


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


def money_of(currency: str, *, sign: bool = True) -> str:
    """The number format with the symbol that the currency has in English, as everything in a workbook."""
    return money_format(currency, get_currency_symbol(currency, "en"), sign=sign)


def writable(text: str) -> str:
    """The text as a cell can hold it: what cannot be written becomes U+FFFD, a carriage return a line's end."""
    clean = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _ESCAPE.sub("_x005F_", clean)


def free_title(title: str, taken: Sequence[str]) -> str:
    """The title as a sheet can have it beside those that are taken: 31 units, none of ``[]:*?/\\``, no case twice."""
    clean = _cut(_NO_TITLE.sub("-", _UNWRITABLE.sub("-", title)), LONGEST_TITLE).strip("' ") or "Sheet"
    # Excel keeps "History" for itself.
    folded = {one.casefold() for one in taken} | {"history"}
    found, number = clean, 1
    while found.casefold() in folded:
        number += 1
        ending = f" {number}"
        found = _cut(clean, LONGEST_TITLE - len(ending)) + ending
    return found


def _units(text: str) -> int:
    """How long Excel finds a text: a sign beyond the first 65,536 counts twice."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def _cut(text: str, most: int) -> str:
    """The beginning of a text that has at most so many units."""
    text = text[:most]
    while _units(text) > most:
        text = text[:-1]
    return text


class Book(Workbook):
    """A workbook in write-only mode, and what its sheets share."""

    def __init__(self) -> None:
        super().__init__(write_only=True)
        self.properties.creator = "Homerun"
        # Finding a style anew for every cell would take most of a long sheet's time.
        self.styles: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        # Texts beyond what a cell holds, each with the title of its sheet.
        self.long_texts: list[tuple[str, str]] = []


class Sheet:
    """One sheet in write-only mode: layout first, then rows. After the last row that fits it goes on in a second."""

    def __init__(
        self,
        book: Book,
        title: str,
        columns: Sequence[Column],
        *,
        frozen_rows: int,
        foot: str = "",
        printed: int | None = None,
    ) -> None:
        """``printed``: how many of the columns go on paper, of a sheet that ends with its table; if not said, all."""
        self.book, self.title, self.columns, self.foot, self.printed = book, title, columns, foot, printed
        self.head_row = 0
        self._begin(frozen_rows)

    def _begin(self, frozen_rows: int) -> None:
        self.sheet = self.book.create_sheet(free_title(self.title, self.book.sheetnames))
        for place, column in enumerate(self.columns, start=1):
            self.sheet.column_dimensions[get_column_letter(place)].width = column.width
        self.sheet.freeze_panes = f"A{frozen_rows + 1}"
        self.sheet.print_title_rows = f"{frozen_rows}:{frozen_rows}"
        self.sheet.page_setup.orientation = "landscape"
        self.sheet.page_setup.paperSize = A4
        self.sheet.page_setup.fitToHeight = 0
        self.sheet.sheet_properties.pageSetUpPr.fitToPage = True
        # openpyxl looks at every cell again, by way of an exception: a quarter of a long sheet's time.
        self.sheet._values_to_row = _placed
        self.sheet.oddFooter.left.text = self.foot.replace("&", "&&")
        self.sheet.oddFooter.right.text = _("Page &P of &N")
        self.rows = 0

    def _go_on(self) -> None:
        """Begin the next sheet, with the same head."""
        has_head = bool(self.head_row)
        if has_head:
            self.filter_to_here()
        self._begin(1)
        if has_head:
            self.head()

    def cell(self, value: Any, font: Font = PLAIN, number_format: str | None = None) -> Cell:
        cell = WriteOnlyCell(self.sheet)
        if isinstance(value, str):
            # Not by its property: openpyxl takes a leading "=" for a formula and cuts what is long.
            cell._value = self._fitting(value)
            cell.data_type = TYPE_STRING
        else:
            cell.value = value
        key = (id(font), number_format, type(value))
        if key not in self.book.styles:
            cell.font = font
            if number_format:
                cell.number_format = number_format
            # The font is kept beside its style, so that no other one can get its id.
            self.book.styles[key] = (font, copy(cell._style))
        cell._style = copy(self.book.styles[key][1])
        return cell

    def _fitting(self, text: str) -> str:
        """The text as its cell holds it, or its beginning and where all of it stands."""
        written = writable(text)
        if len(written) * 2 <= LONGEST_TEXT or _units(written) <= LONGEST_TEXT:
            return written
        self.book.long_texts.append((self.sheet.title, text))
        row = len(self.book.long_texts) + 1
        where = _("… (all of it on the sheet “%(sheet)s”, row %(row)d)") % {"sheet": _("Long texts"), "row": row}
        return _cut(written, LONGEST_TEXT - _units(where)) + where

    def append(self, cells: Sequence[Cell], *, height: float | None = None) -> None:
        """Write the next row; each cell keeps to its column's side, but for a text that stands alone."""
        if self.rows == MOST_ROWS:
            self._go_on()
        if len(cells) > 1:
            for column, cell in zip(self.columns, cells, strict=False):
                self._align(cell, column.alignment)
        self.rows += 1
        if height is not None:
            self.sheet.row_dimensions[self.rows].height = height
        self.sheet.append(list(cells))
        # It is written by now; kept for every row it would be most of a long sheet's memory.
        self.sheet.row_dimensions.pop(self.rows, None)

    def _align(self, cell: Cell, alignment: Alignment) -> None:
        key = (id(alignment), bytes(cell._style))
        if key not in self.book.styles:
            cell.alignment = alignment
            self.book.styles[key] = (alignment, cell._style)
        cell._style = self.book.styles[key][1]

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

    def close_table(self, cells: Sequence[Cell]) -> None:
        """The bookkeeper's end of a table: a row under a thin rule and over a double one."""
        for cell in cells:
            cell.border = CLOSING
        self.append(cells, height=HEAD_HEIGHT)

    def sum_row(self, values: Sequence[tuple[Any, str | None]]) -> None:
        """End the table with these values, each with its number format."""
        self.close_table([self.cell(value, BOLD, number_format) for value, number_format in values])

    def filter_to_here(self) -> None:
        """Put the filter on the table from its head to the last row."""
        last = get_column_letter(len(self.columns))
        self.sheet.auto_filter.ref = f"A{self.head_row}:{last}{self.rows}"
        if self.printed:
            self.sheet.print_area = f"A1:{get_column_letter(self.printed)}{self.rows}"


def _placed(cells: Sequence[Cell], row: int) -> Iterator[Cell]:
    for column, cell in enumerate(cells, start=1):
        cell.row, cell.column = row, column
        yield cell


@contextmanager
def workbook(path: Path) -> Iterator[Book]:
    """A new workbook, written to ``path`` when the block ends well: whole or not at all, and nothing besides."""
    book = Book()
    part = path.with_suffix(".part")
    try:
        yield book
        _write_long_texts(book)
        book.save(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
        for sheet in book.worksheets:
            _drop_rows(sheet)


def _write_long_texts(book: Book) -> None:
    """Every text that no cell holds, whole: one a row, in as many cells as it needs."""
    if not book.long_texts:
        return
    sheet = Sheet(book, _("Long texts"), [Column(_("Sheet"), 24), Column(_("Text"), 80)], frozen_rows=1)
    sheet.head()
    # Two units a sign at most, so that every piece fits.
    size = LONGEST_TEXT // 2
    for title, text in book.long_texts:
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        sheet.append([sheet.cell(title), *(sheet.cell(piece) for piece in pieces)])


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
