"""The tables hold what two evaluators and the published counts say; rows are looked up as in a hand."""

import subprocess
import sys
from itertools import combinations, combinations_with_replacement
from math import comb
from pathlib import Path
from random import Random

import numpy as np
import pytest

from hands.scoring.cards import RANKS, cards_text, parse_cards
from hands.scoring.strength import category, class_ranks
from hands.scoring.tables import PAIR_NUMBERS, RANK_KEYS, tables
from hands.scoring.taiwanese.rows import Setup, packed_strengths, unpack_strengths
from tests.hands.scoring import oracle

ROOT = Path(__file__).resolve().parents[3]
ROW_SIZES = {"top": 1, "middle": 2, "bottom": 4}


def look_up(row, cards, board):
    """The strength of one row; the other rows are filled with cards that do not matter to it."""
    spare = [card for card in range(52) if card not in cards and card not in board]
    rows = {"top": spare[:1], "middle": spare[1:3], "bottom": spare[3:7]} | {row: cards}
    setup = Setup(**{name: tuple(held) for name, held in rows.items()})
    (strengths,) = unpack_strengths(packed_strengths([tuple(board)], [setup])[0], boards=1)
    return dict(zip(ROW_SIZES, strengths, strict=True))[row]


def look_up_text(row, cards, board):
    return look_up(row, parse_cards(cards), parse_cards(board))


def compare_with_the_peer(row, count, seed):
    random = Random(seed)
    for _ in range(count):
        dealt = random.sample(range(52), 5 + ROW_SIZES[row])
        board, cards = dealt[:5], dealt[5:]
        assert look_up(row, cards, board) == oracle.row_strength(cards, board), (row, cards_text(dealt))


@pytest.mark.parametrize("row", ROW_SIZES)
def test_rows_have_the_strengths_of_the_peer(row):
    compare_with_the_peer(row, 20_000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROW_SIZES)
def test_many_rows_have_the_strengths_of_the_peer(row):
    compare_with_the_peer(row, 200_000, seed=2)


def compare_with_every_substitution(row, count, seed):
    random = Random(seed)
    for _ in range(count):
        jokers = random.choice([[52], [53], [52, 53]][: 3 if row != "top" else 2])
        # A short deck, some of one suit and some of neighbouring ranks, so that strong hands come up often.
        low, suit = random.randrange(13), random.randrange(4)
        deck = [
            card
            for card in range(52)
            if abs((card >> 2) - low) < 3 or (card & 3 == suit and random.random() < 0.7) or random.random() < 0.2
        ]
        dealt = random.sample(deck, 5 + ROW_SIZES[row] - len(jokers))
        board, cards = dealt[:5], dealt[5:] + jokers
        random.shuffle(cards)
        expected = oracle.joker_row_strength(cards, board)
        assert look_up(row, cards, board) == expected, (cards_text(board), cards_text(cards))


@pytest.mark.parametrize("row", ROW_SIZES)
def test_a_joker_is_the_best_of_all_cards_it_may_be(row):
    compare_with_every_substitution(row, 300, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROW_SIZES)
def test_many_jokers_are_the_best_of_all_cards_they_may_be(row):
    compare_with_every_substitution(row, 4_000, seed=4)


@pytest.mark.parametrize(
    ("row", "cards", "board", "ranks"),
    [
        # No five of a kind: beside four aces a joker is a king.
        ("top", "X1", "As Ah Ad Ac 2c", "AAAAK"),
        ("middle", "X1 X2", "As Ah Ad Ac 2c", "AAAAK"),
        # Seen elsewhere is no bar: of four nines on the board three are in the hand, and the joker is the fourth.
        ("bottom", "X1 5d 4d 3s", "9s 9h 9d 9c 2c", "99995"),
        # Two jokers are two different cards: a third and fourth king, and in a flush the king and the queen.
        ("middle", "X1 X2", "Ks Kh 7d 5c 2h", "KKKK7"),
        ("middle", "X1 X2", "As 9s 4s 9h 2d", "9999A"),
        # A joker counts as one of exactly two.
        ("bottom", "X1 2c 3c 4c", "Ah Kh Qh Jh Th", "AAKQ4"),
        ("bottom", "X1 X2 2c 3c", "Ah Kh Qh 4d 4s", "AKQJT"),
    ],
)
def test_jokers_keep_their_rules(row, cards, board, ranks):
    assert "".join(RANKS[rank] for rank in class_ranks(look_up_text(row, cards, board))) == ranks


