"""A session and the ledger as workbook and CSV say what the book says, to the minor unit, and only to its keepers."""

import csv
import hashlib
import io
import re
import shutil
import subprocess
import uuid
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import FileSystemStorage, default_storage
from django.urls import reverse
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from accounts.csv_files import BOM
from accounts.models import Account, Player, Transfer, User
from accounts.services import claim_player, players_named
from hands.history import read_deal
from hands.models import Session
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hand
from jobs import queue
from jobs.models import Job
from settlement import book_files, entry_sheets
from settlement.book_files import request_ledger_file, request_session_file
from settlement.models import BookFile
from settlement.payments import Wanted, record_payments
from tests.deals import ANA, BEN, CHI, EVENING, THREE, done, play, settle
from tests.settlement.test_house import play_by

pytestmark = pytest.mark.django_db
BOTH = pytest.mark.both_databases
DOLLARS = '+"$"#,##0.00;−"$"#,##0.00;"$"#,##0.00'
NOVEMBER = {"first_day": date(2026, 11, 1), "last_day": date(2026, 11, 30)}
HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1",
    "-2+3",
    "@x",
    "#N/A",
    "A.B",
    "Big C (host)",
    "Alex, Jr.",
    "Sam 🐟",
    "\u202eעדה\u202c",
    "x" * 60,
    "a/b",
]


@pytest.fixture(autouse=True)
def _files_of_its_own(settings, tmp_path) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"


def made(found: BookFile) -> BookFile:
    """The file as a worker makes it, read from the database again."""
    job = done(Job.objects.get(subject_id=found.pk))
    assert (job.status, job.error) == ("done", "")
    found.refresh_from_db()
    return found


def ledger_of(club, currency: str = "USD", **days: date) -> BookFile:
    return made(request_ledger_file(club=club, currency=currency, author=None, **NOVEMBER | days))


def opened(found: BookFile) -> Workbook:
    return load_workbook(found.workbook.path)


def session_book(session: Session) -> Workbook:
    return load_workbook(io.BytesIO(book_files.workbook_at_once(session)))


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix(BOM))))


def written(found: BookFile) -> str:
    return Path(found.csv.path).read_text(encoding="utf-8")


def values(sheet: Worksheet, first_row: int = 2) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in sheet.iter_rows(min_row=first_row)]


def stored() -> set[str]:
    root = Path(default_storage.location)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


# A session


@BOTH
def test_a_sessions_workbook_says_who_won_what_from_whom(club):
    session = play(club)
    settle(session)
    session.refresh_from_db()
    book = session_book(session)
    assert book.sheetnames == ["Scoreboard", "Hands", "Points", "Money", "Payments", "Entries", "About"]
    # 22, 18 and -40 points at 50 cents.
    assert values(book["Scoreboard"], 5) == [
        ["Seat", "Player", "Hands", "Points", "Points × value", "Result"],
        [1, "Ana", 1, 22, 11, 11],
        [3, "Chi", 1, 18, 9, 9],
        [2, "Ben", 1, -40, -20, -20],
        [None, "Adds up to", None, 0, 0, 0],
    ]
    assert values(book["Points"], 1) == [
        ["Against", "Ana", "Chi", "Ben", "Total"],
        ["Ana", None, 2, 20, 22],
        ["Chi", -2, None, 20, 18],
        ["Ben", -20, -20, None, -40],
        ["Adds up to", None, None, None, 0],
    ]
    assert values(book["Money"], 2) == [
        ["Ana", None, 1, 10, 11],
        ["Chi", -1, None, 10, 9],
        ["Ben", -10, -10, None, -20],
        ["Adds up to", None, None, None, 0],
    ]
    # The fewest: who lost pays each who won.
    assert values(book["Payments"]) == [
        ["Ben", "Ana", 11, "open"],
        ["Ben", "Chi", 9, "open"],
        ["Adds up to", None, 20, None],
    ]
    assert [row[:7] for row in values(book["Entries"])] == [
        [1, datetime(2026, 11, 26), "Session settled", "Ben", "Ana", "Thursday table", 10],  # noqa: DTZ001
        [2, datetime(2026, 11, 26), "Session settled", "Chi", "Ana", "Thursday table", 1],  # noqa: DTZ001
        [3, datetime(2026, 11, 26), "Session settled", "Ben", "Chi", "Thursday table", 10],  # noqa: DTZ001
        [None, None, "3 entries", None, None, None, 21],
    ]


