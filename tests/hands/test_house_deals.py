"""Hands that the house deals: parts and commitment, who sees which cards, streets, and the proof afterwards."""

import re
import uuid
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.services import players_named
from hands import drafts, phones, seating
from hands.deal_models import DealProof, HouseDeal
from hands.history import read_deal
from hands.models import Session
from hands.phone_models import HiddenSetup, Phone, PhoneTable
from hands.rulesets import rules_of
from hands.scoring.cards import card_text
from hands.scoring.taiwanese import PRESETS
from hands.services import open_session, record_hand
from settlement.corrections import correct_hand
from tests.deals import EVENING, play
from tests.hands.at_the_table import facts, give_up, phone_at, refused, seated

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PARTS = {1: "11" * 32, 2: "22" * 32, 3: "33" * 32}
SIZES = {"top": 1, "middle": 2, "bottom": 4}


@pytest.fixture
def session(club) -> Session:
    return play(club, [])


@pytest.fixture
def table(session) -> PhoneTable:
    return phones.open_round(session=session, is_dealt=True)


def by_the_page() -> object:
    """The program that docs/fair-dealing.md gives to everybody."""
    text = (Path(__file__).parents[2] / "docs" / "fair-dealing.md").read_text()
    program = re.search(r"```python\n(.*?)\nsecret = ", text, re.DOTALL)
    names: dict[str, object] = {}
    exec(program[1], names)  # noqa: S102  (the program in our own docs)
    return names["deal"]


def follow(table: PhoneTable, parts=PARTS) -> tuple[list[list[str]], dict[int, list[str]]]:
    """Boards and hands by that program, from what lies in the database."""
    secret = bytes.fromhex(HouseDeal.objects.get(table=table).secret)
    rules = rules_of(table.session.rule_set)
    given = {number: bytes.fromhex(part) for number, part in parts.items()}
    return by_the_page()(secret, given, str(table.round_key), rules.boards, rules.jokers)


def give_all(table: PhoneTable, parts=PARTS) -> dict[int, Phone]:
    held = {number: phone_at(table, number) for number in parts}
    for number, phone in held.items():
        phones.give_part(phone=phone, round_key=table.round_key, text=parts[number])
    return held


def set_in_order(cards: list[str]) -> dict[str, list[str]]:
    return {"top": cards[:1], "middle": cards[1:3], "bottom": cards[3:]}


def lock_all(table: PhoneTable, parts=PARTS) -> dict[int, list[str]]:
    held = give_all(table, parts)
    _boards, hands = follow(table, parts)
    for number, phone in held.items():
        phones.confirm_setup(phone=phone, round_key=table.round_key, facts=facts(number, set_in_order(hands[number])))
    return hands


def show_all(session: Session) -> None:
    for known in (0, 3, 4):
        phones.show_street(session=session, known=known)


def entered(table: PhoneTable, boards, hands):
    """The hand as the entry page sends it."""
    sitting = {seat.number: seat.player for seat in table.session.seats.select_related("player")}
    seats = [
        {"seat": number, "player": {"name": sitting[number].name}, **set_in_order(cards)}
        for number, cards in hands.items()
    ]
    rules = rules_of(table.session.rule_set)
    deal = read_deal({"played_at": EVENING.isoformat(), "boards": boards, "seats": seats}, rules)
    records = tuple(replace(one, player_id=sitting[one.number].pk) for one in deal.seats)
    return replace(deal, seats=records, client_key=table.round_key)


def whole_hand(session: Session, table: PhoneTable, parts=PARTS):
    hands = lock_all(table, parts)
    boards, _hands = follow(table, parts)
    show_all(session)
    return record_hand(session=session, deal=entered(table, boards, hands), author=None).hand


def wrong_with(hand_id: uuid.UUID) -> str:
    wrong = StringIO()
    with pytest.raises(SystemExit, match=r"^1$"):
        call_command("verify_deal", str(hand_id), stderr=wrong)
    return wrong.getvalue()


