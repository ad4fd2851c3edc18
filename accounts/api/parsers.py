"""JSON as RFC 8259 means it, and nothing else: bounded before it is parsed, never guessed at."""

import json
import re
from codecs import BOM_UTF8
from itertools import accumulate
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException
from rest_framework.parsers import BaseParser

from accounts.faults import fault

DEEPEST: Final = 32
_STEPS: Final = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS: Final = bytes(letter for letter in range(256) if letter not in _STEPS)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(raw: bytes) -> Any:
    """Parse one document. Raises ``ValidationError`` (code ``json``) with a sentence that says where it breaks.

    Refused besides broken syntax: more than 32 levels, a key twice in one object, NaN and infinities, numbers
    beyond 64 bits, lone surrogates, bytes that are not UTF-8. A byte-order mark is passed over.
    """
    if raw.count(b"[") + raw.count(b"{") > DEEPEST and _depth(raw) > DEEPEST:
        raise fault("", "json", _("The JSON is nested more than %(most)d levels deep.") % {"most": DEEPEST})
    try:
        document = _DECODER.decode(raw.removeprefix(BOM_UTF8).decode())
        if _SURROGATE.search(raw):
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise fault("", "json", _("A text holds half of a character (a lone surrogate).")) from None
    except UnicodeDecodeError as error:
        raise fault(
            "", "json", _("This is not UTF-8 text (byte %(place)d). Save it as UTF-8.") % {"place": error.start}
        ) from None
    except json.JSONDecodeError as error:
        where = _("line %(line)d, column %(column)d") if error.lineno > 1 else _("column %(column)d")
        words = {
            "what": error.msg.removesuffix(" at").rstrip(": "),
            "where": where % {"line": error.lineno, "column": error.colno},
        }
        raise fault("", "json", _("This is not JSON: %(what)s at %(where)s.") % words) from None
    except RecursionError:
        raise fault("", "json", _("The JSON is nested too deep.")) from None
    return document


def _depth(raw: bytes) -> int:
    """How deep the brackets outside of texts go; a text that does not end is taken to the end of the input."""
    if b"\\" in raw:
        raw = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    outside = b"".join(raw.split(b'"')[::2]).translate(None, _NO_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, outside)), default=0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _value in pairs if key in seen or seen.add(key))
        raise fault("", "json", _("The key “%(key)s” stands twice in one object.") % {"key": twice[:50]})
    return document


def _no_constant(text: str) -> None:
    raise fault("", "json", _("%(text)s is no JSON number.") % {"text": text})


def _integer(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= (number := int(text)) < 2**63:
        raise _too_large(text)
    return number


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _too_large(text)
    return number


# Made once: of a line of a history, making it would be a tenth of the reading.
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer, parse_float=_float
)


def _too_large(text: str) -> ValidationError:
    shown = text if len(text) <= 20 else text[:20] + "…"
    return fault("", "json", _("The number %(text)s is too large.") % {"text": shown})


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"

    def __init__(self) -> None:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024
        super().__init__(_("The body is larger than %(most)s kB; send less at once.") % {"most": f"{most:,}"})


class StrictJSONParser(BaseParser):
    """DRF's parser in this service's terms: what it cannot read is a 400 that says why."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        raw = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(raw) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise TooLarge
        return read_json(raw)
