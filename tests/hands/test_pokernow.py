"""PokerNow's ledger becomes a session of results; what is wrong with it is said by line and column."""

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.faults import faults_in
from accounts.models import Account, Player
from hands.models import Hand, HandVersion, Session
from hands.pokernow import read_ledger
from hands.pokernow_import import deals_of, import_pokernow
from hands.queries import net_points_by_player
from settlement.corrections import correct_hand
from settlement.verify import verify_club
from tests.deals import settle

HEAD = "player_nickname,player_id,session_start_at,session_end_at,buy_in,buy_out,stack,net"
# Ana came twice, under two names: 11.00 won and 10.50 lost. Ben still sits there.
STAYS = [
    "Ana,aaa,2026-11-28T12:10:00.000Z,2026-11-28T14:00:00.000Z,2000,3100,0,1100",
    '"Ana ""Ace"" R., jr.",aaa,2026-11-28T14:05:00.000Z,2026-11-28T16:00:00.000Z,2000,950,0,-1050',
    "=1+1,ccc,2026-11-28T12:00:00.000Z,2026-11-28T16:00:00.000Z,2000,750,0,-1250",
    "Ben,bbb,2026-11-28T12:00:00.000Z,,2000,,3200,1200",
]
TERMS = {"unit": "cents", "currency": "USD"}


def as_csv(*rows: str, head: str = HEAD, end: str = "\n") -> str:
    return end.join([head, *rows]) + end


def sentences(text: str, **terms: str) -> list[str]:
    with pytest.raises(ValidationError) as raised:
        read_ledger(text, **(TERMS | terms))
    return [sentence for _pointer, _code, sentence in faults_in(raised.value)]


def bring(club, text: str, **terms):
    asked = TERMS | {"point_value_minor": 1, "table": "PokerNow", "author": None} | terms
    return import_pokernow(club=club, text=text, **asked)


def test_stays_of_one_id_are_one_player_under_the_newest_name():
    ledger = read_ledger(as_csv(*STAYS), **TERMS)
    assert [(one.name, one.net_minor, one.stays) for one in ledger.results] == [
        ("Ben", 1200, 1),
        ('Ana "Ace" R., jr.', 50, 2),
        ("=1+1", -1250, 1),
    ]
    assert ledger.results[1].nicknames == ('Ana "Ace" R., jr.', "Ana")
    assert (ledger.started_at.isoformat(), ledger.open_stays) == ("2026-11-28T12:00:00+00:00", 1)


def test_the_unit_is_what_the_room_counts_in():
    def nets(unit: str, currency: str) -> list[int]:
        return [one.net_minor for one in read_ledger(as_csv(*STAYS), unit=unit, currency=currency).results]

    assert nets("cents", "USD") == [1200, 50, -1250]
    assert nets("whole", "USD") == [120000, 5000, -125000]
    # A yen has no cents: 1200 cents are 12, and 50 of them are half of one.
    assert nets("whole", "JPY") == [1200, 50, -1250]
    assert "Line 3, buy_out: 950 is no whole number of minor units of JPY." in sentences(as_csv(*STAYS), currency="JPY")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + as_csv(*STAYS, end="\r\n"),
        as_csv(*reversed(STAYS)),
        as_csv(*STAYS) + "\n\n",
    ],
    ids=["mark and CRLF", "another order", "blank lines"],
)
def test_the_same_rows_are_the_same_ledger(text):
    assert read_ledger(text, **TERMS).digest == read_ledger(as_csv(*STAYS), **TERMS).digest


def test_newer_ledgers_have_chips_put_aside():
    head = HEAD.replace("net", "nit_escrow,net")
    rows = [
        "Ana,aaa,2026-11-28T12:10:00.000Z,,2000,,2900,100,1000",
        "Ben,bbb,2026-11-28T12:10:00.000Z,2026-11-28T14:00:00.000Z,2000,1000,0,0,-1000",
    ]
    assert [one.net_minor for one in read_ledger(as_csv(*rows, head=head), **TERMS).results] == [1000, -1000]


