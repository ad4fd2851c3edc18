"""Who enters and stays in Fantasyland, with how many cards, and what is expected of the next hand."""

from dataclasses import replace

import pytest

from hands.scoring.chinese import PRESETS, expected_next, score
from tests.hands.scoring.chinese.deals import setup_of

OTHER = "2s 3s 5s / 9c 9d 4s 7s 8s / Td Th Jc Js 6d"
QUEENS = "Qc Qd 2h / Kc Kd 4h 5c 6c / Ac Ad 7h 7c 3d"
KINGS = "Kc Kd 2h / Qc Qd 4h 4c 6c / Ac Ad 7h 7c 3d"
ACES = "Ac Ad 2h / Qc Qd 4h 4c 6c / Kc Kd 7h 7c 3d"
THREES = "2c 2d 2h / Qc Qd Qh 4c 6c / Kc Kd Kh 7c 3d"
JACKS = "Jd Jh 2h / Kc Kd 4h 5c 6c / Ac Ad 7h 7c 3d"
FULL_MIDDLE = "2c 3d 4h / 5c 5d 5h 6c 6h / Ac Ad Ah Kc Kd"
QUADS = "2c 3d 4h / Kc Kd 5h 6c 7h / Ac Ad Ah As Qc"
STRAIGHT_FLUSH = "2c 3d 4h / Kc Kd 5h 6c 7h / 9h Th Jh Qh Kh"
FOUL = "Qc Qd Qh / Jd Jh 4h 5c 6c / Ac Ad 7h 7c 3d"


def owed(text, preset, inside=0):
    setups = [replace(setup_of(text), fantasyland=inside), setup_of(OTHER)]
    return score((), setups, PRESETS[preset]).fantasyland[0]


@pytest.mark.parametrize(
    ("text", "open_face", "pineapple", "progressive"),
    [
        (JACKS, 0, 0, 0),
        (QUEENS, 13, 14, 14),
        (KINGS, 13, 14, 15),
        (ACES, 13, 14, 16),
        (THREES, 13, 14, 17),
        (FOUL, 0, 0, 0),
        # What only stays does not enter.
        (FULL_MIDDLE, 0, 0, 0),
        (QUADS, 0, 0, 0),
    ],
)
def test_queens_or_better_on_top_enter(text, open_face, pineapple, progressive):
    assert owed(text, "open-face") == open_face
    assert owed(text, "pineapple") == pineapple
    assert owed(text, "progressive") == progressive


@pytest.mark.parametrize(
    ("text", "open_face", "pineapple", "strict", "progressive"),
    [
        # What only enters does not stay.
        (QUEENS, 0, 0, 0, 0),
        (ACES, 0, 0, 0, 0),
        (THREES, 13, 14, 14, 14),
        (FULL_MIDDLE, 13, 14, 0, 0),
        (QUADS, 13, 14, 14, 14),
        (STRAIGHT_FLUSH, 13, 14, 14, 14),
        (FOUL, 0, 0, 0, 0),
    ],
)
def test_who_is_in_can_only_stay(text, open_face, pineapple, strict, progressive):
    assert owed(text, "open-face", 13) == open_face
    assert owed(text, "pineapple", 14) == pineapple
    assert owed(text, "pineapple-strict", 14) == strict
    assert owed(text, "progressive", 17) == progressive


def test_closed_chinese_poker_has_no_fantasyland():
    assert owed(THREES, "chinese") == 0


def test_a_house_lets_the_middle_stay_in_progressive():
    rules = replace(PRESETS["progressive"], middle_stays=True)
    setups = [replace(setup_of(FULL_MIDDLE), fantasyland=15), setup_of(OTHER)]
    assert score((), setups, rules).fantasyland == (14, 0)


def test_the_button_stands_while_anyone_is_in_fantasyland():
    scored = score((), [setup_of(OTHER), setup_of(KINGS)], PRESETS["progressive"])
    expected = expected_next(scored.fantasyland)
    assert (expected.fantasyland, expected.button_stands) == ((0, 15), True)
    assert not expected_next((0, 0)).button_stands
