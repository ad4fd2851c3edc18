"""One shape for what is wrong with what somebody sent: Django's ValidationError, with a place in the document.

Services raise it; the pages show its sentence beside the field, the API answers it as a problem, an import
keeps it with the line's number.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final

from django.core.exceptions import ValidationError

LONGEST_SENTENCE: Final = 500
LONGEST_POINTER: Final = 200


def fault(pointer: str, code: str, sentence: str) -> ValidationError:
    """An error at ``pointer`` (RFC 6901, ``""`` for the whole); ``sentence`` is for people, ``code`` for programs."""
    error = ValidationError(sentence, code=code)
    error.pointer = pointer
    return error


def faults_in(error: ValidationError) -> Iterator[tuple[str, str, str]]:
    """Every (pointer, code, sentence) of an error, whoever raised it, fit to be kept and shown."""
    for single in error.error_list if hasattr(error, "error_list") else _of_fields(error):
        pointer = sayable(getattr(single, "pointer", ""), LONGEST_POINTER)
        yield pointer, single.code or "invalid", sayable(str(single.messages[0]), LONGEST_SENTENCE)


def sayable(text: str, most: int) -> str:
    """A text that quotes what was sent: at most ``most`` characters, none that a database or terminal chokes on."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    return "".join("\ufffd" if unicodedata.category(letter) in {"Cc", "Cs"} else letter for letter in text)


def _of_fields(error: ValidationError) -> Iterator[ValidationError]:
    for field, errors in error.error_dict.items():
        for single in errors:
            if not hasattr(single, "pointer") and field != "__all__":
                single.pointer = f"/{field}"
            yield single
