"""Correcting and voiding a hand: the next version of it, with a reason; the old one stays as it was.

Inserting version n + 1 is the lock: of two people who correct version n, one wins, and the other is told.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Player, User
from hands.history import Deal
from hands.models import Hand, HandVersion, Session
from hands.points_only import check_points_only
from hands.queries import StoredHand
from hands.recording import FactRows
from hands.rulesets import rules_of
from hands.scoring.cards import cards_text
from hands.scoring.games import ROWS, Rules
from hands.seating import Seating
from hands.street_document import streets_content, streets_document

NOT_SETTLED = (Session.State.OPEN, Session.State.CLOSED)


@transaction.atomic
def correct_hand(
    *,
    hand: Hand,
    based_on: int,
    deal: Deal | None,
    reason: str,
    author: User | None,
    states: Iterable[str] = NOT_SETTLED,
    is_undone: bool = False,
) -> HandVersion:
    """Write the next version of a hand (``deal`` None: void it) and return it.

    ``based_on`` is the version that the author saw. Raises ``ValidationError`` without a reason, when the
    session is in none of ``states``, or with code ``changed_meanwhile`` when somebody else was quicker.
    Voiding what is void changes nothing; ``is_undone`` marks a void that gives its cards back to a draft.
    """
    if not reason.strip():
        raise fault("/reason", "reason", _("Say why the hand is changed; everybody at the table can read it."))
    # The lock. A void of a void changes nothing: it must not make a settlement that was asked for out of date.
    locked = Session.objects.filter(pk=hand.session_id, state__in=list(states)).update(revision=F("revision"))
    if not locked:
        raise fault("", "session_settled", _("This session is settled; correct the hand from its own page."))
    current = HandVersion.objects.get(pk=Hand.objects.values_list("current", flat=True).get(pk=hand.pk))
    if deal is None and current.is_void:
        return current
    if current.version != based_on:
        raise changed_meanwhile(hand)
    version = HandVersion(
        id=uuid.uuid4(),
        hand=hand,
        version=based_on + 1,
        author=author,
        reason=reason.strip(),
        is_void=deal is None,
        has_cards=deal is None or deal.has_cards,
        is_undone=is_undone,
        played_at=deal.played_at if deal else current.played_at,
        button=deal.button if deal else current.button,
        streets=streets_document(deal.streets) if deal and deal.streets else None,
        digest=deal.digest(hand.number) if deal else "",
        created_at=timezone.now(),
    )
    try:
        with transaction.atomic():
            version.save(force_insert=True)
    except IntegrityError:
        raise changed_meanwhile(hand) from None
    if deal is not None:
        write_facts(hand=hand, version=version, deal=deal)
    Hand.objects.filter(pk=hand.pk).update(current=version)
    Session.objects.filter(pk=hand.session_id).update(revision=F("revision") + 1)
    action = "hand.corrected"
    if deal is None:
        action = "hand.undone" if is_undone else "hand.voided"
    audit.note(
        hand.session.club_id,
        action,
        hand.pk,
        session=str(hand.session_id),
        number=hand.number,
        version=version.version,
        reason=version.reason,
    )
    return version


def changed_meanwhile(hand: Hand) -> Exception:
    return fault(
        "",
        "changed_meanwhile",
        _("Somebody else changed hand %(number)d meanwhile. Look at both, then decide.") % {"number": hand.number},
    )


def write_facts(*, hand: Hand, version: HandVersion, deal: Deal) -> None:
    """The boards and setups of one version, scored. Raises ``ValidationError`` for a player who does not sit."""
    check_points_only(deal, hand.session.rule_set)
    seating = Seating(hand.session)
    seating.know_players(deal.seats)
    seats = [seating.seat(record, hand_number=hand.number) for record in deal.seats]
    net = deal.net_points(rules_of(hand.session.rule_set))
    rows = FactRows()
    rows.add(version.pk.hex, deal, seats, net)
    rows.write()


@dataclass(frozen=True)
class Effect:
    """What a correction does to one player: net points of the hand before and after."""

    player: Player
    before: int
    after: int

    @property
    def change(self) -> int:
        return self.after - self.before


def effects(*, stored: StoredHand | None, deal: Deal | None, rules: Rules) -> list[Effect]:
    """Every player of the old and of the new version of a hand, with their points in both, worked out."""
    before = {seat.player_id: seat.net_points for seat in stored.seats} if stored else {}
    after: dict[uuid.UUID, int] = {}
    if deal is not None:
        net = deal.net_points(rules)
        after = {seat.player_id: points for seat, points in zip(deal.seats, net, strict=True) if seat.player_id}
    players = Player.objects.in_bulk({*before, *after})
    found = [Effect(player, before.get(key, 0), after.get(key, 0)) for key, player in players.items()]
    return sorted(found, key=lambda effect: (-abs(effect.change), effect.player.name_key))


@dataclass(frozen=True)
class Change:
    """One place in which two versions of a hand differ: what it is called, and the cards or points in each."""

    where: str
    before: str
    after: str
    is_cards: bool = True


def changes(old: StoredHand | None, new: StoredHand | Deal | None) -> list[Change]:
    """Where two versions differ, in words that a person can check; the order of a row's cards is no difference."""
    before, after = _places(old), _places(new)
    found = [
        Change(where, cards_text(before.get(where, ())), cards_text(after.get(where, ())))
        for where in {**before, **after}
        if _unordered(where, before) != _unordered(where, after)
    ]
    told, now = _besides_cards(old), _besides_cards(new)
    placed, placed_now = (streets_content(hand.streets) if hand else [] for hand in (old, new))
    if placed != placed_now:
        told[_("Streets")] = _("as they were told") if placed else ""
        now[_("Streets")] = _("told otherwise") if placed_now and placed else _("told") if placed_now else ""
    return found + [
        Change(where, told.get(where, ""), now.get(where, ""), is_cards=False)
        for where in {**told, **now}
        if told.get(where) != now.get(where)
    ]


def _unordered(where: str, cards: dict[str, Sequence[int]]) -> list[int]:
    return sorted(cards.get(where, ()))


def _places(hand: StoredHand | Deal | None) -> dict[str, Sequence[int]]:
    if hand is None:
        return {}
    places: dict[str, Sequence[int]] = {
        _("Board %(number)d") % {"number": number}: board for number, board in enumerate(hand.boards, start=1)
    }
    for seat in hand.seats:
        for row in (*ROWS, "discards"):
            if cards := getattr(seat.setup, row):
                places[f"{seat.name}, {row}"] = cards
    return places


def _besides_cards(hand: StoredHand | Deal | None) -> dict[str, str]:
    """What seats say without cards: points in a hand without any; Fantasyland and surrender in the Chinese family."""
    if hand is None:
        return {}
    if hand.has_cards:
        said = {}
        for seat in hand.seats:
            if seat.setup.fantasyland:
                words = _("%(count)d cards") % {"count": seat.setup.fantasyland}
                said[_("%(name)s, Fantasyland") % {"name": seat.name}] = words
            if seat.setup.surrendered:
                said[_("%(name)s, surrender") % {"name": seat.name}] = _("yes")
        return said
    points = [seat.net_points for seat in hand.seats] if isinstance(hand, StoredHand) else hand.points
    return {
        _("%(name)s, points") % {"name": seat.name}: f"{one:+d}" for seat, one in zip(hand.seats, points, strict=True)
    }
