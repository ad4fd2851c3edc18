"""Claimed points: a difference is kept beside the hand, never blocks it, and is seen mended.

The good hand of `tests/histories.py` is Ana's homerun over Ben: 6 + 6 + 8 = 20 points.
"""

import csv
import io
import uuid

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.csv_files import BOM, csv_lines
from accounts.faults import faults_in
from accounts.models import User
from accounts.services import create_club
from hands.corrections import correct_hand
from hands.discrepancies import Filters, csv_rows, discrepancies_of
from hands.history import read_hand
from hands.models import Discrepancy, Hand, Session
from hands.scoring.taiwanese import PRESETS
from hands.services import record_hand, session_for
from tests.hands.test_imports import as_bytes, counts, run
from tests.histories import good, numbered

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def claiming(number: int, ana: int, ben: int | None = None, **more) -> dict:
    claimed = {"1": ana} | ({} if ben is None else {"3": ben})
    return numbered(number, claimed_points=claimed, **more)


def listed(club, **filters) -> list[tuple]:
    rows = discrepancies_of(club, Filters(**filters))
    columns = (
        "version__hand__number",
        "seat_number",
        "player_name",
        "claimed_points",
        "our_points",
        "points_now",
        "state",
    )
    return sorted(rows.values_list(*columns))


def correct(hand: Hand, change=None) -> None:
    deal = None
    if change is not None:
        _head, deal = read_hand(good(lambda document: (document.update(number=hand.number), change(document))), PRESETS)
    correct_hand(hand=hand, based_on=hand.current.version, deal=deal, reason="A slip", author=None)


def test_a_difference_is_kept_and_the_hand_goes_in(club):
    history = run(club, as_bytes(claiming(1, 20, -20), claiming(2, 12, -20), claiming(3, 19), numbered(4)))
    assert (counts(history), history.differing) == ((4, 0, 0, 0), 2)
    assert listed(club) == [(2, 1, "Ana", 12, 20, 20, "open"), (3, 1, "Ana", 19, 20, 20, "open")]
    assert set(Discrepancy.objects.values_list("history", flat=True)) == {history.pk}


def test_many_differences_of_one_block_are_scored_in_the_batch_as_one_by_one(club):
    run(club, as_bytes(*(claiming(number, number, -number) for number in range(1, 41))))
    # Hand 20 claims what is right.
    right = [(number, 1, "Ana", number, 20, 20, "open") for number in range(1, 41) if number != 20]
    assert [row for row in listed(club) if row[1] == 1] == right
    assert {row[4] for row in listed(club) if row[1] == 3} == {-20}


def test_the_same_hand_again_adds_no_difference(club):
    raw = as_bytes(claiming(1, 12))
    run(club, raw)
    assert counts(run(club, raw)) == (0, 1, 0, 0)
    assert Discrepancy.objects.count() == 1


def test_a_hand_that_is_sent_alone_is_compared_too(club):
    head, deal = read_hand(claiming(1, 12), PRESETS)
    answer = record_hand(session=session_for(club=club, head=head, author=None), deal=deal, author=None)
    assert (answer.result, answer.is_differing) == ("accepted", True)
    assert Discrepancy.objects.get().history is None


@pytest.mark.parametrize(
    ("claimed", "pointer", "sentence"),
    [
        ([20, -20], "/claimed_points", 'claimed_points must be like {"1": 20, "2": -20}.'),
        ({"2": 5}, "/claimed_points", "claimed_points names seat “2”, which is not in the hand."),
        ({"١": 5}, "/claimed_points", "claimed_points names seat “١”, which is not in the hand."),
        ({"1": 0.5}, "/claimed_points/1", "1 must be a whole number from -1000000000 to 1000000000."),
        ({"1": True}, "/claimed_points/1", "1 must be a whole number from -1000000000 to 1000000000."),
        ({"1": 10**18}, "/claimed_points/1", "1 must be a whole number from -1000000000 to 1000000000."),
    ],
)
def test_a_claim_that_is_no_number_of_a_seat_is_a_fault_of_the_line(claimed, pointer, sentence):
    with pytest.raises(ValidationError) as refused:
        read_hand(numbered(1, claimed_points=claimed), PRESETS)
    assert [(place, text) for place, _code, text in faults_in(refused.value)] == [(pointer, sentence)]


