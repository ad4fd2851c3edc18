"""A club's ledger as a workbook (Balances, Entries, About) and its entries as CSV: one currency, one period."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from babel.numbers import get_currency_name
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from accounts.csv_files import csv_lines
from accounts.models import Account, Transfer
from accounts.money import to_decimal
from hands.models import Session
from settlement import excel
from settlement.entry_sheets import Entry, EntrySheet, kind_words, write_about
from settlement.excel import Column, Sheet
from settlement.models import BookFile
from settlement.payments import holder_name
from settlement.queries import period, tables_of
from settlement.statement_words import book_words, period_words

BLOCK: Final = 2000

Report = Callable[[int, int], None]


def write_ledger(book_file: BookFile, workbook: Path, csv_file: Path, report: Report) -> None:
    """Write both files of the period up to the entry that was the book's head, block by block.

    ``report`` is told after each block how many entries are written, and of how many.
    """
    transfers, before = _transfers(book_file)
    total = transfers.count()
    holders = _holders(book_file)
    foot = book_words(book_file.head_sequence, book_file.head_hash)
    with excel.workbook(workbook) as book, csv_file.open("w", encoding="utf-8", newline="") as csv:
        balances = Sheet(book, _("Balances"), _balance_columns(), frozen_rows=6, foot=foot)
        _write_titles(balances, book_file, total)
        _write_balances(balances, book_file, holders, before, transfers)
        sheet = EntrySheet(book, book_file.currency, book_file.time_zone, foot)
        csv.writelines(csv_lines(_both(sheet, _entries(transfers, holders, total, report), book_file)))
        sheet.close()
        write_about(book, _("About this ledger"), foot, _facts(book_file))


def _transfers(book_file: BookFile) -> tuple[QuerySet[Transfer], QuerySet[Transfer]]:
    """Those of the period, and those that occurred before it. Posted up to the head: nothing of it can change."""
    begin, end = period(book_file.first_day, book_file.last_day, book_file.time_zone)  # type: ignore[arg-type]  # a ledger's file has both
    rows = Transfer.objects.filter(
        club=book_file.club_id, currency=book_file.currency, sequence__lte=book_file.head_sequence
    )
    return rows.filter(occurred_at__gte=begin, occurred_at__lt=end), rows.filter(occurred_at__lt=begin)


@dataclass(frozen=True, order=True)
class Holder:
    """Whose an account is; players come before the club's own."""

    is_clubs: bool
    sorted_as: str
    name: str
    kind: str


def _holders(book_file: BookFile) -> dict[Any, Holder]:
    """By account, read once; a table's is called by its session."""
    accounts = Account.objects.filter(club=book_file.club_id, currency=book_file.currency).select_related("player")
    sessions = Session.objects.filter(club=book_file.club_id, currency=book_file.currency)
    tables = {
        key: f"{table}, {excel.day_of(started_at, book_file.time_zone):%Y-%m-%d}"
        for key, table, started_at in sessions.values_list("pk", "table", "started_at")
    }
    return {
        account.pk: Holder(
            account.player_id is None, name.casefold(), name, str(account.get_kind_display()).capitalize()
        )
        for account in accounts
        for name in [tables.get(account.reference) or holder_name(account)]
    }


def _entries(transfers: QuerySet[Transfer], holders: dict[Any, Holder], total: int, report: Report) -> Iterator[Entry]:
    done = last = 0
    while True:
        block = list(transfers.filter(sequence__gt=last).order_by("sequence")[:BLOCK])
        tables = tables_of(block)
        for one in block:
            debit, credit = holders[one.debit_account_id].name, holders[one.credit_account_id].name
            yield Entry(one, debit, credit, tables.get(one.source_id, ""))
        done += len(block)
        report(done, total)
        if len(block) < BLOCK:
            return
        last = block[-1].sequence


def _both(sheet: EntrySheet, entries: Iterable[Entry], book_file: BookFile) -> Iterator[Sequence[object]]:
    """The rows of the CSV; each entry goes into the sheet as it passes."""
    yield [
        _("Entry"),
        _("Date"),
        _("Posted"),
        _("Kind"),
        _("Debit"),
        _("Credit"),
        _("Session"),
        _("Amount"),
        _("Currency"),
        _("Hash"),
    ]
    for entry in entries:
        sheet.write(entry)
        one = entry.transfer
        yield [
            one.sequence,
            *(excel.minute_of(when, book_file.time_zone).isoformat(" ") for when in (one.occurred_at, one.posted_at)),
            kind_words(one),
            entry.debit,
            entry.credit,
            entry.table,
            to_decimal(one.amount_minor, one.currency),
            one.currency,
            one.hash,
        ]


