"""PokerNow's results into the book: one session of hands without cards, once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Club, User
from accounts.money import format_money
from accounts.names import check_name, clean_name
from accounts.services import lock_club
from hands.heads import Head, check_point_value
from hands.history import Deal, SeatRecord
from hands.models import Hand, Session
from hands.points_document import MOST_POINTS
from hands.points_only import NO_CARDS
from hands.pokernow import Ledger, Unit, read_ledger
from hands.recording import Recorded
from hands.scoring.taiwanese import PRESETS
from hands.scoring.taiwanese.rules import MOST_SEATS
from hands.services import record_hands, session_for

# The hands have no cards, so of these rules only the seats matter.
RULE_SET: Final = "phenom"
PREFIX: Final = "pokernow-"


@dataclass(frozen=True)
class Imported:
    """The session of a ledger, and whether it was in the book before."""

    session: Session
    is_duplicate: bool


@transaction.atomic
def import_pokernow(
    *, club: Club, text: str, unit: Unit, currency: str, point_value_minor: int, table: str, author: User | None
) -> Imported:
    """Write a ledger down as one open session of hands without cards; the same ledger again changes nothing.

    ``unit`` is what the room counts in. Raises ``ValidationError`` for what is wrong with the file, for a net that is
    no whole number of points, and where an earlier ledger of the same game, or this one by other terms, is in the book.
    """
    ledger = read_ledger(text, unit=unit, currency=currency)
    check_name(table)
    deals = deals_of(ledger, point_value_minor)
    head = Head(
        external_id=_session_id(ledger),
        table=clean_name(table),
        rule_set=RULE_SET,
        rules=PRESETS[RULE_SET],
        point_value_minor=point_value_minor,
        currency=currency,
        started_at=ledger.started_at,
    )
    # The club's row is the lock, so that two versions of one game cannot both be new.
    lock_club(club.pk)
    _refuse_grown(club, ledger)
    session = session_for(club=club, head=head, author=author)
    answers: list[Recorded] = record_hands(session=session, deals=deals, author=author)
    if conflict := next((answer for answer in answers if answer.result == "conflict"), None):
        raise fault("/file", "conflict", conflict.sentence)
    is_duplicate = all(answer.result == "duplicate" for answer in answers)
    if not is_duplicate:
        audit.note(club.pk, "hands.imported", session.pk, count=len(answers), name=head.table)
    return Imported(session, is_duplicate)


def deals_of(ledger: Ledger, point_value_minor: int) -> list[Deal]:
    """The hands that give every player their net: one, or more where there are more players than seats.

    Then each hand but the last fills the table, and who sits on its last seat takes what the others lack to zero on
    to the next hand; over the session that player too has their own net. Raises ``ValidationError`` for a net that
    is no whole number of points, or of too many.
    """
    check_point_value(point_value_minor)
    value = format_money(point_value_minor, ledger.currency)
    faults = []
    for result in ledger.results:
        net = format_money(result.net_minor, ledger.currency, sign=True)
        if result.net_minor % point_value_minor:
            words = _("%(name)s: %(net)s is no whole number of points of %(value)s; choose a smaller point value.")
            faults.append(fault("/point_value", "points", words % {"name": result.name, "net": net, "value": value}))
    if faults:
        raise ValidationError(faults)
    nets = [(place, result.net_minor // point_value_minor) for place, result in enumerate(ledger.results)]
    # Winners and losers in turn, so that little has to be taken on.
    half = (len(nets) + 1) // 2
    in_turn = [net for pair in zip_longest(nets[:half], reversed(nets[half:])) for net in pair if net is not None]
    hands = list(_split(in_turn))
    if any(abs(points) > MOST_POINTS for hand in hands for _place, points in hand.values()):
        words = _("At %(value)s a point somebody has more than %(most)d points; choose a larger point value.")
        raise fault("/point_value", "points_range", words % {"value": value, "most": MOST_POINTS})
    return [
        Deal(
            boards=(),
            seats=tuple(
                SeatRecord(
                    seat, ledger.results[place].name, NO_CARDS, external_id=PREFIX + ledger.results[place].player_id
                )
                for seat, (place, _points) in hand.items()
            ),
            played_at=ledger.ended_at,
            number=number,
            external_id=f"{_session_id(ledger)}-{number}",
            points=tuple(points for _place, points in hand.values()),
        )
        for number, hand in enumerate(hands, start=1)
    ]


def _split(nets: Sequence[tuple[int, int]]) -> Iterator[dict[int, tuple[int, int]]]:
    """Hands as seats with a player and points each; who takes something on keeps the last seat."""
    carried: tuple[int, int] | None = None
    rest = list(nets)
    while rest:
        free = MOST_SEATS - 1 if carried else MOST_SEATS
        sitting, rest = rest[:free], rest[free:]
        hand = dict(enumerate(sitting, start=1))
        if carried:
            hand[MOST_SEATS] = carried
        if rest:
            place, points = hand[MOST_SEATS]
            lacking = points - sum(points for _place, points in hand.values())
            hand[MOST_SEATS], carried = (place, lacking), (place, points - lacking)
        yield hand


def _session_id(ledger: Ledger) -> str:
    return f"{PREFIX}{ledger.digest[:32]}"


def _refuse_grown(club: Club, ledger: Ledger) -> None:
    """A ledger that was exported before the game was over, and again after it, holds the same chips twice."""
    of_game = Session.objects.filter(club=club, external_id__startswith=PREFIX, started_at=ledger.started_at)
    others = of_game.exclude(external_id=_session_id(ledger))
    counted = Hand.objects.filter(session__in=others, current__is_void=False).select_related("session").first()
    if counted is not None:
        words = _(
            "An earlier ledger of this game is in the book, with other rows: %(table)s. Void its hands first, so that"
            " nobody's chips count twice."
        )
        raise fault("/file", "ledger_grown", words % {"table": counted.session.table})
