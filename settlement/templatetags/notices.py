"""How much a person has not read yet, for the bar of every page."""

from typing import Any

from django import template

from settlement.notices import count_unread

register = template.Library()


@register.simple_tag(takes_context=True)
def unread_notices(context: dict[str, Any]) -> int:
    """One query for whoever is signed in, none for others."""
    user = context.get("user")
    return count_unread(user) if user is not None and user.is_authenticated else 0
