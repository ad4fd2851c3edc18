"""What the pages of a hand share in every game: what is chosen on them, the matrix of pairs, and the pair told."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from hands.queries import StoredHand

# A pair's rows as the six-mark shows them (none where no rows were compared), for its first seat, and whether it is a
# homerun.
Mark = Callable[[Any], tuple[Sequence[int], bool]]


@dataclass(frozen=True)
class Chosen:
    """What a hand page tells in full: one row on one board, and one pair (seat numbers); of which version."""

    seat: int = 0
    row: str = ""
    board: int = 1
    pair: tuple[int, int] | None = None
    version: int | None = None

    def __str__(self) -> str:
        return f"{self.seat}-{self.row}-{self.board}"

    def link(self, **choice: str) -> str:
        """The address of the same version of the hand with something chosen."""
        return "?" + urlencode(choice | ({"version": str(self.version)} if self.version else {}))

    @classmethod
    def read(cls, row: str, pair: str, version: int | None = None) -> "Chosen":
        """From the address, such as ``5-bottom-1`` and ``2-5``; what cannot be read chooses nothing."""
        one = re.fullmatch(r"([1-6])-(top|middle|bottom)-([12])", row)
        two = re.fullmatch(r"([1-6])-([1-6])", pair)
        return cls(
            *((int(one[1]), one[2], int(one[3])) if one else (0, "", 1)),
            (int(two[1]), int(two[2])) if two else None,
            version,
        )


def matrix_shown(
    stored: StoredHand,
    net: Sequence[int],
    pairs: Sequence[Any],
    chosen: Chosen,
    mark: Mark,
) -> list[dict[str, Any]]:
    """Every seat against every other, in the shape of `parts/_pair_matrix.html`."""
    cells: dict[tuple[int, int], dict[str, Any]] = {}
    numbers = [seat.number for seat in stored.seats]
    for pair in pairs:
        rows, is_homerun = mark(pair)
        for one, other, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            cells[one, other] = {
                # A pair is told from its first seat's side, whichever of its two cells is chosen.
                "url": f"{chosen.link(pair=f'{numbers[pair.first]}-{numbers[pair.second]}', row=str(chosen))}#pair",
                "rows": tuple(sign * points for points in rows),
                "homerun": is_homerun,
                "points": sign * pair.points,
            }
    places = range(len(stored.seats))
    return [
        {
            "number": stored.seats[place].number,
            "name": stored.seats[place].name,
            "net_points": net[place],
            "cells": [cells.get((place, other)) for other in places],
        }
        for place in places
    ]


def told_pair(
    stored: StoredHand, pairs: Sequence[Any], words: Sequence[str], chosen: Chosen, mark: Mark
) -> dict[str, Any] | None:
    """The chosen pair: why its points are what they are, as the first of the two sees it."""
    for pair, sentence in zip(pairs, words, strict=True):
        first, second = stored.seats[pair.first], stored.seats[pair.second]
        if chosen.pair == (first.number, second.number):
            rows, is_homerun = mark(pair)
            return {
                "heading": _("%(one)s against %(other)s") % {"one": first.name, "other": second.name},
                "rows": rows,
                "homerun": is_homerun,
                "points": pair.points,
                "words": sentence,
            }
    return None
