"""Cards as numbers, and as people type and read them.

A card is ``rank * 4 + suit``: ranks 0 to 12 for 2 to ace, suits 0 to 3 for clubs, diamonds, hearts and
spades. The jokers are 52 (``X1``) and 53 (``X2``): two different cards, so that a repeated one is caught.
Their rank by the same sum, ``card >> 2``, is 13, which the tables use as a rank of its own.
"""

import re
from collections.abc import Collection, Iterable
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
RANK_WORDS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
SUIT_WORDS: Final = ("clubs", "diamonds", "hearts", "spades")
DECK: Final = 52
JOKERS: Final = (52, 53)
JOKER_RANK: Final = 13

# Black and white glyphs; phones put U+FE0F (or U+FE0E) behind them to ask for a picture (or for text).
_GLYPHS: Final = dict(zip("♣♧♦♢♥♡♠♤", "ccddhhss", strict=True))
_RANK: Final = "10|[2-9TJQKA]"
_SUIT: Final = f"[{SUITS}{''.join(_GLYPHS)}][\ufe0e\ufe0f]?"
# ASCII, so that neither other scripts' digits nor look-alikes of S and K (which fold to them) are taken for
# ranks and suits. The 1 of JOKER1 may not be the beginning of a ten.
_CARD: Final = re.compile(
    f"(?ai:(?P<joker>X[12]|JOKER(?:1(?!0)|2)?|JK)|(?P<rank>{_RANK})(?P<suit>{_SUIT})"
    f"|(?P<suit_first>{_SUIT})(?P<rank_last>{_RANK}))"
)
_SEPARATORS: Final = re.compile(r"[\s,/]+")


class UnreadableCard(ValueError):
    """Raised for text that is no card; ``token`` is the part that cannot be read, as it was typed."""

    def __init__(self, token: str) -> None:
        self.token = token
        super().__init__(f"{token!r} is not a card.")


def parse_card(token: str) -> int:
    """Read one card, such as ``As``, ``10d``, ``h10``, ``♠A``, ``X1`` or ``Jk``; spaces around it are
    dropped.

    A joker without a number is X1. Raises UnreadableCard.
    """
    match = _CARD.fullmatch(token.strip())
    if match is None:
        raise UnreadableCard(token)
    card = _card_of(match)
    return JOKERS[0] if card is None else card


def parse_cards(text: str, *, held: Collection[int] = ()) -> tuple[int, ...]:
    """Read a row or a board as a person types it, such as ``Kd AsTs 9h9d4c3c``.

    Between cards may be spaces, commas, slashes or nothing. A joker without a number is the first joker that
    the text does not name and that is not among ``held`` (cards named elsewhere); when both are, it is X1, so
    that the repetition is found. Text without any card gives ``()``. Raises UnreadableCard.
    """
    # As the book keeps them: whoever reads many hands reads nothing else.
    known = [_NUMBERS.get(text[start : start + 2]) for start in range(0, len(text), 2)]
    if None not in known:
        return tuple(known)  # type: ignore[arg-type]  # none is None
    cards = [card for chunk in _SEPARATORS.split(text) for card in _cards_of(chunk)]
    taken = {*held, *cards}
    for place, card in enumerate(cards):
        if card is None:
            joker = next((joker for joker in JOKERS if joker not in taken), JOKERS[0])
            taken.add(joker)
            cards[place] = joker
    return tuple(card for card in cards if card is not None)


def card_text(card: int) -> str:
    """The two characters of a card, ``As``, ``Td`` or ``X1``."""
    if card in JOKERS:
        return f"X{card - DECK + 1}"
    return RANKS[card >> 2] + SUITS[card & 3]


CARD_TEXTS: Final = tuple(card_text(card) for card in (*range(DECK), *JOKERS))
_NUMBERS: Final = {text: card for card, text in zip((*range(DECK), *JOKERS), CARD_TEXTS, strict=True)}


def cards_text(cards: Iterable[int]) -> str:
    """Cards in their two characters each, with a space between."""
    return " ".join(map(card_text, cards))


def card_words(card: int) -> str:
    """A card as it is read aloud: ``King of spades``, ``Joker 1``."""
    if card in JOKERS:
        return f"Joker {card - DECK + 1}"
    return f"{RANK_WORDS[card >> 2].capitalize()} of {SUIT_WORDS[card & 3]}"


def _cards_of(chunk: str) -> list[int | None]:
    """The cards of a chunk without separators; None stands for a joker without a number."""
    cards: list[int | None] = []
    start = 0
    while start < len(chunk):
        match = _CARD.match(chunk, start)
        if match is None:
            # What cannot be read ends where a card begins again.
            after = _CARD.search(chunk, start)
            raise UnreadableCard(chunk[start : after.start() if after else len(chunk)])
        cards.append(_card_of(match))
        start = match.end()
    return cards


def _card_of(match: re.Match[str]) -> int | None:
    joker = match["joker"]
    if joker is not None:
        return DECK + int(joker[-1]) - 1 if joker[-1] in "12" else None
    rank = (match["rank"] or match["rank_last"]).upper().replace("10", "T")
    suit = (match["suit"] or match["suit_first"])[0].lower()
    return RANKS.index(rank) * 4 + SUITS.index(_GLYPHS.get(suit, suit))