def test_the_sheet_of_hands_and_the_csv_have_every_card(club):
    session = play(club, [THREE, {"Ana": CHI, "Ben": ANA}])
    # 12:04 and 12:08 UTC on the clock of Taipei.
    first, second = datetime(2026, 11, 26, 20, 4), datetime(2026, 11, 26, 20, 8)  # noqa: DTZ001
    boards = ["2d Ac 4d Qc 8h", "As Jh Jd 4c Js"]
    rows = values(session_book(session)["Hands"])
    assert rows == [
        [1, first, *boards, 1, "Ana", "7h", "9h Ad", "3c 5s 3s 7d", 22],
        [1, first, *boards, 2, "Ben", "5d", "Td 5c", "8s 2c Th 7s", -40],
        [1, first, *boards, 3, "Chi", "Kh", "Kd Kc", "Qh Qd 9c 9d", 18],
        # Chi's cards lost 2 points to Ana's before, and do again.
        [2, second, *boards, 1, "Ana", "Kh", "Kd Kc", "Qh Qd 9c 9d", -2],
        [2, second, *boards, 2, "Ben", "7h", "9h Ad", "3c 5s 3s 7d", 2],
    ]
    text = book_files.csv_at_once(session).decode()
    assert text.startswith(BOM)
    told = rows_of(text)
    assert told[0] == ["Hand", "Played", "Board 1", "Board 2", "Seat", "Player", "Top", "Middle", "Bottom", "Points"]
    assert told[1:] == [[str(cell) for cell in row] for row in rows]
    # A number stays one: it has no quote before its minus.
    assert told[2][-1] == "-40"


def test_without_cards_points_stand_apart_and_still_add_up(club):
    session = play(club)
    document = {
        "played_at": EVENING.isoformat(),
        "seats": [
            {"seat": seat, "player": {"name": name}, "points": points}
            for seat, (name, points) in enumerate({"Ana": -7, "Ben": 4, "Chi": 3}.items(), 1)
        ],
    }
    record_hand(session=session, deal=read_deal(document, PRESETS["phenom"]), author=None)
    book = session_book(session)
    # 22 - 7, 18 + 3, -40 + 4; at 50 cents.
    assert values(book["Points"], 1) == [
        ["Against", "Chi", "Ana", "Ben", "Hands without cards", "Total"],
        ["Chi", None, -2, 20, 3, 21],
        ["Ana", 2, None, 20, -7, 15],
        ["Ben", -20, -20, None, 4, -36],
        ["Adds up to", None, None, None, 0, 0],
    ]
    assert [row[-2:] for row in values(book["Money"])] == [[1.5, 10.5], [-3.5, 7.5], [2, -18], [0, 0]]
    assert values(book["Hands"])[-3][2:4] == ["no cards", "no cards"]


@BOTH
@pytest.mark.parametrize(
    ("money", "expected", "house"),
    [
        # Ben owes 10.00 to each and pays 15.00 (Ana first); Chi pays Ana 1.00.
        ({"cap_minor": 1500}, {"Ana": (11, 0, 0, 11), "Chi": (9, -5, 0, 4), "Ben": (-20, 5, 0, -15)}, 0),
        # 5 % of 11.00 and of 9.00.
        (
            {"rake_hundredths": 500},
            {
                "Ana": (11, 0, Decimal("-0.55"), Decimal("10.45")),
                "Chi": (9, 0, Decimal("-0.45"), Decimal("8.55")),
                "Ben": (-20, 0, 0, -20),
            },
            1,
        ),
    ],
)
def test_cap_and_house_have_columns_and_the_result_is_the_ledgers(club, money, expected, house):
    session = play_by(club, money)
    settle(session)
    session.refresh_from_db()
    book = session_book(session)
    # Above the table a line for what the house does, which is on sheet About too.
    head, *rows = values(book["Scoreboard"], 5)
    assert head[4:] == ["Points × value", "Cap", "House", "Result"]
    lines = {row[1]: tuple(Decimal(str(cell)) for cell in row[4:]) for row in rows[:3]}
    assert lines == {name: tuple(map(Decimal, line)) for name, line in expected.items()}
    assert rows[3][1:] == ["House", None, None, None, None, None, house]
    assert rows[4][1:] == ["Adds up to", None, 0, 0, 0, -house, 0]
    results = {name: line[-1] for name, line in lines.items()}
    held = Account.objects.filter(kind="player").select_related("player")
    assert results == {one.player.name: Decimal(one.balance_minor) / 100 for one in held}
    totals = {row[0]: Decimal(str(row[-1])) for row in values(book["Money"])[:3]}
    assert totals == results


