"""A hand's chances street by street, and what its setups were worth, on pages."""

import re
import uuid
from itertools import combinations
from random import Random
from statistics import mean

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Player, User
from accounts.services import claim_player, create_api_key, players_named
from hands.corrections import correct_hand
from hands.history import read_deal
from hands.models import Hand, RuleSet
from hands.scoring.cards import card_text, parse_cards
from hands.scoring.taiwanese import PRESETS, Setup, score
from hands.scoring.worth import worth
from hands.services import open_session, record_hand
from tests.deals import BOARDS, EVENING, THREE, document, play

pytestmark = pytest.mark.django_db

PHENOM = PRESETS["phenom"]
# Worked by hand in tests/hands/scoring/test_equity.py: of the 30 rivers of either board the three queens cost Ana her
# top, two jacks her middle, two tens and two fours her bottom. The rivers that came are none of them.
TURNS = (
    [["2c", "3d", "8h", "9s", "5c"], ["2d", "3c", "8s", "9h", "6d"]],
    {"Ana": ("Ks", "Kh Kd", "Ac Ad Kc 7c"), "Ben": ("Qs", "Jh Jd", "Tc Td 4h 4s")},
)


def record(club, boards, setups, table="One hand") -> Hand:
    """A hand of its own session; setups are top, middle, bottom by name."""
    seats = [
        {
            "seat": seat,
            "player": {"name": name},
            **{row: cards.split() for row, cards in zip(("top", "middle", "bottom"), rows, strict=True)},
        }
        for seat, (name, rows) in enumerate(setups.items(), start=1)
    ]
    session = play(club, [], table=table)
    document = {"played_at": EVENING.isoformat(), "boards": boards, "seats": seats}
    record_hand(session=session, deal=read_deal(document, PHENOM), author=None)
    return session.hands.get()


def six_seats(club) -> tuple[Hand, list[tuple[int, ...]], list[Setup]]:
    """Six seats hold 42 cards, so both boards are made of the ten that are left."""
    deck = Random(10).sample(range(52), 52)
    boards = [tuple(deck[:5]), tuple(deck[5:10])]
    sevens = [deck[start : start + 7] for start in range(10, 52, 7)]
    setups = [Setup(tuple(seven[:1]), tuple(seven[1:3]), tuple(seven[3:])) for seven in sevens]
    texts = [[" ".join(map(card_text, row)) for row in (one.top, one.middle, one.bottom)] for one in setups]
    names = ("Ana", "Ben", "Chi", "Dora", "Emil", "Fay")
    hand = record(club, [[card_text(card) for card in board] for board in boards], dict(zip(names, texts, strict=True)))
    return hand, boards, setups


def chances(client, hand: Hand, street: str = ""):
    return client.get(reverse("hand-chances", args=[hand.pk]), {"street": street})


def worth_of(client, hand: Hand, number: int):
    return client.get(reverse("hand-worth", args=[hand.pk, number]))


def shown(answer) -> list[list[list[tuple[float, float]]]]:
    """By seat, row and board: what is won and what is tied, in percent."""
    return [
        [[(share["win"], share["tie"]) for share in row["boards"]] for row in seat["rows"]]
        for seat in answer.context["seats"]
    ]


def test_with_the_turns_out_the_page_says_what_was_counted_by_hand(client, club, owner):
    client.force_login(owner)
    page = chances(client, record(club, *TURNS), "turn")
    ana, ben = page.context["seats"]
    # 27, 28 and 26 of 30 rivers.
    assert [row["boards"][0]["win"] for row in ana["rows"]] == pytest.approx([90, 93.333, 86.667], abs=0.001)
    assert [row["boards"][1]["is_best"] for row in ana["rows"] + ben["rows"]] == [True] * 3 + [False] * 3
    # A board is 24 of 30 of one point, 26 of two and 22 of three; the homerun is 420 of 870 pairs of rivers.
    assert ana["points"] == pytest.approx(2 * (24 * 1 + 26 * 2 + 22 * 3) / 30 + 8 * 420 / 870)
    assert ben["points"] == -ana["points"]
    text = " ".join(page.text.split())
    for words in ("90%", "93%", "87%", "+13.3", "48%", "2 seats · turns are out", "Show the rivers"):
        assert words in text
    (line, other) = page.context["homeruns"]
    assert line["cells"][1]["percent"] == pytest.approx(100 * 420 / 870)
    assert (line["cells"][0]["percent"], other["cells"][0]["percent"]) == (None, 0)


def test_on_the_river_every_share_is_none_or_all_and_points_are_the_hands(client, club, owner):
    client.force_login(owner)
    play(club)
    hand = Hand.objects.get()
    page = chances(client, hand, "river")
    # deals.py: Ana +22, Ben -40, Chi +18; Ana and Chi have a homerun over Ben.
    assert [seat["points"] for seat in page.context["seats"]] == [22, -40, 18]
    assert {percent for seat in shown(page) for row in seat for pair in row for percent in pair} == {0, 100}
    homeruns = [[cell["percent"] for cell in line["cells"]] for line in page.context["homeruns"]]
    assert homeruns == [[None, 100, 0], [0, None, 0], [0, 100, None]]
    # Rows of Ana over Chi are -1 +2 +3 and -1 +2 -3, and both win everything from Ben.
    ana, ben, chi = shown(page)
    assert [[won for won, _tied in row] for row in ana] == [[0, 0], [100, 100], [100, 0]]
    assert [[won for won, _tied in row] for row in chi] == [[100, 100], [0, 0], [0, 100]]
    assert ben == [[(0, 0), (0, 0)]] * 3


