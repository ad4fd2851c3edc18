"""Own phones at the table: seats and tokens, what is locked, what opens when, and what the book takes."""

import json
import re
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditRow
from hands import drafts, phones, seating
from hands.history import read_deal
from hands.models import Draft, Hand, Session, Setup
from hands.phone_models import CodeTries, HiddenSetup, Phone, PhoneTable
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session, record_hand
from settlement.closing import close_session as close_after_a_look
from tests.deals import ANA, BEN, BOARDS, CHI, EVENING, THREE, document, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NUMBERS = {"Ana": 1, "Ben": 2, "Chi": 3}


@pytest.fixture
def session(club) -> Session:
    return play(club, [])


@pytest.fixture
def table(session) -> PhoneTable:
    return phones.open_round(session=session)


def facts(number: int, setup: dict[str, list[str]]) -> dict[str, object]:
    return {"rows": {f"{row}_{number}": cards for row, cards in setup.items()}, "out": []}


def phone_at(table: PhoneTable, number: int) -> Phone:
    token = phones.take_seat(table=table, number=number)
    found = phones.find_phone(join_id=table.join_id, token=token)
    assert found is not None
    return found


def lock(table: PhoneTable, number: int, setup: dict[str, list[str]]) -> Phone:
    held = Phone.objects.filter(seat__number=number).select_related("seat__player", "table__session__rule_set").first()
    phone = held or phone_at(table, number)
    phones.confirm_setup(phone=phone, round_key=table.round_key, facts=facts(number, setup))
    return phone


def lock_all(table: PhoneTable, setups=THREE) -> None:
    for name, setup in setups.items():
        lock(table, NUMBERS[name], setup)


def give_up(session: Session) -> None:
    phones.stop_round(session=session, round_key=PhoneTable.objects.get(session=session).round_key)


def refused(said: str, call, **arguments) -> str:
    """The sentence with which a call is refused."""
    with pytest.raises(ValidationError) as error:
        call(**arguments)
    (fault,) = error.value.error_list
    assert fault.code == said
    return fault.messages[0]


def recorded(table: PhoneTable, setups=THREE):
    """The hand as the entry page sends it."""
    seats = {seat.number: seat for seat in table.session.seats.select_related("player")}
    deal = read_deal(document(setups, EVENING), PRESETS["phenom"])
    records = tuple(replace(one, player_id=seats[one.number].player_id) for one in deal.seats)
    return record_hand(
        session=table.session, deal=replace(deal, seats=records, client_key=table.round_key), author=None
    )


def test_a_hand_from_the_first_phone_to_the_book(session, table, owner):
    lock_all(table)
    key = phones.begin_boards(session=session, author=owner)
    rows = drafts.begin_entry(session, wanted=str(key), seats=[]).facts["rows"]
    assert rows["bottom_3"] == CHI["bottom"]
    assert len(rows) == 9, "three rows of three seats, and no board yet"
    answer = recorded(table)
    assert answer.result == "accepted"
    # The published deal: Ana +22, Ben -40, Chi +18.
    assert dict(Setup.objects.values_list("seat__number", "net_points")) == {1: 22, 2: -40, 3: 18}
    table.refresh_from_db()
    assert (table.round_key, table.hand) == (None, answer.hand)
    assert not HiddenSetup.objects.exists()
    assert not Draft.objects.exists()


def test_a_token_is_kept_as_its_digest_alone(table):
    token = phones.take_seat(table=table, number=1)
    (kept,) = Phone.objects.values_list("secret_sha256", flat=True)
    assert token not in kept
    assert phones.find_phone(join_id=table.join_id, token=token) is not None
    assert phones.find_phone(join_id=table.join_id, token=kept) is None
    assert phones.find_phone(join_id=uuid.uuid4(), token=token) is None


def test_a_seat_belongs_to_one_phone_until_the_host_frees_it(session, table):
    first = phone_at(table, 2)
    sentence = refused("seat_taken", phones.take_seat, table=table, number=2)
    assert sentence == "Another phone holds the seat of Ben. The host can free it."
    refused("nobody_sits", phones.take_seat, table=table, number=5)
    phones.free_seat(session=session, number=2)
    assert not Phone.objects.filter(pk=first.pk).exists()
    assert phone_at(table, 2).pk != first.pk
    assert AuditRow.objects.get(action="phone.freed").detail == {"name": "Ben", "seat": 2}


def test_what_a_phone_laid_is_not_handed_to_the_next_phone_on_its_seat(session, table):
    first = phone_at(table, 1)
    phones.keep_setup(phone=first, round_key=table.round_key, facts=facts(1, ANA), based_on=0)
    phones.free_seat(session=session, number=1)
    assert "7h" not in HiddenSetup.objects.get(seat__number=1).facts
    lock(table, 2, BEN)
    phones.free_seat(session=session, number=2)
    phone_at(table, 2)
    phones.unlock_seat(session=session, number=2)
    assert "5d" not in HiddenSetup.objects.get(seat__number=2).facts


