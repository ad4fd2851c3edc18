"""A session's workbook and CSV say who won what from whom, and what the book has of it."""

import uuid
from datetime import datetime
from decimal import Decimal

import pytest

from accounts.csv_files import BOM
from accounts.models import Account, Player
from hands.history import read_deal
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hand
from settlement import book_files
from settlement.payments import Wanted, record_payments
from tests.deals import ANA, BEN, CHI, EVENING, THREE, play, settle
from tests.settlement.book_files import rows_of, session_book, values
from tests.settlement.test_house import play_by

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
BOTH = pytest.mark.both_databases


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
        [1, datetime(2026, 11, 26), "Session settled", "Ben", "Ana", "Thursday table", 10],  # noqa: DTZ001  (cells have no zone)
        [2, datetime(2026, 11, 26), "Session settled", "Chi", "Ana", "Thursday table", 1],  # noqa: DTZ001  (cells have no zone)
        [3, datetime(2026, 11, 26), "Session settled", "Ben", "Chi", "Thursday table", 10],  # noqa: DTZ001  (cells have no zone)
        [None, None, "3 entries", None, None, None, 21],
    ]


def test_the_sheet_of_hands_and_the_csv_have_every_card(club):
    session = play(club, [THREE, {"Ana": CHI, "Ben": ANA}])
    # 12:04 and 12:08 UTC on the clock of Taipei.
    first, second = datetime(2026, 11, 26, 20, 4), datetime(2026, 11, 26, 20, 8)  # noqa: DTZ001  (cells have no zone)
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


def test_two_players_of_one_name_are_two_lines(club):
    session = play(club, [{"Bob": ANA, "Rob": BEN}])
    Player.objects.filter(name="Rob").update(name="Bob")
    assert values(session_book(session)["Points"], 1) == [
        ["Against", "Bob", "Bob", "Total"],
        ["Bob", None, 20, 20],
        ["Bob", -20, None, -20],
        ["Adds up to", None, None, 0],
    ]
