"""What may be done with sessions and hands. Services lock first, check next and write last.

Recording, correcting and closing all begin with a conditional UPDATE that raises the session's revision where
its state allows it, so a hand and a close can never pass each other.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import audit
from accounts.faults import fault
from accounts.models import Club, Player, User
from accounts.services import lock_club
from hands.conflicts import say_conflicts
from hands.fantasyland import unexpected
from hands.heads import Head
from hands.history import Deal
from hands.house_money import check_house_money
from hands.models import Draft, Import, Seat, Session
from hands.phone_models import PhoneTable
from hands.phone_rounds import check_round, finish_round
from hands.recording import Recorded, decide, known_of, write_first_versions
from hands.rulesets import rule_set_for, rules_of
from hands.scoring.games import Rules
from hands.seating import next_button
from hands.stakes import check_stake


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
    stakes_minor: Mapping[int, int] | None = None,
) -> Session:
    """Begin a session with ``players``, and under table stakes their ``stakes_minor``, by seat number.

    Raises ``ValidationError`` when they cannot sit so.

    ``session_id`` is made by the client, so that sending a session twice makes one: the second time returns the first.
    """
    # The club's row is the lock, for a double tap.
    lock_club(club.pk)
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
    stakes_minor = stakes_minor or {}
    for number, stake_minor in stakes_minor.items():
        check_stake(rule_set, stake_minor, f"/seats/{list(players).index(number)}/stake_minor")
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
        Seat(session=session, number=number, player=player, first_hand=1, stake_minor=stakes_minor.get(number))
        for number, player in sorted(players.items())
    )
    audit.note(club.pk, "session.opened", session.pk, name=table)
    return session


def last_session(club: Club) -> Session | None:
    """The club's last session, whose table, rules and seats the next one may take over."""
    return Session.objects.filter(club=club).select_related("rule_set").order_by("-started_at", "id").first()


@transaction.atomic
def open_session_again(*, club: Club, author: User | None, session_id: uuid.UUID) -> Session:
    """Begin a session like the club's last: its table, rules, point value and currency, and who sat there at its end.

    Under table stakes everybody begins with the stake that they began the last one with.

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
        stakes_minor={seat.number: seat.stake_minor for seat in seats if seat.stake_minor is not None},
    )


def known_session(*, club: Club, head: Head) -> Session | None:
    """The session that a hand history names, if it is in the book.

    Raises ``ValidationError`` (code ``session_conflict``) when the book knows it by other terms.
    """
    known = Session.objects.filter(club=club, external_id=head.external_id).select_related("rule_set")
    session = next(iter(known.order_by()), None)
    if session is not None:
        refuse_other_head(head_of(session), head)
    return session


def session_for(*, club: Club, head: Head, author: User | None) -> Session:
    """The session that a hand history names, opened when it is new. Raises as ``known_session`` does."""
    session = known_session(club=club, head=head)
    if session is None:
        try:
            session = open_session(
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
            return session_for(club=club, head=head, author=author)
    return session


def head_of(session: Session) -> Head:
    """What a hand history would say of this session."""
    return Head(
        external_id=session.external_id or "",
        table=session.table,
        rule_set=session.rule_set.name,
        rules=rules_of(session.rule_set),
        point_value_minor=session.point_value_minor,
        currency=session.currency,
        started_at=session.started_at,
    )


def refuse_other_head(known: Head, head: Head) -> None:
    """Raise ``ValidationError`` (code ``session_conflict``) when a session is known by other terms than these."""
    kept = (known.table, known.point_value_minor, known.currency, known.started_at)
    sent = (head.table, head.point_value_minor, head.currency, head.started_at)
    words = (_("table"), _("point value"), _("currency"), _("start"))
    differ = [word for word, one, other in zip(words, kept, sent, strict=True) if one != other]
    if known.rules != head.rules:
        differ.append(_("rule set"))
    if differ:
        raise fault(
            "/session",
            "session_conflict",
            _("Session %(id)s is in the book with another %(what)s. Nothing was changed.")
            % {"id": head.external_id, "what": ", ".join(differ)},
        )


@transaction.atomic
def record_hand(*, session: Session, deal: Deal, author: User | None) -> Recorded:
    """Write one hand down, and put its draft away with it. See ``record_hands``.

    A hand that was set on own phones is only taken as it was locked there.
    """
    (answer,) = record_each(session=session, deals=[deal], author=author)
    if answer.fault is not None:
        raise answer.fault
    if deal.client_key is not None and answer.result != "conflict":
        Draft.objects.filter(session=session, client_key=deal.client_key).delete()
    if answer.result == "accepted":
        hand = answer.hand
        check_round(session=session, deal=deal)
        finish_round(session=session, hand=hand)
        audit.note(session.club_id, "hand.recorded", hand.pk, session=str(session.pk), number=hand.number)
    return answer


@transaction.atomic
def record_hands(*, session: Session, deals: Sequence[Deal], author: User | None) -> list[Recorded]:
    """Score the deals and write them down, all or none; the answers are in the order of ``deals``.

    A deal whose external id or client key is in the book already is a duplicate when its content is the same,
    else a conflict; either changes nothing. Raises ``ValidationError`` when the session is not open, a hand's
    number is taken, or a player does not sit where the deal says.
    """
    answers = record_each(session=session, deals=deals, author=author)
    for answer in answers:
        if answer.fault is not None:
            raise answer.fault
    return answers


# What raises in here undoes the whole call of whoever began the transaction: it needs no savepoint of its own.
@transaction.atomic(savepoint=False)
def record_each(
    *, session: Session, deals: Sequence[Deal], author: User | None, history: Import | None = None
) -> list[Recorded]:
    """Like ``record_hands``, but a deal that cannot go in has its fault in its answer, and the others go in.

    ``history`` is the import that brought them; claims that differ from our points are kept with it.
    """
    is_open = bool(
        Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(revision=F("revision") + len(deals))
    )
    if any(_is_without_button(deal) for deal in deals):
        button = next_button(session)
        deals = [replace(deal, button=button) if _is_without_button(deal) else deal for deal in deals]
    known = known_of(session, deals, is_open=is_open)
    answers = say_conflicts([decide(known, deal) for deal in deals], deals)
    fresh = [(answer, deal) for answer, deal in zip(answers, deals, strict=True) if answer.result == "accepted"]
    differing = write_first_versions(session, fresh, author=author, history=history)
    if fresh and (session.button is not None or any(deal.client_key is not None for _answer, deal in fresh)):
        # Where the host put the button held for one hand; from there it moves on.
        Session.objects.filter(pk=session.pk).exclude(button=None).update(button=None)
    warned = unexpected(session, [(answer.hand, deal) for answer, deal in fresh])
    if not differing and not warned:
        return answers
    return [
        replace(answer, is_differing=answer.hand.pk in differing, warnings=warned.get(answer.hand.pk, ()))
        for answer in answers
    ]


def _is_without_button(deal: Deal) -> bool:
    """A page does not say who deals: the table knows. What a program leaves out stays out."""
    return deal.client_key is not None and deal.button is None


@transaction.atomic
def close_session(*, session: Session) -> None:
    """End recording. A closed session can be settled; closing one that is not open changes nothing."""
    closed = Session.objects.filter(pk=session.pk, state=Session.State.OPEN).update(
        state=Session.State.CLOSED, revision=F("revision") + 1, closed_at=timezone.now()
    )
    if closed:
        # Every phone's token dies here, with whatever was being set.
        PhoneTable.objects.filter(session=session).delete()
        audit.note(session.club_id, "session.closed", session.pk, name=session.table)
