"""The pages of own phones: what a phone and the host see, how they ask, and what a press does."""

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hands import drafts, phones
from hands.models import Draft, Hand, Session
from hands.phone_models import HiddenSetup, Phone, PhoneTable
from hands.services import close_session
from settlement.closing import close_session as close_after_a_look
from tests.deals import ANA, BEN, BOARDS, CHI, play
from tests.hands.at_the_table import facts, give_up, lock, lock_all, recorded, refused, seated

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def session(club) -> Session:
    return play(club, [])


@pytest.fixture
def table(session) -> PhoneTable:
    return phones.open_round(session=session)


def test_a_phone_takes_a_seat_sets_and_locks_without_a_script(table):
    client = Client()
    assert "I am Ana" in client.get(reverse("table", args=[table.join_id])).text
    client = seated(table, 1)
    cookie = client.cookies["homerun_seat"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", f"/table/{table.join_id}/")
    page = client.get(reverse("table", args=[table.join_id]))
    assert "Your cards, Ana" in page.text
    url = reverse("table-confirm", args=[table.join_id, table.round_key])
    wrong = client.post(url, {"top": "7h", "middle": "9h Ad", "bottom": "3c 5s 1s"})
    assert wrong.status_code == 422
    assert "“1s” is not a card." in wrong.text
    short = client.post(url, {"top": "7h", "middle": "9h Ad", "bottom": "3c 5s 3s"})
    assert "bottom has 3 cards" in short.text
    assert client.post(url, {"top": "7h", "middle": "9h Ad", "bottom": "3c 5s 3s 7d"}).status_code == 302
    assert "1 of 3 locked" in client.get(reverse("table", args=[table.join_id])).text


def test_a_second_press_on_a_seat_leads_to_it_and_takes_no_second_chair(table):
    phone, page = Client(), reverse("table", args=[table.join_id])
    phone.get(page)
    pressed = phone.cookies["homerun_seat"].value
    take = reverse("table-seat", args=[table.join_id])
    assert phone.post(take, {"seat": 1}).status_code == 302
    # The browser has dropped the first answer with its cookie.
    phone.cookies["homerun_seat"] = pressed
    assert phone.post(take, {"seat": 1})["Location"] == page
    assert phone.post(take, {"seat": 2})["Location"] == page, "from a tab that was left open"
    assert "Your cards, Ana" in phone.get(page).text
    assert list(Phone.objects.values_list("seat__number", flat=True)) == [1]
    assert Client().post(take, {"seat": 1}).status_code == 422


def test_a_phone_whose_seat_was_left_takes_another_with_a_token_of_its_own(session, table):
    phone = seated(table, 2)
    take = reverse("table-seat", args=[table.join_id])
    held = phone.cookies["homerun_seat"].value
    session.seats.filter(number=2).update(last_hand=1)
    assert phone.post(take, {"seat": 3}).status_code == 302
    assert phone.cookies["homerun_seat"].value != held
    assert "Your cards, Chi" in phone.get(reverse("table", args=[table.join_id])).text


def test_a_poll_that_finds_nothing_new_costs_three_queries_at_most(table, owner):
    client = seated(table, 1)
    # Somebody with an account is dearer: their log-in is looked up.
    client.force_login(owner)
    url = reverse("table-state", args=[table.join_id]) + f"?setting={table.round_key}"
    tag = client.get(url)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url, headers={"If-None-Match": tag}).status_code == 304
    assert len(queries) <= 3
    lock(table, 2, BEN)
    assert client.get(url, headers={"If-None-Match": tag}).status_code == 200
    host = reverse("phones-state", args=[table.session_id])
    tag = client.get(host)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        assert client.get(host, headers={"If-None-Match": tag}).status_code == 304
    assert len(queries) <= 3


