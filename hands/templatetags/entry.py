"""What the pages say of a hand that was just saved, or is about to be."""

import time
from typing import Any

from django import template
from django.contrib.messages.storage.base import Message
from django.urls import reverse

from hands.drafts import UNDO_SECONDS

register = template.Library()


@register.filter
def undo(message: Message) -> dict[str, Any] | None:
    """Where a saved hand is taken back, and for how many seconds more; None for any other message."""
    words = (message.extra_tags or "").split()
    if len(words) != 3 or words[0] != "undo":
        return None
    seconds = UNDO_SECONDS - int(time.time() - int(words[2]))
    return {"url": reverse("hand-undo", args=[words[1]]), "seconds": seconds} if seconds > 0 else None
