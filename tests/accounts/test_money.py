"""Money as people write and read it. ISO 4217: a dollar has 2 decimals, a yen none, a dinar of Kuwait 3."""

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from accounts.money import CURRENCIES, MOST_MINOR, check_currency, format_money, format_plain, parse_money

RIGHT = [
    ("0.50", "USD", 50),
    (".5", "USD", 50),
    ("5.", "USD", 500),
    ("0.500", "USD", 50),
    (" $0.50 ", "USD", 50),
    ("$ 0.50", "USD", 50),
    ("1,204.50", "USD", 120450),
    ("1,234,567", "USD", 123456700),
    ("1204", "JPY", 1204),
    ("¥1,204", "JPY", 1204),
    ("0.125", "KWD", 125),
    ("10", "TWD", 1000),
    ("007", "USD", 700),
    ("-34.50", "USD", -3450),
    ("−34.50", "USD", -3450),
    ("-$34.50", "USD", -3450),
    ("+47.50", "USD", 4750),
    ("-0", "USD", 0),
    ("0." + "0" * 50, "USD", 0),
    ("10000000000000", "USD", MOST_MINOR),
]


@pytest.mark.parametrize(("text", "currency", "minor"), RIGHT)
def test_an_amount_is_read_in_minor_units(text, currency, minor):
    assert parse_money(text, currency) == minor


NO_AMOUNT = [
    "",
    " ",
    ".",
    "$",
    "-",
    "half",
    "1_000",
    "1e3",
    "1E3",
    "0x10",
    "NaN",
    "Infinity",
    "-inf",
    "٣",
    "０.５０",
    "--1",
    "1.2.3",
    "1 000",
    # A comma for the decimals: half a dollar must not become fifty.
    "0,50",
    "1,5",
    "1,20",
    "1.204,50",
    ",500",
    "1,2345",
    "12,34,567",
    "0.5\x00",
]


@pytest.mark.parametrize("text", NO_AMOUNT)
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(ValidationError) as refused:
        parse_money(text, "USD")
    assert (refused.value.code, refused.value.messages) == (
        "amount",
        [f"“{text}” is not an amount. Write it like 0.50."],
    )


@pytest.mark.parametrize(
    ("text", "currency", "sentence"),
    [
        ("0.125", "USD", "0.125 USD is no whole number of minor units: USD has 2 decimals."),
        ("0.5", "JPY", "0.5 JPY is no whole number of minor units: JPY has 0 decimals."),
        ("0.0005", "KWD", "0.0005 KWD is no whole number of minor units: KWD has 3 decimals."),
        (
            "1.0000000000000000000000000000000001",
            "USD",
            "1.0000000000000000000000000000000001 USD is no whole number of minor units: USD has 2 decimals.",
        ),
    ],
)
def test_more_decimals_than_the_currency_has_are_refused_never_rounded(text, currency, sentence):
    with pytest.raises(ValidationError) as refused:
        parse_money(text, currency)
    assert (refused.value.code, refused.value.messages) == ("minor_units", [sentence])


@pytest.mark.parametrize("text", ["10000000000000.01", "9" * 30, "-" + "9" * 30, "9" * 100_000])
def test_an_amount_too_large_is_refused(text):
    with pytest.raises(ValidationError) as refused:
        parse_money(text, "USD")
    assert refused.value.messages == ["That amount is too large to be kept."]


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (120450, "USD", "$1,204.50"),
        (5, "USD", "$0.05"),
        (0, "USD", "$0.00"),
        (-3450, "USD", "−$34.50"),
        (1204, "JPY", "¥1,204"),
        (1500, "KWD", "KWD1.500"),
        (1000, "TWD", "NT$10.00"),
        (10**15, "USD", "$10,000,000,000,000.00"),
    ],
)
def test_money_is_shown_with_the_decimals_of_its_currency(minor, currency, text):
    assert format_money(minor, currency) == text


def test_a_sign_is_shown_where_it_is_asked_for_and_none_at_nothing():
    assert [format_money(minor, "USD", sign=True) for minor in (4750, 0, -4750)] == ["+$47.50", "$0.00", "−$47.50"]


MINOR = st.integers(-MOST_MINOR, MOST_MINOR)


@given(MINOR, st.sampled_from(["USD", "TWD", "JPY", "KWD", "BHD", "KRW"]))
def test_what_is_written_for_programs_is_read_back(minor, currency):
    assert parse_money(format_plain(minor, currency), currency) == minor


@given(MINOR, st.sampled_from(["USD", "EUR", "GBP", "JPY"]))
def test_what_is_written_for_people_is_read_back(minor, currency):
    assert parse_money(format_money(minor, currency, sign=True), currency) == minor


@given(st.text(max_size=30) | st.from_regex(r"[-+$]?[0-9,.]{1,25}", fullmatch=True))
def test_a_text_is_an_amount_within_bounds_or_refused(text):
    try:
        minor = parse_money(text, "USD")
    except ValidationError:
        return
    assert isinstance(minor, int)
    assert abs(minor) <= MOST_MINOR


def test_currencies_are_those_in_use():
    assert {"USD", "TWD", "EUR", "JPY", "KWD", "HKD"} <= CURRENCIES
    for code in ("usd", "XAU", "XXX", "XTS", "DEM", "", "US", "$"):
        with pytest.raises(ValidationError, match="is not a currency in use"):
            check_currency(code)