def test_an_open_session_says_what_it_would_come_to(club):
    book = session_book(play(club))
    assert values(book["Payments"])[0] == ["Ben", "Ana", 11, "if it ended now"]
    assert values(book["Entries"]) == [[None, None, "0 entries", None, None, None, 0, None]]
    about = {row[0]: row[1] for row in values(book["About"])}
    assert "Nothing of this session is in the book yet" in about["State"]


def test_a_session_without_hands_is_a_workbook_too(club):
    book = session_book(play(club, []))
    assert values(book["Hands"]) == []
    assert values(book["Scoreboard"], 6)[-1] == [None, "Adds up to", None, 0, 0, 0]


def test_what_was_paid_and_taken_back_is_among_payments_and_entries(club, owner):
    session = play(club)
    settle(session)
    session.refresh_from_db()
    ana, ben = (Account.objects.get(player__name=name) for name in ("Ana", "Ben"))
    record_payments(club=club, wanted=[Wanted(uuid.uuid4(), ben, ana, 450, session=session)], author=owner)
    book = session_book(session)
    # 11.00 less 4.50.
    assert values(book["Payments"]) == [
        ["Ben", "Ana", 4.5, "paid"],
        ["Ben", "Ana", 6.5, "open"],
        ["Ben", "Chi", 9, "open"],
        ["Adds up to", None, 20, None],
    ]
    # The payee is the debit: what Ana is owed becomes less.
    assert values(book["Entries"])[3][2:7] == ["Payment", "Ana", "Ben", "Thursday table", 4.5]


# The ledger


@BOTH
def test_a_ledger_has_the_balances_and_entries_of_its_period_and_currency(club):
    for day, table in ((20, "Before"), (26, "In it"), (29, "After")):
        settle(play(club, table=table, started_at=datetime(2026, 11, day, 12, tzinfo=UTC)))
    settle(play(club, currency="JPY", point_value_minor=100))
    found = ledger_of(club, first_day=date(2026, 11, 21), last_day=date(2026, 11, 28))
    book = opened(found)
    assert book.sheetnames == ["Balances", "Entries", "About"]
    # Each evening: Ana +11.00, Ben -20.00, Chi +9.00. Chi pays 1.00 and gets 10.00.
    assert values(book["Balances"], 6) == [
        ["Holder", "Kind", "Opening balance", "Debits", "Credits", "Closing balance"],
        ["Ana", "Player", 11, 0, 11, 22],
        ["Ben", "Player", -20, 20, 0, -40],
        ["Chi", "Player", 9, 1, 10, 18],
        ["Adds up to", None, 0, 21, 21, 0],
    ]
    entries = Transfer.objects.filter(currency="USD", sequence__in=(4, 5, 6)).order_by("sequence")
    rows = values(book["Entries"])
    assert [row[0] for row in rows[:-1]] == [4, 5, 6]
    assert [row[2:7] for row in rows[:-1]] == [
        ["Session settled", "Ben", "Ana", "In it", 10],
        ["Session settled", "Chi", "Ana", "In it", 1],
        ["Session settled", "Ben", "Chi", "In it", 10],
    ]
    assert [row[7].replace(" ", "") for row in rows[:-1]] == [one.hash[:12] for one in entries]
    assert rows[-1] == [None, None, "3 entries", None, None, None, 21, None]
    told = rows_of(written(found))
    assert told[0] == ["Entry", "Date", "Posted", "Kind", "Debit", "Credit", "Session", "Amount", "Currency", "Hash"]
    assert [(row[0], row[7], row[8], row[9]) for row in told[1:]] == [
        (str(one.sequence), amount, "USD", one.hash)
        for one, amount in zip(entries, ("10.00", "1.00", "10.00"), strict=True)
    ]
    last = Transfer.objects.order_by("-sequence").first()
    assert (found.head_sequence, found.head_hash) == (12, last.hash)
    assert (found.workbook_sha256, found.csv_sha256) == tuple(
        hashlib.sha256(Path(file.path).read_bytes()).hexdigest() for file in (found.workbook, found.csv)
    )


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


def test_what_is_posted_after_the_head_belongs_to_a_later_file(club):
    settle(play(club))
    found = request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER)
    first = made(found)
    settle(play(club, table="Later"))
    assert first.head_sequence == 3
    assert ledger_of(club).head_sequence == 6


