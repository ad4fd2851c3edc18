"""What a session would come to, on its board."""

from typing import Any

from django import template
from django.core.exceptions import ValidationError

from hands.models import Session
from settlement.owing import running_dues

register = template.Library()


@register.inclusion_tag("settlement/_running_dues.html")
def running_dues_of(session: Session) -> dict[str, Any]:
    """Who would pay whom if the session ended now; nothing where it cannot be said, which its settling explains."""
    try:
        dues = running_dues(session)
    except ValidationError:
        dues = []
    return {"session": session, "dues": dues}
