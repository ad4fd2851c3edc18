"""What differs where a hand is in the book with another content.

It is worked out for conflicts alone: that a hand is the same is known by its digest, without looking at its cards.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Player
from hands.history import Deal, SeatRecord
from hands.models import Hand
from hands.queries import StoredHand, StoredSeat, load_hands
from hands.recording import Recorded
from hands.scoring.cards import cards_text
from hands.scoring.games import ROWS
from hands.street_document import streets_content

# So many differences are said of one hand; the others are counted.
MOST_SAID: Final = 3

# Where in the document, and what differs there.
Difference = tuple[str, str]


def say_conflicts(answers: Sequence[Recorded], deals: Sequence[Deal]) -> list[Recorded]:
    """The answers to these deals, where the conflicts of content say what differs, and where the first of it stands.

    Four queries for all conflicts together, none where there are none. A void hand, and one that only a dry run
    knows, keep their sentence.
    """
    ids = [answer.hand.pk for answer in answers if answer.result == "conflict" and answer.fault is None]
    if not ids:
        return list(answers)
    stored = {hand.id: hand for hand in load_hands(Hand.objects.filter(pk__in=ids))}
    players = {seat.player_id for hand in stored.values() for seat in hand.seats}
    external_ids = dict(Player.objects.filter(pk__in=players).values_list("pk", "external_id"))
    return [
        _said(answer, deal, stored[answer.hand.pk], external_ids) if answer.hand.pk in stored else answer
        for answer, deal in zip(answers, deals, strict=True)
    ]


def _said(answer: Recorded, deal: Deal, stored: StoredHand, external_ids: Mapping[uuid.UUID, str | None]) -> Recorded:
    if answer.result != "conflict" or answer.fault is not None:
        return answer
    found = list(_differences(deal, stored, external_ids))
    if not found:
        return answer
    words = [_("Hand %(number)d is in the book already.") % {"number": stored.number}]
    words += [sentence for _pointer, sentence in found[:MOST_SAID]]
    if (more := len(found) - MOST_SAID) > 0:
        words.append(ngettext("%(count)d more place differs.", "%(count)d more places differ.", more) % {"count": more})
    words.append(_("Nothing was changed."))
    return replace(answer, sentence=" ".join(words), pointer=found[0][0])


def _differences(deal: Deal, stored: StoredHand, external_ids: Mapping[uuid.UUID, str | None]) -> Iterator[Difference]:
    if deal.number is not None and deal.number != stored.number:
        yield "/number", _differs(_("The number"), str(deal.number), str(stored.number))
    # Time and button of a page are those of the moment when it was sent.
    if deal.client_key is None:
        if deal.played_at != stored.played_at:
            yield "/played_at", _differs(_("The time"), *_times(deal.played_at, stored.played_at))
        if deal.button != stored.button:
            yield "/button", _differs(_("The button"), *(str(one or _("none")) for one in (deal.button, stored.button)))
    if deal.has_cards != stored.has_cards:
        words = _("The hand has points alone where the book has cards.")
        yield "", _("The hand has cards where the book has points alone.") if deal.has_cards else words
        return
    yield from _board_differences(deal, stored)
    yield from _seat_differences(deal, stored, external_ids)
    if streets_content(deal.streets) != streets_content(stored.streets):
        yield "/streets", _("The streets are told otherwise than in the book.")


def _differs(what: str, sent: str, known: str) -> str:
    return _("%(what)s is %(sent)s where the book has %(known)s.") % {"what": what, "sent": sent, "known": known}


def _times(sent: datetime, known: datetime) -> tuple[str, str]:
    return sent.isoformat(), known.astimezone(sent.tzinfo).isoformat()


def _cards_differ(where: str, sent: Sequence[int], known: Sequence[int]) -> str:
    words = {"where": where, "sent": cards_text(sent) or _("nothing"), "known": cards_text(known) or _("nothing")}
    return _("%(where)s has %(sent)s where the book has %(known)s.") % words


def _board_differences(deal: Deal, stored: StoredHand) -> Iterator[Difference]:
    """Boards have an order: their cards are held side by side."""
    for number, (sent, known) in enumerate(zip(deal.boards, stored.boards, strict=False)):
        places = [place for place, (one, other) in enumerate(zip(sent, known, strict=True)) if one != other]
        if places:
            pointer = f"/boards/{number}/{places[0]}" if len(places) == 1 else f"/boards/{number}"
            where = _("Board %(number)d") % {"number": number + 1}
            yield pointer, _cards_differ(where, [sent[place] for place in places], [known[place] for place in places])


def _seat_differences(
    deal: Deal, stored: StoredHand, external_ids: Mapping[uuid.UUID, str | None]
) -> Iterator[Difference]:
    known_seats = {seat.number: seat for seat in stored.seats}
    for place, seat in enumerate(deal.seats):
        pointer = f"/seats/{place}"
        called = {"number": seat.number, "name": seat.name}
        known = known_seats.pop(seat.number, None)
        if known is None:
            yield pointer, _("Seat %(number)d (%(name)s) is not in the book's hand.") % called
            continue
        if not _is_same_player(seat, known, external_ids[known.player_id]):
            words = _("Seat %(number)d is %(name)s where the book has %(known)s.")
            yield f"{pointer}/player", words % (called | {"known": known.name})
        yield from _besides_differences(seat, known, pointer, called)
        for row in (*ROWS, "discards"):
            sent, there = getattr(seat.setup, row), getattr(known.setup, row)
            if sorted(sent) != sorted(there):
                where = _("Seat %(number)d (%(name)s), %(row)s") % (called | {"row": row})
                only_sent = [card for card in sent if card not in there]
                only_there = [card for card in there if card not in sent]
                yield f"{pointer}/{row}", _cards_differ(where, only_sent, only_there)
        if deal.points and deal.points[place] != known.net_points:
            words = _("Seat %(number)d (%(name)s) has %(sent)+d points where the book has %(known)+d.")
            yield f"{pointer}/points", words % (called | {"sent": deal.points[place], "known": known.net_points})
    for known in known_seats.values():
        words = _("The book's hand has seat %(number)d (%(name)s) too.")
        yield "/seats", words % {"number": known.number, "name": known.name}


def _besides_differences(
    seat: SeatRecord, known: StoredSeat, pointer: str, called: Mapping[str, object]
) -> Iterator[Difference]:
    """What a seat of the Chinese family says besides its cards."""
    sent, there = seat.setup, known.setup
    if sent.surrendered != there.surrendered:
        words = _("Seat %(number)d (%(name)s) plays where the book has a surrender.")
        if sent.surrendered:
            words = _("Seat %(number)d (%(name)s) surrendered where the book has a hand that was played.")
        yield f"{pointer}/surrendered", words % called
    if sent.fantasyland != there.fantasyland:
        words = _("Seat %(number)d (%(name)s) has %(sent)d cards in Fantasyland where the book has %(known)d.")
        yield f"{pointer}/fantasyland", words % {**called, "sent": sent.fantasyland, "known": there.fantasyland}


def _is_same_player(seat: SeatRecord, known: StoredSeat, external_id: str | None) -> bool:
    if seat.external_id is not None:
        return seat.external_id == external_id
    return seat.player_id == known.player_id if seat.player_id else seat.name == known.name
