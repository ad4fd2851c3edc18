"""A statement says what the ledger says, and its workbook is one that every spreadsheet program reads alike."""

import csv
import hashlib
import re
import uuid
import zipfile
import zoneinfo
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.csv_files import csv_lines
from accounts.merging import merge_players
from accounts.models import Account, Player, Transfer
from hands.history import read_deal
from hands.models import HandVersion
from hands.scoring.taiwanese import PRESETS
from jobs import queue
from jobs.models import Job
from settlement import excel, services, statement_content
from settlement.corrections import correct_hand, reopen_session
from settlement.models import Statement
from settlement.payments import Wanted, record_payments
from settlement.queries import period
from settlement.services import request_statement
from settlement.statement_content import StatementContent
from settlement.statement_pages import csv_rows
from settlement.statement_words import period_words
from settlement.statements import Line, Movement, Tally, events, paged, with_balance
from tests.deals import ANA, BEN, CHI, EVENING, THREE, add_hand, document, done, play, settle
from tests.office import pdf_of, sheets_in_libreoffice
from tests.settlement.test_house import play_by
from tests.statements import ask, assert_adds_up, exact, foot, lines, opened, records

HEAD = ["Date", "Session", "Entry", "With", "Reference", "Hands", "Points", "Amount", "Balance"]
DOLLARS = '+"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00'


# Lines and balances, without a database


def movement(amount_minor: int) -> Movement:
    return Movement(EVENING, "Table", "Session settled", "Ben", "1", amount_minor)


def test_each_line_carries_the_balance_after_it():
    tally = Tally(-250)
    found = list(tally.count(with_balance(-250, [movement(1000), movement(-1), movement(-2000)])))
    # -2.50 + 10.00 = 7.50; - 0.01 = 7.49; - 20.00 = -12.51
    assert [line.balance_minor for line in found] == [750, 749, -1251]
    assert (tally.closing_minor, tally.lines, tally.totals) == (-1251, 3, {"play": -1001})


def test_without_lines_the_opening_balance_is_the_closing_one():
    tally = Tally(-250)
    assert list(tally.count(with_balance(-250, []))) == []
    assert tally.closing_minor == -250


@given(st.integers(-(10**15), 10**15), st.lists(st.integers(-(10**15), 10**15)))
def test_opening_balance_and_lines_add_up_to_the_closing_balance(opening, amounts):
    tally = Tally(opening)
    found = tally.count(with_balance(opening, map(movement, amounts)))
    assert [line.movement.amount_minor for line in found] == amounts
    assert tally.closing_minor == opening + sum(amounts)


def caused(causes: str) -> list[Line]:
    """A line of one unit for every letter, which is its cause; numbered from 1."""
    moved = [
        Movement(EVENING, "", "", "", f"{number}", 1, source_id=uuid.UUID(int=ord(cause)))
        for number, cause in enumerate(causes, start=1)
    ]
    return list(with_balance(0, moved))


def test_lines_of_one_cause_are_one_event():
    found = list(events(caused("aaabbc")))
    assert [[line.movement.reference for line in event.lines] for event in found] == [
        ["1", "2", "3"],
        ["4", "5"],
        ["6"],
    ]
    assert [(event.amount_minor, event.balance_minor) for event in found] == [(3, 3), (2, 5), (1, 6)]


@pytest.mark.parametrize(
    ("causes", "begins"),
    [
        ("abcd", []),
        # A page of four, and one of two that is half of one.
        ("abcdef", [4]),
        # One alone goes with the four before it.
        ("abcde", []),
        # What happened at once stays together: the page ends after the fifth.
        ("abcdddef", [6]),
        ("abcdefghij", [4, 8]),
        ("", []),
    ],
)
def test_a_page_ends_where_something_else_happened(causes, begins):
    pages: list[list[object]] = []
    assert [line.balance_minor for line in paged(caused(causes), pages, size=4)] == list(range(1, len(causes) + 1))
    # The place is the line before the page: its time, its number, and the balance, which is one unit a line.
    assert pages == [[EVENING.isoformat(), begin, begin] for begin in begins]


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


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_statement_lists_what_the_ledger_moved(club):
    settle(play(club))
    sheet = opened(ask(club))["Statement"]
    played = datetime(2026, 11, 26)  # noqa: DTZ001  (Excel's dates have no zone)
    assert [cell.value for cell in sheet[7]] == HEAD
    # Ana +20 points against Ben and +2 against Chi, at 50 cents.
    assert lines(sheet) == [
        [datetime(2026, 11, 1), None, "Opening balance", None, None, None, None, None, 0],  # noqa: DTZ001
        [played, "Thursday table", "Session settled", "Ben", 1, 1, 20, 10, 10],
        [played, "Thursday table", "Session settled", "Chi", 2, 1, 2, 1, 11],
    ]
    assert foot(sheet) == {
        "Total of sessions": [None, None, "Total of sessions", None, None, None, 22, 11, None],
        "Closing balance": [datetime(2026, 11, 30), None, "Closing balance", *[None] * 5, 11],  # noqa: DTZ001
    }
    ben = ask(club, "Ben")
    rows = lines(opened(ben)["Statement"])
    assert [row[3:] for row in rows[1:]] == [["Ana", 1, 1, -20, -10, -10], ["Chi", 3, 1, -20, -10, -20]]
    assert foot(opened(ben)["Statement"])["Closing balance"][8] == -20
    assert_adds_up(ben)


