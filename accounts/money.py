"""Money as integer minor units, and how people write and read it.

An amount is a whole number of a currency's minor units (1,050 is $10.50); the number of decimals is ISO 4217's,
which is not always what locale data shows. Nothing here is ever a float.
"""

import re
from copy import copy
from decimal import Decimal
from typing import Final

from babel.core import Locale, get_global
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext as _

# ISO 4217 list one: active currencies whose minor unit is not two decimals.
EXPONENTS: Final = dict.fromkeys(
    ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"], 0
) | dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3)
# Funds codes, metals, testing codes and units of account: nobody plays a hand for them.
NOT_MONEY: Final = frozenset(
    [
        "BOV",
        "CHE",
        "CHW",
        "COU",
        "MXV",
        "USN",
        "UYI",
        "UYW",
        "CLF",
        "XAG",
        "XAU",
        "XBA",
        "XBB",
        "XBC",
        "XBD",
        "XDR",
        "XPD",
        "XPT",
        "XSU",
        "XTS",
        "XUA",
        "XXX",
    ]
)
# A sum beyond this is refused: it is a slip of the finger, and it keeps every total inside 64 bits.
MOST_MINOR: Final = 10**15
MINUS: Final = "\N{MINUS SIGN}"
# Commas only between thousands: "0,50" means a half in many countries, and must not become fifty.
_AMOUNT: Final = re.compile(r"([-+]?)[$€£¥]?\s*(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d*))?", re.ASCII)


def _currencies_in_use() -> frozenset[str]:
    tender = {
        code
        for territory in get_global("territory_currencies").values()
        for code, _start, end, is_tender in territory
        if end is None and is_tender
    }
    return frozenset(tender - NOT_MONEY)


CURRENCIES: Final = _currencies_in_use()


def check_currency(currency: str) -> str:
    """Return ``currency`` if it is an ISO 4217 code in use, else raise ``ValidationError``."""
    if currency not in CURRENCIES:
        raise ValidationError(
            _("“%(currency)s” is not a currency in use. Write its three letters, such as USD, TWD or JPY."),
            code="currency",
            params={"currency": currency},
        )
    return currency


def exponent(currency: str) -> int:
    """How many decimals the currency's minor unit has (ISO 4217): JPY 0, USD 2, KWD 3."""
    return EXPONENTS.get(currency, 2)


def to_decimal(amount_minor: int, currency: str) -> Decimal:
    """The amount in major units, exactly: 1050 USD is ``Decimal("10.50")``."""
    return Decimal(amount_minor).scaleb(-exponent(currency))


def parse_money(text: str, currency: str) -> int:
    """Read what a person typed (``0.50``, ``$0.50``, ``1,204.50``) as minor units.

    Raises ``ValidationError`` for what is no number, has more decimals than the currency, or is too large.
    """
    match = _AMOUNT.fullmatch(text.strip().replace(MINUS, "-"))
    sign, whole, part = match.groups(default="") if match else ("", "", "")
    if not whole and not part:
        raise ValidationError(
            _("“%(text)s” is not an amount. Write it like 0.50."), code="amount", params={"text": text[:40]}
        )
    value = Decimal(f"{sign}{whole.replace(',', '') or '0'}.{part}")
    if value.copy_abs() > to_decimal(MOST_MINOR, currency):
        raise too_large()
    if len(part.rstrip("0")) > exponent(currency):
        raise ValidationError(
            _("%(amount)s %(currency)s is no whole number of minor units: %(currency)s has %(decimals)d decimals."),
            code="minor_units",
            params={"amount": text.strip()[:40], "currency": currency, "decimals": exponent(currency)},
        )
    # At most 19 digits by now, so that no decimal context rounds them.
    return int(round(value, exponent(currency)).scaleb(exponent(currency)))


def too_large() -> ValidationError:
    """An amount beyond MOST_MINOR, in the words of every door."""
    return ValidationError(_("That amount is too large to be kept."), code="amount_too_large")


def format_money(amount_minor: int, currency: str, *, sign: bool = False) -> str:
    """Money for people: ``$1,204.50``; with ``sign`` also ``+$47.50``, and always ``−$34.50`` below zero."""
    locale = Locale.parse(to_locale(get_language() or "en"))
    pattern = copy(locale.currency_formats["standard"])
    pattern.frac_prec = (exponent(currency), exponent(currency))
    text = pattern.apply(to_decimal(abs(amount_minor), currency), locale, currency=currency, currency_digits=False)
    if amount_minor < 0:
        return MINUS + text
    return "+" + text if sign and amount_minor > 0 else text


def format_plain(amount_minor: int, currency: str) -> str:
    """Money for programs and CSV: ``-34.50``."""
    return str(to_decimal(amount_minor, currency))
