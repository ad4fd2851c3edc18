import re
import runpy
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from hands.scoring.cards import cards_text, parse_cards
from hands.scoring.fair_deal import check_deal, commitment, deal_fairly
from hands.scoring.taiwanese import PRESETS, Rules

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "fair-dealing.md"
SECRET = bytes(range(32))
NAME = "0192f0c4-7b1e-7c3a-9d4e-5f60718293a4"
PHENOM = PRESETS["phenom"]
WITH_JOKERS = PRESETS["phenom-jokers"]

# Worked out by a program that was written from docs/fair-dealing.md alone, with HMAC spelled out over hashlib's
# SHA-256: for key and text, sha256(key ^ 5c.. + sha256(key ^ 36.. + text)), the key filled up with zeros to 64 bytes.
COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
VECTORS = [
    (
        {1: b"\x11" * 32, 2: b"\x22" * 32, 5: b"\x55" * 32}, NAME, PHENOM,
        ["8s Th 5s 8h Qd", "Kd 6s Jh Jc 7h"],
        {1: "7c 4h 3c 3h Jd Ad Kh", 2: "Qs 3s 5d 9s 9d 5h 6c", 5: "4c 2s Ac 2c Ts 6d 8d"},
    ),
    (
        {seat: bytes([seat]) * 32 for seat in (6, 5, 4, 3, 2, 1)}, "hand 1", WITH_JOKERS,
        ["5c 9h 6c Ts 6h", "Kd 2s 9c 2c 3d"],
        {
            1: "Kh 2d 4s Kc Jh Td 9d", 2: "Ad Jd Ah Qc 5h 8c Jc", 3: "8s Th 6d 6s Tc 7d 7h",
            4: "Qs Qh 4d 8d 7c 3c Ac", 5: "4c X2 Js 9s X1 2h 5d", 6: "7s 5s 4h 8h As 3h Qd",
        },
    ),
    (
        {3: b"\x03" * 32, 1: b"\x01" * 32}, "hand 2", Rules(boards=1, homerun_bonus=0, jokers=2),
        ["Jd 8s Kh Qc 3d"],
        {1: "5d 4s Kd Ks 5c 2s Ts", 3: "Jh X2 8d Js Jc 7h 9d"},
    ),
]  # fmt: skip


def texts_of(dealt):
    return [cards_text(board) for board in dealt.boards], {seat: cards_text(hand) for seat, hand in dealt.hands.items()}


def opened(**changes):
    """The first vector as it is opened after the hand, with something changed."""
    parts, name, rules, boards, hands = VECTORS[0]
    deal = {
        "secret": SECRET,
        "parts": parts,
        "hand": name,
        "rules": rules,
        "committed": COMMITMENT,
        "parts_committed": {2: commitment(parts[2])},
        "boards": [parse_cards(board) for board in boards],
        "hands": {seat: parse_cards(hand) for seat, hand in hands.items()},
    }
    return [(problem.pointer, problem.code) for problem in check_deal(**(deal | changes))]


@pytest.mark.parametrize(("parts", "name", "rules", "boards", "hands"), VECTORS)
def test_a_deal_is_what_a_stranger_works_out(parts, name, rules, boards, hands):
    assert texts_of(deal_fairly(secret=SECRET, parts=parts, hand=name, rules=rules)) == (boards, hands)
    assert commitment(SECRET) == COMMITMENT


def test_the_program_in_the_document_deals_the_same_hands(tmp_path, capsys):
    (source,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "stranger.py").write_text(source)
    strangers = runpy.run_path(str(tmp_path / "stranger.py"))
    assert capsys.readouterr().out.splitlines()[0] == COMMITMENT
    random = Random(61)
    for rules in (PHENOM, WITH_JOKERS, Rules(boards=1, homerun_bonus=0), Rules(boards=1, homerun_bonus=0, jokers=2)):
        for seats in range(1, 7):
            secret = random.randbytes(32)
            parts = {seat: random.randbytes(32) for seat in random.sample(range(1, 13), seats)}
            boards, hands = strangers["deal"](secret, parts, f"hand {seats}", rules.boards, rules.jokers)
            dealt = deal_fairly(secret=secret, parts=parts, hand=f"hand {seats}", rules=rules)
            assert texts_of(dealt) == (
                [" ".join(board) for board in boards],
                {seat: " ".join(hand) for seat, hand in hands.items()},
            )


def test_the_document_gives_the_values_that_are_tested():
    text = DOCUMENT.read_text(encoding="utf-8")
    for _, name, _, boards, hands in (VECTORS[0], VECTORS[2]):
        assert f"`{name}`" in text
        for cards in (*boards, *hands.values()):
            assert f"`{cards}`" in text
    assert COMMITMENT in text


