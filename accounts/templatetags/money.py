"""The tag that writes money on pages."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.money import format_money

register = template.Library()


@register.simple_tag
def money(amount_minor: int, currency: str, sign: bool = False, outcome: bool = False) -> SafeString:
    """Write an amount of minor units: ``{% money 4750 "USD" sign=True %}`` is ``+$47.50``.

    A minus or plus is also spoken as a word. With ``outcome`` it has the colour of gain or loss: for results of
    play alone, never for a payment.
    """
    classes = "figure money"
    if outcome:
        classes += " gain" if amount_minor > 0 else " loss" if amount_minor < 0 else " even"
    text = format_money(amount_minor, currency, sign=sign)
    words = money_words(amount_minor, currency, sign=sign)
    if words == text:
        return format_html('<span class="{}">{}</span>', classes, text)
    return format_html(
        '<span class="{}"><span aria-hidden="true">{}</span><span class="visually-hidden">{}</span></span>',
        classes,
        text,
        words,
    )


def money_words(amount_minor: int, currency: str, *, sign: bool = False) -> str:
    """An amount as it is spoken: "minus $34.50", with ``sign`` also "plus $47.50"."""
    amount = format_money(abs(amount_minor), currency)
    if amount_minor < 0:
        return _("minus %(amount)s") % {"amount": amount}
    if sign and amount_minor > 0:
        return _("plus %(amount)s") % {"amount": amount}
    return amount
