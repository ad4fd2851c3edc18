"""A club's export read line by line: gzip or plain, bounded before it is parsed, whole to its last line."""

import gzip
import zlib
from collections.abc import Iterator
from typing import IO, Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.api.parsers import read_json
from accounts.faults import fault, faults_in
from settlement.club_lines import FORMAT, SECTIONS

GZIP: Final = b"\x1f\x8b"
LONGEST_LINE: Final = 4 * 1024**2
_ORDER: Final = {kind: place for place, kind in enumerate(("club", *SECTIONS, "end"))}


def at_line(number: int, error: ValidationError) -> ValidationError:
    """What is wrong with one line, with its number."""
    pointer, code, sentence = next(faults_in(error))
    where = f" ({pointer})" if pointer else ""
    words = {"number": number, "where": where, "sentence": sentence}
    return fault(f"/{number}{pointer}", code, _("Line %(number)d%(where)s: %(sentence)s") % words)


def read_club_file(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of an export with their numbers, the ``club`` first and without the ``end``.

    Raises ``ValidationError`` where a line is none, stands out of order, or is missing at the end.
    """
    file.seek(0)
    is_packed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    number, before = 0, ""
    for number, raw in _lines(gzip.GzipFile(fileobj=file) if is_packed else file):
        try:
            document = read_json(raw)
            if before == "end":
                raise fault("", "behind_end", _("Something stands behind the end of the export."))
            kind = _check(document, number, before)
        except ValidationError as error:
            raise at_line(number, error) from None
        before = kind
        if kind != "end":
            yield number, document
    if before != "end":
        raise fault(
            "",
            "cut",
            _("The file ends in line %(number)d, before its end: a part of it is missing.") % {"number": number},
        )


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        while raw := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                raise fault(
                    "", "line_length", _("Line %(number)d is longer than any line of an export.") % {"number": number}
                )
            yield number, raw
    except (OSError, EOFError, zlib.error):
        words = _("The file is damaged behind line %(number)d: it cannot be unpacked.")
        raise fault("", "damaged", words % {"number": number}) from None


def _check(document: Any, number: int, before: str) -> str:
    """The line's kind, if it may stand there."""
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in _ORDER:
        raise fault("/kind", "kind", _("This is no line of a club's export."))
    if (number == 1) != (kind == "club") or _ORDER[kind] < _ORDER.get(before, 0):
        raise fault("/kind", "order", _("A line of the kind “%(kind)s” cannot stand here.") % {"kind": kind})
    if kind == "club" and document.get("format") != FORMAT:
        words = {"format": str(document.get("format"))[:40], "ours": FORMAT}
        raise fault(
            "/format", "format", _("The export has the format “%(format)s”; this version reads “%(ours)s”.") % words
        )
    if kind == "end" and document.get("lines") != number - 1:
        raise fault("/lines", "cut", _("The export says another number of lines than stand before its end."))
    return kind