def test_every_card_is_dealt_once_and_every_place_sees_every_card():
    random = Random(62)
    first_places = [Counter() for _ in range(52)]
    for hand in range(3000):
        parts = {seat: random.randbytes(32) for seat in range(1, 7)}
        dealt = deal_fairly(secret=random.randbytes(32), parts=parts, hand=f"hand {hand}", rules=PHENOM)
        cards = [card for cards in (*dealt.boards, *dealt.hands.values()) for card in cards]
        assert sorted(cards) == [*range(52)]
        for place, card in enumerate(cards):
            first_places[place][card] += 1
    # Chi-square over 52 cards has the mean 51 and the variance 102; six standard deviations above are 112.
    for counts in first_places:
        assert sum((counts[card] - 3000 / 52) ** 2 / (3000 / 52) for card in range(52)) < 112


def test_jokers_come_to_every_place_of_a_hand_and_never_on_a_board():
    random = Random(63)
    holders = Counter()
    for hand in range(2000):
        parts = {seat: random.randbytes(32) for seat in (1, 2)}
        dealt = deal_fairly(secret=random.randbytes(32), parts=parts, hand=f"hand {hand}", rules=WITH_JOKERS)
        assert max(card for board in dealt.boards for card in board) < 52
        holders.update(place for seat in (1, 2) for place, card in enumerate(dealt.hands[seat]) if card >= 52)
    # Of 44 cards that are left two are jokers, so each of 14 places has 2,000 x 2/44 = 91 of them; two seats make 182
    # by place in the hand, give or take 13.
    assert set(holders) == {*range(7)}
    assert all(182 - 6 * 13 < count < 182 + 6 * 13 for count in holders.values())


def test_every_part_and_the_name_and_the_rules_change_the_deal():
    parts, name, rules, *_ = VECTORS[0]
    fair = deal_fairly(secret=SECRET, parts=parts, hand=name, rules=rules)
    others = [
        deal_fairly(secret=bytes(32), parts=parts, hand=name, rules=rules),
        deal_fairly(secret=SECRET, parts=parts | {5: b"\x56" * 32}, hand=name, rules=rules),
        deal_fairly(secret=SECRET, parts={1: parts[2], 2: parts[1], 5: parts[5]}, hand=name, rules=rules),
        deal_fairly(secret=SECRET, parts=parts, hand="another", rules=rules),
        deal_fairly(secret=SECRET, parts=parts, hand=name, rules=WITH_JOKERS),
    ]
    assert len({dealt.boards for dealt in (fair, *others)}) == 6
    assert deal_fairly(secret=SECRET, parts=dict(reversed(parts.items())), hand=name, rules=rules) == fair


def test_an_honest_deal_passes_the_check_in_any_order_of_a_hands_cards():
    assert opened() == []
    assert opened(boards=[parse_cards("Qd 8h 5s Th 8s"), parse_cards("Kd 6s Jh Jc 7h")]) == []
    assert opened(committed=COMMITMENT.upper(), parts_committed={}) == []


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"committed": commitment(b"another secret")}, [("/secret", "secret_changed")]),
        ({"parts_committed": {2: COMMITMENT}}, [("/parts/2", "part_changed")]),
        ({"parts_committed": {3: COMMITMENT}}, [("/parts/3", "part_changed")]),
        (
            {"boards": [parse_cards("8s Th 5s 8h Qc"), parse_cards("Kd 6s Jh Jc 7h")]},
            [("/boards/0", "board_differs")],
        ),
        ({"boards": [parse_cards("8s Th 5s 8h Qd")]}, [("/boards", "board_count")]),
        (
            {"hands": {1: parse_cards("Qs 3s 5d 9s 9d 5h 6c"), 2: parse_cards("7c 4h 3c 3h Jd Ad Kh")}},
            [("/hands/1", "hand_differs"), ("/hands/2", "hand_differs"), ("/hands/5", "hand_differs")],
        ),
        ({"secret": b"short"}, [("", "deal_unreadable")]),
    ],
)
def test_what_was_changed_is_named(changes, problems):
    assert opened(**changes) == problems


def test_another_secret_than_the_one_committed_to_is_found_with_all_that_follows():
    found = opened(secret=bytes(32))
    assert found[0] == ("/secret", "secret_changed")
    assert ("/boards/0", "board_differs") in found


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"secret": bytes(31)}, "32 bytes"),
        ({"parts": {1: bytes(33)}}, "32 bytes"),
        ({"hand": "one\ntwo"}, "one line"),
        ({"hand": ""}, "one line"),
        ({"hand": "händ"}, "one line"),
        ({"parts": {}}, "1 to 6 players"),
        ({"parts": {seat: bytes(32) for seat in range(1, 8)}}, "1 to 6 players"),
        ({"parts": {0: bytes(32)}}, "from seat 1 on"),
    ],
)
def test_what_cannot_be_dealt_is_refused(changes, sentence):
    deal = {"secret": SECRET, "parts": {1: bytes(32)}, "hand": NAME, "rules": PHENOM}
    with pytest.raises(ValueError, match=sentence):
        deal_fairly(**(deal | changes))


def test_sentences_of_the_check_are_readable():
    parts, name, rules, *_ = VECTORS[0]
    (problem,) = check_deal(
        secret=b"", parts=parts, hand=name, rules=rules, committed="", parts_committed={}, boards=[], hands={}
    )
    assert problem.sentence == "This cannot be dealt again: The secret and every part are 32 bytes."