def test_rows_that_are_the_same_tie(client, club, owner):
    client.force_login(owner)
    # Both tops are kings: whatever else lies, nobody wins them. Board 1 has two pair, board 2 a pair, no straight.
    boards = [["2c", "2d", "8h", "8s", "3c"], ["Qc", "Qd", "9h", "4s", "3d"]]
    setups = {"Ana": ("Ks", "Ah As", "Jc Td 7c 6d"), "Ben": ("Kh", "5h 5s", "Jd Tc 7d 6c")}
    page = chances(client, record(club, boards, setups), "river")
    assert [row[0] for row in shown(page)[0]] == [(0, 100), (100, 0), (0, 100)]
    assert [share["held"] for share in page.context["seats"][1]["rows"][0]["boards"]] == [100, 100]
    assert "100% tied" in " ".join(page.text.split())


def test_before_the_flop_six_seats_are_the_mean_of_every_hand_that_could_come(client, club, owner):
    client.force_login(owner)
    hand, boards, setups = six_seats(club)
    left = sorted(boards[0] + boards[1])
    # 252 ways to share the ten cards between the boards.
    hands = [
        score([first, tuple(card for card in left if card not in first)], setups, PHENOM)
        for first in combinations(left, 5)
    ]
    assert len(hands) == 252
    page = chances(client, hand)
    for seat, line in enumerate(page.context["seats"]):
        assert line["points"] == pytest.approx(mean(one.net[seat] for one in hands))


@pytest.mark.parametrize(("street", "known"), [("deal", 0), ("", 0), ("x", 0), ("flop", 3), ("turn", 4), ("river", 5)])
def test_a_street_shows_so_many_cards_of_both_boards(client, club, owner, street, known):
    client.force_login(owner)
    play(club)
    page = chances(client, Hand.objects.get(), street)
    assert [board["cards"] for board in page.context["boards"]] == [
        board[:known] + [""] * (5 - known) for board in BOARDS
    ]


def test_what_a_setup_was_worth_is_its_mean_over_every_hand_that_could_come(client, club, owner):
    client.force_login(owner)
    hand, boards, setups = six_seats(club)
    left = sorted(boards[0] + boards[1])
    possible = [[first, tuple(card for card in left if card not in first)] for first in combinations(left, 5)]
    page = worth_of(client, hand, 3).context
    played = mean(score(one, setups, PHENOM).net[2] for one in possible)
    assert page["played"]["expected"] == pytest.approx(played)
    assert page["luck"] == pytest.approx(score(boards, setups, PHENOM).net[2] - played)
    best = [parse_cards("".join(row["cards"])) for row in page["settings"][0]["rows"]]
    with_best = [*setups[:2], Setup(*best), *setups[3:]]
    expected = mean(score(one, with_best, PHENOM).net[2] for one in possible)
    assert page["settings"][0]["expected"] == pytest.approx(expected)
    assert page["left_on_table"] == pytest.approx(expected - played)
    assert page["settings"][0]["actual"] == score(boards, with_best, PHENOM).net[2]


def test_the_best_ten_are_the_cores_and_say_how_much_more_they_expect(client, club, owner):
    client.force_login(owner)
    play(club)
    hand = Hand.objects.get()
    setups = [
        Setup(*(parse_cards("".join(setup[row])) for row in ("top", "middle", "bottom"))) for setup in THREE.values()
    ]
    found = worth(boards=[parse_cards("".join(board)) for board in BOARDS], setups=setups, seat=1, rules=PHENOM)
    page = worth_of(client, hand, 2)
    lines = page.context["settings"]
    assert [line["expected"] for line in lines] == [one.expected for one in found.settings[:10]]
    assert [line["more"] for line in lines] == [one.expected - found.played.expected for one in found.settings[:10]]
    assert page.context["hindsight"]["actual"] == max(one.actual for one in found.settings)
    # Ben lost 40 points.
    assert page.context["played"]["actual"] == -40
    assert page.context["played"]["rank"] == found.played.rank
    assert f"Number {found.played.rank} of 105" in page.text