def test_a_correction_that_gives_what_was_claimed_shows_it_as_mended(club):
    run(club, as_bytes(claiming(1, -20, 20), claiming(2, 12), claiming(3, 12)))
    first, _second, third = Hand.objects.order_by("number")

    def exchange(document):
        one, other = document["seats"]
        for row in ("top", "middle", "bottom"):
            one[row], other[row] = other[row], one[row]

    # With the setups exchanged it is Ben's homerun.
    correct(first, exchange)
    correct(third)
    assert listed(club) == [
        (1, 1, "Ana", -20, 20, -20, "mended"),
        (1, 3, "Ben", 20, -20, 20, "mended"),
        (2, 1, "Ana", 12, 20, 20, "open"),
        (3, 1, "Ana", 12, 20, None, "void"),
    ]
    assert [row[0] for row in listed(club, state="open")] == [2]
    assert [row[0] for row in listed(club, state="mended")] == [1, 1]


def test_the_list_is_narrowed_to_a_session_an_import_and_a_state(club):
    other = good()["session"] | {"external_id": "other"}
    one = run(club, as_bytes(claiming(1, 1)))
    run(club, as_bytes(claiming(2, 2), claiming(3, 3, session=other)))
    assert [row[0] for row in listed(club, history_id=one.pk)] == [1]
    assert [row[0] for row in listed(club, session_id=Session.objects.get(external_id="other").pk)] == [3]
    assert Filters.read("x", "y", "z") == Filters()
    assert listed(create_club(owner=User.objects.get(), name="Other")) == []


def test_the_export_opens_in_a_spreadsheet_and_runs_nothing(club):
    session = good()["session"] | {"external_id": "=1+1", "table": "@SUM(A1)"}
    line = claiming(1, -12, session=session) | {"external_id": "+cmd"}
    line["seats"][0]["player"]["name"] = "-Ana"
    run(club, as_bytes(line))
    text = "".join(csv_lines(csv_rows(discrepancies_of(club))))
    assert text.startswith(BOM)
    head, row = csv.reader(io.StringIO(text.removeprefix(BOM)))
    told = dict(zip(head, row, strict=True))
    texts = ("Session", "Table", "Hand id", "Player")
    assert [told[name] for name in texts] == ["'=1+1", "'@SUM(A1)", "'+cmd", "'-Ana"]
    # A number is a number, also below zero.
    assert [told[name] for name in ("Claimed points", "Our points", "Points now", "State")] == [
        "-12",
        "20",
        "20",
        "open",
    ]


def test_the_page_lists_narrows_and_exports(client, club, owner):
    client.force_login(owner)
    history = run(club, as_bytes(claiming(1, 12, -12)))
    url = reverse("discrepancies", args=[club.pk])
    page = client.get(url)
    assert page.text.count("T7, hand 1, seat") == 2
    hand = Hand.objects.get()
    assert f"{reverse('hand', args=[hand.pk])}?row=3-top-1" in page.text
    told = client.get(f"{reverse('hand', args=[hand.pk])}?row=3-top-1").context["told_row"]
    assert told["heading"].startswith("Ben")
    assert "None. What was claimed" in client.get(url, {"state": "mended"}).text
    assert "None. What was claimed" in client.get(url, {"import": str(uuid.uuid4())}).text
    answer = client.get(reverse("discrepancies-csv", args=[club.pk]), {"import": str(history.pk)})
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert b"".join(answer.streaming_content).decode().count("\r\n") == 3
