"""The ledger of a period as a workbook and CSV says what the book says."""

import hashlib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from accounts.models import Transfer
from hands.history import read_deal
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hand
from settlement import excel
from settlement.book_files import request_ledger_file
from tests.deals import EVENING, play, settle
from tests.settlement.book_files import NOVEMBER, ledger_of, made, opened, rows_of, values, written

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
BOTH = pytest.mark.both_databases


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
    # A head and nine entries; the other sheets are no longer either.
    monkeypatch.setattr(excel, "MOST_ROWS", 10)
    monkeypatch.setattr("settlement.ledger_workbook.BLOCK", 2)
    for _evening in range(4):
        settle(play(club))
    found = ledger_of(club)
    book = opened(found)
    assert book.sheetnames == ["Balances", "Entries", "Entries 2", "About"]
    assert [row[0] for row in values(book["Entries"])] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [row[0] for row in values(book["Entries 2"])] == [10, 11, 12, None]
    # The sum is of both: four times 21.
    assert values(book["Entries 2"])[-1][2:7] == ["12 entries", None, None, None, 84]
    assert [row[0] for row in rows_of(written(found))[1:]] == [str(number) for number in range(1, 13)]