def test_the_house_deals_what_anybody_works_out_from_the_opened_values(session, table, owner):
    kept = HouseDeal.objects.get(table=table)
    hands = lock_all(table)
    boards, _hands = follow(table)
    show_all(session)
    key = phones.begin_boards(session=session, author=owner)
    rows = drafts.begin_entry(session, wanted=str(key), seats=[]).facts["rows"]
    assert [rows["board_1"], rows["board_2"]] == boards
    answer = record_hand(session=session, deal=entered(table, boards, hands), author=owner)
    assert answer.result == "accepted"
    opened = DealProof.objects.get(hand=answer.hand).facts
    assert (opened["committed"], opened["secret"]) == (kept.committed, kept.secret)
    assert opened["parts"] == {"1": PARTS[1], "2": PARTS[2], "3": PARTS[3]}
    assert opened["hand"] == str(answer.hand.client_key)
    assert not HouseDeal.objects.exists()
    said = StringIO()
    call_command("verify_deal", str(answer.hand.pk), stdout=said)
    assert said.getvalue() == "The cards are those that follow from the secret and the parts.\n"


def test_nothing_is_dealt_before_the_last_part(table):
    first = phone_at(table, 1)
    phones.give_part(phone=first, round_key=table.round_key, text=PARTS[1])
    assert HouseDeal.objects.get().parts is None
    refused(
        "not_setting",
        phones.keep_setup,
        phone=first,
        round_key=table.round_key,
        facts=facts(1, {"top": ["As"]}),
        based_on=0,
    )


def test_the_first_part_of_a_seat_counts_and_words_count_by_their_digest(table):
    first = phone_at(table, 1)
    # SHA-256 of "abc", as FIPS 180-2 has it.
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    phones.give_part(phone=first, round_key=table.round_key, text=" abc ")
    phones.give_part(phone=first, round_key=table.round_key, text="another")
    assert HiddenSetup.objects.get(seat__number=1).part == digest
    refused("part", phones.give_part, phone=first, round_key=table.round_key, text=" ")


def test_other_cards_than_those_dealt_are_refused(table):
    held = give_all(table)
    _boards, hands = follow(table)
    other = [hands[2][0], *hands[1][1:]]
    sentence = refused(
        "not_dealt",
        phones.confirm_setup,
        phone=held[1],
        round_key=table.round_key,
        facts=facts(1, set_in_order(other)),
    )
    assert sentence == "These are not the cards that you were dealt."


def test_a_phone_that_takes_the_seat_over_is_not_shown_the_cards_that_were_dealt(session, table):
    give_all(table)
    _boards, hands = follow(table)
    phones.free_seat(session=session, number=1)
    page = seated(table, 1).get(reverse("table", args=[table.join_id])).text
    assert "Dealt to another phone" in page
    assert "data-card" not in page
    later = Phone.objects.select_related("seat__player", "table__session__rule_set").get(seat__number=1)
    mine = facts(1, set_in_order(hands[1]))
    refused("not_setting", phones.confirm_setup, phone=later, round_key=table.round_key, facts=mine)


def test_a_phone_that_takes_the_seat_over_gives_a_part_before_the_deal_and_none_after_it(session, table):
    phones.give_part(phone=phone_at(table, 1), round_key=table.round_key, text="99" * 32)
    phones.free_seat(session=session, number=1)
    give_all(table)
    assert HouseDeal.objects.get().parts["1"] == PARTS[1]
    phones.free_seat(session=session, number=1)
    refused("not_setting", phones.give_part, phone=phone_at(table, 1), round_key=table.round_key, text=PARTS[1])


def test_boards_come_street_by_street_and_only_when_all_are_locked(session, table):
    refused("not_all_locked", phones.show_street, session=session, known=0)
    lock_all(table)
    phones.show_street(session=session, known=0)
    phones.show_street(session=session, known=0)
    assert HouseDeal.objects.get().known == 3, "a second press of the same button"
    refused("boards_hidden", phones.begin_boards, session=session, author=None)


def test_other_boards_than_those_dealt_are_not_recorded(session, table):
    hands = lock_all(table)
    boards, _hands = follow(table)
    show_all(session)
    deal = entered(table, boards[::-1], hands)
    sentence = refused("dealt_board", record_hand, session=session, deal=deal, author=None)
    assert sentence == "Board 1 is not the one that was dealt. Nothing was saved."


