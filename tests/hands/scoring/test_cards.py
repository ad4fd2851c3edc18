import pytest
from hypothesis import given
from hypothesis import strategies as st

from hands.scoring.cards import (
    RANKS,
    SUITS,
    UnreadableCard,
    card_text,
    card_words,
    cards_text,
    parse_card,
    parse_cards,
)

ACE_OF_SPADES = 12 * 4 + 3
TEN_OF_DIAMONDS = 8 * 4 + 1


@pytest.mark.parametrize("token", ["As", "as", "AS", "aS", "sA", "A♠", "a♤", "♠A", "A♠\ufe0f", "♠\ufe0eA", " As "])
def test_a_card_is_read_in_any_case_glyph_and_order(token):
    assert parse_card(token) == ACE_OF_SPADES


@pytest.mark.parametrize("token", ["Td", "td", "10d", "d10", "10D", "♦10", "10♢", "dT"])
def test_ten_is_t_or_10(token):
    assert parse_card(token) == TEN_OF_DIAMONDS


@pytest.mark.parametrize(
    ("token", "suit"),
    [("2♠", 3), ("2♤", 3), ("2♥", 2), ("2♡", 2), ("2♦", 1), ("2♢", 1), ("2♣", 0), ("2♧", 0)],
)
def test_black_and_white_glyphs_are_the_same_suit(token, suit):
    assert parse_card(token) == suit


@pytest.mark.parametrize(
    ("token", "card"),
    [("X1", 52), ("x2", 53), ("Jk", 52), ("JK", 52), ("joker", 52), ("JOKER1", 52), ("Joker2", 53)],
)
def test_jokers_are_read_by_all_their_names(token, card):
    assert parse_card(token) == card


NO_CARDS = ["", " ", "A", "s", "1s", "0s", "11d", "Ax", "AAs", "As2d", "A s", "X", "X3", "X0", "JOKER3", "Jk1", "Zs"]
# Arabic and full-width digits, a long s and the Kelvin sign (which fold to ASCII letters), a stray selector
STRANGE_SCRIPTS = ["٢s", "２s", "A\u017f", "\u212as", "A\ufe0fs", "🂡"]


@pytest.mark.parametrize("token", [*NO_CARDS, *STRANGE_SCRIPTS])
def test_what_is_no_card_is_refused_and_named(token):
    with pytest.raises(UnreadableCard) as refused:
        parse_card(token)
    assert refused.value.token == token
    assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        "Kd AsTs 9h9d4c3c",
        "kdasts9h9d4c3c",
        "Kd/As,Ts 9h\t9d\n4c,3c",
        " K♦, ♠A 10s/9♡9♢4♧ c3 ",
        "Kd\u3000As,,Ts9h9d4c3c",
    ],
)
def test_a_row_is_read_with_any_separators_or_none(text):
    # K = 11, A = 12, T = 8, 9 = 7, 4 = 2, 3 = 1; c d h s = 0 1 2 3
    assert parse_cards(text) == (11 * 4 + 1, 12 * 4 + 3, 8 * 4 + 3, 7 * 4 + 2, 7 * 4 + 1, 2 * 4, 1 * 4)


def test_no_text_is_no_cards():
    assert parse_cards("") == ()
    assert parse_cards(" ,/ ") == ()


@pytest.mark.parametrize(
    ("text", "token"),
    [("Kd Zs 9h", "Zs"), ("KdAsQx9h", "Qx"), ("Kd 1h", "1h"), ("Kd As K", "K"), ("Kd 9h-4c", "-"), ("Kd ٢h", "٢h")],
)
def test_the_token_that_cannot_be_read_is_named(text, token):
    with pytest.raises(UnreadableCard) as refused:
        parse_cards(text)
    assert refused.value.token == token


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Jk Jk", (52, 53)),
        ("JkJs", (52, 9 * 4 + 3)),
        ("X1 Jk", (52, 53)),
        ("Jk X1", (53, 52)),
        ("Joker joker2", (52, 53)),
        ("JOKER10d", (52, TEN_OF_DIAMONDS)),
        ("X1X2", (52, 53)),
    ],
)
def test_jokers_without_a_number_take_the_numbers_that_are_left(text, cards):
    assert parse_cards(text) == cards


def test_a_third_joker_repeats_the_first_so_that_the_check_finds_it():
    assert parse_cards("Jk Jk Jk") == (52, 53, 52)


def test_a_joker_named_elsewhere_in_the_hand_is_not_taken_again():
    assert parse_cards("Jk", held={52}) == (53,)


@given(st.lists(st.integers(0, 53), max_size=9))
def test_what_is_written_is_read_back(cards):
    assert parse_cards(cards_text(cards)) == tuple(cards)
    assert parse_cards(cards_text(cards).replace(" ", "").lower()) == tuple(cards)


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused_with_a_part_of_it(text):
    token = ""
    try:
        cards = parse_cards(text)
    except UnreadableCard as refused:
        token, cards = refused.token, ()
    assert all(0 <= card < 54 for card in cards)
    assert token in text


def test_cards_are_numbered_by_rank_and_then_suit():
    assert [card_text(card) for card in range(52)] == [rank + suit for rank in RANKS for suit in SUITS]
    assert [card_text(52), card_text(53)] == ["X1", "X2"]


def test_cards_are_read_aloud_in_words():
    assert card_words(11 * 4 + 3) == "King of spades"
    assert card_words(TEN_OF_DIAMONDS) == "Ten of diamonds"
    assert card_words(2) == "Two of hearts"
    assert card_words(53) == "Joker 2"
