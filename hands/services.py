"""What may be done with sessions and hands. Services lock first, check next and write last.

Recording, correcting and closing all begin with a conditional UPDATE that raises the session's revision where
its state allows it, so a hand and a close can never pass each other.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Club, Player, User
from hands.history import Deal, Head, cards_column
from hands.house_money import check_house_money
from hands.models import Board, Draft, Hand, HandVersion, Seat, Session, Setup
from hands.points_only import check_points_only
from hands.rulesets import rule_set_for, rules_of
from hands.scoring.taiwanese import ROWS, Rules
from hands.seating import Seating, next_button


@transaction.atomic
def open_session(
    *,
    club: Club,
    table: str,
    rules: Rules,
    rule_set_name: str,
    point_value_minor: int,
    currency: str,
    started_at: datetime,
    players: Mapping[int, Player],
    author: User | None,
    external_id: str | None = None,
    session_id: uuid.UUID | None = None,
) -> Session:
    """Begin a session with ``players`` by seat number. Raises ``ValidationError`` when they cannot sit so.

    ``session_id`` is made by the client, so that sending a session twice makes one: the second time returns the first.
    """
    # The club's row is the lock, for a double tap.
    Club.objects.filter(pk=club.pk).update(created_at=F("created_at"))
    if session_id is not None and (there := Session.objects.filter(pk=session_id, club=club).first()):
        return there
    if len(players) > rules.seats:
        raise fault(
            "/seats",
            "seat_count",
            _("There are %(count)d players; these rules seat %(most)d.") % {"count": len(players), "most": rules.seats},
        )
    if len({player.pk for player in players.values()}) < len(players):
        raise fault("/seats", "player_repeated", _("A player sits on one seat only."))
    rule_set = rule_set_for(club=club, name=rule_set_name, rules=rules)
    check_house_money(rule_set, currency)
    session = Session.objects.create(
        id=session_id or uuid.uuid4(),
        club=club,
        table=table,
        external_id=external_id,
        rule_set=rule_set,
        point_value_minor=point_value_minor,
        currency=currency,
        started_at=started_at,
        created_by=author,
    )
    Seat.objects.bulk_create(
        Seat(session=session, number=number, player=player, first_hand=1) for number, player in sorted(players.items())
    )
    audit.note(club.pk, "session.opened", session.pk, name=table)
    return session


@transaction.atomic
def last_session(club: Club) -> Session | None:
    """The club's last session, whose table, rules and seats the next one may take over."""
    return Session.objects.filter(club=club).select_related("rule_set").order_by("-started_at", "id").first()


@transaction.atomic
def open_session_again(*, club: Club, author: User | None, session_id: uuid.UUID) -> Session:
    """Begin a session like the club's last: its table, rules, point value, currency, and who sat there at its end.

    ``session_id`` is made by the client, as for ``open_session``. Raises ``ValidationError`` when there is no last one.
    """
    last = last_session(club)
    if last is None:
        raise fault("", "no_last_session", _("There is no session yet that this one could be like."))
    seats = Seat.objects.filter(session=last, last_hand=None).select_related("player")
    return open_session(
        club=club,
        table=last.table,
        rules=rules_of(last.rule_set),
        rule_set_name=last.rule_set.name,
        point_value_minor=last.point_value_minor,
        currency=last.currency,
        started_at=timezone.now(),
        players={seat.number: seat.player for seat in seats},
        author=author,
        session_id=session_id,
    )


def session_for(*, club: Club, head: Head, author: User | None) -> Session:
    """The session that a hand history names, opened when it is new.

    Raises ``ValidationError`` (code ``session_conflict``) when the book knows it by other terms.
    """
    known = Session.objects.filter(club=club, external_id=head.external_id).select_related("rule_set")
    session = known.first()
    if session is None:
        try:
            return open_session(
                club=club,
                table=head.table,
                rules=head.rules,
                rule_set_name=head.rule_set,
                point_value_minor=head.point_value_minor,
                currency=head.currency,
                started_at=head.started_at,
                players={},
                author=author,
                external_id=head.external_id,
            )
        except IntegrityError:
            # Another call opened it at the same moment: that one counts.
            session = known.get()
    kept = (session.table, session.point_value_minor, session.currency, session.started_at)
    sent = (head.table, head.point_value_minor, head.currency, head.started_at)
    words = (_("table"), _("point value"), _("currency"), _("start"))
    differ = [word for word, one, other in zip(words, kept, sent, strict=True) if one != other]
    if rules_of(session.rule_set) != head.rules:
        differ.append(_("rule set"))
    if differ:
        raise fault(
            "/session",
            "session_conflict",
            _("Session %(id)s is in the book with another %(what)s. Nothing was changed.")
            % {"id": head.external_id, "what": ", ".join(differ)},
        )
    return session


Result = Literal["accepted", "duplicate", "conflict"]


@dataclass(frozen=True)
class Recorded:
    """What became of one deal. A conflict has changed nothing; its sentence says what differs."""

    result: Result
    hand: Hand
    sentence: str = ""


@transaction.atomic
def record_hand(*, session: Session, deal: Deal, author: User | None) -> Recorded:
    """Write one hand down, and put its draft away with it. See ``record_hands``."""
    answer = record_hands(session=session, deals=[deal], author=author)[0]
    if deal.client_key is not None and answer.result != "conflict":
        Draft.objects.filter(session=session, client_key=deal.client_key).delete()
    if answer.result == "accepted":
        hand = answer.hand
        audit.note(session.club_id, "hand.recorded", hand.pk, session=str(session.pk), number=hand.number)
    return answer