@pytest.mark.django_db
def test_a_statement_opens_with_what_came_before_and_leaves_out_what_comes_after(club):
    for day, hands in ((20, 1), (26, 2), (29, 1)):
        settle(play(club, [{"Ana": ANA, "Ben": BEN}] * hands, started_at=datetime(2026, 11, day, 12, tzinfo=UTC)))
    statement = ask(club, first=date(2026, 11, 21), last=date(2026, 11, 28))
    # Before: 20 points of 50 cents. In it: 40 points.
    assert (statement.opening_minor, statement.closing_minor) == (1000, 3000)
    rows = lines(opened(statement)["Statement"])
    assert [row[8] for row in rows] == [10, 30]
    assert_adds_up(statement)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_amounts_are_the_ledgers_to_the_last_unit(club):
    for value, evening in ((33, 24), (10**13 + 7, 25), (1, 26)):
        settle(play(club, point_value_minor=value, started_at=datetime(2026, 11, evening, 12, tzinfo=UTC)))
    statement = ask(club)
    account = Account.objects.get(player__name="Ana")
    rows = lines(opened(statement)["Statement"])
    amounts = [Decimal(str(row[7])) for row in rows[1:]]
    moved = Transfer.objects.filter(credit_account=account).order_by("occurred_at", "sequence")
    assert amounts == [Decimal(transfer.amount_minor) / 100 for transfer in moved]
    # (20 + 2) points of 0.33, of 100,000,000,000.07 and of 0.01
    assert sum(amounts) == Decimal("7.26") + Decimal("2200000000001.54") + Decimal("0.22")
    assert Decimal(str(rows[-1][8])) == sum(amounts) == Decimal(account.balance_minor) / 100
    assert statement.closing_minor == account.balance_minor
    assert_adds_up(statement)


@pytest.mark.django_db
def test_yen_are_written_whole(club):
    settle(play(club, point_value_minor=100, currency="JPY"))
    sheet = opened(ask(club, currency="JPY"))["Statement"]
    assert [row[7] for row in lines(sheet)[1:]] == [2000, 200]
    assert sheet["H9"].number_format == '+"¥"#,##0;−"¥"#,##0;"¥"#,##0'
    assert "Japanese yen, ¥100 a point" in sheet["A3"].value


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
def test_sessions_and_opponents_say_what_they_came_to(club):
    settle(play(club, [THREE, {"Ana": ANA, "Ben": BEN}]))
    settle(play(club, [THREE], table="Second table", point_value_minor=100, started_at=EVENING + timedelta(hours=3)))
    statement = ask(club)
    book = opened(statement)
    # Twice 20 points of Ben and 2 of Chi at 50 cents, then 22 at a dollar.
    assert [(row["Session"], row["Hands"], row["Points"], row["Amount"]) for row in records(book["Sessions"])] == [
        ("Thursday table", 2, 42, 21),
        ("Second table", 1, 22, 22),
    ]
    assert records(book["Opponents"]) == [
        {
            "Opponent": "Ben",
            "Sessions": 2,
            "Hands": 3,
            "Points": 60,
            "Won or lost": 40,
            "Paid": 0,
            "Names merged": 0,
        },
        {"Opponent": "Chi", "Sessions": 2, "Hands": 2, "Points": 4, "Won or lost": 3, "Paid": 0, "Names merged": 0},
    ]
    assert_adds_up(statement)
    assert "a point" not in book["Statement"]["A3"].value, "there are two point values"


@pytest.mark.django_db
def test_a_line_falls_on_the_day_of_the_clubs_zone(club):
    # 15:26 UTC, and the hand four minutes later: 23:30 in Taipei, on the 30th; a minute more than half an hour on
    # it would be December there, and in UTC still November.
    settle(play(club, [{"Ana": ANA, "Ben": BEN}], started_at=datetime(2026, 11, 30, 15, 26, tzinfo=UTC)))
    settle(play(club, [{"Ana": ANA, "Ben": BEN}], started_at=datetime(2026, 11, 30, 15, 57, tzinfo=UTC)))
    november = lines(opened(ask(club))["Statement"])
    assert [row[0].date() for row in november[1:]] == [date(2026, 11, 30)]
    december = lines(opened(ask(club, first=date(2026, 12, 1), last=date(2026, 12, 31)))["Statement"])
    assert [row[0].date() for row in december[1:]] == [date(2026, 12, 1)]
    assert december[0][8] == november[-1][8] == 10


