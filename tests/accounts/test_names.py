"""Names: kept as they are written, compared as they are read, refused only where nobody could see or keep them."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.faults import fault, faults_in
from accounts.forms import NameField
from accounts.names import FOLDED_LENGTH, NAME_LENGTH, check_name, clean_name, fold_name


@pytest.mark.parametrize(
    "name",
    [
        "Ana",
        "🐟",
        "👩‍👩‍👧",
        "עדי",
        "\u200fעדי",
        "李小龍",
        "José",
        "Jose\u0301",
        "Alex, Jr.",
        "O'Neil",
        "=1+1",
        "-",
        "n" * 60,
        "🐟" * 60,
    ],
)
def test_people_may_be_called_what_they_are_called(name):
    check_name(name)
    assert clean_name(f"  {name} ") == name


INVISIBLE = "A name cannot hold the invisible character U+{}. Type the name again."
EMPTY = "A name needs at least one visible letter."
REFUSED = [
    ("", EMPTY),
    ("   ", EMPTY),
    ("\u200b\u200d", EMPTY),
    ("\u202e", EMPTY),
    ("\ufeff \u00ad", EMPTY),
    ("A\x00na", INVISIBLE.format("0000")),
    ("A\tna", INVISIBLE.format("0009")),
    ("Ana\n", INVISIBLE.format("000A")),
    ("A\x1b[31mna", INVISIBLE.format("001B")),
    ("A\x85na", INVISIBLE.format("0085")),
    ("A\u2028na", INVISIBLE.format("2028")),
    ("A\ud83dna", INVISIBLE.format("D83D")),
    ("A\ufffena", INVISIBLE.format("FFFE")),
    ("n" * 61, "That name has 61 characters; at most 60 fit."),
    ("\x00" * 1_000_000, "That name has 1000000 characters; at most 60 fit."),
    # One sign that is folded to 18 letters, 60 times.
    ("\ufdfa" * 60, "That name is too long once its signs are spelled out."),
]


@pytest.mark.parametrize(("name", "sentence"), REFUSED)
def test_a_name_that_nobody_can_see_or_keep_is_refused(name, sentence):
    with pytest.raises(ValidationError) as refused:
        check_name(name)
    assert refused.value.messages == [sentence]


@pytest.mark.parametrize(("name", "sentence"), [row for row in REFUSED if row[0].strip()])
def test_a_form_says_the_same_and_says_it_once(name, sentence):
    # A form takes off the spaces at the ends, a line end among them.
    if name.strip() != name:
        return
    with pytest.raises(ValidationError) as refused:
        NameField().clean(name)
    assert refused.value.messages == [sentence]


def test_the_field_of_a_name_ends_where_a_name_ends():
    assert NameField().widget.attrs["maxlength"] == NAME_LENGTH


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana", "ANA"),
        ("Ana", " ana  "),
        ("Ana", "Ａｎａ"),
        ("Ana", "A\u200bna"),
        ("Ana", "\u200fAna\u200e"),
        ("José", "Jose\u0301"),
        ("Groß", "GROSS"),
        ("Ana  Lee", "ana\u00a0lee"),
    ],
)
def test_two_spellings_of_a_name_are_one(one, other):
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(("one", "other"), [("Jose", "José"), ("Ana", "An a"), ("Ana", "Аna"), ("Bob", "Rob")])
def test_different_names_stay_different(one, other):
    assert fold_name(one) != fold_name(other)


@given(st.text())
def test_folding_a_folded_name_changes_nothing(name):
    assert fold_name(fold_name(name)) == fold_name(name)


@given(st.text(max_size=80))
def test_a_name_that_is_taken_fits_its_columns(name):
    try:
        check_name(name)
    except ValidationError:
        return
    assert 0 < len(fold_name(name)) <= FOLDED_LENGTH
    assert 0 < len(clean_name(name)) <= NAME_LENGTH
    clean_name(name).encode()


def test_what_a_sentence_quotes_cannot_break_a_database_or_a_terminal():
    error = ValidationError([fault("/a\x00", "one", "“\x1b[31m\x00\ud800”"), fault("", "two", "x" * 600)])
    assert list(faults_in(error)) == [("/a\ufffd", "one", "“\ufffd[31m\ufffd\ufffd”"), ("", "two", "x" * 499 + "…")]
