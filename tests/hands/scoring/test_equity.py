from collections import Counter
from itertools import combinations
from random import Random

import pytest
from phevaluator import _pheval

from hands.scoring.cards import parse_cards
from hands.scoring.equity import Shares, equity
from hands.scoring.problems import Refused
from hands.scoring.taiwanese import PRESETS, Setup, score
from tests.hands.scoring.deals import ALL_KINDS_OF_RULES, deal
from tests.hands.scoring.oracle import joker_row_strength, row_strength

PHENOM = PRESETS["phenom"]


def rows_of(setup):
    return setup.top, setup.middle, setup.bottom


def can_still_come(boards, setups):
    """Every pair of complete boards (or every board), by trying."""
    seen = {card for cards in (*boards, *(row for setup in setups for row in rows_of(setup))) for card in cards}
    unseen = [card for card in range(52) if card not in seen]

    def completed(known, cards):
        for drawn in combinations(cards, 5 - len(known)):
            yield (*known, *drawn)

    for first in completed(boards[0], unseen):
        if len(boards) == 1:
            yield [first]
            continue
        for second in completed(boards[1], [card for card in unseen if card not in first]):
            yield [first, second]


def expect_brute_force(boards, setups, rules):
    """Shares and points as counted over every hand that can still come, each scored by itself."""
    found = equity(boards=boards, setups=setups, rules=rules)
    hands, counts, net = 0, Counter(), Counter()
    for complete in can_still_come(boards, setups):
        hands += 1
        scored = score(complete, setups, rules)
        for place in range(len(boards)):
            for row in range(3):
                strengths = [seat[place][row] for seat in scored.strengths]
                for seat, strength in enumerate(strengths):
                    alone = strengths.count(strength) == 1
                    kind = "lost" if strength < max(strengths) else "won" if alone else "tied"
                    counts["seat", seat, place, row, kind] += 1
        for pair in scored.pairs:
            counts["homerun", pair.first, pair.second, kind_of(pair.homerun)] += 1
            for number, points in enumerate(pair.rows):
                counts["pair", pair.first, pair.second, number // 3, number % 3, kind_of(points)] += 1
            net[pair.first, pair.second] += pair.points
    for seat, expected in enumerate(found.seats):
        for place, rows in enumerate(expected.rows):
            for row, shares in enumerate(rows):
                expect_shares(shares, hands, lambda kind, key=("seat", seat, place, row): counts[(*key, kind)])
        points = sum(total for (first, _), total in net.items() if first == seat)
        points -= sum(total for (_, second), total in net.items() if second == seat)
        assert expected.points == pytest.approx(points / hands, abs=1e-9)
    for pair in found.pairs:
        seats = pair.first, pair.second
        for place, rows in enumerate(pair.rows):
            for row, shares in enumerate(rows):
                # A row that is worth nothing shows nothing in the points of a hand.
                if rules.row_points[row]:
                    expect_shares(shares, hands, lambda kind, key=("pair", *seats, place, row): counts[(*key, kind)])
        if rules.homerun_bonus:
            expect_shares(pair.homerun, hands, lambda kind, key=("homerun", *seats): counts[(*key, kind)])
        assert pair.points == pytest.approx(net[seats] / hands, abs=1e-9)


def kind_of(points):
    return "won" if points > 0 else "lost" if points < 0 else "tied"


def expect_shares(shares, hands, count):
    for kind in ("won", "tied", "lost"):
        # Cases are counted for a board alone; the share is that of all hands.
        assert getattr(shares, kind) * hands == count(kind) * shares.cases


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
@pytest.mark.parametrize("known", [4, 5])
def test_with_the_turns_known_everything_is_as_by_brute_force(rules, known):
    random = Random(21)
    for seats in {2, rules.seats}:
        boards, setups = deal(random, rules=rules, seats=seats)
        expect_brute_force([board[:known] for board in boards], setups, rules)


@pytest.mark.parametrize("rules", [PHENOM, *(rules for rules in ALL_KINDS_OF_RULES if rules.seats >= 5)])
@pytest.mark.parametrize("known", [(3, 3), (3, 5), (4, 3), (0, 5)])
def test_with_the_flops_known_everything_is_as_by_brute_force(rules, known):
    # Five seats leave 11 cards beside two flops: 55 x 36 = 1,980 hands.
    boards, setups = deal(Random(22), rules=rules, seats=5)
    boards = [board[:count] for board, count in zip(boards, known, strict=False)]
    expect_brute_force(boards, setups, rules)


@pytest.mark.parametrize("rules", [rules for rules in ALL_KINDS_OF_RULES if rules.seats == 6 and not rules.jokers])
def test_before_the_flop_six_seats_are_as_by_brute_force(rules):
    # Ten cards are left: 252 hands.
    _, setups = deal(Random(23), rules=rules, seats=6)
    expect_brute_force([()] * rules.boards, setups, rules)


def test_two_seats_before_the_flop_win_each_row_as_often_as_the_peer_says_over_all_boards():
    _, setups = deal(Random(24), rules=PHENOM, seats=2)
    unseen = sorted({*range(52)} - {card for setup in setups for row in rows_of(setup) for card in row})
    evaluators = _pheval.evaluate_6cards, _pheval.evaluate_7cards, _pheval.evaluate_omaha_cards
    rows = [(evaluate, *pair) for evaluate, *pair in zip(evaluators, *map(rows_of, setups), strict=True)]
    won, lost = [0, 0, 0], [0, 0, 0]
    # The cards are all different and of the deck, which the peer does not check.
    for board in combinations(unseen, 5):
        for row, (evaluate, ours, theirs) in enumerate(rows):
            our, their = evaluate(*board, *ours), evaluate(*board, *theirs)
            won[row] += our < their
            lost[row] += our > their
    found = equity(boards=[(), ()], setups=setups, rules=PHENOM)
    assert found.boards == (501_942, 501_942)
    for board in found.pairs[0].rows:
        assert [(shares.won, shares.tied, shares.lost) for shares in board] == [
            (ours, 501_942 - ours - theirs, theirs) for ours, theirs in zip(won, lost, strict=True)
        ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_flop_shares_against_the_table_are_those_of_the_peers_strengths(seats):
    random = Random(25 + seats)
    rules = PRESETS["phenom-jokers"]
    boards, setups = deal(random, rules=rules, seats=seats)
    found = equity(boards=[boards[0][:3], boards[1]], setups=setups, rules=rules)
    expected = [[Counter() for _ in range(3)] for _ in setups]
    seen = {*boards[0][:3], *boards[1], *(card for setup in setups for row in rows_of(setup) for card in row)}
    for drawn in combinations([card for card in range(52) if card not in seen], 2):
        board = (*boards[0][:3], *drawn)
        for row in range(3):
            strengths = [
                (joker_row_strength if max(cards) >= 52 else row_strength)(cards, board)
                for cards in (rows_of(setup)[row] for setup in setups)
            ]
            for seat, strength in enumerate(strengths):
                expected[seat][row][(strength == max(strengths)) + (strengths.count(strength) == 1)] += 1
                if strength < max(strengths):
                    expected[seat][row]["beaten"] += 1
    for seat, rows in enumerate(expected):
        for row, counts in enumerate(rows):
            shares = found.seats[seat].rows[0][row]
            assert (shares.won, shares.lost) == (counts[2], counts["beaten"])


def test_shares_sum_to_all_cases_and_points_to_zero():
    random = Random(26)
    for known in (0, 3, 4, 5):
        boards, setups = deal(random, rules=PHENOM, seats=4)
        found = equity(boards=[board[:known] for board in boards], setups=setups, rules=PHENOM)
        for seat in found.seats:
            for rows, cases in zip(seat.rows, found.boards, strict=True):
                assert {shares.cases for shares in rows} == {cases}
                assert [shares.win + shares.tie + shares.lose for shares in rows] == pytest.approx([1, 1, 1])
        assert sum(seat.points for seat in found.seats) == pytest.approx(0)


def test_with_complete_boards_shares_are_zero_or_one_and_points_are_the_hands():
    random = Random(27)
    for rules in ALL_KINDS_OF_RULES:
        boards, setups = deal(random, rules=rules, seats=3)
        found, scored = equity(boards=boards, setups=setups, rules=rules), score(boards, setups, rules)
        assert [seat.points for seat in found.seats] == list(scored.net)
        assert [pair.points for pair in found.pairs] == [pair.points for pair in scored.pairs]
        assert {shares.cases for seat in found.seats for rows in seat.rows for shares in rows} == {1}


def test_swapping_two_seats_swaps_their_chances():
    boards, (one, other) = deal(Random(28), rules=PHENOM, seats=2)
    boards = [board[:3] for board in boards]
    found = equity(boards=boards, setups=[one, other], rules=PHENOM)
    swapped = equity(boards=boards, setups=[other, one], rules=PHENOM)
    assert found.seats == swapped.seats[::-1]
    assert found.pairs[0].points == -swapped.pairs[0].points
    turned = [tuple(Shares(share.lost, share.tied, share.won) for share in rows) for rows in swapped.pairs[0].rows]
    assert list(found.pairs[0].rows) == turned


def test_swapping_the_boards_changes_no_points():
    boards, setups = deal(Random(29), rules=PHENOM, seats=4)
    flop, turn = boards[0][:3], boards[1][:4]
    found = equity(boards=[flop, turn], setups=setups, rules=PHENOM)
    swapped = equity(boards=[turn, flop], setups=setups, rules=PHENOM)
    assert [seat.points for seat in found.seats] == pytest.approx([seat.points for seat in swapped.seats])
    assert [seat.rows[::-1] for seat in found.seats] == [seat.rows for seat in swapped.seats]


def test_cards_of_the_other_board_and_dead_cards_do_not_come():
    boards, setups = deal(Random(30), rules=PHENOM, seats=2)
    turns = [board[:4] for board in boards]
    # 52 less 14 and 8 are 30 rivers; a dead card leaves 29.
    assert equity(boards=turns, setups=setups, rules=PHENOM).boards == (30, 30)
    assert equity(boards=turns, setups=setups, rules=PHENOM, dead=[boards[0][4]]).boards == (29, 29)
    held = {card for setup in setups for row in rows_of(setup) for card in row}
    # With all other cards dead the river that comes is certain, and so are the points.
    dead = {*range(52)} - held - {*boards[0], *boards[1]}
    last = equity(boards=[turns[0], boards[1]], setups=setups, rules=PHENOM, dead=dead)
    assert last.boards == (1, 1)
    assert [seat.points for seat in last.seats] == list(score(boards, setups, PHENOM).net)


def test_jokers_never_come_on_a_board():
    # 54 cards less 14 that are held: where those hold both jokers, 40 can come, otherwise 38 and no joker.
    rules = PRESETS["phenom-jokers"]
    with_jokers = [Setup((52,), (0, 4), (8, 12, 16, 20)), Setup((53,), (1, 5), (9, 13, 17, 21))]
    without = [Setup((24,), (0, 4), (8, 12, 16, 20)), Setup((25,), (1, 5), (9, 13, 17, 21))]
    turns = [(26, 30, 34, 38), (27, 31, 35, 39)]
    assert equity(boards=turns, setups=with_jokers, rules=rules).boards == (32, 32)
    assert equity(boards=turns, setups=without, rules=rules).boards == (30, 30)


def test_a_homerun_is_counted_on_two_boards_that_draw_from_one_deck():
    """Worked by hand. Ana leads everywhere; of the 30 rivers these cost her a row, on either board alike:

    the queens (3 left) her king-high top, the jacks (2) her kings in the middle, the tens (2) and fours (2) her
    aces at the bottom, each by a pair or three of a kind of Ben's. Nobody can make a straight or a flush. So she
    scoops a board on 21 of 30 rivers, and both on 21 x 20 of 30 x 29. Ben never takes more than one row of a board.
    """
    ana = Setup(parse_cards("Ks"), parse_cards("Kh Kd"), parse_cards("Ac Ad Kc 7c"))
    ben = Setup(parse_cards("Qs"), parse_cards("Jh Jd"), parse_cards("Tc Td 4h 4s"))
    turns = [parse_cards("2c 3d 8h 9s"), parse_cards("2d 3c 8s 9h")]
    found = equity(boards=turns, setups=[ana, ben], rules=PHENOM)
    (pair,) = found.pairs
    assert pair.scoops == (Shares(21, 9, 0),) * 2
    assert pair.homerun == Shares(420, 450, 0)
    assert pair.rows == ((Shares(27, 0, 3), Shares(28, 0, 2), Shares(26, 0, 4)),) * 2
    # A board: 24/30 of 1, 26/30 of 2 and 22/30 of 3 points; and 420/870 of 8 for the homerun.
    points = 2 * (24 * 1 + 26 * 2 + 22 * 3) / 30 + 8 * 420 / 870
    assert [seat.points for seat in found.seats] == pytest.approx([points, -points])


@pytest.mark.parametrize(
    ("boards", "sentence"),
    [
        ([()], "The hand has 1 board; these rules need 2."),
        ([(0, 1, 2, 3, 4, 5), ()], "Board 1 has 6 cards (2c 2d 2h 2s 3c 3d); Taiwanese needs 5."),
        ([(0, 1, 2), (0,)], "2c is on board 1 and on board 2. A card occurs once in a hand."),
        ([(52, 1, 2), ()], "X1 is on board 1. Jokers are dealt to players only."),
    ],
)
def test_what_cannot_be_a_hand_is_refused_with_its_sentence(boards, sentence):
    setups = [Setup((8,), (9, 10), (11, 12, 13, 14)), Setup((15,), (16, 17), (18, 19, 20, 21))]
    with pytest.raises(Refused) as refused:
        equity(boards=boards, setups=setups, rules=PHENOM)
    assert [problem.sentence for problem in refused.value.problems] == [sentence]


@pytest.mark.parametrize("dead", [[8], [54], [30, 30], [-1]])
def test_a_dead_card_is_a_card_that_lies_nowhere_else(dead):
    setups = [Setup((8,), (9, 10), (11, 12, 13, 14)), Setup((15,), (16, 17), (18, 19, 20, 21))]
    with pytest.raises(ValueError, match="Every dead card"):
        equity(boards=[(), ()], setups=setups, rules=PHENOM, dead=dead)


def test_boards_need_cards_that_can_come():
    # 38 cards are unseen; with 29 of them dead nine are left for ten places.
    setups = [Setup((0,), (1, 2), (3, 4, 5, 6)), Setup((7,), (8, 9), (10, 11, 12, 13))]
    with pytest.raises(ValueError, match="10 cards are still to come and 9 are left"):
        equity(boards=[(), ()], setups=setups, rules=PHENOM, dead=range(14, 43))


def test_with_one_board_there_is_no_homerun():
    rules = PRESETS["one-board-scoop"]
    boards, setups = deal(Random(31), rules=rules, seats=2)
    found = equity(boards=boards, setups=setups, rules=rules)
    assert found.pairs[0].homerun == Shares(0, 1, 0)
