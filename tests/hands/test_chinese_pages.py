"""Pages of the Chinese family: a hand in full and in short, the drafts and forms that enter it, what the hand before
says of it."""

import json
import re
import uuid
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.urls import reverse

from hands.board import session_board
from hands.drafts import begin_entry, keep_draft, undo_hand
from hands.expected import expected_hand
from hands.history import read_hand
from hands.models import Draft, Hand, Seat, Session, Setup
from hands.scoring.games import PRESETS
from hands.seating import next_button
from tests.deals import settle
from tests.ofc import ANA, BEN, CHI, FOULED, NATURALS, NETS, WITH_JOKER, open_table, play_hand

both_databases = pytest.mark.both_databases
pytestmark = pytest.mark.django_db


@pytest.fixture
def session(club, client, owner) -> Session:
    """An Open-Face table of three with one hand; the owner is signed in."""
    client.force_login(owner)
    session = open_table(club)
    play_hand(session, FOULED)
    return session


def hand_page(client, session: Session, **query: str):
    return client.get(reverse("hand", args=[session.hands.get(number=1).pk]), query)


def form_of(seats: dict[int, dict[str, object]], **more: str) -> dict[str, object]:
    """A filled form of one field a row."""
    data = {f"{part}_{seat}": value for seat, setup in seats.items() for part, value in setup.items()}
    return {"client_key": str(uuid.uuid4())} | data | more


# The hand


def test_a_hand_shows_rows_royalties_fouls_and_the_next_fantasyland(client, session):
    page = hand_page(client, session)
    seats = page.context["seats"]
    assert {seat["name"]: seat["net_points"] for seat in seats} == NETS
    ana, _ben, chi = seats
    assert [row["royalty"] for row in ana["rows"]] == [8, 0, 4]
    assert [row["words"] for row in ana["rows"]] == ["pair of kings", "two pair, nines and fives", "flush, ace high"]
    assert [badge["words"] for badge in ana["badges"]] == ["Fantasyland next, 13 cards"]
    # A foul earns nothing, and a pair of aces does not take it to Fantasyland.
    assert [badge["words"] for badge in chi["badges"]] == ["Foul"]
    assert [row["royalty"] for row in chi["rows"]] == [0, 0, 0]
    assert "Board 1" not in page.text
    assert "homeruns" not in page.context


def test_a_chosen_pair_is_told(client, session):
    told = hand_page(client, session, pair="1-3").context["told_pair"]
    assert (told["heading"], told["points"]) == ("Ana against Chi", 18)
    assert told["words"] == "The other setup fouls: 6; royalties +12; +18 in all"


def test_a_hand_can_be_copied_as_text_with_what_happened(client, session):
    text = re.search(r'<pre[^>]*id="hand-text">(.*?)</pre>', hand_page(client, session).text, re.DOTALL)[1]
    assert text.splitlines()[1:] == [
        "Ana +22: Ks Kd 4c / 9h 9d 5s 5c 2d / Ah Jh 8h 6h 3h; Fantasyland next, 13 cards",
        "Ben +11: Qs Qd 7c / Jc Jd Ts Th 3c / 9s 8s 7d 6c 5d; Fantasyland next, 13 cards",
        "Chi −33: As Ad 2s / 4h 4d Kh Tc 6s / Js Td 9c 8c 7s; Foul",
    ]


def test_naturals_and_surrenders_stand_in_place_of_rows(client, club, session):
    table = open_table(club, "chinese-naturals")
    play_hand(table, dict(zip(FOULED, (*NATURALS, {"surrendered": True}), strict=True)))
    page = hand_page(client, table, pair="1-2")
    # rules.md: six pairs against a dragon is -13; a natural collects from a surrender too, 13 and 3.
    assert [(seat["name"], seat["net_points"]) for seat in page.context["seats"]] == [
        ("Ana", 26),
        ("Ben", -10),
        ("Chi", -16),
    ]
    assert page.context["told_pair"]["words"] == "Dragon against six pairs: +13"
    badges = [badge["words"] for seat in page.context["seats"] for badge in seat["badges"]]
    assert badges == ["Dragon", "Six pairs", "Surrendered"]
    assert page.context["seats"][2]["rows"] == []
    # No rows were compared, so no mark says that they tied.
    assert all(cell["rows"] == () for line in page.context["matrix"] for cell in line["cells"] if cell)


def test_a_joker_is_shown_as_what_it_is_played_as_and_discards_lie_beside(client, club, session):
    table = open_table(club, "pineapple-jokers")
    play_hand(table, dict(zip(FOULED, WITH_JOKER, strict=True)))
    ana = hand_page(client, table).context["seats"][0]
    # Three kings would foul over two pair: the joker is an ace.
    assert ana["rows"][0]["words"] == "pair of kings"
    assert re.fullmatch("A[cdhs]", ana["rows"][0]["cards"][2]["played_as"])
    assert ana["discards"] == ["2c", "3d", "7h", "8d"]


