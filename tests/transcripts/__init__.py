"""Open-Face hands as another engine logged them (MIT, see LICENSE beside): deals, placements, showdowns, points.

One JSON document a line: a hand's seats, and then its events. ``logged_hands`` reads them into our words.
"""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hands.scoring.cards import parse_card
from hands.scoring.chinese import Setup, Street

HERE = Path(__file__).resolve().parent
# The engine calls classic Open-Face ofc.
FILES = {"open-face": "ofc", "pineapple": "ofc-pineapple", "progressive": "ofc-progressive"}


@dataclass
class LoggedHand:
    """One hand; seats are the log's, from 0, and ``order`` has them as they act, left of the button first."""

    game: str
    number: int
    order: list[int] = field(default_factory=list)
    dealt: dict[int, tuple[int, ...]] = field(default_factory=dict)
    fantasyland: dict[int, int] = field(default_factory=dict)
    streets: list[Street] = field(default_factory=list)
    showdowns: dict[int, dict[str, Any]] = field(default_factory=dict)
    points: dict[int, int] = field(default_factory=dict)

    @property
    def button(self) -> int:
        return self.order[-1]

    def setup(self, seat: int) -> Setup:
        shown = self.showdowns[seat]
        return Setup(
            *(_cards(shown[row]) for row in ("top", "middle", "bottom")),
            discards=tuple(card for street in self.streets if street.seat == seat for card in street.discards),
            fantasyland=self.fantasyland.get(seat, 0),
        )

    def setups(self) -> list[Setup]:
        """In the order of play."""
        return [self.setup(seat) for seat in self.order]


def logged_hands() -> list[LoggedHand]:
    return [hand for game, name in FILES.items() for hand in _read(game, name)]


def _read(game: str, name: str) -> list[LoggedHand]:
    hands: dict[int, LoggedHand] = {}
    for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        hand = hands.setdefault(document["hand"], LoggedHand(game, document["hand"]))
        if event := document.get("ev"):
            _follow(hand, event)
    return list(hands.values())


def _follow(hand: LoggedHand, event: dict[str, Any]) -> None:
    seat = event["seat"]
    if event["event"] == "deal":
        # The first deal goes round the table from the left of the button.
        hand.order += [seat] if seat not in hand.order else []
        hand.dealt[seat] = _cards(event["cards"])
    elif event["event"] == "place":
        rows = defaultdict(tuple)
        for placed in event["placements"]:
            rows[placed["row"]] += (parse_card(placed["card"]),)
        street = Street(seat, **rows, discards=_cards(event["discarded"]), dealt=hand.dealt[seat])
        hand.streets.append(street)
    elif event["event"] == "fantasyland":
        hand.fantasyland[seat] = event["cards"]
    elif event["event"] == "showdown":
        hand.showdowns[seat] = event
    elif event["event"] == "score":
        hand.points[seat] = event["points"]


def _cards(texts: list[str]) -> tuple[int, ...]:
    return tuple(map(parse_card, texts))