def broken(place: int, old: str, new: str) -> str:
    rows = list(STAYS)
    assert old in rows[place]
    rows[place] = rows[place].replace(old, new, 1)
    return as_csv(*rows)


NO_LEDGER = f"This is no ledger of PokerNow: its first line must name the columns {HEAD.replace(',', ', ')}."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (as_csv(*STAYS, head="name,net"), NO_LEDGER),
        ("", NO_LEDGER),
        (as_csv(), "The ledger has no rows."),
        (broken(0, "3100", "31oo"), "Line 2, buy_out: “31oo” is no amount."),
        (broken(0, "2000,", "-2000,"), "Line 2, buy_in: “-2000” is no amount."),
        (broken(0, "2000,", "1e400,"), "Line 2, buy_in: “1e400” is no amount."),
        (broken(3, "1200", "1300"), "Line 5, net: it says +$13.00; what was bought and what is there make +$12.00."),
        (
            broken(0, "14:00:00.000Z", "14:00:00"),
            "Line 2, session_end_at: 2026-11-28T14:00:00 has no time zone; PokerNow",
        ),
        (broken(0, "2026-11-28T14:00:00.000Z", "tonight"), "Line 2, session_end_at: “tonight” is no time like 2026-"),
        (broken(0, "T14:00", "T11:00"), "Line 2, session_end_at: the stay ends before it begins."),
        (broken(0, "aaa,", ""), "Line 2 has 7 cells; the first line names 8 columns."),
        (broken(0, "aaa", ""), "Line 2, player_id: a player's id has 1 to 80 visible characters."),
        (broken(2, "=1+1", "\x07"), "Line 4, player_nickname: A name cannot hold the invisible character U+0007."),
        (broken(3, "Ben", '"Ben'), "Line 5 is not CSV: unexpected end of data"),
        (as_csv(*STAYS[:2], STAYS[0]), "Line 4, player_id: this stay stands in line 2 already."),
    ],
)
def test_a_fault_is_said_with_its_line_and_column(text, sentence):
    found = sentences(text)
    assert any(one.startswith(sentence) for one in found), found


def test_nets_that_do_not_add_up_say_by_how_much_and_where_to_look():
    assert sentences(as_csv(*STAYS[1:])) == [
        "The nets add up to −$11.00, not to zero. Look at the stays that have no end yet: Ben (line 4). "
        "Or a row is missing."
    ]
    twice = STAYS[0].replace("12:10", "12:11")
    assert sentences(as_csv(*STAYS, twice)) == [
        "The nets add up to +$11.00, not to zero. Just that is the net of: Ana (line 2), Ana (line 6). "
        "Is it there once too often?"
    ]
    ended = STAYS[2].replace("750,0,-1250", "700,0,-1300")
    closed = STAYS[3].replace("Z,,2000,,3200", "Z,2026-11-28T16:00:00.000Z,2000,3200,0")
    assert sentences(as_csv(*STAYS[:2], ended, closed)) == [
        "The nets add up to −$0.50, not to zero. A row is missing, or was changed by hand; export the ledger again."
    ]


def test_a_net_must_be_a_whole_number_of_points():
    ledger = read_ledger(as_csv(*STAYS), **TERMS)
    assert [deal.points for deal in deals_of(ledger, 50)] == [(24, -25, 1)]
    with pytest.raises(ValidationError) as raised:
        deals_of(ledger, 100)
    assert raised.value.messages[0] == (
        'Ana "Ace" R., jr.: +$0.50 is no whole number of points of $1.00; choose a smaller point value.'
    )