def test_taps_of_others_change_nothing_that_a_phone_or_the_host_asks_for(client, table, owner):
    client.force_login(owner)
    watcher, other = seated(table, 1), seated(table, 2)
    urls = {
        watcher: reverse("table-state", args=[table.join_id]),
        client: reverse("phones-state", args=[table.session_id]),
    }
    before = [one.get(url)["ETag"] for one, url in ((client, urls[client]),)]
    url = reverse("table-setup", args=[table.join_id, table.round_key])
    answer = other.post(url, {"based_on": 0, "facts": facts(2, BEN)}, content_type="application/json")
    assert answer.json() == {"revision": 1}
    assert [one.get(url)["ETag"] for one, url in ((client, urls[client]),)] == before


def test_a_page_goes_on_by_itself_when_its_seat_has_something_else_to_do(session, table):
    client = seated(table, 1)
    url = reverse("table-state", args=[table.join_id])
    assert "HX-Refresh" not in client.get(url + f"?setting={table.round_key}")
    assert client.get(url)["HX-Refresh"] == "true"
    phones.free_seat(session=session, number=1)
    assert client.get(url)["HX-Refresh"] == "true"
    close_session(session=session)
    assert client.get(url).status_code == 404, "what is shown stays"
    assert client.get(url + f"?setting={table.round_key}")["HX-Refresh"] == "true"


@pytest.mark.parametrize(
    "body",
    [
        "[",
        "[]",
        '{"based_on": 0}',
        '{"based_on": 0, "facts": 1}',
        '{"based_on": 0, "facts": {"rows": {"top_1": ["1s"]}, "out": []}}',
    ],
)
def test_what_is_no_setup_is_refused_in_a_sentence(table, body):
    client = seated(table, 1)
    for name in ("table-setup", "table-confirm"):
        answer = client.post(
            reverse(name, args=[table.join_id, table.round_key]), body, content_type="application/json"
        )
        assert answer.status_code == 422, name
        assert answer.json()["code"] == "draft"


def test_an_old_page_gives_no_later_hand_up(client, session, table, owner):
    client.force_login(owner)
    url = reverse("phones", args=[session.pk])
    old = {"do": "stop", "key": str(table.round_key)}
    assert f'name="key" value="{table.round_key}"' in client.get(url).text
    client.post(url, old)
    later = phones.open_round(session=session)
    for key in (old["key"], "", "x"):
        client.post(url, old | {"key": key})
    assert PhoneTable.objects.get().round_key == later.round_key
    assert HiddenSetup.objects.count() == 3


