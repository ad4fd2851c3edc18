"""Sheets that more than one workbook has: entries as lines, and what the workbook is about."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.models import Transfer
from settlement import excel
from settlement.excel import Book, Column, Sheet
from settlement.statement_words import spaced_head


@dataclass(frozen=True)
class Entry:
    """One transfer as a line: from the debit account to the credit account, and whose table caused it."""

    transfer: Transfer
    debit: str
    credit: str
    table: str


def write_about(book: Book, title: str, foot: str, facts: Iterable[tuple[str, str]]) -> None:
    """The last sheet: what the workbook is, a fact a line."""
    width = 100
    columns = [Column("", 24, excel.TOP), Column("", width, excel.WRAPPED)]
    sheet = Sheet(book, _("About"), columns, frozen_rows=1, foot=foot)
    sheet.text_row(title, excel.BOLD)
    for word, value in facts:
        sheet.append([sheet.cell(word, excel.BOLD), sheet.cell(value)], height=15 * (1 + len(value) // width))


class EntrySheet:
    """Entries as lines, and what they move in all."""

    def __init__(self, book: Book, currency: str, time_zone: str, foot: str) -> None:
        self._currency, self._time_zone = currency, time_zone
        # What is moved is no gain or loss: no sign.
        self._money = excel.money_of(currency, sign=False)
        self._total_minor = self._count = 0
        self._sheet = Sheet(book, _("Entries"), _entry_columns(), frozen_rows=1, foot=foot)
        self._sheet.head()

    def write(self, entry: Entry) -> None:
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
        self._sheet.sum_row([empty, empty, (words, None), empty, empty, empty, moved, empty])


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
