"""Workbooks: what a cell, a title and a sheet can hold, and that nothing is left behind when one fails."""

import tempfile
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from settlement import excel
from tests.office import sheets_in_libreoffice

DOLLARS = '+"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00'


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Ana\x00\x1f\x0b", "Ana\ufffd\ufffd\ufffd"),
        ("lone \ud83d", "lone \ufffd"),
        ("\ufffe\uffff", "\ufffd\ufffd"),
        ("kept\ttab\nline", "kept\ttab\nline"),
        ("🂡 Ana 👩‍👩‍👧 עדה", "🂡 Ana 👩‍👩‍👧 עדה"),
        ("x" * 32_767, "x" * 32_767),
        # What a spreadsheet program would read as an escape of the letter A.
        ("_x0041_ _x1_", "_x005F_x0041_ _x1_"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_what_a_cell_cannot_hold_is_replaced_and_seen(text, held):
    assert excel.writable(text) == held


def write_texts(path: Path, texts: list[str]) -> None:
    with excel.workbook(path) as book:
        sheet = excel.Sheet(book, "Texts", [excel.Column("", 10)], frozen_rows=1)
        for text in texts:
            sheet.append([sheet.cell(text)])


TEXTS = [
    '=HYPERLINK("http://x")',
    "=1+1",
    "+1",
    "-2+3",
    "@x",
    "#N/A",
    "#REF!",
    "A.B",
    "Big C (host)",
    "Alex, Jr.",
    "🐟",
    "\u202eעדה\u202c",
    "007",
    "1e5",
    "2026-11-26",
    "TRUE",
    " ends ",
    "a\nb",
    "_x0041_",
]


def test_text_goes_through_a_file_unchanged(tmp_path):
    write_texts(tmp_path / "texts.xlsx", [*TEXTS[:-1], "\x00", "\ud800\ufffe"])
    cells = [row[0] for row in load_workbook(tmp_path / "texts.xlsx")["Texts"].iter_rows()]
    assert [cell.value for cell in cells] == [*TEXTS[:-1], "\ufffd", "\ufffd\ufffd"]
    assert {cell.data_type for cell in cells} == {"s"}


@pytest.mark.office
def test_libreoffice_reads_every_text_as_it_was(tmp_path):
    write_texts(tmp_path / "texts.xlsx", TEXTS)
    assert [row[0] for row in sheets_in_libreoffice(tmp_path / "texts.xlsx")["Texts"]] == TEXTS


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("x" * 40_000, ["x" * 16_383, "x" * 16_383, "x" * 7_234]),
        # Each fish counts twice in a cell: 32,768 are one too many.
        ("🐟" * 16_384, ["🐟" * 16_383, "🐟"]),
    ],
)
def test_a_text_beyond_a_cell_stands_whole_on_a_sheet_of_its_own(tmp_path, text, pieces):
    write_texts(tmp_path / "texts.xlsx", ["short", text])
    book = load_workbook(tmp_path / "texts.xlsx")
    cell = book["Texts"]["A2"].value
    assert cell.endswith(text[0] + "… (all of it on the sheet “Long texts”, row 2)")
    assert len(cell.encode("utf-16-le")) // 2 <= 32_767
    assert [cell.value for cell in book["Long texts"][2]] == ["Texts", *pieces]


def test_the_longest_text_of_a_cell_stays_in_it(tmp_path):
    write_texts(tmp_path / "texts.xlsx", ["x" * 32_767])
    book = load_workbook(tmp_path / "texts.xlsx")
    assert (book.sheetnames, book["Texts"]["A1"].value) == (["Texts"], "x" * 32_767)