def test_the_board_tells_the_last_hand_without_boards(client, session):
    last = session_board(session)["last"]
    assert [(seat["name"], seat["net_points"], seat["royalties"]) for seat in last["seats"]] == [
        ("Ana", 22, 12),
        ("Ben", 11, 9),
        ("Chi", -33, 0),
    ]
    page = client.get(reverse("session", args=[session.pk])).text
    assert "Royalties 12" in page
    assert "nobody kept the cards" not in page


def test_a_hand_is_corrected_by_its_own_form_and_the_old_version_stays(client, session):
    hand = session.hands.get(number=1)
    url = reverse("hand-correct", args=[hand.pk])
    form = client.get(url).context["form"]
    assert form["top_1"].value() == "Ks Kd 4c"
    # Chi's aces were in the middle: no foul any more.
    mended = {"top": "4h4d2s", "middle": "AsAdKhTc6s"}
    data = form_of({1: ANA, 2: BEN, 3: CHI | mended}, based_on="1", reason="Misread")
    shown = client.post(url, data)
    assert shown.status_code == 200
    assert "Chi, top" in shown.text
    assert client.post(url, data | {"confirm": "1"}).status_code == 302
    # Ana and Ben as before. Ana and Chi: kings beat fours, two pair beats aces, a flush beats a straight: 3 + 3, and
    # 12 royalties less 2 for the straight: +16. Ben and Chi: +1 +1, and a straight to nine loses to one to jack: -1;
    # 1 + 9 - 2 = +8.
    seats = hand_page(client, session).context["seats"]
    assert {seat["name"]: seat["net_points"] for seat in seats} == {"Ana": 20, "Ben": 4, "Chi": -24}
    old = hand_page(client, session, version="1")
    assert {seat["name"]: seat["net_points"] for seat in old.context["seats"]} == NETS


def test_points_alone_are_a_hand_of_the_family_too(client, session):
    data = {"client_key": str(uuid.uuid4()), "points_1": "6", "points_2": "-6", "points_3": ""}
    answer = client.post(reverse("hand-points", args=[session.pk]), data, follow=True)
    assert "Nobody kept the cards of this hand" in answer.text
    # Nobody knows who is in Fantasyland after it.
    assert expected_hand(session).owed == {}


def test_a_settled_session_of_the_family_keeps_its_pages(client, session):
    settle(session)
    session.refresh_from_db()
    assert session.state == "settled"
    for name in ("session", "settle", "session-files", "session-history"):
        assert client.get(reverse(name, args=[session.pk])).status_code == 200


# What the hand before says of the next


def test_fantasyland_is_expected_of_the_next_hand_and_the_button_stands(client, session):
    expected = expected_hand(session)
    assert {owed.name: owed.cards for owed in expected.owed.values()} == {"Ana": 13, "Ben": 13}
    assert next_button(session) == 1
    seats = list(Seat.objects.filter(session=session))
    entry = begin_entry(session, wanted="", seats=seats)
    assert entry.facts == {"rows": {}, "out": [], "marks": {"fantasyland_1": 13, "fantasyland_2": 13}}
    # Ana and Ben come back out: no row of theirs stays, and nobody enters.
    plain = {"Ana": ANA | {"top": "KsQd4c"}, "Ben": BEN | {"top": "KdQs7c"}, "Chi": CHI}
    in_it = {name: setup | {"fantasyland": 13} for name, setup in plain.items() if name != "Chi"}
    play_hand(session, plain | in_it, number=2)
    assert expected_hand(session).owed == {}
    assert next_button(session) == 2


def test_progressive_proposes_cards_by_what_was_on_top(client, club, owner):
    client.force_login(owner)
    table = open_table(club, "progressive")
    play_hand(table, FOULED)
    page = client.get(reverse("hand-new", args=[table.pk]), {"plain": "1"})
    # Kings 15, queens 14; Chi fouled.
    assert [page.context["form"][f"fantasyland_{seat}"].value() for seat in (1, 2, 3)] == [15, 14, None]


@pytest.mark.parametrize(
    ("more", "warning"),
    [
        ({}, "Seat 1 (Ana) is not in Fantasyland; by hand 1 it is, with 13 cards."),
        (
            {"fantasyland_1": "13", "top_2": "", "middle_2": "", "bottom_2": ""},
            "Ben is not in this hand, but by hand 1 in Fantasyland, with 13 cards.",
        ),
        (
            {"fantasyland_1": "13", "fantasyland_3": "13"},
            "Seat 3 (Chi) has 13 cards in Fantasyland; by hand 1 it is not in it.",
        ),
    ],
)
def test_the_check_warns_where_fantasyland_is_not_as_expected(client, session, more, warning):
    data = form_of({1: ANA, 2: BEN, 3: CHI}) | more
    answer = client.post(reverse("hand-check", args=[session.pk]), data)
    assert answer.status_code == 200
    assert warning in answer.text


