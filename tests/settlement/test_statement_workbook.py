"""A statement's workbook is one that every spreadsheet program reads alike, and its CSV says the same."""

import csv
import re
import zipfile
import zoneinfo
from datetime import datetime
from pathlib import Path

import pytest
from django.urls import reverse

from accounts.csv_files import csv_lines
from accounts.models import Transfer
from settlement import excel
from settlement.statement_pages import csv_rows
from tests.deals import ANA, BEN, CHI, play, settle
from tests.names import HOSTILE_NAMES
from tests.office import pdf_of, sheets_in_libreoffice
from tests.statements import ask, assert_adds_up, lines, opened, records

pytestmark = pytest.mark.usefixtures("own_files")

DOLLARS = '+"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00'


@pytest.mark.django_db
def test_the_sheets_are_laid_out_to_be_read_filtered_and_printed(club):
    settle(play(club))
    book = opened(ask(club))
    assert book.sheetnames == ["Statement", "Sessions", "Hands", "Opponents", "About"]
    sheet = book["Statement"]
    assert sheet["A8"].is_date
    assert (sheet["A9"].number_format, sheet["H9"].number_format) == ("d mmm yyyy", DOLLARS)
    assert sheet["G9"].number_format == "+#,##0;−#,##0;0"
    assert sheet.freeze_panes == "A8"
    # From the head to the last line: what it comes to is not filtered away.
    assert sheet.auto_filter.ref == "A7:I10"
    for title in ("Sessions", "Hands", "Opponents"):
        assert (book[title].freeze_panes, book[title].print_title_rows) == ("A2", "$1:$1")
    assert sheet.print_title_rows == "$7:$7"
    # The setups of five others are wider than a page.
    assert book["Hands"].print_area == "'Hands'!$A$1:$L$2"
    for page in book:
        assert (page.page_setup.orientation, page.page_setup.fitToHeight) == ("landscape", 0)
        assert page.sheet_properties.pageSetUpPr.fitToPage
        assert page.page_setup.paperSize == 9
    assert (sheet["A7"].fill.fgColor.rgb, sheet["A7"].font.color.rgb) == ("001D5543", "00FFFFFF")
    # Two lines, their total, and the closing balance.
    assert (sheet["I12"].border.top.style, sheet["I12"].border.bottom.style) == ("thin", "double")


@pytest.mark.django_db
def test_the_header_says_which_statement_it_is_of_what_and_from_when(club):
    settle(play(club))
    statement = ask(club)
    sheet = opened(statement)["Statement"]
    head = Transfer.objects.get(club=club, sequence=3).hash
    made = statement.made_at.astimezone(zoneinfo.ZoneInfo("Asia/Taipei"))
    assert [sheet[f"A{row}"].value for row in range(1, 7)] == [
        "Statement of account",
        "Ana, at Harbour Card Room",
        "1 to 30 November 2026 (Asia/Taipei), US dollars, $0.50 a point",
        f"Statement number 1. Made on {made:%-d %B %Y, %H:%M}. "
        f"Book up to entry 3, head {head[:4]} {head[4:8]} {head[8:12]}.",
        "Above zero the others owe you; below zero you owe the others.",
        None,
    ]


@pytest.mark.django_db
def test_a_loss_is_red_and_its_sign_is_the_formats(club):
    settle(play(club))
    sheet = opened(ask(club, "Ben"))["Statement"]
    assert {sheet[cell].font.color.rgb for cell in ("G9", "H9")} == {"00A6361F"}
    assert sheet["I9"].font.color is None, "a balance is no result of play"
    assert sheet["H9"].value == -10


