"""Taking values out of a document that somebody sent, strictly, and keeping everything that is wrong with it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.names import check_name, clean_name, unshowable
from hands.scoring.cards import CARD_TEXTS, DECK, JOKERS, UnreadableCard, card_text, parse_cards
from hands.scoring.games import ROWS, Setup
from hands.scoring.problems import Problem

ID_LENGTH: Final = 100
# Every date of these years can be shown in every time zone.
YEARS: Final = range(1900, 2200)
# More than any row or board has: what is longer is refused before it is read. So is the rest of many faults.
MOST_CARDS: Final = 20
MOST_FAULTS: Final = 100
# What most tokens are: the two characters of a card. Whatever else may stand for one is read by parse_cards.
_CARDS: Final = {CARD_TEXTS[card]: card for card in range(DECK)}


@lru_cache(maxsize=4096)
def _known_name(value: str) -> str:
    """The name as it is kept. Raises ``ValidationError``; a history says the same few names over and over."""
    check_name(value)
    return clean_name(value)


def say(problem: Problem) -> ValidationError:
    """A problem of the scoring core as a fault, in the reader's language."""
    return fault(problem.pointer, problem.code, _(problem.template).format(**problem.words))


def setup_document(setup: Setup) -> dict[str, Any]:
    """A setup as documents have it: its rows, and what else a seat of the Chinese family says, where it does."""
    document: dict[str, Any] = {row: [card_text(card) for card in getattr(setup, row)] for row in ROWS}
    besides = {
        "discards": [card_text(card) for card in setup.discards],
        "fantasyland": setup.fantasyland,
        "surrendered": setup.surrendered,
    }
    return document | {name: value for name, value in besides.items() if value}


class Reader:
    """Takes values out of a document and keeps every fault with its pointer.

    ``is_typed``: a row may be a text as a person types it, as well as a list of tokens.
    """

    def __init__(self, document: Any, *, is_typed: bool = False) -> None:
        self.is_typed = is_typed
        self.faults: list[ValidationError] = []
        # Rows and boards that could not be read whole, by their pointers.
        self.unread: list[str] = []
        # Jokers named so far: one without a number is the other one.
        self.jokers: set[int] = set()
        if not isinstance(document, dict):
            raise fault("", "object", _("A hand is a JSON object."))
        self.document = document

    def refuse(self, pointer: str, code: str, sentence: str) -> None:
        self.faults.append(fault(pointer, code, sentence))

    def finish(self) -> None:
        """Raise what was found."""
        if self.faults:
            raise ValidationError(self.faults[:MOST_FAULTS])

    def text(self, holder: Mapping[str, Any], key: str, pointer: str, *, needed: bool = True) -> str | None:
        value = holder.get(key)
        if value is None and not needed:
            return None
        if not isinstance(value, str) or not value.strip():
            self.refuse(f"{pointer}/{key}", "text", _("%(key)s is missing, or is no text.") % {"key": key})
            return None
        value = value.strip()
        if len(value) > ID_LENGTH:
            self.refuse(
                f"{pointer}/{key}",
                "text_length",
                _("%(key)s is longer than %(most)d characters.") % {"key": key, "most": ID_LENGTH},
            )
            return None
        if (letter := unshowable(value)) is not None:
            self.refuse(
                f"{pointer}/{key}",
                "text_characters",
                _("%(key)s cannot hold the invisible character U+%(code)04X.") % {"key": key, "code": ord(letter)},
            )
            return None
        return value

    def name(self, holder: Mapping[str, Any], key: str, pointer: str) -> str | None:
        value = holder.get(key)
        if not isinstance(value, str):
            self.refuse(f"{pointer}/{key}", "text", _("%(key)s is missing, or is no text.") % {"key": key})
            return None
        try:
            return _known_name(value)
        except ValidationError as error:
            self.refuse(f"{pointer}/{key}", error.code or "text", error.messages[0])
            return None

    def whole(
        self, holder: Mapping[str, Any], key: str, pointer: str, *, least: int, most: int, needed: bool = True
    ) -> int | None:
        value = holder.get(key)
        if value is None and not needed:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(
                f"{pointer}/{key}",
                "whole_number",
                _("%(key)s must be a whole number from %(least)d to %(most)d.")
                % {"key": key, "least": least, "most": most},
            )
            return None
        return value

    def time(self, holder: Mapping[str, Any], key: str, pointer: str) -> datetime | None:
        value = holder.get(key)
        where = f"{pointer}/{key}"
        try:
            moment = parse_datetime(value) if isinstance(value, str) and value.isascii() else None
        except ValueError:
            moment = None
        if moment is None:
            self.refuse(where, "time", _("%(key)s must be a time like 2026-11-28T20:41:07+08:00.") % {"key": key})
        elif moment.tzinfo is None:
            self.refuse(where, "time_offset", _("%(value)s has no offset. Add one, such as +08:00.") % {"value": value})
        elif moment.year not in YEARS:
            self.refuse(
                where,
                "time",
                _("%(key)s must lie in the years %(first)d to %(last)d; %(value)s does not.")
                % {"key": key, "first": YEARS[0], "last": YEARS[-1], "value": value},
            )
        else:
            return moment.astimezone(UTC)
        return None

    def row(self, value: Any, pointer: str) -> tuple[int, ...]:
        """Cards from a list of tokens, or from what a person typed; without those that cannot be read."""
        if isinstance(value, list) and len(value) <= MOST_CARDS:
            try:
                return tuple([_CARDS[token] for token in value])
            except (KeyError, TypeError):
                pass  # not all of them are plain cards: each is looked at by itself
        found = len(self.faults)
        cards: list[int] = []
        if self.is_typed and isinstance(value, str):
            try:
                cards += self._cards(value)
            except UnreadableCard as error:
                self.card(error.token, pointer)
        elif not isinstance(value, list):
            self.refuse(pointer, "cards", _('Cards must be a list such as ["As", "Kd"].'))
        elif len(value) <= MOST_CARDS:
            for place, token in enumerate(value):
                try:
                    read = self._cards(token) if isinstance(token, str) else ()
                    if len(read) != 1:
                        raise UnreadableCard(str(token))
                    cards += read
                except UnreadableCard:
                    self.card(str(token), f"{pointer}/{place}")
        if (count := max(len(cards), len(value) if isinstance(value, list) else 0)) > MOST_CARDS:
            self.refuse(pointer, "cards", _("There are %(count)d cards in one place.") % {"count": count})
            cards = []
        if len(self.faults) > found:
            self.unread.append(pointer)
        return tuple(cards)

    def _cards(self, text: str) -> tuple[int, ...]:
        cards = parse_cards(text, held=self.jokers)
        self.jokers.update(card for card in cards if card in JOKERS)
        return cards

    def card(self, token: str, pointer: str) -> None:
        shown = token if len(token) <= 12 else token[:12] + "…"
        self.refuse(
            pointer,
            "card",
            _("“%(token)s” is not a card. Write a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s).")
            % {"token": shown},
        )