@pytest.mark.parametrize(
    ("title", "taken", "given"),
    [
        ("bob", ["Bob"], "bob 2"),
        ("BOB", ["Bob", "bob 2"], "BOB 3"),
        ("x" * 40, [], "x" * 31),
        ("x" * 40, ["x" * 31], "x" * 29 + " 2"),
        ("🐟" * 20, [], "🐟" * 15),
        ("a/b", [], "a-b"),
        ("[a]:b*?\\", ["-a--b---"], "-a--b--- 2"),
        ("'quoted'", [], "quoted"),
        ("", [], "Sheet"),
        ("History", [], "History 2"),
        ("\x00", [], "-"),
    ],
)
def test_a_sheet_gets_a_title_that_every_program_takes(title, taken, given):
    assert excel.free_title(title, taken) == given


@pytest.mark.office
def test_titles_that_collide_are_sheets_of_their_own(tmp_path):
    path = tmp_path / "titles.xlsx"
    with excel.workbook(path) as book:
        for title in ("Bob", "bob", "y" * 40, "a/b"):
            excel.Sheet(book, title, [excel.Column("", 10)], frozen_rows=1).text_row(title)
    found = {title: rows[0][0] for title, rows in sheets_in_libreoffice(path).items()}
    assert found == {"Bob": "Bob", "bob 2": "bob", "y" * 31: "y" * 40, "a-b": "a/b"}


def test_a_full_sheet_goes_on_in_a_second_one_with_the_same_head(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "MOST_ROWS", 4)
    with excel.workbook(tmp_path / "long.xlsx") as book:
        columns = [excel.Column("Hand", 10, excel.RIGHT), excel.Column("Top", 10)]
        sheet = excel.Sheet(book, "Hands", columns, frozen_rows=2)
        sheet.text_row("All hands", excel.TITLE)
        sheet.head()
        for number in range(1, 7):
            sheet.append([sheet.cell(number), sheet.cell("As")])
        sheet.filter_to_here()
    book = load_workbook(tmp_path / "long.xlsx")
    assert book.sheetnames == ["Hands", "Hands 2", "Hands 3"]
    # Four rows each: title, head and two hands; then the head and three; then the head and what is left.
    numbers = [[row[0].value for row in book[title].iter_rows()] for title in book.sheetnames]
    assert numbers == [["All hands", "Hand", 1, 2], ["Hand", 3, 4, 5], ["Hand", 6]]
    assert [sheet.auto_filter.ref for sheet in book] == ["A2:B4", "A1:B4", "A1:B2"]
    assert [sheet.freeze_panes for sheet in book] == ["A3", "A2", "A2"]
    assert book["Hands 2"]["A2"].alignment.horizontal == "right"


@pytest.mark.parametrize(
    ("currency", "symbol", "expected"),
    [
        ("USD", "$", DOLLARS),
        # ISO 4217: no decimals for the yen, three for the Kuwaiti dinar.
        ("JPY", "¥", '+"¥"#,##0;−"¥"#,##0;"¥"#,##0'),
        ("KWD", "KWD", '+"KWD"#,##0.000;−"KWD"#,##0.000;"KWD"#,##0.000'),
    ],
)
def test_the_number_format_has_the_currencys_decimals_and_the_sign_first(currency, symbol, expected):
    assert excel.money_format(currency, symbol) == expected


@pytest.mark.parametrize("rows_before", [0, 3])
def test_a_workbook_that_fails_leaves_no_file(tmp_path, monkeypatch, rows_before):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def write() -> None:
        with excel.workbook(tmp_path / "statement.xlsx") as book:
            sheet = excel.Sheet(book, "Statement", [excel.Column("", 10)], frozen_rows=1)
            for _row in range(rows_before):
                sheet.text_row("a line")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write()
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]


def test_a_failed_save_leaves_no_file(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def fail(_book: Workbook, path: Path) -> None:
        Path(path).write_bytes(b"half a file")
        raise OSError("the disk is full")

    monkeypatch.setattr(Workbook, "save", fail)

    def write() -> None:
        with excel.workbook(tmp_path / "statement.xlsx") as book:
            excel.Sheet(book, "Statement", [excel.Column("", 10)], frozen_rows=1).text_row("a line")

    with pytest.raises(OSError, match="full"):
        write()
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]