def test_taps_are_kept_and_the_same_taps_are_no_change(table):
    phone = phone_at(table, 1)
    laid = {"rows": {"top_1": ["7h"]}, "out": []}
    keep = {"phone": phone, "round_key": table.round_key}
    assert phones.keep_setup(**keep, facts=laid, based_on=0) == 1
    assert phones.keep_setup(**keep, facts=laid, based_on=0) == 1
    with pytest.raises(phones.SetupChanged) as error:
        phones.keep_setup(**keep, facts=facts(1, ANA), based_on=0)
    assert error.value.theirs.revision == 1
    refused("draft", phones.keep_setup, **keep, facts=facts(2, ANA), based_on=1)


def test_a_confirmed_setup_is_final_unless_the_host_unlocks_the_seat(session, table):
    phone = lock(table, 1, ANA)
    mine = {"phone": phone, "round_key": table.round_key}
    phones.confirm_setup(**mine, facts=facts(1, ANA))
    refused("locked", phones.confirm_setup, **mine, facts=facts(1, BEN))
    refused("not_setting", phones.keep_setup, **mine, facts=facts(1, BEN), based_on=1)
    phones.unlock_seat(session=session, number=1)
    setup = HiddenSetup.objects.get(seat__number=1)
    assert (setup.locked_at, setup.unlocked_at is None) == (None, False)
    assert AuditRow.objects.get(action="setup.unlocked").detail == {"name": "Ana", "seat": 1}
    phones.confirm_setup(**mine, facts=facts(1, BEN))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bottom": ["3c", "5s", "3s"]}, "Seat 1 (Ana): bottom has 3 cards (3c 5s 3s); Taiwanese needs 4."),
        ({"top": ["9h"]}, "Seat 1 (Ana) holds 9h twice, in top and middle."),
        ({"top": ["X1"]}, "Seat 1 (Ana) holds X1 in top; these rules have no jokers."),
    ],
)
def test_only_what_is_wrong_with_the_seats_own_cards_is_said(table, wrong, sentence):
    phone = phone_at(table, 1)
    with pytest.raises(ValidationError) as error:
        phones.confirm_setup(phone=phone, round_key=table.round_key, facts=facts(1, ANA | wrong))
    assert error.value.messages == [sentence]
    assert HiddenSetup.objects.get(seat__number=1).locked_at is None


def test_a_card_claimed_twice_is_told_when_all_are_locked_and_both_seats_look_again(session, table):
    # Chi says 7h, which Ana holds.
    lock(table, 1, ANA)
    lock(table, 3, CHI | {"top": ["7h"]})
    assert set(HiddenSetup.objects.values_list("claimed", flat=True)) == {""}
    lock(table, 2, BEN)
    found = {setup.seat.number: (setup.claimed, setup.locked_at is None) for setup in HiddenSetup.objects.all()}
    assert found == {1: ("7h", True), 2: ("", False), 3: ("7h", True)}
    table.refresh_from_db()
    assert table.revealed_at is None
    lock(table, 1, ANA)
    lock(table, 3, CHI)
    table.refresh_from_db()
    assert table.revealed_at is not None
    assert set(HiddenSetup.objects.values_list("claimed", flat=True)) == {""}


def test_boards_come_only_when_all_are_locked(session, table, owner):
    lock(table, 1, ANA)
    lock(table, 2, BEN)
    refused("not_all_locked", phones.begin_boards, session=session, author=owner)
    refused("not_all_locked", recorded, table=table)
    assert not Hand.objects.exists()


def test_the_book_takes_only_what_was_locked(session, table):
    lock_all(table)
    other = THREE | {"Ben": BEN | {"top": ["6d"]}}
    sentence = refused("locked_setup", recorded, table=table, setups=other)
    assert sentence == "Seat 2 (Ben) locked other cards. Save what was locked; correct it afterwards."
    refused("locked_seats", recorded, table=table, setups={"Ana": ANA, "Ben": BEN})
    assert not Hand.objects.exists()
    assert recorded(table).result == "accepted"


def test_nobody_changes_a_setup_when_all_are_open(session, table):
    lock_all(table)
    refused("revealed", phones.unlock_seat, session=session, number=1)
    refused("revealed", phones.sit_out, session=session, number=1)


def test_a_seat_that_is_left_out_is_not_waited_for(session, table, owner):
    lock(table, 1, ANA)
    lock(table, 3, CHI)
    phones.sit_out(session=session, number=2)
    assert phones.begin_boards(session=session, author=owner) == table.round_key
    assert drafts.begin_entry(session, wanted=str(table.round_key), seats=[]).facts["out"] == [2]


def test_who_leaves_the_table_is_not_waited_for_and_has_no_phone(session, table, owner):
    lock(table, 1, ANA)
    token = phones.take_seat(table=table, number=2)
    lock(table, 3, CHI)
    seating.unseat_player(session=session, number=2)
    assert phones.find_phone(join_id=table.join_id, token=token) is None
    assert phones.begin_boards(session=session, author=owner) == table.round_key


