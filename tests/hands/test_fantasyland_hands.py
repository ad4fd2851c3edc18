"""Fantasyland from hand to hand: what is expected, what is told, and what stands still meanwhile.

Queens on top enter it with 14 cards in Pineapple and Progressive, kings with 15 in Progressive.
"""

import json

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts import services
from hands.corrections import correct_hand
from hands.expected import Owed, expected_hand
from hands.import_report import failed_lines
from hands.models import Hand, Seat, Session
from hands.seating import next_button, put_button, unseat_player
from tests.hands.test_chinese_hands import OTHER, QUEENS, pineapple, record
from tests.hands.test_imports import as_bytes, counts, problems, run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

KINGS = QUEENS | {"top": ["Kc", "Kd", "2h"], "middle": ["Qc", "Qd", "4h", "4c", "6c"]}
# Nobody enters, and nobody stays.
PLAIN = {
    "top": ["2c", "3c", "6h"],
    "middle": ["Kc", "Kd", "4h", "5c", "6c"],
    "bottom": ["Ac", "Ad", "7h", "7c", "3d"],
}
NOT_IN = "Seat 1 (Ana) is not in Fantasyland; by hand 1 it is, with 14 cards."


def hand(number, setups, *, button=2, fantasyland=None, **changes):
    """Pineapple with the seats in the order of ``setups``; who has no cards is not in the hand."""
    inside = fantasyland or {}
    seats = [
        {"seat": seat, "player": {"name": name}, **rows} | ({"fantasyland": inside[name]} if name in inside else {})
        for seat, (name, rows) in enumerate(setups.items(), 1)
        if rows
    ]
    return pineapple(number=number, external_id=f"P1-{number}", button=button, seats=seats, **changes)


FIRST = hand(1, {"Ana": QUEENS, "Ben": OTHER})


def told(club, *documents) -> list[tuple[str, str]]:
    """Pointers and sentences about the last of these hands."""
    _session, answers = record(club, *documents)
    assert {one.result for one in answers} == {"accepted"}
    assert [one.warnings for one in answers[:-1]] == [()] * (len(answers) - 1)
    assert {code for _pointer, code, _sentence in answers[-1].warnings} <= {"fantasyland"}
    return [(pointer, sentence) for pointer, _code, sentence in answers[-1].warnings]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (hand(2, {"Ana": PLAIN, "Ben": OTHER}, fantasyland={"Ana": 14}), []),
        (hand(2, {"Ana": PLAIN, "Ben": OTHER}), [("/seats/0/fantasyland", NOT_IN)]),
        (
            hand(2, {"Ana": PLAIN, "Ben": OTHER}, fantasyland={"Ana": 14, "Ben": 14}),
            [
                (
                    "/seats/1/fantasyland",
                    "Seat 2 (Ben) has 14 cards in Fantasyland; by hand 1 it is not in it.",
                )
            ],
        ),
        (
            hand(2, {"Dora": PLAIN, "Ben": OTHER}),
            [("/seats", "Ana is not in this hand, but by hand 1 in Fantasyland, with 14 cards.")],
        ),
        (
            hand(2, {"Ana": PLAIN, "Ben": OTHER}, fantasyland={"Ana": 14}, button=1),
            [("/button", "The button moved from seat 2 to seat 1; it stands while anyone is in Fantasyland.")],
        ),
        # Hand 2 is not there.
        (hand(3, {"Ana": PLAIN, "Ben": OTHER}), []),
    ],
)
@pytest.mark.parametrize("is_one_call", [True, False])
def test_a_hand_is_held_against_the_one_before_and_goes_in_all_the_same(club, second, expected, is_one_call):
    if not is_one_call:
        record(club, FIRST)
    assert told(club, *([FIRST, second] if is_one_call else [second])) == expected
    assert Hand.objects.count() == 2


def test_progressive_says_how_many_cards(club):
    session = FIRST["session"] | {"rule_set": "progressive"}
    first = hand(1, {"Ana": KINGS, "Ben": OTHER}, game="progressive", session=session)
    second = hand(2, {"Ana": PLAIN, "Ben": OTHER}, fantasyland={"Ana": 14}, game="progressive", session=session)
    words = "Seat 1 (Ana) has 14 cards in Fantasyland; by hand 1 it has 15."
    assert told(club, first, second) == [("/seats/0/fantasyland", words)]