def test_the_check_marks_a_foul_and_says_nothing_where_all_is_as_expected(client, session):
    data = form_of({1: ANA, 2: BEN, 3: CHI}) | {"fantasyland_1": "13", "fantasyland_2": "13"}
    page = client.post(reverse("hand-check", args=[session.pk]), data)
    assert page.context["warnings"] == []
    assert [seat["number"] for seat in page.context["seats"] if "Foul" in str(seat["badges"])] == [3]
    assert "Royalties 12" in page.text
    assert "href=" not in re.sub(r'href="#[\w-]+"', "", page.text)


# Entering


@both_databases
def test_the_plain_form_records_what_a_seat_says_besides(client, club, owner):
    client.force_login(owner)
    table = open_table(club, "pineapple")
    seats = {1: ANA | {"discards": "2c3d7h8d"}, 2: BEN | {"discards": "2h", "fantasyland": "14"}}
    assert client.post(reverse("hand-new", args=[table.pk]), form_of(seats)).status_code == 302
    rows = Setup.objects.order_by("seat__number").values_list("discards", "fantasyland")
    assert list(rows) == [("2c3d7h8d", 0), ("2h", 14)]
    closed = open_table(club, "chinese-naturals")
    seats = {1: ANA, 2: {"surrendered": "1"}}
    assert client.post(reverse("hand-new", args=[closed.pk]), form_of(seats)).status_code == 302
    assert Setup.objects.get(version__hand__session=closed, seat__number=2).surrendered


def test_what_is_wrong_is_said_beside_its_field(client, club, owner):
    client.force_login(owner)
    table = open_table(club, "pineapple")
    seats = {1: ANA | {"discards": "2c3d"}, 2: BEN | {"top": "QsQd"}}
    form = client.post(reverse("hand-new", args=[table.pk]), form_of(seats)).context["form"]
    assert form.errors == {
        "discards_1": ["Seat 1 (Ana): 2 discards (2c 3d); of 17 cards dealt 4 are discarded."],
        "top_2": ["Seat 2 (Ben): top has 2 cards (Qs Qd); Pineapple needs 3."],
    }
    wrong = form_of({1: ANA, 2: BEN}) | {"fantasyland_1": "19"}
    form = client.post(reverse("hand-new", args=[table.pk]), wrong).context["form"]
    assert list(form.errors) == ["fantasyland_1"]
    assert Hand.objects.count() == 0


@both_databases
def test_a_draft_keeps_the_marks_of_its_seats(club):
    table = open_table(club, "progressive")
    facts = {"rows": {"discards_1": ["2c"]}, "out": [], "marks": {"fantasyland_2": 17, "fantasyland_1": 14}}
    keep_draft(session=table, client_key=uuid.uuid4(), facts=facts, based_on=0, author=None)
    kept = json.loads(Draft.objects.get().facts)
    # Most discards are those of 17 cards; marks are in one order, so that the same marks are the same text.
    assert kept["rows"] == {"discards_1": ["2c", "", "", ""]}
    assert list(kept["marks"].items()) == [("fantasyland_1", 14), ("fantasyland_2", 17)]


@pytest.mark.parametrize(
    "marks",
    [{"fantasyland_1": 13}, {"fantasyland_7": 14}, {"surrendered_1": 1}, {"fantasyland_1": True}, {"x": 1}, [14], None],
)
def test_a_mark_that_the_rules_do_not_have_is_no_draft(club, marks):
    table = open_table(club, "progressive")
    facts = {"rows": {}, "out": [], "marks": marks}
    with pytest.raises(ValidationError, match="cannot be kept as a draft"):
        keep_draft(session=table, client_key=uuid.uuid4(), facts=facts, based_on=0, author=None)


@both_databases
def test_undo_brings_marks_and_discards_back(client, club, owner):
    client.force_login(owner)
    table = open_table(club, "pineapple")
    seats = {1: ANA | {"discards": "2c", "fantasyland": "14"}, 2: BEN}
    client.post(reverse("hand-new", args=[table.pk]), form_of(seats))
    facts = json.loads(undo_hand(hand=table.hands.get(), author=owner).facts)
    assert facts["marks"] == {"fantasyland_1": 14}
    assert facts["rows"]["discards_1"] == ["2c", "", "", ""]
    assert facts["out"] == [3]


# What is written about it


def test_the_hand_in_the_guide_to_the_api_has_the_points_it_claims():
    guide = (Path(settings.BASE_DIR) / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", guide, flags=re.DOTALL)
    (block,) = [block for block in blocks if '"game": "pineapple"' in block and "claimed_points" in block]
    head, deal = read_hand(json.loads(block), PRESETS)
    assert deal.unknown_fields == ()
    assert dict(zip((1, 2), deal.net_points(head.rules), strict=True)) == dict(deal.claimed_points) == {1: 4, 2: -4}