def test_a_tables_account_is_called_by_its_session_and_comes_after_the_players(club):
    session = play(club, [])
    document = {
        "played_at": EVENING.isoformat(),
        "seats": [
            {"seat": seat, "player": {"name": name}, "points": points}
            for seat, (name, points) in enumerate({"Ana": 6, "Ben": -6}.items(), 1)
        ],
    }
    record_hand(session=session, deal=read_deal(document, PRESETS["phenom"]), author=None)
    settle(session)
    rows = values(opened(ledger_of(club))["Balances"], 7)
    # 6 points of 50 cents, to the table and from it.
    assert rows[:3] == [
        ["Ana", "Player", 0, 0, 3, 3],
        ["Ben", "Player", 0, 3, 0, -3],
        ["Thursday table, 2026-11-26", "Table", 0, 3, 3, 0],
    ]


def test_a_full_sheet_goes_on_in_another(club, monkeypatch):
    monkeypatch.setattr(entry_sheets, "MOST_ROWS", 2)
    monkeypatch.setattr("settlement.ledger_workbook.BLOCK", 2)
    settle(play(club))
    found = ledger_of(club)
    book = opened(found)
    assert book.sheetnames == ["Balances", "Entries", "Entries 2", "About"]
    assert [row[0] for row in values(book["Entries"])] == [1, 2]
    assert [row[0] for row in values(book["Entries 2"])] == [3, None]
    # The sum is of both.
    assert values(book["Entries 2"])[-1][2:7] == ["3 entries", None, None, None, 21]
    assert [row[0] for row in rows_of(written(found))[1:]] == ["1", "2", "3"]


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


@pytest.mark.parametrize("name", HOSTILE)
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


def test_two_players_of_one_name_are_two_lines(club):
    session = play(club, [{"Bob": ANA, "Rob": BEN}])
    Player.objects.filter(name="Rob").update(name="Bob")
    assert values(session_book(session)["Points"], 1) == [
        ["Against", "Bob", "Bob", "Total"],
        ["Bob", None, 20, 20],
        ["Bob", -20, None, -20],
        ["Adds up to", None, None, 0],
    ]


# Asking, making, giving out


@BOTH
def test_asking_twice_while_it_is_made_is_one_file(club, owner):
    settle(play(club))

    def ask() -> BookFile:
        return request_ledger_file(club=club, currency="USD", author=owner, **NOVEMBER)

    first = ask()
    assert ask() == first
    made(first)
    assert ask() != first


@pytest.mark.parametrize(
    ("currency", "days", "sentence"),
    [
        ("USD", {"first_day": date(2026, 12, 1)}, "ends before it begins"),
        ("USD", {"first_day": date(1, 1, 1)}, "within the years"),
        ("XXX", {}, "not a currency in use"),
    ],
)
def test_what_is_no_period_or_currency_is_refused(club, currency, days, sentence):
    with pytest.raises(ValidationError, match=sentence):
        request_ledger_file(club=club, currency=currency, author=None, **NOVEMBER | days)
    assert not BookFile.objects.exists()


def test_a_failed_file_leaves_none_behind_and_can_be_tried_again(club, monkeypatch):
    settle(play(club))
    found = request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER)
    job, save = Job.objects.get(subject_id=found.pk), FileSystemStorage.save

    def fail_at_csv(storage: FileSystemStorage, name: str, *rest: Any) -> str:
        if name.endswith(".csv"):
            raise OSError("the disk is full")
        return save(storage, name, *rest)

    monkeypatch.setattr(FileSystemStorage, "save", fail_at_csv)
    assert done(job).status == "queued"
    found.refresh_from_db()
    assert (stored(), bool(found.workbook), bool(found.csv)) == (set(), False, False)
    monkeypatch.setattr(FileSystemStorage, "save", save)
    Job.objects.update(not_before=EVENING)
    made(found)
    assert stored() == {found.workbook.name, found.csv.name}


def test_a_worker_that_lost_the_job_takes_its_own_files_away_and_no_other(club, monkeypatch):
    settle(play(club))
    found = request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER)
    job = Job.objects.get(subject_id=found.pk)
    write = book_files.write_ledger

    def write_while_another_takes_over(*args: Any) -> None:
        monkeypatch.setattr(book_files, "write_ledger", write)
        Job.objects.filter(pk=job.pk).update(status="queued", lease_token=None)
        queue.run(job.pk)
        write(*args[:3], lambda _done, _total: None)

    monkeypatch.setattr(book_files, "write_ledger", write_while_another_takes_over)
    assert done(job).status == "done"
    found.refresh_from_db()
    assert stored() == {found.workbook.name, found.csv.name}


