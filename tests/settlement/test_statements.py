"""A statement says what the ledger says, and its workbook is one that every spreadsheet program reads alike."""

import csv
import hashlib
import re
import shutil
import subprocess
import uuid
import zipfile
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from accounts import ledger
from accounts.models import Account, Player, Transfer
from hands.models import Session
from jobs import queue
from jobs.models import Job
from settlement import services
from settlement.models import Settlement, Statement
from settlement.queries import period, statement_content
from settlement.services import request_statement
from settlement.statement_workbook import period_words
from settlement.statements import Movement, closing_balance, with_balance
from tests.deals import ANA, BEN, CHI, EVENING, done, play, settle

HEAD = ["Date", "Session", "Entry", "With", "Reference", "Hands", "Points", "Amount", "Balance"]
DOLLARS = '+"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00'


# Lines and balances, without a database


def movement(amount_minor: int) -> Movement:
    return Movement(EVENING, "Table", "Session settled", "Ben", "1", amount_minor)


def test_each_line_carries_the_balance_after_it():
    lines = with_balance(-250, [movement(1000), movement(-1), movement(-2000)])
    # -2.50 + 10.00 = 7.50; - 0.01 = 7.49; - 20.00 = -12.51
    assert [line.balance_minor for line in lines] == [750, 749, -1251]
    assert closing_balance(-250, lines) == -1251


def test_without_lines_the_opening_balance_is_the_closing_one():
    assert closing_balance(-250, with_balance(-250, [])) == -250


@given(st.integers(-(10**15), 10**15), st.lists(st.integers(-(10**15), 10**15)))
def test_opening_balance_and_lines_add_up_to_the_closing_balance(opening, amounts):
    lines = with_balance(opening, map(movement, amounts))
    assert [line.movement.amount_minor for line in lines] == amounts
    assert closing_balance(opening, lines) == opening + sum(amounts)


def test_a_period_is_whole_days_of_the_clubs_zone():
    begin, end = period(date(2026, 11, 1), date(2026, 11, 30), "Asia/Taipei")
    # Taipei is eight hours ahead of UTC.
    assert begin.astimezone(UTC) == datetime(2026, 10, 31, 16, tzinfo=UTC)
    assert end.astimezone(UTC) == datetime(2026, 11, 30, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (date(2026, 11, 1), date(2026, 11, 30), "1 to 30 November 2026"),
        (date(2026, 10, 31), date(2026, 11, 30), "31 October to 30 November 2026"),
        (date(2025, 12, 1), date(2026, 1, 31), "1 December 2025 to 31 January 2026"),
        (date(2026, 11, 5), date(2026, 11, 5), "5 November 2026"),
    ],
)
def test_a_period_names_month_and_year_no_oftener_than_needed(first, last, words):
    assert period_words(Statement(first_day=first, last_day=last)) == words


# Statements


@pytest.fixture(autouse=True)
def _files_of_its_own(settings, tmp_path) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"


def ask(club, name: str = "Ana", first=date(2026, 11, 1), last=date(2026, 11, 30), currency="USD") -> Statement:
    """A statement as a person gets it: asked for, made by the job, read from the database again."""
    player = Player.objects.get(club=club, name=name)
    statement = request_statement(player=player, currency=currency, first_day=first, last_day=last, author=None)
    job = done(Job.objects.get(subject_id=statement.pk))
    assert (job.status, job.error) == ("done", "")
    statement.refresh_from_db()
    return statement


def opened(statement: Statement) -> Workbook:
    return load_workbook(statement.file.path)


def lines(sheet: Worksheet) -> list[list[object]]:
    """The values from the opening to the closing balance."""
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=7)]
    return rows[: next(place for place, row in enumerate(rows) if row[2] == "Closing balance") + 1]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_statement_lists_what_the_ledger_moved(club):
    settle(play(club))
    sheet = opened(ask(club))["Statement"]
    played = datetime(2026, 11, 26)  # noqa: DTZ001  (Excel's dates have no zone)
    assert [cell.value for cell in sheet[6]] == HEAD
    # Ana +20 points against Ben and +2 against Chi, at 50 cents.
    assert lines(sheet) == [
        [datetime(2026, 11, 1), None, "Opening balance", None, None, None, None, None, 0],  # noqa: DTZ001
        [played, "Thursday table", "Session settled", "Ben", 1, 1, 20, 10, 10],
        [played, "Thursday table", "Session settled", "Chi", 2, 1, 2, 1, 11],
        [datetime(2026, 11, 30), None, "Closing balance", None, None, None, 22, None, 11],  # noqa: DTZ001
    ]
    ben = lines(opened(ask(club, "Ben"))["Statement"])
    assert [row[3:] for row in ben[1:-1]] == [["Ana", 1, 1, -20, -10, -10], ["Chi", 3, 1, -20, -10, -20]]
    assert ben[-1][6:] == [-40, None, -20]


