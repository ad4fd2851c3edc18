"""Names that people give: kept as written, compared folded."""

import unicodedata
from functools import lru_cache
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

NAME_LENGTH: Final = 60
# A single sign can be a whole phrase once it is folded (U+FDFA: 18 letters); this many are kept.
FOLDED_LENGTH: Final = 4 * NAME_LENGTH
# Joiners and direction marks belong inside emoji and right-to-left names; alone they are no name.
_MARKS: Final = frozenset("\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff")


# A history says the same few names over and over.
@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """The name for comparison: NFKC, without invisible marks, case folded, spaces as one."""
    text = unicodedata.normalize("NFKC", name)
    text = "".join(letter for letter in text if letter not in _MARKS and unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", " ".join(text.casefold().split()))


def clean_name(name: str) -> str:
    """The name as it is kept: spaces at the ends gone, otherwise as written."""
    return name.strip()


def unshowable(text: str) -> str | None:
    """The first character that cannot be shown, printed or put into a sheet; None when there is none."""
    if text.isprintable():
        return None
    return next(
        (
            letter
            for letter in text
            if unicodedata.category(letter) in {"Cc", "Cs"} or letter in "\ufffe\uffff\u2028\u2029"
        ),
        None,
    )


def check_name(name: str) -> None:
    """Raise ``ValidationError`` for a name that is too long, empty to the eye, or cannot be shown."""
    if len(name) > NAME_LENGTH:
        raise ValidationError(
            _("That name has %(count)d characters; at most %(most)d fit."),
            code="name_length",
            params={"count": len(name), "most": NAME_LENGTH},
        )
    if (letter := unshowable(name)) is not None:
        raise ValidationError(
            _("A name cannot hold the invisible character U+%(code)04X. Type the name again."),
            code="name_characters",
            params={"code": ord(letter)},
        )
    folded = fold_name(name)
    if not folded:
        raise ValidationError(_("A name needs at least one visible letter."), code="name_empty")
    if len(folded) > FOLDED_LENGTH:
        raise ValidationError(_("That name is too long once its signs are spelled out."), code="name_length")