@pytest.mark.django_db
def test_a_period_without_lines_closes_as_it_opened(club):
    settle(play(club))
    statement = ask(club, first=date(2026, 12, 1), last=date(2026, 12, 31))
    assert (statement.opening_minor, statement.closing_minor) == (1100, 1100)
    assert len(lines(opened(statement)["Statement"])) == 1
    assert_adds_up(statement)


HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1",
    "-2+3",
    "@x",
    "#N/A",
    "A.B",
    "Big C (host)",
    "Alex, Jr.",
    "🐟",
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


def december(day: int = 2) -> Any:
    return time_machine.travel(datetime(2026, 12, day, 12, tzinfo=UTC), tick=False)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_what_was_corrected_in_the_period_is_there_before_and_after(club):
    session = play(club, [{"Ana": ANA, "Ben": BEN}])
    # The book's own times are those at which it was written.
    with time_machine.travel(EVENING + timedelta(minutes=10), tick=False):
        settle(session)
    HandVersion.objects.update(created_at=EVENING + timedelta(minutes=5))
    with time_machine.travel(EVENING + timedelta(days=1), tick=False):
        reopen_session(session=session, reason="A hand is missing")
        session.refresh_from_db()
        add_hand(session, {"Ana": ANA, "Ben": BEN}, EVENING + timedelta(hours=1))
        settle(session)
    statement = ask(club)
    book = opened(statement)
    # 20 points of 50 cents, taken back, then 40.
    moved = [(row[2], row[6], row[7], row[8]) for row in lines(book["Statement"])[1:]]
    assert moved == [("Session settled", 20, 10, 10), ("Reversed", -20, -10, 0), ("Session settled", 40, 20, 20)]
    sessions = [(row["Entry"], row["Hands"], row["Points"], row["Amount"]) for row in records(book["Sessions"])]
    assert sessions == [("Session settled", 1, 20, 10), ("Reversed", 1, -20, -10), ("Session settled", 2, 40, 20)]
    assert [row["Hand"] for row in records(book["Hands"])] == [1, 2], "only what stands has its hands"
    assert records(book["Opponents"])[0]["Points"] == 40
    assert_adds_up(statement)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_what_was_corrected_after_the_period_stays_in_it_as_it_was(club):
    session = play(club, [{"Ana": ANA, "Ben": BEN}])
    settle(session)
    with december():
        deal = read_deal(document({"Ana": BEN, "Ben": ANA}, EVENING), PRESETS["phenom"])
        correct_hand(hand=session.hands.get(), based_on=1, deal=deal, reason="Seats exchanged", author=None)
    november, later = ask(club), ask(club, first=date(2026, 12, 1), last=date(2026, 12, 31))
    assert (november.closing_minor, later.closing_minor) == (1000, -1000)
    # The cards that were paid for then, and those that are paid for now.
    assert [row["Top"] for row in records(opened(november)["Hands"])] == ["7h"]
    assert [row["Top"] for row in records(opened(later)["Hands"])] == ["5d"]
    sessions = [(row["Entry"], row["Points"], row["Amount"]) for row in records(opened(later)["Sessions"])]
    assert sessions == [("Reversed", -20, -10), ("Session settled", -20, -10)]
    assert_adds_up(november)
    assert_adds_up(later)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("money", "expected"),
    [
        # 22 points are 11.00, of which 5 % are 55 cents, at most 50; the cap does not touch Ana's.
        (
            {"cap_minor": 1500, "rake_hundredths": 500, "rake_most_minor": 50},
            {"Ana": (22, 0, "-0.5", "10.5"), "Ben": (-40, 5, 0, -15)},
        ),
        ({"seat_fee_minor": 25}, {"Ana": (22, 0, "-0.25", "10.75"), "Ben": (-40, 0, "-0.25", "-20.25")}),
    ],
)
def test_what_the_house_caps_and_takes_is_in_the_sessions(club, money, expected):
    settle(play_by(club, money))
    for name, (points, cut, fees, amount) in expected.items():
        statement = ask(club, name)
        (row,) = records(opened(statement)["Sessions"])
        assert row["Rule set"] == "Friday"
        assert (row["Points"], exact(row["Cut by cap"]), exact(row["Fees"]), exact(row["Amount"])) == (
            points,
            exact(cut),
            exact(fees),
            exact(amount),
        )
        assert_adds_up(statement)