def test_nobody_sits_out_of_a_hand_that_is_dealt_and_giving_it_up_forgets_the_deal(session, table):
    give_all(table)
    refused("dealt", phones.sit_out, session=session, number=3)
    give_up(session)
    assert not HouseDeal.objects.exists()


def test_who_sits_out_before_the_deal_is_not_waited_for(session, table):
    for number in (1, 2):
        phones.give_part(phone=phone_at(table, number), round_key=table.round_key, text=PARTS[number])
    phones.sit_out(session=session, number=3)
    assert HouseDeal.objects.get().parts == {"1": PARTS[1], "2": PARTS[2]}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"secret": "00" * 32}, "The secret that was opened is not the one that the house committed itself to"),
        ({"parts": PARTS | {3: "44" * 32}}, "The cards of seat 1 are not those that follow from the deal."),
    ],
)
def test_a_secret_or_part_that_was_not_used_is_found(session, table, change, sentence):
    hand = whole_hand(session, table)
    proof = DealProof.objects.get(hand=hand)
    DealProof.objects.update(facts=proof.facts | change)
    assert sentence in wrong_with(hand.pk)


def test_a_hand_that_has_points_alone_by_now_is_proved_by_the_cards_that_it_had(client, owner, session, table):
    hand = whole_hand(session, table)
    names = dict(session.seats.values_list("number", "player__name"))
    seats = [
        {"seat": number, "player": {"name": names[number]}, "points": points}
        for number, points in ((1, 4), (2, -4), (3, 0))
    ]
    points = read_deal({"played_at": EVENING.isoformat(), "seats": seats}, PRESETS["phenom"])
    correct_hand(hand=hand, based_on=1, deal=points, reason="Agreed at the table.", author=owner)
    call_command("verify_deal", str(hand.pk), stdout=StringIO())
    client.force_login(owner)
    assert "The cards of this hand are those that follow" in client.get(reverse("hand-dealt", args=[hand.pk])).text


# Names of hands with which, by the program of the docs, the jokers go to these seats.
@pytest.mark.parametrize(
    ("name", "jokers"), [(7, {1: {"X1"}, 2: {"X2"}, 3: set()}), (15, {1: {"X1", "X2"}, 2: set(), 3: set()})]
)
def test_jokers_go_to_seats_alone_and_such_a_hand_is_set_followed_saved_and_proved(owner, club, name, jokers):
    session = open_session(
        club=club,
        table="Jokers",
        rules=PRESETS["phenom-jokers"],
        rule_set_name="phenom-jokers",
        point_value_minor=50,
        currency="USD",
        started_at=EVENING,
        players=players_named(club=club, names={1: "Ana", 2: "Ben", 3: "Chi"}),
        author=None,
    )
    table = phones.open_round(session=session, is_dealt=True)
    HouseDeal.objects.update(secret="00" * 32, committed=sha256(bytes(32)).hexdigest())
    table.round_key = uuid.UUID(int=name)
    table.save(update_fields=["round_key"])
    hands = lock_all(table)
    boards, _hands = follow(table)
    assert {seat: {card for card in cards if card[0] == "X"} for seat, cards in hands.items()} == jokers
    phones.free_seat(session=session, number=1)
    phone, page = seated(table, 1), reverse("table", args=[table.join_id])
    for known, said in ((0, "before the flop"), (3, "flops are out"), (4, "turns are out")):
        assert said in phone.get(page).text
        phones.show_street(session=session, known=known)
    assert "all cards are out" in phone.get(page).text
    key = phones.begin_boards(session=session, author=owner)
    assert drafts.begin_entry(session, wanted=str(key), seats=[]).facts["rows"]["board_1"] == boards[0]
    hand = record_hand(session=session, deal=entered(table, boards, hands), author=None).hand
    call_command("verify_deal", str(hand.pk), stdout=StringIO())
    assert "Hand 1" in phone.get(page).text


def test_the_house_waits_for_no_part_of_who_has_left(session, table):
    for number in (1, 2):
        phones.give_part(phone=phone_at(table, number), round_key=table.round_key, text=PARTS[number])
    seating.unseat_player(session=session, number=3)
    assert HouseDeal.objects.get(table=table).parts == {"1": PARTS[1], "2": PARTS[2]}


