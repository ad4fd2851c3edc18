"""A club's rule sets, sessions and hands as lines of its export: the facts, in the words of a hand history."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from hands.deal_models import DealProof
from hands.models import Discrepancy, Hand, HandVersion, RuleSet, Seat, Session
from hands.queries import StoredHand, load_versions
from hands.reading import setup_document
from hands.scoring.cards import card_text
from hands.street_document import streets_document


def moment(when: datetime | None) -> str | None:
    return when.isoformat() if when else None


def rule_set_line(rule_set: RuleSet) -> dict[str, Any]:
    return {
        "id": str(rule_set.pk),
        "name": rule_set.name,
        "game": rule_set.game,
        "parameters": rule_set.parameters,
        "money": rule_set.money,
    }


def session_lines(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    """Each session's head and state, and who sat where from which hand to which; not the address of its live page."""
    listed = list(sessions)
    seats: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for seat in Seat.objects.filter(session__in=listed).order_by("first_hand", "number", "pk"):
        seats[seat.session_id].append(
            {
                "seat": seat.number,
                "player": str(seat.player_id),
                "first_hand": seat.first_hand,
                "last_hand": seat.last_hand,
            }
            | ({"stake_minor": seat.stake_minor} if seat.stake_minor is not None else {})
        )
    return [
        {
            "id": str(session.pk),
            "external_id": session.external_id,
            "table": session.table,
            "rule_set": str(session.rule_set_id),
            "point_value": {"amount_minor": session.point_value_minor, "currency": session.currency},
            "started_at": moment(session.started_at),
            "closed_at": moment(session.closed_at),
            "state": session.state,
            "button": session.button,
            "seats": seats[session.pk],
        }
        for session in listed
    ]


def hand_lines(hands: Sequence[Hand]) -> list[dict[str, Any]]:
    """Each hand with every version of it, the first one first, and how it was dealt; a fixed number of queries."""
    versions = list(HandVersion.objects.filter(hand__in=hands).select_related("author").order_by("hand", "version"))
    ids = [version.pk for version in versions]
    stored = {one.version_id: one for one in load_versions(ids)}
    claimed: dict[Any, dict[str, int]] = defaultdict(dict)
    for difference in Discrepancy.objects.filter(version__in=ids).order_by("seat_number"):
        claimed[difference.version_id][str(difference.seat_number)] = difference.claimed_points
    proofs = dict(DealProof.objects.filter(hand__in=hands).values_list("hand", "facts"))
    by_hand: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for version in versions:
        by_hand[version.hand_id].append(_version(version, stored[version.pk], claimed.get(version.pk)))
    return [
        {
            "session": str(hand.session_id),
            "number": hand.number,
            "external_id": hand.external_id,
            "versions": by_hand[hand.pk],
        }
        | ({"dealt": proofs[hand.pk]} if hand.pk in proofs else {})
        for hand in hands
    ]


def _version(version: HandVersion, stored: StoredHand, claimed: dict[str, int] | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "version": version.version,
        "author": version.author.email if version.author else None,
        "reason": version.reason or None,
        "created_at": moment(version.created_at),
        "is_void": version.is_void,
        "is_undone": version.is_undone,
        "played_at": moment(version.played_at),
        "button": version.button,
    }
    if version.is_void:
        return document
    if stored.has_cards:
        document["boards"] = [[card_text(card) for card in board] for board in stored.boards]
    document["seats"] = [
        {"seat": seat.number, "player": str(seat.player_id)}
        | (setup_document(seat.setup) if stored.has_cards else {"points": seat.net_points})
        for seat in stored.seats
    ]
    if stored.streets:
        document["streets"] = streets_document(stored.streets)
    if claimed:
        document["claimed_points"] = claimed
    return document
