"""A deal that nobody can have chosen and that anybody can check afterwards.

The house names the digest of its secret before anything else; then every seat adds a part of its own, so that
the house, which can no longer change its secret, does not choose the cards either. All parts together decide
the order of the deck by what is written here and, for other languages, in docs/fair-dealing.md. After the hand
everything is opened, and ``check_deal`` works it out again.

Secrets and parts are 32 bytes from a source of chance; nothing here draws them.
"""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from hands.scoring.cards import DECK, JOKERS
from hands.scoring.problems import Problem
from hands.scoring.taiwanese.rules import BOARD_SIZE, SETUP_SIZE, Rules

VERSION: Final = "homerun-deal-1"
SECRET_SIZE: Final = 32
_BYTE_VALUES: Final = 256


@dataclass(frozen=True, slots=True)
class Dealt:
    """Boards of five cards, and each seat's seven by seat number; cards in the order in which they were dealt."""

    boards: tuple[tuple[int, ...], ...]
    hands: Mapping[int, tuple[int, ...]]


def commitment(secret: bytes) -> str:
    """What is published of a secret, or of a seat's part, before it is opened: its SHA-256, 64 hexadecimal digits."""
    return sha256(secret).hexdigest()


def deal_fairly(*, secret: bytes, parts: Mapping[int, bytes], hand: str, rules: Rules) -> Dealt:
    """The boards and hands that follow from the house's secret and every seat's part.

    ``parts`` are by seat number; ``hand`` is a text that names the hand, such as its id, without line breaks.
    Jokers of the rules are shuffled in after the boards are dealt, so they never lie there. Raises ValueError for
    a secret or part of another size than 32 bytes, for a name with a line break, and for more seats than
    the rules or the deck have.
    """
    if any(len(value) != SECRET_SIZE for value in (secret, *parts.values())):
        raise ValueError(f"The secret and every part are {SECRET_SIZE} bytes.")
    if not hand.isascii() or not hand.isprintable() or not hand:
        raise ValueError("A hand is named by one line of plain text.")
    if not 1 <= len(parts) <= rules.seats or min(parts) < 1:
        raise ValueError(f"These rules seat 1 to {rules.seats} players, from seat 1 on.")
    naturals, on_boards = list(range(DECK)), BOARD_SIZE * rules.boards
    if len(parts) * SETUP_SIZE + on_boards > DECK + rules.jokers:
        raise ValueError("The deck has too few cards for so many seats.")
    numbers = _Numbers(secret, _message(parts, hand, rules))
    numbers.shuffle(naturals)
    boards = tuple(tuple(naturals[start : start + BOARD_SIZE]) for start in range(0, on_boards, BOARD_SIZE))
    rest = naturals[on_boards:]
    if rules.jokers:
        rest += JOKERS[: rules.jokers]
        numbers.shuffle(rest)
    hands = {
        seat: tuple(rest[SETUP_SIZE * place : SETUP_SIZE * (place + 1)]) for place, seat in enumerate(sorted(parts))
    }
    return Dealt(boards, hands)


def check_deal(
    *,
    secret: bytes,
    parts: Mapping[int, bytes],
    hand: str,
    rules: Rules,
    committed: str,
    parts_committed: Mapping[int, str],
    boards: Sequence[Sequence[int]],
    hands: Mapping[int, Sequence[int]],
) -> list[Problem]:
    """What is wrong with a deal that has been opened; an empty list for a fair one.

    ``committed`` is the digest that the house published before the deal, ``parts_committed`` those of seats
    that published one before they opened their part (none need have); ``boards`` and ``hands`` are what was
    dealt. Order within a board or a hand does not matter, as people sort their cards. Pointers go into a document
    of these names.
    """
    try:
        dealt = deal_fairly(secret=secret, parts=parts, hand=hand, rules=rules)
    except ValueError as error:
        return [Problem("", "deal_unreadable", "This cannot be dealt again: {reason}", {"reason": str(error)})]
    problems = []
    if commitment(secret) != committed.lower():
        template = "The secret that was opened is not the one that the house committed itself to before the deal."
        problems.append(Problem("/secret", "secret_changed", template))
    for seat, digest in sorted(parts_committed.items()):
        if seat not in parts or commitment(parts[seat]) != digest.lower():
            template = "The part of seat {seat} is not the one that it committed itself to."
            problems.append(Problem(f"/parts/{seat}", "part_changed", template, {"seat": seat}))
    problems += _differences(dealt, boards, hands)
    return problems


def _differences(
    dealt: Dealt, boards: Sequence[Sequence[int]], hands: Mapping[int, Sequence[int]]
) -> Iterator[Problem]:
    if len(boards) != len(dealt.boards):
        words = {"count": len(boards), "needed": len(dealt.boards)}
        yield Problem("/boards", "board_count", "There were {count} boards; {needed} follow from the deal.", words)
    for number, (board, fair) in enumerate(zip(boards, dealt.boards, strict=False), start=1):
        if sorted(board) != sorted(fair):
            template = "Board {board} is not the one that follows from the deal."
            yield Problem(f"/boards/{number - 1}", "board_differs", template, {"board": number})
    for seat in sorted({*hands, *dealt.hands}):
        if sorted(hands.get(seat, ())) != sorted(dealt.hands.get(seat, ())):
            template = "The cards of seat {seat} are not those that follow from the deal."
            yield Problem(f"/hands/{seat}", "hand_differs", template, {"seat": seat})


def _message(parts: Mapping[int, bytes], hand: str, rules: Rules) -> bytes:
    lines = [VERSION, hand, f"boards {rules.boards}", f"jokers {rules.jokers}"]
    lines += [f"seat {seat} {part.hex()}" for seat, part in sorted(parts.items())]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


class _Numbers:
    """Whole numbers below a bound, every one with the same chance, from a stream of bytes.

    The stream is HMAC-SHA-256 of 0, 1, 2 ... (eight bytes, the highest first), by the key that HMAC-SHA-256 of
    the message by the secret is.
    """

    def __init__(self, secret: bytes, message: bytes) -> None:
        self._key = hmac.digest(secret, message, "sha256")
        self._bytes = self._stream()

    def _stream(self) -> Iterator[int]:
        block = 0
        while True:
            yield from hmac.digest(self._key, block.to_bytes(8, "big"), "sha256")
            block += 1

    def below(self, bound: int) -> int:
        # Bytes from the last whole multiple of the bound on would favour the low numbers: they are passed over.
        limit = _BYTE_VALUES - _BYTE_VALUES % bound
        return next(byte for byte in self._bytes if byte < limit) % bound

    def shuffle(self, cards: list[int]) -> None:
        """Fisher and Yates, from the last place down: each changes places with one at or before it."""
        for place in range(len(cards) - 1, 0, -1):
            other = self.below(place + 1)
            cards[place], cards[other] = cards[other], cards[place]
