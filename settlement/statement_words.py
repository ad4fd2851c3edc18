"""What statements and their periods are called, wherever they are: on sheets, on pages, on a disk."""

import re

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from settlement import excel
from settlement.models import BookFile, Statement
from settlement.statements import Group


def file_name(statement: Statement, ending: str = "xlsx") -> str:
    """A plain name for a download."""
    name = plain_name(statement.player.name) or "player"
    return f"statement-{statement.number}-{name}-{statement.first_day}-{statement.last_day}.{ending}"


def plain_name(name: str) -> str:
    """The letters and digits of a name, as far as file systems allow; empty when it has none."""
    # A letter takes four bytes at most, and a name on a disk 255.
    return re.sub(r"[^\w-]+", "-", name)[:40].strip("-")


def period_words(statement: Statement | BookFile) -> str:
    """The period in words, with the year once when it is one: "1 to 30 November 2026"."""
    first, last = statement.first_day, statement.last_day
    if (first.year, first.month) == (last.year, last.month):
        begin = str(first.day)
    else:
        begin = date_format(first, "j F" if first.year == last.year else "j F Y")
    if first == last:
        return date_format(last, "j F Y")
    return _("%(first)s to %(last)s") % {"first": begin, "last": date_format(last, "j F Y")}


def number_words(statement: Statement) -> str:
    """Which statement it is: "Statement number 7, which replaces number 3."."""
    if statement.replaces is None or statement.replaces.number is None:
        return _("Statement number %(number)s.") % {"number": statement.number}
    return _("Statement number %(number)s, which replaces number %(old)s.") % {
        "number": statement.number,
        "old": statement.replaces.number,
    }


def book_words(sequence: int | None, head: str) -> str:
    """How far the book had got."""
    return _("Book up to entry %(entry)s, head %(head)s.") % {
        "entry": f"{sequence or 0:,}",
        "head": spaced_head(head),
    }


def spaced_head(head: str) -> str:
    """The beginning of a chain head as people compare it: ``7c1e 90ab 44d2``."""
    return " ".join(head[start : start + 4] for start in (0, 4, 8))


def total_words(group: Group) -> str:
    """What a total is of."""
    return {
        "play": _("Total of sessions"),
        "payment": _("Total of payments"),
        "merge": _("Total of names merged"),
    }[group]


def made_words(statement: Statement) -> str:
    """When it was made, on the clock of its zone."""
    assert statement.made_at is not None  # noqa: S101  (it is being made)
    moment = excel.minute_of(statement.made_at, statement.time_zone)
    return date_format(moment, "j F Y, H:i")