def _balance_columns() -> list[Column]:
    return [
        Column(_("Holder"), 36),
        Column(_("Kind"), 14),
        Column(_("Opening balance"), 19, excel.RIGHT),
        Column(_("Debits"), 17, excel.RIGHT),
        Column(_("Credits"), 17, excel.RIGHT),
        Column(_("Closing balance"), 19, excel.RIGHT),
    ]


def _write_titles(sheet: Sheet, book_file: BookFile, total: int) -> None:
    sheet.text_row(_("Ledger"), excel.TITLE)
    sheet.text_row(book_file.club.name, excel.BOLD)
    terms = [
        _("%(period)s (%(zone)s)") % {"period": period_words(book_file), "zone": book_file.time_zone},
        get_currency_name(book_file.currency, count=2, locale="en"),
        _("%(count)s entries") % {"count": f"{total:,}"},
    ]
    sheet.text_row(", ".join(terms), excel.QUIET)
    sheet.text_row(_("Above zero the others owe the holder; below zero the holder owes the others."), excel.QUIET)
    sheet.text_row()
    sheet.head()


def _write_balances(
    sheet: Sheet,
    book_file: BookFile,
    holders: dict[Any, Holder],
    before: QuerySet[Transfer],
    within: QuerySet[Transfer],
) -> None:
    """Every account that held something when the period began, or was moved in it; players by name, then the club's."""
    money, flow = excel.money_of(book_file.currency), excel.money_of(book_file.currency, sign=False)
    opening: dict[Any, int] = defaultdict(int)
    for account, amount_minor in _sums(before, "credit_account"):
        opening[account] += amount_minor
    for account, amount_minor in _sums(before, "debit_account"):
        opening[account] -= amount_minor
    debits, credits_ = dict(_sums(within, "debit_account")), dict(_sums(within, "credit_account"))
    shown = {account for account, amount_minor in opening.items() if amount_minor} | {*debits, *credits_}

    def amounts(*sums_minor: int) -> list[tuple[Any, str]]:
        formats = (money, flow, flow, money)
        return [(excel.amount(minor, book_file.currency), one) for minor, one in zip(sums_minor, formats, strict=True)]

    sums = [0, 0, 0, 0]
    for account in sorted(shown, key=lambda account: holders[account]):
        opened, debit, credit = opening[account], debits.get(account, 0), credits_.get(account, 0)
        line = (opened, debit, credit, opened + credit - debit)
        sums = [one + more for one, more in zip(sums, line, strict=True)]
        cells = [sheet.cell(value, number_format=one) for value, one in amounts(*line)]
        holder = holders[account]
        sheet.append([sheet.cell(holder.name), sheet.cell(holder.kind), *cells])
    sheet.filter_to_here()
    sheet.sum_row([(_("Adds up to"), None), (None, None), *amounts(*sums)])


def _sums(rows: QuerySet[Transfer], side: str) -> Iterable[tuple[Any, int]]:
    return (
        (account, int(amount)) for account, amount in rows.order_by().values_list(side).annotate(Sum("amount_minor"))
    )


def _facts(book_file: BookFile) -> Iterator[tuple[str, str]]:
    yield _("Club"), book_file.club.name
    yield _("Period"), f"{period_words(book_file)} ({book_file.time_zone})"
    yield _("Currency"), book_file.currency
    made_at: datetime = book_file.made_at  # type: ignore[assignment]  # it is being made
    yield _("Made at"), excel.minute_of(made_at, book_file.time_zone).isoformat(" ", "minutes")
    yield _("Ledger head"), f"{book_file.head_sequence}: {book_file.head_hash}"
    yield (
        _("Entries"),
        _("An entry moves its amount from debit to credit. It is never edited: what was wrong is reversed."),
    )
    yield (
        _("Balances"),
        _("Credits less debits. All of them together are zero, and so is every table's once it is settled."),
    )
    yield (
        _("Dates"),
        _("An entry is dated when the session's last hand was played; numbers follow the order of writing."),
    )
    yield _("Hash"), _("The beginning of each entry's; the CSV has it whole. Each is worked out from the one before.")
