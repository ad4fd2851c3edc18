"""What is doubted of a session, on every page of it."""

from typing import Any

from django import template

from hands.models import Session
from settlement.disputes import open_disputes

register = template.Library()


@register.inclusion_tag("settlement/_disputes.html")
def disputes_of(session: Session | None) -> dict[str, Any]:
    """The session's open disputes, with where to answer them; nothing where there are none."""
    return {"session": session, "disputes": open_disputes(session) if session else []}
