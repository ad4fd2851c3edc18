"""The books worked out a second time, from the stored cards and by hand: what a ledger must be after anything.

It knows no scorer. The setups that the tests deal are those of `tests/deals.py`, and what two of them win from
each other is written here as the published deal has it; whoever holds them, points follow the cards.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from django.db.models import Sum

from accounts.ledger import FIRST_HASH, chain_hash
from accounts.models import Account, Book, Transfer
from hands.models import Hand, HandVersion, Session
from settlement.models import Settlement
from tests.deals import ANA, BEN, CHI


def _cards(setup: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(card for row in setup.values() for card in row)


# Points of the first from the second: 12 rows and 8 for the homerun; 2 of the single rows; 12 and 8 again.
WON: Final = {
    (_cards(ANA), _cards(BEN)): 20,
    (_cards(ANA), _cards(CHI)): 2,
    (_cards(CHI), _cards(BEN)): 20,
}


def nets(setups: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Net points of one hand by player, whoever holds which of the three setups."""
    return _nets({name: _cards(setup) for name, setup in setups.items()})


def _nets(cards: Mapping[Any, frozenset[str]]) -> dict[Any, int]:
    points = dict.fromkeys(cards, 0)
    for one, other in combinations(cards, 2):
        pair = cards[one], cards[other]
        won = WON[pair] if pair in WON else -WON[pair[::-1]]
        points[one] += won
        points[other] -= won
    return points


def faults() -> list[str]:
    """Everything that is wrong with the books, in sentences; empty when they are right."""
    return [*_of_chains(), *_of_accounts(), *_of_hands(), *_of_settlements(), *_of_balances()]


def _of_chains() -> Iterator[str]:
    for book in Book.objects.all():
        previous = FIRST_HASH
        number = 0
        for number, transfer in enumerate(Transfer.objects.filter(club=book.club_id).order_by("sequence"), start=1):
            if transfer.sequence != number:
                yield f"transfer {number} is missing"
                return
            previous = chain_hash(previous, transfer)
            if previous != transfer.hash:
                yield f"transfer {number} is not what was posted"
                return
        if (book.head_sequence, book.head_hash) != (number, previous):
            yield "the book's head is not its last transfer"


def _of_accounts() -> Iterator[str]:
    moved: defaultdict[Any, int] = defaultdict(int)
    for debit, credit, amount in Transfer.objects.values_list("debit_account", "credit_account", "amount_minor"):
        moved[debit] -= amount
        moved[credit] += amount
    for account in Account.objects.all():
        if account.balance_minor != moved[account.pk]:
            yield f"an account holds {account.balance_minor}, its transfers say {moved[account.pk]}"
    if Account.objects.aggregate(sum=Sum("balance_minor"))["sum"]:
        yield "the balances do not add up to nothing"


def _of_hands() -> Iterator[str]:
    for hand in Hand.objects.select_related("current"):
        versions = sorted(hand.versions.values_list("version", flat=True))
        if versions != list(range(1, len(versions) + 1)) or hand.current.version != len(versions):
            yield f"hand {hand.number} has versions {versions} and shows {hand.current.version}"
    for version in HandVersion.objects.prefetch_related("setups", "boards"):
        right = {} if version.is_void else _of_version(version)
        if version.boards.count() != (0 if version.is_void else 2):
            yield "a version has not its boards"
        if {setup.seat_id: setup.net_points for setup in version.setups.all()} != right:
            yield "a version's net points are not those of its cards"


def _of_version(version: HandVersion) -> dict[Any, int]:
    return _nets(
        {
            setup.seat_id: frozenset(
                text[place : place + 2]
                for text in (setup.top, setup.middle, setup.bottom)
                for place in range(0, len(text), 2)
            )
            for setup in version.setups.all()
        }
    )


def _of_settlements() -> Iterator[str]:
    for session in Session.objects.all():
        live = Settlement.objects.filter(session=session, reversed_at=None).count()
        if live != (session.state == Session.State.SETTLED):
            yield f"a session that is {session.state} has {live} live settlements"
    for settlement in Settlement.objects.all():
        transfers = Transfer.objects.filter(source_id=settlement.pk)
        made, taken_back = transfers.filter(reverses=None).count(), transfers.exclude(reverses=None).count()
        if taken_back != (0 if settlement.reversed_at is None else made):
            yield f"of a settlement's {made} transfers {taken_back} are taken back"
        if made != settlement.pairs.exclude(transfer=None).count():
            yield f"a settlement made {made} transfers, its pairs name others"


def _of_balances() -> Iterator[str]:
    right: defaultdict[Any, int] = defaultdict(int)
    for session in Session.objects.filter(state=Session.State.SETTLED):
        players = dict(session.seats.values_list("pk", "player"))
        for hand in session.hands.select_related("current"):
            if not hand.current.is_void:
                for seat, points in _of_version(hand.current).items():
                    right[players[seat], session.currency] += points * session.point_value_minor
    for account in Account.objects.filter(kind=Account.Kind.PLAYER).select_related("player"):
        due = right.pop((account.player_id, account.currency), 0)
        if account.balance_minor != due:
            yield f"{account.player} holds {account.balance_minor}, the cards say {due}"
    if any(right.values()):
        yield "somebody who won or lost has no account"
