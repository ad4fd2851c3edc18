"""Streets of a hand, told with it: checked, kept, compared, sent along, and stepped through.

The hand is the log's Pineapple hand 45, its seats numbered from 1: seats 2, 3 and 1 act in that order; 1 has the
button.
"""

import copy
import json

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts import services
from hands import corrections
from hands.history import read_hand
from hands.models import Hand, HandVersion
from hands.queries import load_hands
from hands.replay import replay_shown
from hands.scoring.cards import card_text
from hands.scoring.games import PRESETS
from hands.street_document import streets_document
from settlement.club_import import import_club
from tests.hands.test_chinese_hands import pineapple, record
from tests.histories import faults_of
from tests.settlement.club_files import export
from tests.transcripts import logged_hands

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LOGGED = next(hand for hand in logged_hands() if (hand.game, hand.number) == ("pineapple", 45))


def cards(held) -> list[str]:
    return [card_text(card) for card in held]


def logged(**changes):
    """The logged hand as a document, with what each street dealt."""
    streets = [
        {"seat": one.seat + 1, "dealt": cards(one.dealt)}
        | {place: cards(getattr(one, place)) for place in ("top", "middle", "bottom", "discards")}
        for one in LOGGED.streets
    ]
    seats = [
        {"seat": seat + 1, "player": {"name": "ABC"[seat] * 3}}
        | {row: cards(getattr(LOGGED.setup(seat), row)) for row in ("top", "middle", "bottom")}
        for seat in sorted(LOGGED.order)
    ]
    return copy.deepcopy(pineapple(button=LOGGED.button + 1, seats=seats, streets=streets)) | changes


def changed(place, **changes):
    document = logged()
    document["streets"][place] |= changes
    return document


def test_streets_are_kept_with_the_version_and_given_out_again(client, club, owner):
    key = services.create_api_key(club=club, name="Upload", scope="write", author=owner)[1]
    headers = {"Authorization": f"Api-Key {key}"}
    answer = client.post(reverse("api-hands"), json.dumps(logged()), content_type="application/json", headers=headers)
    assert (answer.status_code, "warnings" in answer.json()) == (201, False)
    told = client.get(answer["Location"], headers=headers).json()["streets"]
    assert len(told) == 15
    # The log: seat 1 there, 2 here, is dealt 2s 8s Qd in its second street, places two and discards the queen.
    assert (told[3]["seat"], told[3]["discards"]) == (2, ["Qd"])
    assert sorted(card for row in ("top", "middle", "bottom") for card in told[3].get(row, [])) == ["2s", "8s"]


def test_a_hand_may_tell_its_streets_or_not(club):
    plain = logged()
    del plain["streets"]
    session, _answers = record(club, plain)
    assert HandVersion.objects.get().streets is None
    assert next(load_hands(Hand.objects.filter(session=session))).streets == ()


def test_streets_are_part_of_what_makes_a_hand_the_same(club):
    without_dealt = logged()
    for street in without_dealt["streets"]:
        del street["dealt"]
        street["top"] = street["top"][::-1]
    plain = logged()
    del plain["streets"]
    record(club, logged())
    _session, answers = record(club, without_dealt, plain)
    assert [one.result for one in answers] == ["duplicate", "conflict"]
    assert answers[1].pointer == "/streets"
    assert "The streets are told otherwise than in the book." in answers[1].sentence


SWAPPED = logged()
SWAPPED["streets"][3], SWAPPED["streets"][4] = SWAPPED["streets"][4], SWAPPED["streets"][3]
OTHER_TOP = logged()
OTHER_TOP["seats"][1]["top"], OTHER_TOP["seats"][1]["middle"][:3] = (
    OTHER_TOP["seats"][1]["middle"][:3],
    OTHER_TOP["seats"][1]["top"],
)


@pytest.mark.parametrize(
    ("document", "pointer", "sentence"),
    [
        (changed(3, dealt=["2s", "8s", "Qh"]), "/streets/3/dealt", "Seat 2 (BBB) was dealt 2s 8s Qh but places or"),
        (SWAPPED, "/streets/3/seat", "Seat 3 (CCC) places cards when it is seat 2 (BBB)'s turn."),
        (logged(streets=logged()["streets"][:-1]), "/streets", "1 street is missing."),
        # The place in the document, not that in the order of play.
        (OTHER_TOP, "/seats/1/top", "Seat 2 (BBB): top is"),
        (logged(streets="no"), "/streets", "streets must be a list of at most 36 objects."),
        (logged(streets=[{}] * 37), "/streets", "streets must be a list of at most 36 objects."),
        (changed(0, seat="2"), "/streets/0/seat", "seat must be a whole number"),
        (changed(0, top=["1x"]), "/streets/0/top/0", "“1x” is not a card."),
        (changed(0, seat=6), "/streets/0/seat", "Seat 6 places cards but is not in the hand."),
    ],
)
def test_streets_that_do_not_fit_the_hand_are_refused(document, pointer, sentence):
    said = faults_of(document)
    assert (pointer, True) in {(where, sentence in words) for where, _code, words in said}, said


