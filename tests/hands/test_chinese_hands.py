"""Hands of the Chinese family through the doors that every hand goes through: read, kept, compared, corrected, sent.

Right points are the vectors'; those of the hands below are worked out beside them.
"""

import copy
import json

import pytest
from django.db.models import F
from django.urls import reverse

from accounts import services
from accounts.models import Account
from hands import corrections
from hands.history import read_hand
from hands.models import Hand, RescoreDifference, Setup
from hands.queries import load_hands
from hands.rescoring import request_rescore
from hands.rulesets import rules_by_name
from hands.scoring.games import PRESETS
from hands.services import record_hands, session_for
from jobs.models import Job
from settlement.club_import import import_club
from settlement.verify import verify_club
from tests.deals import done, settle
from tests.hands.test_imports import as_bytes, counts, problems, run
from tests.histories import GOOD, faults_of, from_vector, good
from tests.settlement.club_files import export
from tests.vectors import vectors

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

QUEENS = {
    "top": ["Qc", "Qd", "2h"],
    "middle": ["Kc", "Kd", "4h", "5c", "6c"],
    "bottom": ["Ac", "Ad", "7h", "7c", "3d"],
}
OTHER = {
    "top": ["2s", "3s", "5s"],
    "middle": ["9c", "9d", "4s", "7s", "8s"],
    "bottom": ["Td", "Th", "Jc", "Js", "6d"],
}


def pineapple(**changes):
    """Ana wins all three rows from Ben (6) and has 7 for queens on top: +13. She goes into Fantasyland."""
    document = {
        "spec_version": "1.0",
        "game": "pineapple",
        "session": GOOD["session"] | {"external_id": "P1", "table": "P1", "rule_set": "pineapple"},
        "external_id": "P1-1",
        "number": 1,
        "played_at": GOOD["played_at"],
        "button": 2,
        "seats": [
            {"seat": 1, "player": {"name": "Ana"}, "discards": ["2c", "3c", "4c", "8c"], **QUEENS},
            {"seat": 2, "player": {"name": "Ben"}, **OTHER},
        ],
    }
    return copy.deepcopy(document) | changes


def with_seat(place, document=None, **changes):
    document = document or pineapple()
    document["seats"][place] |= changes
    return document


def surrender(**changes):
    """By `chinese-naturals`, 1-6: Ana gives up, shows nothing and pays 3."""
    document = pineapple(game="chinese", **changes)
    document["session"] |= {"rule_set": "chinese-naturals", "external_id": "C1", "table": "C1"}
    document["external_id"] = "C1-1"
    document["seats"][0] = {"seat": 1, "player": {"name": "Ana"}, "surrendered": True}
    return document


def record(club, *documents):
    heads, deals = zip(*[read_hand(one, rules_by_name(club)) for one in documents], strict=True)
    session = session_for(club=club, head=heads[0], author=None)
    return session, record_hands(session=session, deals=deals, author=None)


def played_as(name: str, game: str):
    """The vectors of a file as hands of one of the Open-Face games, which pay alike; Pineapple seats three."""
    for vector in vectors(name):
        if game == "open-face" or len(vector["setups"]) < 4:
            yield from_vector(vector | {"game": game}), vector["expected"]["net"]


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("chinese", "chinese"),
        ("open-face", "open-face"),
        ("open-face-jokers", "open-face"),
        ("open-face-edges", "pineapple"),
        ("open-face", "progressive"),
    ],
)
def test_the_points_that_are_kept_are_the_vectors(club, name, game):
    expected, by_rules = {}, {}
    hands = (
        ((from_vector(one), one["expected"]["net"]) for one in vectors(name))
        if game == "chinese"
        else played_as(name, game)
    )
    for document, net in hands:
        # A session has one rule set.
        rules = json.dumps(document["session"]["rule_set"])
        place = by_rules.setdefault(rules, len(by_rules))
        document["session"] = document["session"] | {"external_id": f"V{place}", "table": f"V{place}"}
        expected[document["external_id"]] = net
        run(club, as_bytes(document))
    stored: dict[str, dict[str, int]] = {}
    columns = ("version__hand__external_id", "seat__player__external_id", "net_points")
    for hand, player, points in Setup.objects.values_list(*columns):
        stored.setdefault(hand, {})[player] = points
    assert len(stored) == len(expected) >= 19
    assert stored == expected


def test_many_hands_of_one_session_go_through_the_batch_with_the_same_points(club):
    # Ana +13 and Ben -13, and with Ben gone for 3.
    hands = [pineapple(number=number, external_id=f"many-{number}") for number in range(1, 41)]
    record(club, *hands)
    assert set(Setup.objects.values_list("seat__player__name", "net_points")) == {("Ana", 13), ("Ben", -13)}