def test_a_void_hand_expects_nothing_of_the_next(club, owner):
    session, (answer,) = record(club, FIRST)
    correct_hand(hand=answer.hand, based_on=1, deal=None, reason="Misdeal.", author=owner)
    assert expected_hand(session).owed == {}
    assert told(club, hand(2, {"Ana": PLAIN, "Ben": OTHER})) == []


def test_games_without_fantasyland_expect_none(club):
    session = FIRST["session"] | {"rule_set": "chinese"}
    hands = [hand(number, {"Ana": QUEENS, "Ben": OTHER}, game="chinese", session=session) for number in (1, 2)]
    assert told(club, *hands) == []


def test_the_button_stands_while_anyone_is_in_fantasyland(club):
    session, _answers = record(club, FIRST)
    assert expected_hand(session).owed == {Seat.objects.get(player__name="Ana").player_id: Owed("Ana", 14)}
    assert next_button(session) == 2
    # Ana stays with four aces in the bottom; then nobody is in it, and the button goes on to seat 1.
    quads = PLAIN | {"bottom": ["Ac", "Ad", "Ah", "As", "Qc"]}
    record(club, hand(2, {"Ana": quads, "Ben": OTHER}, fantasyland={"Ana": 14}))
    assert next_button(session) == 2
    record(club, hand(3, {"Ana": PLAIN, "Ben": OTHER}, fantasyland={"Ana": 14}))
    assert (expected_hand(session).owed, next_button(session)) == ({}, 1)
    put_button(session=session, number=2)
    assert next_button(session) == 2


def test_who_is_owed_fantasyland_leaves_with_a_second_word_only(club):
    session, _answers = record(club, FIRST)
    words = "Ana is in Fantasyland in the next hand, with 14 cards. Let them play it first, or leave anyway"
    with pytest.raises(ValidationError, match=words) as refused:
        unseat_player(session=session, number=1)
    assert refused.value.code == "fantasyland_owed"
    unseat_player(session=session, number=2)
    unseat_player(session=session, number=1, anyway=True)
    assert not Seat.objects.filter(session=session, last_hand=None).exists()


def test_the_seats_page_says_who_is_in_fantasyland_and_asks_again(client, club, owner):
    session, _answers = record(club, FIRST)
    client.force_login(owner)
    page = client.get(reverse("seats", args=[session.pk])).text
    assert page.count("next hand in Fantasyland, 14 cards") == page.count("Leaves anyway") == 1
    url = reverse("seat-change", args=[session.pk, 1])
    assert "Ana is in Fantasyland in the next hand" in client.post(url, {"do": "leave"}, follow=True).text
    assert Seat.objects.filter(session=session, last_hand=None).count() == 2
    client.post(url, {"do": "leave", "anyway": "1"})
    assert Seat.objects.filter(session=session, last_hand=None).count() == 1


def test_the_api_warns(client, club, owner):
    key = services.create_api_key(club=club, name="Upload", scope="write", author=owner)[1]
    second = hand(2, {"Ana": PLAIN, "Ben": OTHER}) | {"dealer": "Kim"}
    answers = [
        client.post(
            reverse("api-hands"),
            json.dumps(document),
            content_type="application/json",
            headers={"Authorization": f"Api-Key {key}"},
        )
        for document in (FIRST, second, second)
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 200]
    assert "warnings" not in answers[0].json()
    assert [(one["pointer"], one["code"]) for one in answers[1].json()["warnings"]] == [
        ("/dealer", "unknown_field"),
        ("/seats/0/fantasyland", "fantasyland"),
    ]
    assert answers[1].json()["warnings"][1]["detail"] == NOT_IN


def test_an_import_reports_it_beside_the_hands_that_went_in(client, club, owner):
    history = run(club, as_bytes(FIRST, hand(2, {"Ana": PLAIN, "Ben": OTHER})), on_error="abort")
    assert (history.state, counts(history)) == ("succeeded", (2, 0, 0, 0))
    assert problems(history) == [(2, "/seats/0/fantasyland", NOT_IN)]
    assert list(history.problems.values_list("result", "code")) == [("accepted", "fantasyland")]
    assert list(failed_lines(history)) == []
    client.force_login(owner)
    page = client.get(reverse("import", args=[history.pk])).text
    assert NOT_IN in page
    assert "needs you" not in page
    assert Session.objects.count() == 1
