"""A session by table stakes: its hands paid one after the other, and what a page says of who was short.

The rules are those of `settlement.stakes`. A hand without a button is paid from the lowest seat on.
"""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from accounts.faults import fault
from accounts.money import format_money
from hands.house_money import house_money_of
from hands.models import Session
from hands.queries import StoredHand
from hands.rulesets import rules_of
from hands.scoring.games import GAMES, Rules
from hands.stakes import stakes_of
from settlement.amounts import times_value
from settlement.stakes import Match, Payment, WonHand, pay_match


def match_of(session: Session, hands: Sequence[StoredHand]) -> Match[uuid.UUID] | None:
    """The session's hands, in their order, paid out of the stakes; None where the house plays without.

    Raises ``ValidationError`` while somebody who played has no stake, and ``AmountTooLarge``.
    """
    terms = house_money_of(session.rule_set)
    if not terms.table_stakes:
        return None
    stakes = stakes_of(session)
    missing = sorted({seat.name for hand in hands for seat in hand.seats if seat.player_id not in stakes})
    if missing:
        words = _("No stake is known yet of: %(names)s. Give it under Seats and button while the session is open.")
        raise fault("", "stake_missing", words % {"names": ", ".join(missing)})
    rules = rules_of(session.rule_set)
    won = (_won_hand(hand, rules, session.point_value_minor) for hand in hands)
    return pay_match(won, stakes, terms.win_cap)


def _won_hand(hand: StoredHand, rules: Rules, point_value_minor: int) -> WonHand[uuid.UUID]:
    button = hand.button or 0
    seats = sorted(hand.seats, key=lambda seat: (seat.number <= button, seat.number))
    won = {}
    for pair in GAMES[rules.game].score(hand.boards, [seat.setup for seat in hand.seats], rules).pairs:
        first, second = hand.seats[pair.first].player_id, hand.seats[pair.second].player_id
        if pair.points:
            key = (first, second) if pair.points > 0 else (second, first)
            won[key] = times_value(abs(pair.points), point_value_minor)
    return WonHand([seat.player_id for seat in seats], won)


def stakes_shown(
    session: Session, rows: Sequence[dict[str, Any]], hands: Sequence[StoredHand], match: Match[uuid.UUID]
) -> dict[str, Any]:
    """For the settle page: each player's stake at the beginning and at the end, and the hands not paid in full.

    ``rows`` are the session's `hands.pages.standings`.
    """
    names = {seat.player_id: seat.name for hand in hands for seat in hand.seats}
    began = stakes_of(session)
    short = []
    for hand, paid in zip(hands, match.hands, strict=True):
        told = [list(_not_paid(one, names, session.currency)) for one in paid.payments]
        if any(told):
            short.append((hand, [sentences for sentences in told if sentences]))
    players = [(row, began.get(row["player"].pk), match.left.get(row["player"].pk)) for row in rows]
    return {"players": players, "short": short}


def _not_paid(one: Payment[uuid.UUID], names: dict[uuid.UUID, str], currency: str) -> Iterator[str]:
    """What was not paid of a debt: who had too little, or could not win more, and that the winner bore it."""
    if not one.short_minor and not one.capped_minor:
        return
    minors = {
        "owed": one.paid_minor + one.short_minor + one.capped_minor,
        "paid": one.paid_minor,
        "short": one.short_minor,
        "capped": one.capped_minor,
    }
    words: dict[str, str] = {name: format_money(minor, currency) for name, minor in minors.items()}
    words |= {"loser": names[one.loser], "winner": names[one.winner]}
    yield _("%(loser)s owed %(winner)s %(owed)s and paid %(paid)s.") % words
    if one.short_minor:
        yield _("%(loser)s was short of %(short)s; %(winner)s bore it.") % words
    if one.capped_minor:
        yield _("%(winner)s could not win %(capped)s of it.") % words