@pytest.mark.django_db
def test_a_statement_opens_with_what_came_before_and_leaves_out_what_comes_after(club):
    for day, hands in ((20, 1), (26, 2), (29, 1)):
        settle(play(club, [{"Ana": ANA, "Ben": BEN}] * hands, started_at=datetime(2026, 11, day, 12, tzinfo=UTC)))
    statement = ask(club, first=date(2026, 11, 21), last=date(2026, 11, 28))
    # Before: 20 points of 50 cents. In it: 40 points.
    assert (statement.opening_minor, statement.closing_minor) == (1000, 3000)
    rows = lines(opened(statement)["Statement"])
    assert [row[8] for row in rows] == [10, 30, 30]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_amounts_are_the_ledgers_to_the_last_unit(club):
    for value, evening in ((33, 24), (10**13 + 7, 25), (1, 26)):
        settle(play(club, point_value_minor=value, started_at=datetime(2026, 11, evening, 12, tzinfo=UTC)))
    statement = ask(club)
    account = Account.objects.get(player__name="Ana")
    rows = lines(opened(statement)["Statement"])
    amounts = [Decimal(str(row[7])) for row in rows[1:-1]]
    moved = Transfer.objects.filter(credit_account=account).order_by("occurred_at", "sequence")
    assert amounts == [Decimal(transfer.amount_minor) / 100 for transfer in moved]
    # (20 + 2) points of 0.33, of 100,000,000,000.07 and of 0.01
    assert sum(amounts) == Decimal("7.26") + Decimal("2200000000001.54") + Decimal("0.22")
    assert Decimal(str(rows[-1][8])) == sum(amounts) == Decimal(account.balance_minor) / 100
    assert statement.closing_minor == account.balance_minor


@pytest.mark.django_db
def test_yen_are_written_whole(club):
    settle(play(club, point_value_minor=100, currency="JPY"))
    sheet = opened(ask(club, currency="JPY"))["Statement"]
    assert [row[7] for row in lines(sheet)[1:-1]] == [2000, 200]
    assert sheet["H8"].number_format == '+"¥"#,##0;−"¥"#,##0;"¥"#,##0'
    assert "Japanese yen, ¥100 a point" in sheet["A3"].value


@pytest.mark.django_db
def test_the_sheet_is_laid_out_to_be_read_filtered_and_printed(club):
    settle(play(club))
    book = opened(ask(club))
    assert book.sheetnames == ["Statement", "Hands", "About"]
    sheet = book["Statement"]
    assert sheet["A7"].is_date
    assert (sheet["A8"].number_format, sheet["H8"].number_format) == ("d mmm yyyy", DOLLARS)
    assert sheet["G8"].number_format == "+#,##0;−#,##0;0"
    assert sheet.freeze_panes == "A7"
    # From the head to the last line: the closing balance is not filtered away.
    assert sheet.auto_filter.ref == "A6:I9"
    assert (sheet.print_title_rows, book["Hands"].print_title_rows) == ("$6:$6", "$1:$1")
    for page in book:
        assert (page.page_setup.orientation, page.page_setup.fitToHeight) == ("landscape", 0)
        assert page.sheet_properties.pageSetUpPr.fitToPage
        assert page.page_setup.paperSize == 9
    assert (sheet["A6"].fill.fgColor.rgb, sheet["A6"].font.color.rgb) == ("001D5543", "00FFFFFF")
    assert (sheet["I10"].border.top.style, sheet["I10"].border.bottom.style) == ("thin", "double")


@pytest.mark.django_db
def test_a_loss_is_red_and_its_sign_is_the_formats(club):
    settle(play(club))
    sheet = opened(ask(club, "Ben"))["Statement"]
    assert {sheet[cell].font.color.rgb for cell in ("G8", "H8")} == {"00A6361F"}
    assert sheet["I8"].font.color is None, "a balance is no result of play"
    assert sheet["H8"].value == -10


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
    ]