def test_a_hand_opens_when_only_those_who_left_had_not_locked(session, table):
    lock(table, 1, ANA)
    lock(table, 3, CHI)
    seating.unseat_player(session=session, number=2)
    table.refresh_from_db()
    assert table.revealed_at is not None


def test_nobody_leaves_a_hand_that_is_open_or_needs_them(session, table):
    lock(table, 1, ANA)
    sentence = "Ben plays the hand on own phones. Finish it or give it up first."
    phones.sit_out(session=session, number=3)
    assert refused("plays", seating.unseat_player, session=session, number=2) == sentence, "one of two"
    assert refused("plays", seating.seat_player, session=session, number=4, name="Ben") == sentence
    seating.unseat_player(session=session, number=3)
    give_up(session)
    seating.seat_player(session=session, number=3, name="Chi")
    lock_all(phones.open_round(session=session))
    assert refused("plays", seating.unseat_player, session=session, number=2) == sentence, "all cards are open"
    assert refused("plays", seating.seat_player, session=session, number=4, name="Ben") == sentence
    give_up(session)
    seating.unseat_player(session=session, number=2)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_hand_whose_players_a_program_has_seated_elsewhere_says_that_it_cannot_go_on(
    client, session, table, owner, is_open
):
    client.force_login(owner)
    phone, host = seated(table, 1), reverse("phones", args=[session.pk])
    lock(table, 1, ANA)
    lock(table, 2, BEN)
    if is_open:
        lock(table, 3, CHI)
    deal = read_deal(document({"Ana": ANA, "Dee": BEN, "Eve": CHI}, EVENING), PRESETS["phenom"])
    assert record_hand(session=session, deal=deal, author=None).result == "accepted"
    assert "This hand cannot go on" in phone.get(reverse("table", args=[table.join_id])).text
    page = client.get(host).text
    sentence = "Fewer than two of those who set this hand sit here now. Give it up, and begin another."
    assert sentence in page
    assert 'value="boards"' not in page
    assert refused("seat_count", phones.begin_boards, session=session, author=owner) == sentence
    client.post(host, {"do": "stop", "key": str(table.round_key)})
    assert "Set hand 2" in client.get(host).text


def test_giving_a_hand_up_forgets_its_cards_and_keeps_the_phones(session, table, owner):
    lock_all(table)
    phones.begin_boards(session=session, author=owner)
    give_up(session)
    assert (HiddenSetup.objects.count(), Draft.objects.count(), Phone.objects.count()) == (0, 0, 3)
    assert phones.open_round(session=session).round_key != table.round_key


def test_two_seats_at_least_play(session, table):
    phones.sit_out(session=session, number=3)
    refused("seat_count", phones.sit_out, session=session, number=2)


def test_a_closed_session_has_no_phones_and_no_tokens(session, table):
    phone = lock(table, 1, ANA)
    token = phones.take_seat(table=table, number=2)
    close_session(session=session)
    assert not PhoneTable.objects.exists()
    assert not Phone.objects.exists()
    assert not HiddenSetup.objects.exists()
    assert phones.find_phone(join_id=table.join_id, token=token) is None
    refused("not_setting", phones.confirm_setup, phone=phone, round_key=table.round_key, facts=facts(1, ANA))
    refused("session_closed", phones.open_round, session=session)


def test_a_second_tap_on_begin_goes_on_with_the_hand(session, table):
    assert phones.open_round(session=session).round_key == table.round_key


def test_codes_can_be_typed_as_people_type_them(table):
    typed = f" {table.code[:3].lower()} {table.code[3:].lower()} "
    assert phones.find_table(code=typed, address="192.0.2.1") == table
    assert re.fullmatch("[2-9A-HJKMNP-Z]{6}", table.code)


def test_guesses_of_a_code_are_limited_by_address_and_in_all(table):
    with time_machine.travel(EVENING, tick=False):
        for _guess in range(30):
            refused("no_table", phones.find_table, code="AAAAAA", address="192.0.2.1")
        sentence = refused("too_many_tries", phones.find_table, code=table.code, address="192.0.2.1")
        assert sentence == "Too many codes were tried. Scan the QR code instead, or wait 10 minutes."
        assert phones.find_table(code=table.code, address="192.0.2.2") == table
        CodeTries.objects.filter(address="").update(count=600)
        refused("too_many_tries", phones.find_table, code=table.code, address="192.0.2.3")
    with time_machine.travel(EVENING + timedelta(minutes=10), tick=False):
        assert phones.find_table(code=table.code, address="192.0.2.1") == table
        assert CodeTries.objects.count() == 2, "old counts are forgotten"


# ---------------------------------------------------------------- pages


def seated(table: PhoneTable, number: int) -> Client:
    client = Client()
    answer = client.post(reverse("table-seat", args=[table.join_id]), {"seat": number})
    assert answer.status_code == 302
    return client


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
