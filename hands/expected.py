"""What the hand before says of the next one: who is dealt in Fantasyland, with how many cards."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from hands.models import Hand, Session
from hands.queries import StoredHand, load_versions
from hands.rulesets import rules_of
from hands.scoring import chinese
from hands.scoring.games import GAMES, Rules


@dataclass(frozen=True)
class Owed:
    """Cards that somebody is dealt in Fantasyland in the hand after ``hand_number``."""

    name: str
    cards: int


@dataclass(frozen=True)
class ExpectedHand:
    """``owed`` by player; empty where the game has no Fantasyland or nobody is in it. While anybody is, the button
    stands. ``hand_number`` is the hand that says so."""

    hand_number: int = 0
    owed: Mapping[uuid.UUID, Owed] = field(default_factory=dict)


def expected_hand(session: Session) -> ExpectedHand:
    """What the session's last hand says of the next. A hand without cards says nothing."""
    last = last_with_fantasyland(session)
    return expected_after(last, rules_of(session.rule_set)) if last else ExpectedHand()


def last_with_fantasyland(session: Session) -> StoredHand | None:
    """The session's last hand, of a game that has Fantasyland."""
    if not GAMES[session.rule_set.game].fantasyland_cards:
        return None
    last = Hand.objects.filter(session=session, current__is_void=False).order_by("-number").first()
    return next(load_versions([last.current_id])) if last else None


def expected_after(stored: StoredHand, rules: Rules) -> ExpectedHand:
    """What that hand says of the next one."""
    if not stored.has_cards:
        return ExpectedHand()
    score = GAMES[rules.game].score((), [seat.setup for seat in stored.seats], rules)
    expected = chinese.expected_next(score.fantasyland)
    seats = zip(stored.seats, expected.fantasyland, strict=True)
    return ExpectedHand(stored.number, {seat.player_id: Owed(seat.name, cards) for seat, cards in seats if cards})