def test_the_same_hand_is_a_duplicate_whatever_the_order_of_its_cards(club):
    turned = with_seat(0, discards=["8c", "4c", "3c", "2c"], top=["2h", "Qd", "Qc"])
    _session, answers = record(club, pineapple(), pineapple(), turned)
    assert [one.result for one in answers] == ["accepted", "duplicate", "duplicate"]


@pytest.mark.parametrize(
    ("changed", "pointer", "sentence"),
    [
        (
            with_seat(0, discards=["2c", "3c", "4c", "9h"]),
            "/seats/0/discards",
            "Seat 1 (Ana), discards has 9h where the book has 8c.",
        ),
        (
            with_seat(0, discards=[]),
            "/seats/0/discards",
            "Seat 1 (Ana), discards has nothing where the book has 2c 3c 4c 8c.",
        ),
        (
            with_seat(1, fantasyland=14),
            "/seats/1/fantasyland",
            "Seat 2 (Ben) has 14 cards in Fantasyland where the book has 0.",
        ),
    ],
)
def test_other_discards_or_another_fantasyland_is_a_conflict_that_says_so(club, changed, pointer, sentence):
    record(club, pineapple())
    _session, (answer,) = record(club, changed)
    assert (answer.result, answer.pointer) == ("conflict", pointer)
    assert sentence in answer.sentence


def test_a_seat_that_did_not_surrender_is_a_conflict_with_one_that_did(club):
    record(club, surrender())
    shown = surrender()
    shown["seats"][0] |= {"surrendered": False, **QUEENS}
    _session, (answer,) = record(club, shown)
    assert (answer.result, answer.pointer) == ("conflict", "/seats/0/surrendered")
    assert "Seat 1 (Ana) plays where the book has a surrender." in answer.sentence


def test_a_surrender_pays_without_showing_cards(club):
    # 3 points under 1-6.
    session, _answers = record(club, surrender())
    assert set(Setup.objects.values_list("seat__player__name", "net_points")) == {("Ana", -3), ("Ben", 3)}
    (hand,) = load_hands(Hand.objects.filter(session=session))
    assert (hand.seats[0].setup.surrendered, hand.seats[0].setup.top) == (True, ())


def test_a_re_score_finds_a_wrong_net_beside_surrenders_and_jokers(club):
    joker = pineapple(game="open-face", external_id="J1", session=GOOD["session"] | {"rule_set": "open-face-jokers"})
    # X1 is the queen of hearts to queens: three of a kind is 20, and 6 for the rows.
    joker["seats"][0] = {"seat": 1, "player": {"name": "Ana"}, **QUEENS, "top": ["Qc", "Qd", "X1"]}
    joker["seats"][0] |= {"middle": ["Kc", "Kd", "Kh", "5c", "6c"], "bottom": ["Ac", "Ad", "Ah", "7c", "3d"]}
    for one in (surrender(), joker, pineapple()):
        record(club, one)
    # Ana has 20 for QQQ, 2 for the middle's KKK and 6: 28.
    assert Setup.objects.get(version__hand__external_id="J1", seat__number=1).net_points == 28
    rescore = request_rescore(is_check=False, author=None)
    done(Job.objects.get(subject_id=rescore.pk))
    assert (rescore.differences.count(), Setup.objects.count()) == (0, 6)
    wrong = Setup.objects.filter(seat__number=1)
    right = dict(wrong.values_list("pk", "net_points"))
    wrong.update(net_points=F("net_points") + 1)
    rescore = request_rescore(is_check=False, author=None)
    done(Job.objects.get(subject_id=rescore.pk))
    assert dict(RescoreDifference.objects.values_list("setup_id", "right_points")) == right
    assert dict(wrong.values_list("pk", "net_points")) == right


def test_a_correction_says_what_it_changes_and_keeps_the_version_before(club, owner):
    session, (answer,) = record(club, pineapple())
    before = next(load_hands(Hand.objects.filter(session=session)))
    _head, deal = read_hand(with_seat(0, fantasyland=14, discards=["8h"]), PRESETS)
    said = {(one.where, one.before, one.after) for one in corrections.changes(before, deal)}
    assert said == {("Ana, discards", "2c 3c 4c 8c", "8h"), ("Ana, Fantasyland", "", "14 cards")}
    corrections.correct_hand(hand=answer.hand, based_on=1, deal=deal, reason="She was in.", author=owner)
    (hand,) = load_hands(Hand.objects.filter(session=session))
    # In Fantasyland queens earn their 7 all the same.
    assert (hand.version, hand.seats[0].setup.fantasyland, hand.seats[0].net_points) == (2, 14, 13)