@pytest.mark.django_db
def test_a_line_falls_on_the_day_of_the_clubs_zone(club):
    # 15:26 UTC, and the hand four minutes later: 23:30 in Taipei, on the 30th; a minute more than half an hour on
    # it would be December there, and in UTC still November.
    settle(play(club, [{"Ana": ANA, "Ben": BEN}], started_at=datetime(2026, 11, 30, 15, 26, tzinfo=UTC)))
    settle(play(club, [{"Ana": ANA, "Ben": BEN}], started_at=datetime(2026, 11, 30, 15, 57, tzinfo=UTC)))
    november = lines(opened(ask(club))["Statement"])
    assert [row[0].date() for row in november[1:-1]] == [date(2026, 11, 30)]
    december = lines(opened(ask(club, first=date(2026, 12, 1), last=date(2026, 12, 31)))["Statement"])
    assert [row[0].date() for row in december[1:-1]] == [date(2026, 12, 1)]
    assert december[0][8] == november[-1][8] == 10


@pytest.mark.django_db
def test_a_period_without_lines_closes_as_it_opened(club):
    settle(play(club))
    statement = ask(club, first=date(2026, 12, 1), last=date(2026, 12, 31))
    assert (statement.opening_minor, statement.closing_minor) == (1100, 1100)
    assert len(lines(opened(statement)["Statement"])) == 2


HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1",
    "-2+3",
    "@x",
    "#N/A",
    "=1+1",
    "👩‍👩‍👧‍👦 Ana 🂡",
    "\u202eעדה\u202c",
    "x" * 60,
    "Jean-Luc, “the” O'Hara & <b>",
]


@pytest.mark.django_db
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_text_in_every_cell_and_never_a_formula(club, name):
    club.name = name
    club.save()
    settle(play(club, [{"Ana": ANA, name: BEN, "Chi": CHI}], table=name))
    for statement in (ask(club), ask(club, name)):
        with zipfile.ZipFile(statement.file.path) as file:
            sheets = [part for part in file.namelist() if part.startswith("xl/worksheets/")]
            assert len(sheets) == 3
            assert not any(re.search(rb"<(\w+:)?f[ />]|t=\"e\"", file.read(part)) for part in sheets)
        for sheet in opened(statement):
            assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "d"}
    book = opened(ask(club))
    assert book["Statement"]["A2"].value == f"Ana, at {name}"
    others = {row[3]: row[1] for row in lines(book["Statement"])[1:-1]}
    assert others == {name: name, "Chi": name}
    # Ana +20 against the name, +2 against Chi.
    assert book["Hands"]["L2"].value == f"{name} +20, Chi +2"
    assert {row[0].value: row[1].value for row in book["About"].iter_rows(min_row=2)}["Club"] == name


@pytest.mark.django_db
def test_statements_are_numbered_within_the_club_and_name_the_books_head(club, stranger):
    theirs = stranger.memberships.get().club
    settle(play(club))
    settle(play(theirs))
    numbers = [ask(club).number, ask(club, "Ben").number, ask(theirs).number]
    assert numbers == [1, 2, 1]
    statement = ask(club)
    last = Transfer.objects.filter(club=club).order_by("-sequence").first()
    assert (statement.head_sequence, statement.head_hash) == (3, last.hash)
    about = {row[0].value: row[1].value for row in opened(statement)["About"].iter_rows(min_row=2)}
    assert (about["Statement"], about["Ledger head"]) == ("3", f"3: {last.hash}")


@pytest.mark.django_db
def test_the_row_keeps_the_digest_of_the_file(club):
    settle(play(club))
    statement = ask(club)
    assert hashlib.sha256(Path(statement.file.path).read_bytes()).hexdigest() == statement.sha256


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2026, 11, 2), date(2026, 11, 1)),
        (date(1, 1, 1), date(2026, 11, 1)),
        (date(2026, 11, 1), date(9999, 12, 31)),
    ],
)
def test_a_period_that_no_calendar_holds_is_refused(club, first, last):
    settle(play(club))
    with pytest.raises(ValidationError, match="period"):
        ask(club, first=first, last=last)
    assert not Statement.objects.exists()


@pytest.mark.django_db
def test_the_first_and_the_last_possible_day_are_written(club):
    settle(play(club))
    statement = ask(club, first=date(1900, 1, 1), last=date(9998, 12, 31))
    assert statement.closing_minor == 1100


