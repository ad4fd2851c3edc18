"""What people send that is no hand history of ours: told by its content, never by its name, each in one sentence."""

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

_WANTED: Final = gettext_lazy("Send NDJSON (a hand a line) or a JSON array of hands.")
# How files begin that are no text.
_BINARY: Final = (
    (b"PK\x03\x04", gettext_lazy("This is an Excel workbook or a ZIP archive.")),
    (b"\xd0\xcf\x11\xe0", gettext_lazy("This is an old Excel or Word file.")),
    (b"%PDF", gettext_lazy("This is a PDF.")),
    (b"\x89PNG", gettext_lazy("This is a picture.")),
    (b"\xff\xd8\xff", gettext_lazy("This is a picture.")),
    (b"GIF8", gettext_lazy("This is a picture.")),
    (b"RIFF", gettext_lazy("This is a picture or a recording.")),
    (b"\xff\xfe", gettext_lazy("This is UTF-16 text; save it as UTF-8.")),
    (b"\xfe\xff", gettext_lazy("This is UTF-16 text; save it as UTF-8.")),
)
# TOML's way to say which game it is; both lines are in every hand of that format.
_PHH: Final = (re.compile(rb"^variant\s*=\s*['\"]", re.MULTILINE), re.compile(rb"^(actions|antes)\s*=", re.MULTILINE))
_OHH: Final = re.compile(rb'"ohh"\s*:\s*\{|"(game_number|rounds|pots)"\s*:.*"(game_number|rounds|pots)"\s*:', re.DOTALL)
_OURS: Final = re.compile(rb'"(boards|seats)"\s*:')
_CSV: Final = re.compile(rb"[^{\[\r\n]*?[,;\t][^{\[\r\n]*?[,;\t][^{\[\r\n]*[\r\n]")


def foreign_file(begin: bytes) -> str | None:
    """What a file is that begins so (a few kilobytes are enough), if it is none that can hold hands of ours."""
    for mark, sentence in _BINARY:
        if begin.startswith(mark):
            return f"{sentence} {_WANTED}"
    text = begin.removeprefix(BOM_UTF8).lstrip()
    if not text:
        return _("The file is empty.") + f" {_WANTED}"
    if all(mark.search(text) for mark in _PHH):
        return _phh()
    if text.startswith((b"{", b"[")):
        if _OHH.search(text) and not _OURS.search(text):
            return _ohh()
        return _spread() if _is_spread(text) else None
    if text.startswith(b"<"):
        return _("This is a web page or XML.") + f" {_WANTED}"
    if _CSV.match(text):
        return _("This is a table of values (CSV).") + f" {_WANTED}"
    return None


def foreign_hand(document: Mapping[str, Any]) -> str | None:
    """What a JSON object is, if it is a hand of another format."""
    if isinstance(document.get("ohh"), dict) or {"game_number", "rounds"} <= document.keys():
        return _ohh()
    return None


def _is_spread(text: bytes) -> bool:
    """Whether a JSON object begins on one line and goes on over others (after one that was cut, a new one begins)."""
    first, _end, rest = text.partition(b"\n")
    goes_on = first.rstrip().endswith((b"{", b"[", b",", b":")) and first.startswith(b"{")
    return goes_on and bool(rest.strip()) and not rest.lstrip().startswith(b"{")


def _spread() -> str:
    return _("This is JSON spread over several lines. Put every hand on one line, or all of them into an array.")


def _phh() -> str:
    return _("This is a Poker Hand History file (PHH): games that are not scored here.")


def _ohh() -> str:
    return _("This is an Open Hand History file: games that are not scored here.")