def test_with_one_board_there_are_no_homeruns_and_one_column(client, club, owner):
    client.force_login(owner)
    names = dict(enumerate(THREE, start=1))
    rules = PRESETS["one-board-scoop"]
    session = open_session(
        club=club,
        table="One board",
        rules=rules,
        rule_set_name="one-board-scoop",
        point_value_minor=50,
        currency="USD",
        started_at=EVENING,
        players=players_named(club=club, names=names),
        author=owner,
    )
    one = document(THREE, EVENING) | {"boards": BOARDS[:1]}
    record_hand(session=session, deal=read_deal(one, rules), author=None)
    page = chances(client, session.hands.get(), "turn")
    assert (page.context["homeruns"], len(page.context["seats"][0]["rows"][0]["boards"])) == ([], 1)
    assert "the turn is out" in page.text
    assert "Show the river<" in page.text
    assert worth_of(client, session.hands.get(), 1).status_code == 200


def test_a_player_of_the_session_may_see_it_and_nobody_else(client, club, stranger):
    play(club)
    hand = Hand.objects.get()
    ben = User.objects.create_user("ben@example.com", "a long password")
    claim_player(player=Player.objects.get(name="Ben"), user=ben)
    for user, status in ((ben, 200), (stranger, 404)):
        client.force_login(user)
        assert chances(client, hand, "river").status_code == status
        assert worth_of(client, hand, 1).status_code == status


@pytest.mark.parametrize("number", [0, 4, 7])
def test_a_seat_where_nobody_sat_has_no_page(client, club, owner, number):
    client.force_login(owner)
    play(club)
    assert worth_of(client, Hand.objects.get(), number).status_code == 404


def test_a_void_hand_has_no_chances(client, club, owner):
    client.force_login(owner)
    play(club)
    hand = Hand.objects.get()
    link = reverse("hand-chances", args=[hand.pk])
    assert link in client.get(reverse("hand", args=[hand.pk])).text
    correct_hand(hand=hand, based_on=1, deal=None, reason="Misdeal", author=owner)
    assert link not in client.get(reverse("hand", args=[hand.pk])).text
    assert (chances(client, hand).status_code, worth_of(client, hand, 1).status_code) == (404, 404)


def test_a_hand_of_another_game_has_no_chances(client, club, owner):
    client.force_login(owner)
    play(club)
    hand = Hand.objects.get()
    RuleSet.objects.update(game="chinese")
    assert (chances(client, hand).status_code, worth_of(client, hand, 1).status_code) == (404, 404)


def test_a_hand_without_cards_has_no_chances(client, club, owner):
    session = play(club, [])
    client.force_login(owner)
    points = {"points_1": "-10", "points_2": "4", "points_3": "6", "client_key": uuid.uuid4()}
    client.post(reverse("hand-points", args=[session.pk]), points)
    hand = Hand.objects.get()
    assert reverse("hand-chances", args=[hand.pk]) not in client.get(reverse("hand", args=[hand.pk])).text
    assert (chances(client, hand).status_code, worth_of(client, hand, 1).status_code) == (404, 404)


def test_the_pages_cost_the_same_queries_for_two_seats_and_for_six(client, club, owner):
    client.force_login(owner)
    two, (six, _boards, _setups) = record(club, *TURNS), six_seats(club)
    for page in ("hand-chances", "hand-worth"):
        counts = []
        for hand in (two, six):
            url = reverse(page, args=[hand.pk, 1] if page == "hand-worth" else [hand.pk])
            with CaptureQueriesContext(connection) as queries:
                assert client.get(url, {"street": "river"}).status_code == 200
            counts.append(len(queries))
        assert counts[0] == counts[1] <= 12


def test_every_card_and_bar_is_said_for_who_cannot_see_it(client, club, owner):
    client.force_login(owner)
    page = " ".join(chances(client, record(club, *TURNS), "turn").text.split())
    text = re.sub(r"<[^>]+>", "", page)
    assert "Board 1: 90%" in text
    assert 'aria-label="King of spades"' in page


def test_a_program_is_told_the_same(client, club, owner):
    _key, secret = create_api_key(club=club, name="All", scope="read", author=owner)
    hand = record(club, *TURNS)
    url, headers = reverse("api-hand-chances", args=[hand.pk]), {"Authorization": f"Api-Key {secret}"}
    answer = client.get(url, {"street": "turn"}, headers=headers)
    body = answer.json()
    ana, ben = (str(Player.objects.get(name=name).pk) for name in ("Ana", "Ben"))
    # 27, 28 and 26 of 30 rivers; 420 of 870 pairs of rivers are a homerun.
    wins = [body["players"][ana]["boards"][1][row]["win"] for row in ("top", "middle", "bottom")]
    assert wins == pytest.approx([27 / 30, 28 / 30, 26 / 30])
    assert (body["pairs"][0]["first"], body["pairs"][0]["second"]) == (ana, ben)
    assert (body["pairs"][0]["homerun_of_first"], body["pairs"][0]["homerun_of_second"]) == (420 / 870, 0)
    assert body["boards"] == [board[:4] for board in TURNS[0]]
    again = client.get(url, {"street": "turn"}, headers=headers | {"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert client.get(url, headers=headers).json()["boards"] == [[], []]
    refused = client.get(url, {"street": "preflop"}, headers=headers)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/street")
    correct_hand(hand=hand, based_on=1, deal=None, reason="Misdeal", author=owner)
    assert client.get(url, headers=headers).status_code == 404