@pytest.mark.django_db
def test_hands_of_a_reversed_session_are_not_listed_but_its_transfers_are(club):
    settle(play(club, [{"Ana": ANA, "Ben": BEN}]))
    settlement = Settlement.objects.get()
    ledger.reverse(club.pk, Transfer.objects.all(), source_id=uuid.uuid4(), occurred_at=EVENING + timedelta(hours=1))
    Settlement.objects.update(reversed_at=EVENING)
    Session.objects.update(state="closed")
    rows = lines(opened(ask(club))["Statement"])
    assert [(row[2], row[7], row[8]) for row in rows[1:-1]] == [("Session settled", 10, 10), ("Reversed", -10, 0)]
    assert settlement.hands == 1
    assert opened(ask(club))["Hands"].max_row == 1


def stored() -> set[str]:
    """Every file under the statements' folder."""
    root = Path(default_storage.location)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.mark.django_db
def test_an_export_that_fails_is_tried_again_and_leaves_one_file(club, monkeypatch):
    settle(play(club))
    player = Player.objects.get(name="Ana")
    statement = request_statement(
        player=player, currency="USD", first_day=date(2026, 11, 1), last_day=date(2026, 11, 30), author=None
    )
    job = Job.objects.get(subject_id=statement.pk)
    save = Statement.save

    def fail(*args, **options) -> None:
        raise OSError("the network is gone")

    monkeypatch.setattr(Statement, "save", fail)
    assert done(job).status == "queued"
    statement.refresh_from_db()
    assert not statement.file, "what was not finished is not the statement's"
    monkeypatch.setattr(Statement, "save", save)
    Job.objects.update(not_before=EVENING)
    assert done(job).status == "done"
    statement.refresh_from_db()
    assert (statement.number, stored()) == (1, {statement.file.name})


@pytest.mark.django_db
def test_a_worker_that_lost_the_export_takes_its_own_file_away_and_no_other(club, monkeypatch):
    settle(play(club))
    player = Player.objects.get(name="Ana")
    statement = request_statement(
        player=player, currency="USD", first_day=date(2026, 11, 1), last_day=date(2026, 11, 30), author=None
    )
    job = Job.objects.get(subject_id=statement.pk)
    write = services.write_statement

    def write_while_another_takes_over(*args) -> int:
        monkeypatch.setattr(services, "write_statement", write)
        Job.objects.filter(pk=job.pk).update(status="queued", lease_token=None)
        queue.run(job.pk)
        return write(*args)

    monkeypatch.setattr(services, "write_statement", write_while_another_takes_over)
    assert done(job).status == "done"
    statement.refresh_from_db()
    assert (statement.number, stored()) == (1, {statement.file.name})
    assert hashlib.sha256(Path(statement.file.path).read_bytes()).hexdigest() == statement.sha256


@pytest.mark.django_db
def test_a_statement_takes_the_same_queries_however_long_it_is(club, django_assert_num_queries):
    for evening in (20, 21, 22, 23):
        settle(play(club, started_at=datetime(2026, 11, evening, 12, tzinfo=UTC)))
    short = Statement(
        club=club,
        player=Player.objects.get(name="Ana"),
        currency="USD",
        first_day=date(2026, 11, 1),
        last_day=date(2026, 11, 30),
        time_zone="UTC",
    )
    # Account, two sums, transfers, tables of settlements and of payments, sessions; for each session its hands in four.
    with django_assert_num_queries(7 + 4 * 4):
        statement_content(short)


@pytest.mark.office
@pytest.mark.django_db
def test_libreoffice_reads_the_same_closing_balance(club, tmp_path):
    settle(play(club, [{"Ana": ANA, '=HYPERLINK("http://x")': BEN}], point_value_minor=10**9 + 1))
    path = tmp_path / "statement.xlsx"
    shutil.copy(ask(club).file.path, path)
    # Comma, double quote, UTF-8, from line 1; numbers as the cells show them, no formulas, the first sheet.
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,1"
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", tmp_path, path]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with next(tmp_path.glob("*.csv")).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[3] for row in rows if row[2] == "Session settled"] == ['=HYPERLINK("http://x")']
    # 20 points of $10,000,000.01, as the number format shows it.
    closing = next(row for row in rows if row[2] == "Closing balance")
    assert (closing[0], closing[6], closing[8]) == ("30 Nov 2026", "+20", "+$200,000,000.20")
