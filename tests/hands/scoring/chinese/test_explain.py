from random import Random

import pytest

from hands.scoring.cards import cards_text, parse_cards
from hands.scoring.chinese import PRESETS, explain
from hands.scoring.chinese.explain import play_row
from hands.scoring.chinese.rows import read_rows
from hands.scoring.chinese.strength import strength_class
from tests.hands.scoring.chinese import oracle
from tests.hands.scoring.chinese.deals import ALL_KINDS_OF_RULES, deal, setup_of

OPEN_FACE = PRESETS["open-face"]
# Published: kings on top of three kings and a straight flush, 7 + 2 + 15 royalties, against a plain setup.
ROYAL = "Qh Qd 2s / Kh Kd Ks 4c 3d / 9c Tc Jc Qc Kc"
PLAIN = "Th 8c 3s / Jh Jd 9h 5d 2c / Ah As 7c 6d 4s"
PAIRS = "7h 7d 3c / 9s 9c 6h 5h 2d / Ac Ad 8d 6s 4d"
FOUL = "5c 5s 3h / 8h 8s 9d Td 7s / Qs Jc 2h 4h Ts"


def words_of(ours, theirs, rules=OPEN_FACE, **more):
    return explain((), [setup_of(ours, **more), setup_of(theirs)], rules).pairs[0]


def test_rows_speak():
    top, middle, bottom = explain((), [setup_of(ROYAL), setup_of(PLAIN)], OPEN_FACE).rows[0]
    assert (top.category, top.words, top.short, top.royalty) == ("pair", "pair of queens", "Pair of Qs", 7)
    assert (middle.words, middle.royalty) == ("three kings", 2)
    assert (bottom.category, bottom.short, bottom.royalty) == ("straight flush", "Straight flush to K", 15)
    assert bottom.played == parse_cards("9c Tc Jc Qc Kc")


@pytest.mark.parametrize(
    ("ours", "theirs", "rules", "words"),
    [
        (ROYAL, PLAIN, OPEN_FACE, "All three rows: 3, and 3 for the scoop; royalties +24; +30 in all"),
        (PLAIN, ROYAL, OPEN_FACE, "All three rows lost: 3, and 3 for the scoop; royalties −24; −30 in all"),
        (ROYAL, PLAIN, PRESETS["chinese"], "All three rows: 3, and 3 for the scoop"),
        (ROYAL, PLAIN, PRESETS["chinese-2-4"], "All three rows: 3, and 1 for the scoop"),
        # Sevens beat a ten on top, nines lose to jacks, aces with an eight beat aces with a seven; 77 is 2.
        (
            PAIRS,
            PLAIN,
            OPEN_FACE,
            "Won top +1, lost middle −1, won bottom +1; royalties +2; 1 − 1 + 1 + 2 = +3",
        ),
        (
            PAIRS,
            PLAIN,
            PRESETS["chinese-2-4"],
            "Won top +1, lost middle −1, won bottom +1; two rows +1; 1 − 1 + 1 + 1 = +2",
        ),
        (PLAIN, PLAIN, OPEN_FACE, "Tied top 0, tied middle 0, tied bottom 0; 0 + 0 + 0 = 0"),
        (ROYAL, FOUL, OPEN_FACE, "The other setup fouls: 6; royalties +24; +30 in all"),
        (FOUL, PAIRS, OPEN_FACE, "This setup fouls: −6; royalties −2; −8 in all"),
        (FOUL, PLAIN, PRESETS["chinese-2-4"], "This setup fouls: −4"),
        (FOUL, FOUL, OPEN_FACE, "Two fouls: nothing between them"),
    ],
)
def test_a_pairs_points_are_reasoned(ours, theirs, rules, words):
    assert words_of(ours, theirs, rules) == words


SIX_PAIRS = "2d 2h 3c / 3h 4c 4h 6c 6d / 8c 8d 9c 9d Kd"
DRAGON = "Kc 3d 5h / 2c 4d 6h 8s Ts / Ac 7d 9h Js Qd"


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        (DRAGON, SIX_PAIRS, "Dragon against six pairs: +13"),
        (SIX_PAIRS, DRAGON, "Six pairs against dragon: −13"),
        (SIX_PAIRS, PLAIN, "Six pairs against no natural: +3"),
        (PLAIN, SIX_PAIRS, "No natural against six pairs: −3"),
        (SIX_PAIRS, SIX_PAIRS, "Six pairs against six pairs: 0"),
    ],
)
def test_naturals_are_named(ours, theirs, words):
    assert words_of(ours, theirs, PRESETS["chinese-naturals"]) == words


def test_surrenders_are_named():
    rules = PRESETS["chinese-naturals"]
    gone = setup_of(" /  / ", surrendered=True)
    explained = explain((), [gone, setup_of(PLAIN), setup_of(FOUL), gone], rules)
    assert explained.pairs == (
        "Surrendered: −3",
        "A surrender against a foul: nothing between them",
        "Two surrenders: nothing between them",
        "The other setup fouls: 6",
        "The other seat surrendered: +3",
        "A surrender against a foul: nothing between them",
    )
    assert explained.rows[0] == ()


@pytest.mark.parametrize("rules", ALL_KINDS_OF_RULES)
def test_cards_are_played_as_what_was_scored(rules):
    random = Random(6)
    for _ in range(60):
        setups = deal(random, rules=rules, seats=rules.seats)
        explained = explain((), setups, rules)
        assert len(explained.pairs) == len(explained.score.pairs)
        for setup, readings in zip(setups, explained.rows, strict=True):
            rows = (setup.top, setup.middle, setup.bottom)
            for cards, reading in zip(rows, readings, strict=True):
                assert len(set(reading.played)) == len(cards)
                assert all(card >= 52 or card == played for card, played in zip(cards, reading.played, strict=True))
                assert all(played < 52 for played in reading.played)
                assert oracle.class_of(reading.played) == strength_class(reading.strength)


@pytest.mark.parametrize(
    ("text", "played"),
    [
        # The flush would be stronger than the straight below it, so the joker is a king of another suit.
        ("2c 3d 5h / 9c Tc Jc Qc X1 / Ac Kh Qs Jd Ts", "9c Tc Jc Qc Kd"),
        ("2c 3d 5h / 9h Th Jh Qh X1 / Ac Kd Qs Jc Ts", "9h Th Jh Qh Kc"),
        ("2d 3d 5h / 9c Tc Jc X2 X1 / Ac Kh Qs Jd Ts", "9c Tc Jc Kd Qd"),
        # On a royal flush it may be a straight flush.
        ("2c 3d 5h / 9h Th Jh Qh X1 / Ts Js Qs Ks As", "9h Th Jh Qh Kh"),
        # Under a full house the flush is all that fits, so the joker is the ace.
        ("2c 3d 5h / 9h Th Jh Qh X1 / Ac Ad As Jc Jd", "9h Th Jh Qh Ah"),
    ],
)
def test_a_joker_is_of_another_suit_where_the_flush_would_be_too_strong(text, played):
    setup = setup_of(text)
    (_, middle, _), is_foul = read_rows(setup)
    assert not is_foul
    assert cards_text(play_row(setup.middle, middle)) == played


def test_a_strength_that_the_row_does_not_have_is_refused():
    strength = read_rows(setup_of(ROYAL))[0][2]
    with pytest.raises(ValueError, match="cannot have strength"):
        play_row(parse_cards("Th 8c 3s 2d 2c"), strength)
    with pytest.raises(ValueError, match="cannot have strength"):
        play_row(parse_cards("Th 8c 3s"), strength)