def test_a_job_says_how_far_it_is(club):
    settle(play(club))
    found = made(request_ledger_file(club=club, currency="USD", author=None, **NOVEMBER))
    job = Job.objects.get(subject_id=found.pk)
    assert (job.progress_done, job.progress_total) == (3, 3)


def test_a_short_session_is_given_out_at_once_and_a_long_one_is_made_by_a_job(client, club, owner, monkeypatch):
    client.force_login(owner)
    session = play(club)
    workbook, csv_file = (reverse(f"session-{kind}", args=[session.pk]) for kind in ("workbook", "csv"))
    answer = client.get(workbook)
    assert load_workbook(io.BytesIO(b"".join(answer.streaming_content))).sheetnames[0] == "Scoreboard"
    assert answer["Content-Disposition"] == 'attachment; filename="session-Thursday-table-2026-11-26.xlsx"'
    assert b"".join(client.get(csv_file).streaming_content).decode().startswith(BOM)
    monkeypatch.setattr(book_files, "MOST_HANDS_AT_ONCE", 0)
    page = reverse("session-files", args=[session.pk])
    assert {client.get(url)["Location"] for url in (workbook, csv_file)} == {page}
    assert "Make the files" in client.get(page).text
    for _tap in range(2):
        assert client.post(page)["Location"] == page
    found = made(BookFile.objects.get())
    assert opened(found).sheetnames[0] == "Scoreboard"
    assert reverse("book-file-workbook", args=[found.pk]) in client.get(page).text


def test_an_amount_that_cannot_be_kept_is_said_and_is_no_error_of_the_page(client, club, owner):
    client.force_login(owner)
    # 40 points of a value whose 40-fold is beyond what the book keeps.
    session = play(club, point_value_minor=10**14)
    for kind in ("workbook", "csv"):
        answer = client.get(reverse(f"session-{kind}", args=[session.pk]), follow=True)
        assert "An amount of this session is too large to be kept." in answer.text
    job = done(Job.objects.get(subject_id=request_session_file(session=session, author=owner).pk))
    assert (job.status, job.error) == ("failed", "An amount of this session is too large to be kept.")
    assert stored() == set()


def test_the_page_asks_for_a_period_and_gives_out_what_was_made(client, club, owner):
    client.force_login(owner)
    page = reverse("ledger-files", args=[club.pk])
    assert "No entries yet" in client.get(page).text
    settle(play(club))
    wrong = client.post(page, {"currency": "USD", "first_day": "2026-11-30", "last_day": "2026-11-01"})
    assert (wrong.status_code, "The period ends before it begins." in wrong.text) == (422, True)
    sent = client.post(page, {"currency": "USD", "first_day": "2026-11-01", "last_day": "2026-11-30"})
    assert sent["Location"] == page
    found = BookFile.objects.get()
    for kind in ("workbook", "csv"):
        assert client.get(reverse(f"book-file-{kind}", args=[found.pk])).status_code == 404, "it is not made yet"
    made(found)
    answer = client.get(reverse("book-file-csv", args=[found.pk]))
    assert answer["Content-Disposition"] == 'attachment; filename="ledger-USD-2026-11-01-2026-11-30.csv"'
    assert b"".join(answer.streaming_content) == Path(found.csv.path).read_bytes()
    answer = client.get(reverse("book-file-workbook", args=[found.pk]))
    assert b"".join(answer.streaming_content) == Path(found.workbook.path).read_bytes()


def test_only_those_who_keep_the_books_are_given_the_files(client, club, owner, stranger):
    session = play(club)
    settle(session)
    files = [ledger_of(club), made(request_session_file(session=session, author=owner))]
    urls = [reverse(f"session-{kind}", args=[session.pk]) for kind in ("files", "workbook", "csv")]
    urls += [reverse("ledger-files", args=[club.pk])]
    urls += [reverse(f"book-file-{kind}", args=[found.pk]) for found in files for kind in ("workbook", "csv")]
    ben = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=players_named(club=club, names={1: "Ben"})[1], user=ben)
    for person in (stranger, ben):
        client.force_login(person)
        assert {client.get(url).status_code for url in urls} == {404}


@pytest.mark.parametrize("where", ["../../manage.py", "%2e%2e/%2e%2e/manage.py", "%00", "..%2fcsv", "1"])
def test_a_download_is_by_id_and_nothing_else(client, owner, where):
    client.force_login(owner)
    assert client.get(f"/book-files/{where}/workbook").status_code == 404


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