@transaction.atomic
def record_hands(*, session: Session, deals: Sequence[Deal], author: User | None) -> list[Recorded]:
    """Score the deals and write them down, all or none; the answers are in the order of ``deals``.

    A deal whose external id or client key is in the book already is a duplicate when its content is the same,
    else a conflict; either changes nothing. Raises ``ValidationError`` when the session is not open, a hand's
    number is taken, or a player does not sit where the deal says.
    """
    is_open = bool(
        Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(revision=F("revision") + len(deals))
    )
    if any(_is_without_button(deal) for deal in deals):
        button = next_button(session)
        deals = [replace(deal, button=button) if _is_without_button(deal) else deal for deal in deals]
    known = _known_hands(session, deals)
    numbers = set(Hand.objects.filter(session=session).values_list("number", flat=True))
    last = max(numbers, default=0)
    answers: list[Recorded] = []
    fresh: list[tuple[Hand, Deal]] = []
    for deal in deals:
        keys = [key for key in (deal.external_id, deal.client_key) if key is not None]
        found = next((known[key] for key in keys if key in known), None)
        if found is not None:
            answers.append(_compare(*found, deal))
            continue
        if not is_open:
            raise fault("", "session_closed", _("This session is closed; no hand can be added to it."))
        number = deal.number or last + 1
        if number in numbers:
            raise fault("/number", "number_taken", _("Hand %(number)d is in the book already.") % {"number": number})
        numbers.add(number)
        last = max(last, number)
        hand = Hand(
            session=session,
            number=number,
            external_id=deal.external_id,
            client_key=deal.client_key,
            current_id=uuid.uuid4(),
        )
        known |= dict.fromkeys(keys, (hand, deal.digest(number), deal.played_at, deal.button))
        fresh.append((hand, deal))
        answers.append(Recorded("accepted", hand))
    _write_first_versions(session, fresh, author)
    if fresh:
        # Where the host put the button held for one hand; from there it moves on.
        Session.objects.filter(pk=session.pk).exclude(button=None).update(button=None)
    return answers


def _is_without_button(deal: Deal) -> bool:
    """A page does not say who deals: the table knows. What a program leaves out stays out."""
    return deal.client_key is not None and deal.button is None


# A hand that is in the book, with the digest of its content, its time and its button.
Known = tuple[Hand, str, datetime, int | None]


def _known_hands(session: Session, deals: Sequence[Deal]) -> dict[object, Known]:
    external_ids = [deal.external_id for deal in deals if deal.external_id is not None]
    client_keys = [deal.client_key for deal in deals if deal.client_key is not None]
    if not external_ids and not client_keys:
        return {}
    hands = Hand.objects.filter(session=session).filter(Q(external_id__in=external_ids) | Q(client_key__in=client_keys))
    known: dict[object, Known] = {}
    for hand in hands.select_related("current"):
        keys = [key for key in (hand.external_id, hand.client_key) if key is not None]
        version = hand.current
        known |= dict.fromkeys(keys, (hand, version.digest, version.played_at, version.button))
    return known


def _compare(hand: Hand, digest: str, played_at: datetime, button: int | None, deal: Deal) -> Recorded:
    if deal.client_key is not None:
        # Time and button of a form are those of the moment when it was sent, and a second tap comes later.
        deal = replace(deal, played_at=played_at, button=button)
    if digest == deal.digest(deal.number or hand.number):
        return Recorded("duplicate", hand)
    sentence = _("Hand %(number)d is in the book with other cards, players or times. Nothing was changed.")
    if not digest:
        sentence = _("Hand %(number)d is in the book, and void. Nothing was changed.")
    return Recorded("conflict", hand, sentence % {"number": hand.number})


def _write_first_versions(session: Session, fresh: Sequence[tuple[Hand, Deal]], author: User | None) -> None:
    if not fresh:
        return
    rules = rules_of(session.rule_set)
    for _hand, deal in fresh:
        check_points_only(deal, session.rule_set)
    seating = Seating(session)
    seating.know_players([seat for _hand, deal in fresh for seat in deal.seats])
    # In the order of their numbers, so that who sat down when does not depend on the order of a file.
    seats = {
        (hand.number, seat.number): seating.seat(seat, hand_number=hand.number)
        for hand, deal in sorted(fresh, key=lambda pair: pair[0].number)
        for seat in deal.seats
    }
    now = timezone.now()
    versions, boards, setups = [], [], []
    for hand, deal in fresh:
        version = HandVersion(
            id=hand.current_id,
            hand=hand,
            version=1,
            author=author,
            played_at=deal.played_at,
            button=deal.button,
            has_cards=deal.has_cards,
            digest=deal.digest(hand.number),
            created_at=now,
        )
        versions.append(version)
        boards += [
            Board(version=version, number=place, cards=cards_column(board))
            for place, board in enumerate(deal.boards, start=1)
        ]
        setups += [
            Setup(
                version=version,
                seat=seats[hand.number, record.number],
                net_points=points,
                **{row: cards_column(getattr(record.setup, row)) for row in ROWS},
            )
            for record, points in zip(deal.seats, deal.net_points(rules), strict=True)
        ]
    Hand.objects.bulk_create([hand for hand, _deal in fresh])
    HandVersion.objects.bulk_create(versions)
    Board.objects.bulk_create(boards)
    Setup.objects.bulk_create(setups)


@transaction.atomic
def close_session(*, session: Session) -> None:
    """End recording. A closed session can be settled; closing one that is not open changes nothing."""
    closed = Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(
        state=Session.State.CLOSED, revision=F("revision") + 1, closed_at=timezone.now()
    )
    if closed:
        audit.note(session.club_id, "session.closed", session.pk, name=session.table)
