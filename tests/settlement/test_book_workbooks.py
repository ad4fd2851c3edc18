"""Workbooks of a session and of the ledger are ones that every spreadsheet program reads alike."""

import csv
import io
import re
import shutil
import subprocess
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook

from hands.models import Session
from settlement import book_files
from tests.deals import ANA, BEN, CHI, play, settle
from tests.names import HOSTILE_NAMES
from tests.settlement.book_files import ledger_of, opened, rows_of, session_book, values, written

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
BOTH = pytest.mark.both_databases
DOLLARS = '+"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00'


@BOTH
@pytest.mark.parametrize(
    ("currency", "value", "number_format", "amount", "told"),
    [
        # 20 points of 100 yen, which have no decimals.
        ("JPY", 100, '"¥"#,##0;−"¥"#,##0;"¥"#,##0', "2000", "2000"),
        # 20 points of 0.001 dinar, of which a thousand are one.
        ("KWD", 1, '"KWD"#,##0.000;−"KWD"#,##0.000;"KWD"#,##0.000', "0.02", "0.020"),
        # 20 points of 100,000,000,000.07 dollars: nothing is rounded.
        ("USD", 10**13 + 7, '"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00', "2000000000001.4", "2000000000001.40"),
    ],
)
def test_amounts_are_the_ledgers_in_the_currencys_own_decimals(club, currency, value, number_format, amount, told):
    session = play(club, [{"Ana": ANA, "Ben": BEN}], currency=currency, point_value_minor=value)
    settle(session)
    session.refresh_from_db()
    found = ledger_of(club, currency)
    for book in (opened(found), session_book(session)):
        cell = book["Entries"]["G2"]
        assert (Decimal(str(cell.value)), cell.number_format) == (Decimal(amount), number_format)
    assert rows_of(written(found))[1][7] == told
    balances = opened(found)["Balances"]
    assert [Decimal(str(balances[f"F{row}"].value)) for row in (7, 8)] == [Decimal(amount), -Decimal(amount)]


def test_sheets_are_laid_out_to_be_read_filtered_and_printed(club):
    session = play(club)
    settle(session)
    session.refresh_from_db()
    for book, first, head_row in ((session_book(session), "Scoreboard", 5), (opened(ledger_of(club)), "Balances", 6)):
        sheet = book[first]
        assert sheet.freeze_panes == f"A{head_row + 1}"
        assert sheet.print_title_rows == f"${head_row}:${head_row}"
        assert (sheet[f"A{head_row}"].fill.fgColor.rgb, sheet["A1"].font.color.rgb) == ("001D5543", "001D5543")
        # From the head to the last line: the sum is not filtered away.
        assert re.fullmatch(rf"A{head_row}:[A-H]{head_row + 3}", sheet.auto_filter.ref)
        for page in book:
            assert (page.page_setup.orientation, page.page_setup.fitToHeight) == ("landscape", 0)
            assert page.sheet_properties.pageSetUpPr.fitToPage
        last = sheet.cell(head_row + 4, 3)
        assert (last.border.top.style, last.border.bottom.style) == ("thin", "double")
    board = session_book(session)["Scoreboard"]
    assert (board["F8"].number_format, board["F8"].font.color.rgb) == (DOLLARS, "00A6361F")


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_is_text_in_every_cell_and_never_a_formula(club, name):
    club.name = name
    club.save()
    session = play(club, [{"Ana": ANA, name: BEN, "Chi": CHI}], table=name)
    settle(session)
    session.refresh_from_db()
    found = ledger_of(club)
    for raw in (book_files.workbook_at_once(session), Path(found.workbook.path).read_bytes()):
        with zipfile.ZipFile(io.BytesIO(raw)) as file:
            sheets = [part for part in file.namelist() if part.startswith("xl/worksheets/")]
            assert not any(re.search(rb"<(\w+:)?f[ />]|t=\"e\"", file.read(part)) for part in sheets)
        for sheet in load_workbook(io.BytesIO(raw)):
            assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}
    book = session_book(session)
    assert book["Scoreboard"]["A1"].value == book["Scoreboard"]["B8"].value == book["Points"]["D1"].value == name
    # Of the name's 20 points to Ana and to Chi each.
    assert [name, "Ana", name] in [row[3:6] for row in values(opened(found)["Entries"])]
    # In CSV what looks like a formula has a quote before it; everything else is as it is.
    told = f"'{name}" if name[0] in "=+-@" else name
    assert rows_of(book_files.csv_at_once(session).decode())[2][5] == told
    assert [told, "Ana", told] in [row[4:7] for row in rows_of(written(found))]


@pytest.mark.office
def test_libreoffice_reads_the_same_sums(club, tmp_path):
    settle(play(club, [{"Ana": ANA, '=HYPERLINK("http://x")': BEN}], point_value_minor=10**9 + 1))
    session = Session.objects.get()
    path = tmp_path / "session.xlsx"
    path.write_bytes(book_files.workbook_at_once(session))
    ledger = tmp_path / "ledger.xlsx"
    shutil.copy(ledger_of(club).workbook.path, ledger)
    # Comma, double quote, UTF-8, from line 1; numbers as the cells show them, no formulas, every sheet a file.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", tmp_path, path, ledger]
    subprocess.run(command, check=True, capture_output=True, timeout=120)

    def read(name: str) -> list[list[str]]:
        with (tmp_path / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    # 20 points of $10,000,000.01, as the number formats show it.
    amount = "$200,000,000.20"
    assert read("session-Scoreboard")[5:7] == [
        ["1", "Ana", "1", "+20", f"+{amount}", f"+{amount}"],
        ["2", '=HYPERLINK("http://x")', "1", "−20", f"−{amount}", f"−{amount}"],
    ]
    assert read("session-Money")[2] == ['=HYPERLINK("http://x")', f"−{amount}", "", f"−{amount}"]
    balances = read("ledger-Balances")
    assert balances[6:9] == [
        ['=HYPERLINK("http://x")', "Player", "$0.00", amount, "$0.00", f"−{amount}"],
        ["Ana", "Player", "$0.00", "$0.00", amount, f"+{amount}"],
        ["Adds up to", "", "$0.00", amount, amount, "$0.00"],
    ]
    assert read("ledger-Entries")[1][1:7] == [
        "26 Nov 2026",
        "Session settled",
        '=HYPERLINK("http://x")',
        "Ana",
        "Thursday table",
        amount,
    ]
