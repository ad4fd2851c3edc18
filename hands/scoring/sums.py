"""Points as people write sums: ``+2``, ``1 − 2 + 3``."""

from collections.abc import Sequence
from typing import Final

MINUS: Final = "\N{MINUS SIGN}"


def signed(points: int) -> str:
    """``+2``, ``−2`` or ``0``."""
    return f"{points:+d}".replace("-", MINUS) if points else "0"


def sum_words(numbers: Sequence[int]) -> str:
    """``1 − 2 + 3``."""
    words = " ".join(f"{MINUS if number < 0 else '+'} {abs(number)}" for number in numbers)
    return words.removeprefix("+ ").replace(f"{MINUS} ", MINUS, 1) if numbers[0] < 0 else words.removeprefix("+ ")
