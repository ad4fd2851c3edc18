"""What the workbooks of the books share: entries as lines, sums, money, the words about a book."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from babel.numbers import get_currency_symbol
from django.utils.translation import gettext as _

from accounts.models import Transfer
from settlement import excel
from settlement.excel import Column, Sheet
from settlement.statement_workbook import spaced_head

# What a sheet of Excel holds; three of them are the head, the sum, and one to spare.
MOST_ROWS: Final = 1_048_576 - 3


@dataclass(frozen=True)
class Entry:
    """One transfer as a line: from the debit account to the credit account, and whose table caused it."""

    transfer: Transfer
    debit: str
    credit: str
    table: str


def book_words(sequence: int, head: str) -> str:
    words = {"entry": f"{sequence:,}", "head": spaced_head(head)}
    return _("Book up to entry %(entry)s, head %(head)s.") % words


def write_about(book: Any, title: str, foot: str, facts: Iterable[tuple[str, str]]) -> None:
    """The last sheet: what the workbook is, a fact a line."""
    sheet = Sheet(book, _("About"), [Column("", 24), Column("", 90)], frozen_rows=1, foot=foot)
    sheet.text_row(title, excel.BOLD)
    for word, value in facts:
        sheet.append([sheet.cell(word, excel.BOLD), sheet.cell(value)])


def money_of(currency: str, *, sign: bool = True) -> str:
    return excel.money_format(currency, get_currency_symbol(currency, "en"), sign=sign)


def sum_row(sheet: Sheet, values: Sequence[tuple[Any, str | None]]) -> None:
    """The bookkeeper's end of a table: values with their number formats, under a thin rule and over a double one."""
    cells = [sheet.cell(value, excel.BOLD, number_format) for value, number_format in values]
    for cell in cells:
        cell.border = excel.CLOSING
    sheet.append(cells, height=excel.HEAD_HEIGHT)


class EntrySheets:
    """Entries as lines; where a sheet is full, they go on in another."""

    def __init__(self, book: Any, currency: str, time_zone: str, foot: str) -> None:
        self._book, self._currency, self._time_zone, self._foot = book, currency, time_zone, foot
        # What is moved is no gain or loss: no sign.
        self._money = money_of(currency, sign=False)
        self._total_minor = self._count = self._sheets = 0
        self._open()

    def _open(self) -> None:
        self._sheets += 1
        title = _("Entries") if self._sheets == 1 else _("Entries %(number)d") % {"number": self._sheets}
        self._sheet = Sheet(self._book, title, _entry_columns(), frozen_rows=1, foot=self._foot)
        self._sheet.head()

    def write(self, entry: Entry) -> None:
        if self._sheet.rows > MOST_ROWS:
            self._sheet.filter_to_here()
            self._open()
        sheet, one = self._sheet, entry.transfer
        sheet.append(
            [
                sheet.cell(one.sequence, number_format="#,##0"),
                sheet.cell(excel.day_of(one.occurred_at, self._time_zone), number_format=excel.DAY),
                sheet.cell(kind_words(one)),
                sheet.cell(entry.debit),
                sheet.cell(entry.credit),
                sheet.cell(entry.table),
                sheet.cell(excel.amount(one.amount_minor, self._currency), number_format=self._money),
                sheet.cell(spaced_head(one.hash)),
            ]
        )
        self._total_minor += one.amount_minor
        self._count += 1

    def close(self) -> None:
        self._sheet.filter_to_here()
        words = _("%(count)s entries") % {"count": f"{self._count:,}"}
        moved = (excel.amount(self._total_minor, self._currency), self._money)
        empty = (None, None)
        sum_row(self._sheet, [empty, empty, (words, None), empty, empty, empty, moved, empty])


def _entry_columns() -> list[Column]:
    return [
        Column(_("Entry"), 9, excel.RIGHT),
        Column(_("Date"), 13, excel.CLEAR),
        Column(_("Kind"), 18),
        Column(_("Debit"), 24),
        Column(_("Credit"), 24),
        Column(_("Session"), 24),
        Column(_("Amount"), 16, excel.RIGHT),
        Column(_("Hash"), 18, excel.CLEAR),
    ]


def kind_words(transfer: Transfer) -> str:
    return str(transfer.get_kind_display()).capitalize()
