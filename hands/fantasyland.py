"""In what a hand differs from what the hand before says of Fantasyland.

The rules are those of `hands.scoring.chinese.fantasyland`. A difference is told and never refused: what was played was
played.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _

from hands.expected import Owed, expected_after, last_with_fantasyland
from hands.history import Deal
from hands.models import Hand, Session
from hands.queries import StoredHand, as_stored, load_hands
from hands.rulesets import rules_of
from hands.scoring.games import GAMES

CODE: Final = "fantasyland"
# Where in a hand's document, a code and a sentence.
Warned = tuple[str, str, str]


def unexpected(session: Session, fresh: Sequence[tuple[Hand, Deal]]) -> dict[uuid.UUID, tuple[Warned, ...]]:
    """By hand, where these hands, which are in the book, differ from what the hand before says.

    A hand of which the one before is not in the book, or void, is not compared.
    """
    if not fresh or not GAMES[session.rule_set.game].fantasyland_cards:
        return {}
    numbers = [hand.number for hand, _deal in fresh]
    near = Hand.objects.filter(session=session, number__in={*numbers, *(number - 1 for number in numbers)})
    stored = {hand.number: hand for hand in load_hands(near)}
    rules = rules_of(session.rule_set)
    found = {}
    for written, deal in fresh:
        before, hand = stored.get(written.number - 1), stored[written.number]
        if before is not None and before.has_cards and hand.has_cards:
            places = {seat.number: place for place, seat in enumerate(deal.seats)}
            if told := tuple(_differences(before, hand, expected_after(before, rules).owed, places)):
                found[hand.id] = told
    return found


def unexpected_next(session: Session, deal: Deal) -> list[str]:
    """Where a hand that is not in the book yet differs from what the session's last one says of the next."""
    before = last_with_fantasyland(session)
    if before is None or not before.has_cards or not deal.has_cards:
        return []
    rules = rules_of(session.rule_set)
    hand = as_stored(Hand(session=session, number=before.number + 1), deal, rules)
    places = {seat.number: place for place, seat in enumerate(deal.seats)}
    owed = expected_after(before, rules).owed
    return [sentence for _pointer, _code, sentence in _differences(before, hand, owed, places)]


def _differences(
    before: StoredHand, hand: StoredHand, owed: Mapping[uuid.UUID, Owed], places: Mapping[int, int]
) -> Iterator[Warned]:
    for seat in hand.seats:
        dealt = seat.setup.fantasyland
        expected = owed[seat.player_id].cards if seat.player_id in owed else 0
        if expected == dealt:
            continue
        words = {"number": seat.number, "name": seat.name, "hand": before.number, "cards": dealt, "expected": expected}
        sentence = _("Seat %(number)d (%(name)s) has %(cards)d cards in Fantasyland; by hand %(hand)d it is not in it.")
        if not dealt:
            sentence = _(
                "Seat %(number)d (%(name)s) is not in Fantasyland; by hand %(hand)d it is, with %(expected)d cards."
            )
        elif expected:
            sentence = _(
                "Seat %(number)d (%(name)s) has %(cards)d cards in Fantasyland; by hand %(hand)d it has %(expected)d."
            )
        yield f"/seats/{places[seat.number]}/fantasyland", CODE, sentence % words
    here = {seat.player_id for seat in hand.seats}
    for seat in before.seats:
        if seat.player_id in owed and seat.player_id not in here:
            words = {"name": seat.name, "hand": before.number, "expected": owed[seat.player_id].cards}
            sentence = _("%(name)s is not in this hand, but by hand %(hand)d in Fantasyland, with %(expected)d cards.")
            yield "/seats", CODE, sentence % words
    if owed and None not in (before.button, hand.button) and before.button != hand.button:
        sentence = _("The button moved from seat %(before)d to seat %(now)d; it stands while anyone is in Fantasyland.")
        yield "/button", CODE, sentence % {"before": before.button, "now": hand.button}
