"""Own phones at the table: seats and tokens, what is locked, what opens when, and what the book takes."""

import re
import uuid
from datetime import timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import AuditRow
from hands import drafts, phones, seating
from hands.history import read_deal
from hands.models import Draft, Hand, Session, Setup
from hands.phone_models import CodeTries, HiddenSetup, Phone, PhoneTable
from hands.scoring.taiwanese import PRESETS
from hands.services import close_session, record_hand
from tests.deals import ANA, BEN, CHI, EVENING, THREE, document, play
from tests.hands.at_the_table import facts, give_up, lock, lock_all, phone_at, recorded, refused, seated

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def session(club) -> Session:
    return play(club, [])


@pytest.fixture
def table(session) -> PhoneTable:
    return phones.open_round(session=session)


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