def test_a_correction_says_that_a_seat_gave_up(club):
    session, _answers = record(club, surrender())
    before = next(load_hands(Hand.objects.filter(session=session)))
    shown = surrender()
    shown["seats"][0] |= {"surrendered": False, **QUEENS}
    _head, deal = read_hand(shown, PRESETS)
    said = {(one.where, one.before, one.after, one.is_cards) for one in corrections.changes(before, deal)}
    assert ("Ana, surrender", "yes", "", False) in said


def test_a_club_takes_its_chinese_hands_along(club, owner):
    inside = with_seat(1, fantasyland=14, discards=["8h"], document=pineapple(number=2, external_id="P1-2"))
    record(club, pineapple(), inside)
    record(club, surrender())

    def facts(of_club):
        hands = load_hands(Hand.objects.filter(session__club=of_club).order_by("number"))
        # Two sessions have a hand 1 each.
        return sorted(
            (hand.external_id, [(seat.number, str(seat.setup), seat.net_points) for seat in hand.seats])
            for hand in hands
        )

    made = export(club)
    with made.file.open("rb") as file:
        imported = import_club(file=file, owner=owner).club
    assert facts(imported) == facts(club)
    assert sum(len(seats) for _hand, seats in facts(club)) == 6
    # What was sent once is known in the new book too.
    _session, answers = record(imported, pineapple())
    assert answers[0].result == "duplicate"


def test_the_api_takes_and_gives_a_hand_of_open_face(client, club, owner):
    key = services.create_api_key(club=club, name="Upload", scope="write", author=owner)[1]
    headers = {"Authorization": f"Api-Key {key}"}
    raw = json.dumps(with_seat(1, fantasyland=14, discards=["8h"]))
    answer = client.post(reverse("api-hands"), raw, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["points"]) == (201, {"1": 13, "2": -13})
    body = client.get(answer["Location"], headers=headers).json()
    players = {one["name"]: (key, one) for key, one in body["players"].items()}
    ana, (_key, ben) = players["Ana"][0], players["Ben"]
    assert (ben["discards"], ben["fantasyland"], ben["middle"]) == (["8h"], 14, OTHER["middle"])
    assert (body["game"], body["boards"], body["fouls"]) == ("pineapple", [], [])
    assert body["fantasyland"] == {ana: 14}
    assert body["royalties"] == {ana: {"top": 7, "middle": 0, "bottom": 0}}


def test_a_file_may_hold_several_games(club):
    history = run(club, as_bytes(good(), pineapple(), surrender()))
    assert (counts(history), problems(history)) == ((3, 0, 0, 0), [])
    games = Hand.objects.order_by("session__rule_set__game").values_list("session__rule_set__game", flat=True)
    assert list(games) == ["chinese", "pineapple", "taiwanese"]


BOARD = ["As", "Jh", "Jd", "4c", "Js"]
NO_SURRENDER = "Seat 1 (Ana) surrendered; these rules have no surrender."


@pytest.mark.parametrize(
    ("document", "pointer", "sentence"),
    [
        (
            pineapple(game="badugi"),
            "/game",
            "The game must be one of: taiwanese, chinese, open-face, pineapple, progressive.",
        ),
        (pineapple(game="progressive"), "/session/rule_set", "The rule set “pineapple” is for Pineapple."),
        (pineapple(boards=[BOARD]), "/boards", "Pineapple has no boards."),
        (pineapple(boards=[BOARD] * 3), "/boards", "The hand has 3 boards; these rules need 0."),
        (pineapple(boards={}), "/boards", "boards is missing, or is no list."),
        (with_seat(0, fantasyland=15), "/seats/0/fantasyland", "Seat 1 (Ana): in Fantasyland Pineapple deals 14"),
        (with_seat(0, fantasyland="14"), "/seats/0/fantasyland", "fantasyland must be a whole number"),
        (with_seat(0, surrendered="yes"), "/seats/0/surrendered", "surrendered must be true or false."),
        (with_seat(0, surrendered=True), "/seats/0/surrendered", NO_SURRENDER),
        (with_seat(0, discards=["2c", "3c"]), "/seats/0/discards", "2 discards (2c 3c); of 17 cards dealt 4 are"),
        (with_seat(0, discards=["2c", "3c", "4c", "9c"]), "/seats/1/middle/0", "9c"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(document, pointer, sentence):
    said = faults_of(document)
    assert (pointer, True) in {(where, sentence in words) for where, _code, words in said}, said


def test_a_chinese_session_settles_pair_by_pair(club):
    # Ana has 13 points of each hand: 26 at 50 cents.
    session, _answers = record(club, pineapple(), pineapple(number=2, external_id="P1-2"))
    settle(session)
    assert {one.player.name: one.balance_minor for one in Account.objects.filter(kind="player")} == {
        "Ana": 1300,
        "Ben": -1300,
    }
    assert verify_club(club).finding == ""