def test_a_phone_that_comes_too_late_is_sent_to_its_page(session, table):
    client = seated(table, 1)
    give_up(session)
    for name in ("table-setup", "table-confirm"):
        url = reverse(name, args=[table.join_id, table.round_key])
        answer = client.post(url, {"based_on": 0, "facts": facts(1, ANA)}, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (409, "recorded")


def test_the_showdown_is_on_every_phone_after_the_hand_was_recorded(session, table):
    client = seated(table, 2)
    phones.confirm_setup(
        phone=Phone.objects.select_related("table__session__rule_set", "seat__player").get(),
        round_key=table.round_key,
        facts=facts(2, BEN),
    )
    lock(table, 1, ANA)
    lock(table, 3, CHI)
    url = reverse("table", args=[table.join_id])
    assert "All cards are open" in client.get(url).text
    recorded(table)
    page = client.get(url).text
    assert "Hand 1" in page
    assert all(f'aria-label="{words}"' in page for words in ("Two of diamonds", "King of hearts", "Seven of hearts"))
    assert BOARDS[0][0] == "2d"
    assert '<a class="setup-pick"' not in page


def test_the_host_reads_of_no_showdown_that_was_undone(client, session, table, owner):
    client.force_login(owner)
    phone, host = seated(table, 1), reverse("phones", args=[session.pk])
    lock_all(table)
    hand = recorded(table).hand
    assert "The showdown is on the phones" in client.get(host).text
    drafts.undo_hand(hand=hand, author=owner)
    assert "You have your seat" in phone.get(reverse("table", args=[table.join_id])).text
    assert "No hand is being set" in client.get(host).text


def shares_on(page: str) -> list[str]:
    """Every percentage of a page's rows, in their order."""
    rows = re.search(r'<section class="panel panel-flush chances".*?<p class="chances-key', page, re.DOTALL)
    return re.findall(r"[\d.]+%", rows[0])


def test_phones_and_host_follow_the_boards_street_by_street_while_they_are_entered(client, session, table, owner):
    phone, host = seated(table, 1), reverse("phones-state", args=[session.pk])
    mine = reverse("table-state", args=[table.join_id])
    client.force_login(owner)
    lock_all(table)
    key = phones.begin_boards(session=session, author=owner)
    draft = Draft.objects.get(client_key=key)
    seen, tags = {}, {phone.get(mine)["ETag"]}
    # A flop of which a card lies in a setup is none yet, nor is one of two cards, of a card twice, of a joker,
    # or with a gap.
    slip = [BOARDS[0][0], BEN["top"][0], BOARDS[0][2]]
    twice, joker = [*BOARDS[0][:2], BOARDS[0][0]], ["X1", *BOARDS[0][:2]]
    gap = [BOARDS[0][0], "", *BOARDS[0][2:]]
    for said, boards in (
        ("before the flop", ([], [])),
        ("before the flop", (BOARDS[0][:3], BOARDS[1][:2])),
        ("before the flop", (slip, BOARDS[1][:3])),
        ("before the flop", (twice, BOARDS[1][:3])),
        ("before the flop", (joker, BOARDS[1][:3])),
        ("before the flop", (gap, BOARDS[1][:3])),
        ("flops are out", (BOARDS[0][:3], BOARDS[1][:3])),
        ("flops are out", (BOARDS[0][:5], BOARDS[1][:3])),
        ("turns are out", (BOARDS[0][:4], BOARDS[1][:4])),
        ("all cards are out", BOARDS),
    ):
        rows = {f"board_{number}": list(cards) for number, cards in enumerate(boards, start=1) if cards}
        kept = {"rows": json.loads(draft.facts)["rows"] | {"board_1": [], "board_2": []} | rows, "out": []}
        draft = drafts.keep_draft(session=session, client_key=key, facts=kept, based_on=draft.revision, author=owner)
        answer = phone.get(mine)
        tags.add(answer["ETag"])
        for page in (answer.text, client.get(host).text):
            assert said in page
            seen[said, len(boards[0])] = shares_on(page)
    assert len(tags) == 10, "each change of the boards is told, and the same boards are the same page"
    recorded(table)
    hand = Hand.objects.get()
    for street, said, known in (
        ("deal", "before the flop", 0),
        ("flop", "flops are out", 3),
        ("turn", "turns are out", 4),
        ("river", "all cards are out", 5),
    ):
        replayed = client.get(reverse("hand-chances", args=[hand.pk]), {"street": street}).text
        assert shares_on(replayed) == seen[said, known]


def test_the_host_begins_unlocks_and_enters_the_boards_on_one_page(client, club, owner):
    client.force_login(owner)
    session = play(club, [])
    url = reverse("phones", args=[session.pk])
    assert "Set hand 1 on own phones" in client.get(url).text
    client.post(url, {"do": "begin"})
    table = PhoneTable.objects.get(session=session)
    page = client.get(url).text
    assert table.code in page
    assert "0 of 3 locked" in page
    lock(table, 1, ANA)
    assert "1 of 3 locked" in client.get(url).text
    client.post(reverse("phone-seat", args=[session.pk, 1]), {"do": "unlock"})
    assert "unlocked at" in client.get(url).text
    answer = client.post(url, {"do": "boards"}, follow=True)
    assert "The boards come when every seat has locked its cards." in answer.text
    lock_all(table)
    answer = client.post(url, {"do": "boards"})
    assert answer["Location"] == f"{reverse('hand-new', args=[session.pk])}?draft={table.round_key}"


def test_the_session_says_how_far_the_phones_are_and_is_not_closed_over_them(client, session, table, owner):
    client.force_login(owner)
    lock(table, 1, ANA)
    page = client.get(reverse("session", args=[session.pk])).text
    assert "Hand 1 is being set on own phones" in page
    assert "1 of 3" in page
    assert "1 hand is being entered." in refused("open_drafts", close_after_a_look, session=session)
    close_after_a_look(session=session, anyway=True)
    assert not PhoneTable.objects.exists()
