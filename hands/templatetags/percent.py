"""Percentages as people read them."""

from django import template

register = template.Library()


@register.filter
def as_percent(value: float) -> str:
    """A percentage without decimals: "57%"; "<1%" and ">99%" where it is not sure."""
    if 0 < value < 1:
        return "<1%"
    return ">99%" if 99 < value < 100 else f"{value:.0f}%"
