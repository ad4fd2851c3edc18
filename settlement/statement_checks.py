"""Is a statement that somebody holds out genuine? Told from its number and the digest of its file."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from accounts.models import Club
from settlement.models import Statement

DIGEST: Final = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Verdict:
    """``superseded``: it was genuine, and ``later`` has replaced it since."""

    word: Literal["genuine", "superseded", "not_ours"]
    statement: Statement | None = None
    later: Statement | None = None


def check_statement(*, club: Club, number: int | None, digest: str) -> Verdict:
    """What the club's own statements say to a number and a SHA-256 digest in hexadecimal; without a number any of them.

    Another club's statement is not ours, like a file that nobody made.
    """
    rows = Statement.objects.filter(club=club, sha256=digest).exclude(file="")
    if number is not None:
        rows = rows.filter(number=number)
    found = rows.first() if DIGEST.fullmatch(digest) else None
    if found is None:
        return Verdict("not_ours")
    later = Statement.objects.filter(replaces=found).exclude(file="").first()
    # The newest of those that replaced each other is the one that counts.
    while later is not None and (newer := Statement.objects.filter(replaces=later).exclude(file="").first()):
        later = newer
    return Verdict("superseded" if later else "genuine", found, later)