@pytest.mark.parametrize(
    ("row", "cards", "board", "expected"),
    [
        ("top", "2c", "Ah Kh Qh Jh Th", "straight flush"),  # the board itself may play
        ("middle", "2c 3c", "Ah Kh Qh Jh Th", "straight flush"),
        ("bottom", "2c 3c 4d 5d", "Ah Kh Qh Jh Th", "high card"),  # but never for the bottom
        ("bottom", "Ah 2c 3c 4d", "Kh Qh Jh Th 9s", "high card"),  # nor four of the board with the ace alone
        ("bottom", "Ah 2h 3c 4d", "Kh Qh Jh 5c 9s", "flush"),
        ("bottom", "5c 5d 5h 5s", "Ah Kd Qh 9s 7c", "pair"),  # exactly two of four fives
        ("top", "Ac", "2d 3h 4s 5c 9d", "straight"),  # the wheel
        ("top", "3c", "Qd Kh As 2c 9d", "high card"),  # a straight never wraps
        ("middle", "3c 4d", "Qd Kh As 2c 9d", "high card"),
    ],
)
def test_rows_use_the_cards_that_they_may(row, cards, board, expected):
    assert category(look_up_text(row, cards, board)) == expected


def test_the_wheel_is_the_lowest_straight():
    assert look_up_text("top", "Ac", "2d 3h 4s 5c 9d") + 1 == look_up_text("top", "6c", "2d 3h 4s 5c 9d")


def test_every_multiset_of_ranks_has_a_key_of_its_own():
    keys = {
        sum(RANK_KEYS[rank] for rank in ranks)
        for ranks in combinations_with_replacement(range(13), 5)
        if ranks[0] != ranks[4]
    }
    # 6,188 multisets of five of thirteen ranks, without the 13 of five alike
    assert len(keys) == 6175


def test_cards_and_rules_are_read_without_waiting_for_numpy():
    command = "import sys, hands.scoring.taiwanese; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], cwd=ROOT, check=False).returncode == 0


# Of all 133,784,560 seven-card hands (52 choose 7), as published, for example in Wikipedia's "Poker probability".
SEVEN_CARD_HANDS = {
    "straight flush": 41_584,
    "four of a kind": 224_848,
    "full house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three of a kind": 6_461_620,
    "two pair": 31_433_400,
    "pair": 58_627_800,
    "high card": 23_294_460,
}


def test_all_seven_card_hands_have_the_published_frequencies():
    assert sum(SEVEN_CARD_HANDS.values()) == comb(52, 7)
    counted = dict.fromkeys(SEVEN_CARD_HANDS, 0)
    for strengths, counts in (hands_without_flush(), hands_with_flush()):
        for strength in np.unique(strengths):
            counted[category(int(strength))] += int(counts[strengths == strength].sum())
    assert counted == SEVEN_CARD_HANDS


def test_royal_flushes_have_the_published_frequency():
    strengths, counts = hands_with_flush()
    assert counts[strengths == 7462].sum() == 4_324


def hands_without_flush():
    """By multiset of seven ranks: the strength, and the number of ways to give suits with no five alike."""
    hands = np.array(list(combinations_with_replacement(range(13), 7)))
    counts = (hands[:, :, None] == np.arange(13)).sum(axis=1)
    possible = (counts <= 4).all(axis=1)
    hands, counts = hands[possible], counts[possible]
    numbers = np.frombuffer(tables().board_numbers, dtype=np.uint16)
    pairs = np.array([list(row) for row in PAIR_NUMBERS])
    # Any five may be called the board, but not five with four alike and the other two of that rank too.
    board = numbers[np.array(RANK_KEYS)[hands[:, :5]].sum(axis=1)].astype(int)
    strengths = np.frombuffer(tables().seven, dtype=np.uint16)[board * 105 + pairs[hands[:, 5], hands[:, 6]]]
    ways = np.prod(np.array([1, 4, 6, 4, 1])[counts], axis=1)
    # In one suit, by how many of the hand's cards are of it: a rank of count c has a card of the suit in
    # (3 choose c - 1) ways and none in (3 choose c).
    suited = np.zeros((len(hands), 8), dtype=int)
    suited[:, 0] = 1
    for rank in range(13):
        count = counts[:, rank]
        out = np.array([1, 3, 3, 1, 0])[count][:, None]
        within = np.array([0, 1, 3, 3, 1])[count][:, None]
        shifted = np.pad(suited, ((0, 0), (1, 0)))[:, :8]
        suited = suited * out + shifted * within
    return strengths, ways - 4 * suited[:, 5:].sum(axis=1)


def hands_with_flush():
    """By the ranks of the suit that has five, six or seven: the strength, and the number of hands."""
    strengths, counts = [], []
    for size in (5, 6, 7):
        for ranks in combinations(range(13), size):
            mask = sum(1 << rank for rank in ranks[:5])
            rest = [*ranks[5:], 14, 14][:2]  # 14: a card of another suit
            line = tables().suit_numbers[mask] * 120
            strengths.append(tables().flush_seven[line + PAIR_NUMBERS[rest[0]][rest[1]]])
            counts.append(4 * comb(39, 7 - size))
    return np.array(strengths), np.array(counts)