def test_a_hand_without_cards_has_no_streets():
    seats = [{"seat": seat, "player": {"name": name}, "points": 0} for seat, name in ((1, "Ana"), (2, "Ben"))]
    said = faults_of(pineapple(seats=seats, streets=[{"seat": 1}]))
    assert ("/streets", "A hand without cards has no streets.") in {(where, words) for where, _code, words in said}


def test_unknown_fields_of_a_street_are_named():
    _head, deal = read_hand(changed(0, clock=3), PRESETS)
    assert deal.unknown_fields == ("/streets/*/clock",)


def test_a_correction_keeps_the_streets_it_is_sent_and_says_what_becomes_of_them(club, owner):
    session, (answer,) = record(club, logged())
    before = next(load_hands(Hand.objects.filter(session=session)))
    _head, deal = read_hand(logged(button=2, streets=None), PRESETS)
    assert [(one.where, one.before, one.after) for one in corrections.changes(before, deal)] == [
        ("Streets", "as they were told", "")
    ]
    _head, same = read_hand(logged(), PRESETS)
    assert corrections.changes(before, same) == []
    corrections.correct_hand(hand=answer.hand, based_on=1, deal=same, reason="As it was.", author=owner)
    (hand,) = load_hands(Hand.objects.filter(session=session))
    assert (hand.version, hand.streets) == (2, before.streets)


def test_a_club_takes_its_streets_along(club, owner):
    record(club, logged())
    made = export(club)
    with made.file.open("rb") as file:
        imported = import_club(file=file, owner=owner).club
    (one,), (other,) = (load_hands(Hand.objects.filter(session__club=of)) for of in (club, imported))
    assert streets_document(one.streets) == streets_document(other.streets)
    assert len(other.streets) == 15
    _session, answers = record(imported, logged())
    assert answers[0].result == "duplicate"


def stored_hand(club):
    session, _answers = record(club, logged())
    return next(load_hands(Hand.objects.filter(session=session)))


def test_a_hand_is_stepped_through_street_by_street(club):
    stored = stored_hand(club)
    shown = replay_shown(stored, "4", None)
    # After the first round each seat has its five cards; seat 2 then places two of three and discards the queen.
    assert (shown["step"], shown["total"], shown["name"], shown["discards"]) == (4, 15, "BBB", "Qd")
    assert [sum(len(row["cards"]) for row in seat["rows"]) for seat in shown["seats"]] == [5, 7, 5]
    assert [sum(len(row["empty"]) for row in seat["rows"]) for seat in shown["seats"]] == [8, 6, 8]
    assert [seat["is_acting"] for seat in shown["seats"]] == [False, True, False]
    assert (shown["before"], shown["after"]) == ("?street=3#replay", "?street=5#replay")
    last = replay_shown(stored, "15", 2)
    assert [[sorted(row["cards"]) for row in seat["rows"]] for seat in last["seats"]] == [
        [sorted(cards(getattr(LOGGED.setup(seat), row))) for row in ("top", "middle", "bottom")] for seat in (0, 1, 2)
    ]
    assert (last["before"], last["after"]) == ("?street=14&version=2#replay", "")


@pytest.mark.parametrize("asked", ["", "0", "16", "-1", "x", "¹", "99999"])
def test_what_is_no_street_shows_where_to_begin(club, asked):
    shown = replay_shown(stored_hand(club), asked, None)
    assert (shown["step"], shown["before"], shown["after"]) == (0, "", "?street=1#replay")
    page = render_to_string("hands/_replay.html", {"replay": shown})
    assert "Step through 15 streets" in page


def test_the_part_of_the_page_says_who_did_what(club):
    page = render_to_string("hands/_replay.html", {"replay": replay_shown(stored_hand(club), "4", None)})
    assert "Street 4 of 15: BBB" in page
    assert "discards Qd" in page
    assert page.count("No card yet") == 8 + 6 + 8


def test_a_hand_without_streets_has_nothing_to_step_through(club):
    plain = logged()
    del plain["streets"]
    session, _answers = record(club, plain)
    assert replay_shown(next(load_hands(Hand.objects.filter(session=session))), "1", None) is None
    assert replay_shown(None, "1", None) is None
