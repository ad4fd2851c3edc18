"""Hands without cards as documents: by the API, in imports and in a dry run."""

import json

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from accounts.faults import faults_in
from accounts.services import create_api_key
from hands.history import read_hand
from hands.models import Hand, Setup
from hands.rulesets import create_rule_set
from hands.scoring.taiwanese import PRESETS
from tests.hands.test_imports import as_bytes, counts, run
from tests.histories import GOOD

PLAYERS = [seat["player"] for seat in GOOD["seats"]]
HEAD = {"spec_version": "1.0", "game": "taiwanese", "session": GOOD["session"], "played_at": GOOD["played_at"]}


def points_hand(number: int = 1, points=(12, -12), **more):
    seats = [
        {"seat": seat, "player": player, "points": given}
        for seat, (player, given) in enumerate(zip(PLAYERS, points, strict=True), start=1)
    ]
    return HEAD | {"external_id": f"points-{number}", "number": number, "seats": seats} | more


def seats_of(points) -> list[dict]:
    return points_hand(points=points)["seats"]


def test_points_of_every_seat_are_the_facts():
    _head, deal = read_hand(points_hand(claimed_points={"1": 12}), PRESETS)
    assert (deal.has_cards, deal.points, deal.boards, deal.unknown_fields) == (False, (12, -12), (), ())
    assert deal.claimed_points == ((1, 12),)


WITH_ROW = [seats_of((12, -12))[0] | {"top": ["As"]}, seats_of((12, -12))[1]]
WITHOUT = [seats_of((12, -12))[0], {"seat": 2, "player": PLAYERS[1]}]


@pytest.mark.parametrize(
    ("change", "pointer", "code", "sentence"),
    [
        (
            {"boards": GOOD["boards"]},
            "/boards",
            "points_and_cards",
            "The seats have points, so the hand has no cards: leave out the boards, or give rows instead of points.",
        ),
        (
            {"seats": WITH_ROW},
            "/seats/0/top",
            "points_and_cards",
            "The hand has points and no cards: leave out top, or give no seat points.",
        ),
        (
            {"seats": WITHOUT},
            "/seats/1/points",
            "points_missing",
            "In a hand without cards every seat has points; this one has none.",
        ),
        (
            {"seats": seats_of((12, -10))},
            "/seats",
            "points_sum",
            "The points of a hand sum to zero; these sum to +2.",
        ),
        (
            {"seats": seats_of((1.5, -12))},
            "/seats/0/points",
            "whole_number",
            "points must be a whole number from -1000000 to 1000000.",
        ),
        ({"seats": seats_of((0, 0))[:1]}, "/seats", "seat_count", "A hand needs two seats or more."),
    ],
    ids=["board", "row", "missing", "sum", "fraction", "alone"],
)
def test_a_mixture_or_a_sum_that_is_not_zero_is_named(change, pointer, code, sentence):
    with pytest.raises(ValidationError) as raised:
        read_hand(points_hand(**change), PRESETS)
    assert list(faults_in(raised.value)) == [(pointer, code, sentence)]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_an_import_takes_them_beside_hands_with_cards(club):
    lines = as_bytes(points_hand(1), GOOD, points_hand(3, (5, -4)), points_hand(4, (-7, 7)))
    history = run(club, lines)
    assert counts(history) == (3, 0, 0, 1)
    assert [(problem.line, problem.code) for problem in history.problems.all()] == [(3, "points_sum")]
    kept = Setup.objects.filter(version__has_cards=False).order_by("version__hand__number", "seat__number")
    assert list(kept.values_list("net_points", flat=True)) == [12, -12, -7, 7]
    assert counts(run(club, as_bytes(points_hand(1), points_hand(4, (7, -7))))) == (0, 1, 1, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("is_dry_run", [True, False])
def test_under_a_cap_the_line_is_rejected_and_the_others_go_in(club, is_dry_run):
    create_rule_set(
        club=club, name="Capped", parameters=PRESETS["phenom"].parameters(), money={"currency": "USD", "cap_minor": 500}
    )
    session = GOOD["session"] | {"rule_set": "Capped"}
    lines = as_bytes(points_hand(1, session=session), GOOD | {"session": session})
    history = run(club, lines, is_dry_run=is_dry_run)
    assert counts(history) == (1, 0, 0, 1)
    assert list(history.problems.values_list("line", "code")) == [(1, "points_under_cap")]


@pytest.mark.django_db
def test_the_api_takes_one(client, club, owner):
    _key, text = create_api_key(club=club, name="Upload", scope="write", author=owner)
    headers = {"Authorization": f"Api-Key {text}"}
    answer = client.post("/api/v1/hands", points_hand(), content_type="application/json", headers=headers)
    assert answer.status_code == 201
    assert sorted(answer.json()["points"].values()) == [-12, 12]
    body = client.get(answer["Location"], headers=headers).json()
    assert (body["has_cards"], sorted(body["net"].values())) == (False, [-12, 12])
    assert not Hand.objects.get().current.has_cards


def test_scoring_a_file_tells_the_points_that_were_given(tmp_path, capsys):
    path = tmp_path / "hands.ndjson"
    path.write_text(json.dumps(points_hand()))
    call_command("score_hands", str(path))
    assert json.loads(capsys.readouterr().out) == {"external_id": "points-1", "net": {"p-17": 12, "p-22": -12}}