@pytest.mark.django_db
def test_hands_without_cards_are_counted_with_the_rest(client, club, owner):
    session = play(club, [{"Ana": ANA, "Ben": BEN}])
    with time_machine.travel(EVENING + timedelta(minutes=10), tick=False):
        client.force_login(owner)
        form = {"points_1": "7", "points_2": "-7", "client_key": uuid.uuid4()}
        assert client.post(reverse("hand-points", args=[session.pk]), form).status_code == 302
    settle(session)
    statement = ask(club)
    book = opened(statement)
    assert [(row["Points"], row["Against each opponent"]) for row in records(book["Hands"])] == [
        (20, "Ben +20"),
        (7, "no cards"),
    ]
    (row,) = records(book["Sessions"])
    assert (row["Hands"], row["Points"], row["Amount"]) == (2, 27, 13.5)
    assert {row["Opponent"]: row["Won or lost"] for row in records(book["Opponents"])} == {"Ben": 10, "Table": 3.5}
    assert_adds_up(statement)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_payments_are_totalled_apart_and_stand_beside_their_session(club, owner):
    session = play(club)
    settle(session)
    ana, ben = (Account.objects.get(player__name=name) for name in ("Ana", "Ben"))
    paid_at = EVENING + timedelta(days=1)
    wanted = [
        Wanted(uuid.uuid4(), ben, ana, 600, session=session, paid_at=paid_at),
        Wanted(uuid.uuid4(), ben, ana, 100, session=session, paid_at=datetime(2026, 12, 5, tzinfo=UTC)),
    ]
    record_payments(club=club, wanted=wanted, author=owner)
    statement = ask(club, "Ben")
    book = opened(statement)
    (row,) = records(book["Sessions"])
    # Lost 20.00; paid 6.00 in November, and 1.00 that is December's.
    assert (row["Amount"], row["Paid"]) == (-20, 6)
    assert [row["Paid"] for row in records(book["Opponents"])] == [6, 0]
    assert foot(book["Statement"])["Total of payments"][7] == 6
    assert statement.closing_minor == -1400
    assert_adds_up(statement)


@pytest.mark.django_db
def test_a_merged_name_is_a_line_of_its_own(club):
    settle(play(club, [{"Ana": ANA, "Ben": BEN}]))
    settle(play(club, [{"Anna": ANA, "Ben": BEN}], started_at=EVENING + timedelta(hours=1)))
    kept, merged = (Player.objects.get(name=name) for name in ("Ana", "Anna"))
    with time_machine.travel(EVENING + timedelta(days=1), tick=False):
        merge_players(kept=kept, merged=merged)
    statement = ask(club)
    assert foot(opened(statement)["Statement"])["Total of names merged"][7] == 10
    assert statement.closing_minor == 2000
    assert_adds_up(statement)
    assert_adds_up(ask(club, "Anna"))


@pytest.mark.django_db
def test_a_sheet_that_is_full_goes_on_in_a_second_one(club, monkeypatch):
    monkeypatch.setattr(excel, "MOST_ROWS", 14)
    settle(play(club, [{"Ana": ANA, "Ben": BEN}] * 20))
    book = opened(ask(club))
    assert book.sheetnames == ["Statement", "Sessions", "Hands", "Hands 2", "Opponents", "About"]
    assert [row["Hand"] for title in ("Hands", "Hands 2") for row in records(book[title])] == list(range(1, 21))


@pytest.mark.django_db
def test_lines_and_hands_are_read_block_by_block_and_none_twice(club, monkeypatch):
    monkeypatch.setattr(statement_content, "BLOCK", 2)
    monkeypatch.setattr(statement_content, "SESSIONS", 2)
    # All three sessions were played at the same moment.
    for _evening in range(3):
        settle(play(club, [THREE] * 3))
    statement = Statement(
        club=club,
        player=Player.objects.get(name="Ana"),
        currency="USD",
        first_day=date(2026, 11, 1),
        last_day=date(2026, 11, 30),
        time_zone="UTC",
    )
    content = StatementContent(statement, block=2)
    assert [int(line.movement.reference) for line in content.lines()] == [1, 2, 4, 5, 7, 8]
    hands = [(settlement.pk, hand.number) for settlement, hand in content.hands()]
    assert (len(hands), len(set(hands))) == (9, 9)
    assert [row.points for row in content.sessions()] == [66, 66, 66]


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
def test_a_statement_takes_the_same_queries_however_long_it_is(club):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            content = StatementContent(
                Statement(
                    club=club,
                    player=Player.objects.get(name="Ana"),
                    currency="USD",
                    first_day=date(2026, 11, 1),
                    last_day=date(2026, 11, 30),
                    time_zone="UTC",
                )
            )
            for part in (content.lines, content.sessions, content.hands, content.opponents):
                list(part())
        return len(found)

    settle(play(club))
    before = queries()
    for evening in (20, 21, 22, 23):
        settle(play(club, [THREE] * 3, started_at=datetime(2026, 11, evening, 12, tzinfo=UTC)))
    assert queries() == before


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