def many(count: int) -> str:
    """So many players: 1, 2, 3, ... dollars won, and the last one loses it all."""
    times = "2026-11-28T12:00:00.000Z,2026-11-28T16:00:00.000Z"
    rows = [f"P{place},id{place},{times},10000,{10000 + 100 * place},0,{100 * place}" for place in range(1, count)]
    lost = 50 * count * (count - 1)
    rows.append(f"Last,last,{times},{lost},0,0,{-lost}")
    return as_csv(*rows)


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize(("count", "hands"), [(2, 1), (6, 1), (7, 2), (11, 2), (12, 3), (30, 6)])
def test_more_players_than_seats_are_several_hands_with_the_same_nets(club, count, hands):
    session = bring(club, many(count)).session
    assert session.hands.count() == hands
    names = {player.pk: player.name for player in Player.objects.filter(club=club)}
    nets = {names[key]: points for key, points in net_points_by_player(session).items()}
    expected = {f"P{place}": 100 * place for place in range(1, count)} | {"Last": -50 * count * (count - 1)}
    assert nets == expected
    settle(session)
    held = Account.objects.filter(kind="player").select_related("player")
    assert {one.player.name: one.balance_minor for one in held} == expected
    assert verify_club(club).finding == ""


@pytest.mark.django_db
def test_the_same_ledger_twice_adds_nothing_and_other_terms_are_a_conflict(club):
    first = bring(club, as_csv(*STAYS))
    again = bring(club, as_csv(*STAYS, end="\r\n"))
    assert (first.is_duplicate, again.is_duplicate, again.session) == (False, True, first.session)
    assert Hand.objects.count() == 1
    settle(first.session)
    assert bring(club, as_csv(*STAYS)).is_duplicate
    with pytest.raises(ValidationError) as raised:
        bring(club, as_csv(*STAYS), unit="whole")
    assert "Nothing was changed." in raised.value.messages[0]
    assert not HandVersion.objects.filter(has_cards=True).exists()


@pytest.mark.django_db
def test_a_ledger_that_has_grown_is_refused_until_the_earlier_one_is_void(club):
    first = bring(club, as_csv(*STAYS)).session
    grown = [*STAYS[:3], STAYS[3].replace("Z,,2000,,3200", "Z,2026-11-28T16:00:00.000Z,2000,3200,0")]
    with pytest.raises(ValidationError, match="An earlier ledger of this game is in the book"):
        bring(club, as_csv(*grown))
    for hand in first.hands.all():
        correct_hand(hand=hand, based_on=1, deal=None, reason="The game went on.", author=None)
    assert bring(club, as_csv(*grown)).session != first


@pytest.mark.django_db
def test_the_page_shows_who_won_what_before_anything_is_saved(client, club, owner):
    client.force_login(owner)
    url = reverse("pokernow", args=[club.pk])
    asked = {"unit": "cents", "currency": "USD", "table": "Online", "point_value": ""}
    file = SimpleUploadedFile("ledger.csv", ("\ufeff" + as_csv(*STAYS, end="\r\n")).encode())
    page = client.post(url, asked | {"file": file})
    assert page.status_code == 200
    assert "+$12.00" in page.text
    assert "also as Ana" in page.text
    assert "1 stay has no end" in page.text
    assert Session.objects.count() == 0
    text = page.context["form"]["text"].value()
    saved = client.post(url, asked | {"text": text, "save": "1"})
    assert saved["Location"] == reverse("session", args=[Session.objects.get().pk])
    assert Session.objects.get().table == "Online"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"unit": ""}, "The file does not say it: choose what the room counts in."),
        ({"file": None}, "Choose the ledger&#x27;s file."),
        ({"file": b"\xff\xfe"}, "This is no text in UTF-8. Send the file as PokerNow made it."),
        ({"file": b"x" * 500_001}, "That is too large for a ledger."),
        ({"point_value": "half"}, "“half” is not an amount. Write it like 0.50."),
        ({"point_value": "5"}, "choose a smaller point value."),
    ],
)
def test_the_page_says_what_is_wrong_beside_the_field(client, club, owner, change, sentence):
    client.force_login(owner)
    asked = {"unit": "cents", "currency": "USD", "table": "Online", "file": as_csv(*STAYS).encode()} | change
    if (raw := asked.pop("file")) is not None:
        asked["file"] = SimpleUploadedFile("ledger.csv", raw)
    page = client.post(reverse("pokernow", args=[club.pk]), asked)
    assert page.status_code == 422
    assert sentence in page.text
    assert Session.objects.count() == 0
