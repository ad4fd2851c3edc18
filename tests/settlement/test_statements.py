"""A statement says what the ledger says, to the minor unit."""

import uuid
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.merging import merge_players
from accounts.models import Account, Player, Transfer
from hands.history import read_deal
from hands.models import HandVersion
from hands.scoring.taiwanese import PRESETS
from settlement import statement_content
from settlement.corrections import correct_hand, reopen_session
from settlement.models import Statement
from settlement.payments import Wanted, record_payments
from settlement.statement_content import StatementContent
from tests.deals import ANA, BEN, EVENING, THREE, add_hand, document, play, settle
from tests.settlement.test_house import play_by
from tests.statements import ask, assert_adds_up, exact, foot, lines, opened, records

pytestmark = pytest.mark.usefixtures("own_files")

HEAD = ["Date", "Session", "Entry", "With", "Reference", "Hands", "Points", "Amount", "Balance"]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_statement_lists_what_the_ledger_moved(club):
    settle(play(club))
    sheet = opened(ask(club))["Statement"]
    played = datetime(2026, 11, 26)  # noqa: DTZ001  (Excel's dates have no zone)
    assert [cell.value for cell in sheet[7]] == HEAD
    # Ana +20 points against Ben and +2 against Chi, at 50 cents.
    assert lines(sheet) == [
        [datetime(2026, 11, 1), None, "Opening balance", None, None, None, None, None, 0],  # noqa: DTZ001  (cells have no zone)
        [played, "Thursday table", "Session settled", "Ben", 1, 1, 20, 10, 10],
        [played, "Thursday table", "Session settled", "Chi", 2, 1, 2, 1, 11],
    ]
    assert foot(sheet) == {
        "Total of sessions": [None, None, "Total of sessions", None, None, None, 22, 11, None],
        "Closing balance": [datetime(2026, 11, 30), None, "Closing balance", *[None] * 5, 11],  # noqa: DTZ001  (cells have no zone)
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