@pytest.mark.django_db
def test_the_hands_sheet_leads_to_the_cards(club):
    settle(play(club))
    sheet = opened(ask(club, "Ben"))["Hands"]
    assert [cell.value for cell in sheet[2]] == [
        datetime(2026, 11, 26, 20, 4),  # noqa: DTZ001  (12:04 UTC on the clock of Taipei)
        "Thursday table",
        1,
        "2d Ac 4d Qc 8h",
        "As Jh Jd 4c Js",
        "5d",
        "Td 5c",
        "8s 2c Th 7s",
        -40,
        0,
        2,
        "Ana −20, Chi −20",
        "Ana: 7h / 9h Ad / 3c 5s 3s 7d; Chi: Kh / Kd Kc / Qh Qd 9c 9d",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_is_text_in_every_cell_and_never_a_formula(club, name):
    club.name = name
    club.save()
    settle(play(club, [{"Ana": ANA, name: BEN, "Chi": CHI}], table=name))
    for statement in (ask(club), ask(club, name)):
        with zipfile.ZipFile(statement.file.path) as file:
            sheets = [part for part in file.namelist() if part.startswith("xl/worksheets/")]
            assert len(sheets) == 5
            assert not any(re.search(rb"<(\w+:)?f[ />]|t=\"e\"", file.read(part)) for part in sheets)
        for sheet in opened(statement):
            assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}
    book = opened(ask(club))
    assert book["Statement"]["A2"].value == f"Ana, at {name}"
    others = {row[3]: row[1] for row in lines(book["Statement"])[1:]}
    assert others == {name: name, "Chi": name}
    # Ana +20 against the name, +2 against Chi.
    assert book["Hands"]["L2"].value == f"{name} +20, Chi +2"
    assert {row[0].value: row[1].value for row in book["About"].iter_rows(min_row=2)}["Club"] == name
    assert [row["Session"] for row in records(book["Sessions"])] == [name]
    assert {row["Opponent"] for row in records(book["Opponents"])} == {name, "Chi"}
    assert all(row["Points"] in {20, 2} for row in records(book["Opponents"])), "numbers stay numbers"
    table = list(csv.reader("".join(csv_lines(csv_rows(ask(club)))).removeprefix("\ufeff").splitlines()))
    # A formula begins with a quote; a number does not.
    quoted = f"'{name}" if name[0] in "=+-@" else name
    assert {row[3]: row[7] for row in table[2:4]} == {quoted: "10.00", "Chi": "1.00"}


@pytest.mark.django_db
def test_a_sheet_that_is_full_goes_on_in_a_second_one(club, monkeypatch):
    monkeypatch.setattr(excel, "MOST_ROWS", 14)
    settle(play(club, [{"Ana": ANA, "Ben": BEN}] * 20))
    book = opened(ask(club))
    assert book.sheetnames == ["Statement", "Sessions", "Hands", "Hands 2", "Opponents", "About"]
    assert [row["Hand"] for title in ("Hands", "Hands 2") for row in records(book[title])] == list(range(1, 21))


@pytest.mark.office
@pytest.mark.django_db
def test_libreoffice_reads_the_same_as_openpyxl(club, owner):
    settle(play(club, [{"Ana": ANA, '=HYPERLINK("http://x")': BEN}], point_value_minor=10**9 + 1))
    statement = ask(club)
    sheets = sheets_in_libreoffice(Path(statement.file.path))
    assert list(sheets) == ["Statement", "Sessions", "Hands", "Opponents", "About"]
    rows = sheets["Statement"]
    assert [row[3] for row in rows if row[2] == "Session settled"] == ['=HYPERLINK("http://x")']
    # 20 points of $10,000,000.01, as the number format shows it.
    closing = next(row for row in rows if row[2] == "Closing balance")
    assert (closing[0], closing[8]) == ("30 Nov 2026", "+$200,000,000.20")
    assert sheets["Sessions"][1][4:10] == [
        "$10,000,000.01",
        "1",
        "+20",
        "$0.00",
        "$0.00",
        "+$200,000,000.20",
    ]
    assert sheets["Opponents"][1][:5] == ['=HYPERLINK("http://x")', "1", "1", "+20", "+$200,000,000.20"]
    assert_adds_up(statement)
    assert pdf_of(Path(statement.file.path)).startswith(b"%PDF")


@pytest.mark.django_db
def test_the_csv_says_the_same_and_keeps_numbers_numbers(client, club, owner):
    settle(play(club))
    statement = ask(club, "Ben")
    client.force_login(owner)
    answer = client.get(reverse("statement-csv", args=[statement.pk]))
    assert answer["Content-Disposition"].startswith('attachment; filename="statement-1-Ben-2026-11-01-2026-11-30.csv"')
    assert answer.getvalue().decode().split("\r\n") == [
        "\ufeffDate,Session,Entry,With,Reference,Hands,Points,Amount (USD),Balance (USD)",
        "2026-11-01,,Opening balance,,,,,,0.00",
        "2026-11-26,Thursday table,Session settled,Ana,1,1,-20,-10.00,-10.00",
        "2026-11-26,Thursday table,Session settled,Chi,3,1,-20,-10.00,-20.00",
        "2026-11-30,,Closing balance,,,,,,-20.00",
        "",
    ]