def test_who_was_dealt_cards_does_not_leave_the_hand(client, session, table, owner):
    client.force_login(owner)
    give_all(table)
    sentence = refused("plays", seating.unseat_player, session=session, number=3)
    assert sentence == "Chi plays the hand on own phones. Finish it or give it up first."
    # A program that seats somebody else there is not refused; the hand cannot be finished then.
    session.seats.filter(number=3).update(last_hand=1)
    sentence = "Somebody who was dealt cards sits there no more. Give this hand up, and deal another."
    assert sentence in client.get(reverse("phones", args=[session.pk])).text
    assert refused("dealt_seats", phones.show_street, session=session, known=0) == sentence
    assert refused("dealt_seats", phones.begin_boards, session=session, author=owner) == sentence


def test_a_dealt_hand_that_cannot_be_finished_is_not_opened(session, table):
    held = give_all(table)
    _boards, hands = follow(table)
    session.seats.filter(number=3).update(last_hand=1)
    for number in (1, 2):
        setup = facts(number, set_in_order(hands[number]))
        phones.confirm_setup(phone=held[number], round_key=table.round_key, facts=setup)
    table.refresh_from_db()
    assert table.revealed_at is None


def test_a_hand_that_the_house_dealt_is_corrected_with_a_reason_and_never_undone(client, owner, session, table):
    hands = lock_all(table)
    show_all(session)
    phones.begin_boards(session=session, author=owner)
    deal = entered(table, follow(table)[0], hands)
    form = {"client_key": str(table.round_key), "based_on": 1}
    form |= {f"board_{number}": "".join(map(card_text, board)) for number, board in enumerate(deal.boards, start=1)}
    form |= {
        f"{row}_{seat}": "".join(cards) for seat, dealt in hands.items() for row, cards in set_in_order(dealt).items()
    }
    client.force_login(owner)
    assert client.post(reverse("hand-save", args=[session.pk]), form).status_code == 200
    page = client.get(reverse("session", args=[session.pk])).text
    assert "Hand 1 saved" in page
    assert reverse("hand-undo", args=[session.hands.get().pk]) not in page
    sentence = "The house dealt this hand. If something is wrong, correct it, with a reason."
    assert refused("dealt", drafts.undo_hand, hand=session.hands.get(), author=owner) == sentence


def test_a_hand_that_people_dealt_has_nothing_to_verify():
    with pytest.raises(CommandError, match="There is no hand with this id that the house dealt"):
        call_command("verify_deal", str(uuid.uuid4()))


def test_the_hands_page_leads_to_how_it_was_dealt_and_strangers_find_nothing(client, owner, session, table):
    hand = whole_hand(session, table)
    url = reverse("hand-dealt", args=[hand.pk])
    client.force_login(owner)
    assert url in client.get(reverse("hand", args=[hand.pk])).text
    page = client.get(url).text
    assert "The cards of this hand are those that follow" in page
    assert all(part in page for part in PARTS.values())
    assert Client().get(url).status_code == 302


def test_a_phone_gives_its_part_sees_its_seven_cards_alone_and_follows_the_streets(session, table):
    seats = {number: seated(table, number) for number in PARTS}
    page = reverse("table", args=[table.join_id])
    committed = HouseDeal.objects.get().committed
    part = reverse("table-part", args=[table.join_id, table.round_key])
    for number, client in seats.items():
        assert committed in client.get(page).text
        assert client.post(part, {"part": ""}).status_code == 422
        assert client.post(part, {"part": PARTS[number]}).status_code == 302
    _boards, hands = follow(table)
    for number, client in seats.items():
        keys = re.findall(r'class="key[^>]*data-card="(\w\w)"', client.get(page).text)
        assert sorted(keys) == sorted(hands[number])
        rows = {row: " ".join(cards) for row, cards in set_in_order(hands[number]).items()}
        assert client.post(reverse("table-confirm", args=[table.join_id, table.round_key]), rows).status_code == 302
    assert "before the flop" in seats[1].get(page).text
    phones.show_street(session=session, known=0)
    assert "flops are out" in seats[1].get(page).text
