"""What must be true of a club's books: each check raises ``Difference`` at the first thing that is not so."""

import uuid
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils.translation import gettext as _

from accounts.ledger import FIRST_HASH, chain_hash
from accounts.models import Account, Book, Player, Transfer
from accounts.money import format_money
from hands.house_money import HouseMoney, house_money_of
from hands.models import Hand, Session
from hands.queries import hands_digest, load_hands
from settlement.models import SettledPair, Settlement, Statement, Verification
from settlement.services import outcome_of

TRANSFERS_A_BLOCK: Final = 5000
SETTLEMENTS_A_BLOCK: Final = 20


@dataclass
class Difference(Exception):
    """What is not as it must be: ``where`` names the row or the account, the rest says how it differs."""

    where: str
    sentence: str
    expected: object = ""
    found: object = ""

    def __str__(self) -> str:
        words = f"{self.where}: {self.sentence}"
        if self.expected == self.found:
            return words
        held = {"expected": self.expected, "found": self.found}
        return f"{words} {_('Expected %(expected)s, found %(found)s.') % held}"


def check_chain_block(verification: Verification) -> bool:
    """Work the hashes of the next transfers out again; at the chain's end hold it against the book's head."""
    club_id, sequence, previous = verification.club_id, verification.transfers, verification.chain_hash or FIRST_HASH
    read = 0
    try:
        rows = Transfer.objects.filter(club=club_id, sequence__gt=sequence).order_by("sequence")
        for transfer in rows[:TRANSFERS_A_BLOCK].iterator(chunk_size=TRANSFERS_A_BLOCK):
            read, sequence = read + 1, sequence + 1
            if transfer.sequence != sequence:
                raise Difference(_entry(sequence), _("it is missing."), sequence, transfer.sequence)
            previous = chain_hash(previous, transfer)
            if transfer.hash != previous:
                raise Difference(
                    _entry(sequence),
                    _("its hash is not that of what it says and of the entry before it."),
                    _short(previous),
                    _short(transfer.hash),
                )
            verification.transfers, verification.chain_hash = sequence, previous
    except (ValueError, TypeError, AttributeError):
        # Only SQLite keeps a text where a time or an id should be.
        raise Difference(_entry(verification.transfers + 1), _("it cannot be read.")) from None
    if read == TRANSFERS_A_BLOCK:
        return False
    _check_book(club_id, sequence, previous)
    return True


def _check_book(club_id: uuid.UUID, sequence: int, last_hash: str) -> None:
    book = Book.objects.filter(club=club_id).first()
    where = _("The book's head")
    if book is None:
        raise Difference(where, _("the club has no book."))
    if book.head_sequence > sequence:
        raise Difference(_entry(sequence + 1), _("it is missing; the book ends later."), book.head_sequence, sequence)
    if book.head_sequence < sequence:
        raise Difference(
            _entry(book.head_sequence + 1), _("it comes after the book's head."), book.head_sequence, sequence
        )
    if book.head_hash != last_hash:
        raise Difference(where, _("its hash is not that of the last entry."), _short(last_hash), _short(book.head_hash))
    if early := Transfer.objects.filter(club=club_id, sequence__lt=1).first():
        raise Difference(_entry(early.sequence), _("it comes before the first entry."))


def check_settlements_block(verification: Verification) -> bool:
    rows = Settlement.objects.filter(session__club=verification.club_id).order_by("pk")
    if verification.after:
        rows = rows.filter(pk__gt=verification.after)
    read = list(rows.select_related("session__rule_set")[:SETTLEMENTS_A_BLOCK])
    for settlement in read:
        _check_settlement(settlement)
        verification.after = settlement.pk
        verification.settlements += 1
    return len(read) < SETTLEMENTS_A_BLOCK


def _check_settlement(settlement: Settlement) -> None:
    """Its pairs and its transfers are one to one; while it stands, all of them follow from the hands."""
    session = settlement.session
    where = _("Settlement of %(table)s, revision %(revision)d (%(id)s)") % {
        "table": session.table,
        "revision": settlement.revision,
        "id": settlement.pk,
    }
    pairs = list(
        SettledPair.objects.filter(settlement=settlement).select_related(
            "winner", "loser", "transfer__debit_account", "transfer__credit_account"
        )
    )
    terms = house_money_of(session.rule_set)
    for pair in pairs:
        _check_pair(where, pair, session, terms)
    posted = Transfer.objects.filter(source_id=settlement.pk, reverses=None).select_related(
        "debit_account", "credit_account"
    )
    between = {Account.Kind.PLAYER}
    for transfer in posted.exclude(settled_pair__settlement=settlement).order_by("sequence"):
        if {transfer.debit_account.kind, transfer.credit_account.kind} == between:
            raise Difference(_entry(transfer.sequence), _("no pair of its settlement owes it."))
    if settlement.reversed_at is None:
        _check_hands(where, settlement, pairs, posted)


def _check_pair(where: str, pair: SettledPair, session: Session, terms: HouseMoney) -> None:
    """Under a cap a pair may pay less than it owes, and out of stakes more, by who was short in which hand.

    How much it is, its hands tell while its settlement stands.
    """
    is_capped = terms.needs_pairs
    currency = session.currency
    amount_minor = pair.points * session.point_value_minor
    who = {"loser": pair.loser.name, "winner": pair.winner.name}
    transfer = pair.transfer
    if transfer is None:
        if amount_minor and not is_capped:
            raise Difference(
                where, _("%(loser)s's debt to %(winner)s has no entry.") % who, _money(amount_minor, currency), "—"
            )
        return
    is_more, is_less = transfer.amount_minor > amount_minor, transfer.amount_minor < amount_minor
    if (is_more and not terms.table_stakes) or (is_less and not is_capped):
        raise Difference(
            where,
            _("%(loser)s's debt to %(winner)s is not that of entry %(entry)d.") % (who | {"entry": transfer.sequence}),
            _money(amount_minor, currency),
            _money(transfer.amount_minor, currency),
        )
    sides = (transfer.debit_account.player_id, transfer.credit_account.player_id)
    if (*sides, transfer.source_id, transfer.kind) != (
        pair.loser_id,
        pair.winner_id,
        pair.settlement_id,
        Transfer.Kind.SETTLEMENT,
    ):
        raise Difference(_entry(transfer.sequence), _("it is not %(loser)s's debt to %(winner)s.") % who)


def _check_hands(where: str, settlement: Settlement, pairs: list[SettledPair], posted: QuerySet[Transfer]) -> None:
    """Score the hands again; their pair sums are the pairs that were settled, and nothing else was moved."""
    session = settlement.session
    digest = hands_digest(session)
    if digest != settlement.hands_digest:
        raise Difference(
            where,
            _("its hands are not those that were settled."),
            _short(settlement.hands_digest),
            _short(digest),
        )
    hands = list(load_hands(Hand.objects.filter(session=session)))
    if len(hands) != settlement.hands:
        raise Difference(where, _("it counts other hands."), len(hands), settlement.hands)
    scored = outcome_of(session, hands)
    owed = {_pair_key(debt.loser, debt.winner, debt.points): (debt.points, debt.hands) for debt in scored.debts}
    kept = {_pair_key(pair.loser_id, pair.winner_id, pair.points): (pair.points, pair.hands) for pair in pairs}
    for key in sorted(owed.keys() | kept.keys(), key=str):
        if owed.get(key) != kept.get(key):
            names = Player.objects.in_bulk(key)
            who = ", ".join(names[player].name for player in key)
            raise Difference(
                where,
                _("the cards say something else of %(players)s (points, hands).") % {"players": who},
                owed.get(key, "—"),
                kept.get(key, "—"),
            )
    moved: dict[uuid.UUID, int] = {}
    for transfer in posted:
        for account, sign in ((transfer.debit_account, -1), (transfer.credit_account, 1)):
            if account.player_id is not None:
                moved[account.player_id] = moved.get(account.player_id, 0) + sign * transfer.amount_minor
    right = scored.results()
    for player_id in sorted(right.keys() | moved.keys(), key=str):
        if right.get(player_id, 0) != moved.get(player_id, 0):
            raise Difference(
                where,
                _("the entries of %(player)s are not what the session comes to.")
                % {"player": Player.objects.get(pk=player_id).name},
                _money(right.get(player_id, 0), session.currency),
                _money(moved.get(player_id, 0), session.currency),
            )


def _pair_key(loser: uuid.UUID, winner: uuid.UUID, points: int) -> tuple[uuid.UUID, ...]:
    """Loser and winner; of an even pair nobody is either."""
    return (loser, winner) if points else tuple(sorted([loser, winner]))


def check_printed_heads(club_id: uuid.UUID) -> None:
    """Every head that a statement printed is the hash of that entry."""
    entry = Transfer.objects.filter(club=OuterRef("club"), sequence=OuterRef("head_sequence"))
    printed = Statement.objects.filter(club=club_id, head_sequence__isnull=False)
    wrong = (
        printed.annotate(hash=Subquery(entry.values("hash")[:1]))
        .exclude(head_sequence=0, head_hash=FIRST_HASH)
        .filter(Q(hash=None) | ~Q(hash=F("head_hash")))
        .order_by("head_sequence", "number")
        .first()
    )
    if wrong is None:
        return
    where = _("Statement %(number)s, which printed the head at entry %(entry)d") % {
        "number": wrong.number,
        "entry": wrong.head_sequence,
    }
    if wrong.hash is None:
        raise Difference(where, _("there is no such entry any more."))
    raise Difference(where, _("that entry has another hash now."), _short(wrong.head_hash), _short(wrong.hash))


def check_balances(club_id: uuid.UUID) -> None:
    """Every stored balance is credits less debits; table accounts are even; a currency adds up to zero."""
    transfers = Transfer.objects.filter(club=club_id)
    right: dict[uuid.UUID, int] = dict(_sums(transfers, "credit_account"))
    for account_id, amount_minor in _sums(transfers, "debit_account"):
        right[account_id] = right.get(account_id, 0) - amount_minor
    totals: dict[str, int] = {}
    for account in Account.objects.filter(club=club_id).select_related("player").order_by("pk"):
        name = account.player.name if account.player else account.get_kind_display()
        where = _("Account of %(name)s in %(currency)s") % {"name": name, "currency": account.currency}
        balance_minor = right.pop(account.pk, 0)
        if account.balance_minor != balance_minor:
            raise Difference(
                where,
                _("the stored balance is not the sum of its entries."),
                _money(balance_minor, account.currency),
                _money(account.balance_minor, account.currency),
            )
        if account.kind == Account.Kind.TABLE and balance_minor:
            raise Difference(
                where,
                _("a table's account must return to zero."),
                _money(0, account.currency),
                _money(balance_minor, account.currency),
            )
        totals[account.currency] = totals.get(account.currency, 0) + balance_minor
    for account_id in right:
        raise Difference(str(account_id), _("entries name this account, but the club has no such account."))
    for currency, total_minor in totals.items():
        if total_minor:
            raise Difference(
                currency,
                _("the balances of all accounts must add up to zero."),
                _money(0, currency),
                _money(total_minor, currency),
            )


def _sums(transfers: QuerySet[Transfer], side: str) -> Any:
    return transfers.order_by().values_list(side).annotate(sum=Sum("amount_minor"))


def check_reversals(club_id: uuid.UUID) -> None:
    """What was settled was reversed exactly where its settlement was, once, and by its opposite."""
    transfers = Transfer.objects.filter(club=club_id).order_by("sequence")
    settlements = Settlement.objects.filter(session__club=club_id)
    settled = transfers.filter(kind=Transfer.Kind.SETTLEMENT)
    reversals = transfers.filter(kind=Transfer.Kind.REVERSAL)
    stands = settlements.filter(reversed_at=None).values("pk")
    taken_back = settlements.exclude(reversed_at=None).values("pk")
    twice = transfers.exclude(reverses=None).order_by().values("reverses").annotate(count=Count("pk"))
    for rows, sentence in (
        (
            settled.exclude(source_id__in=settlements.values("pk")),
            _("it settles a session, but no settlement is there."),
        ),
        (
            settled.filter(source_id__in=taken_back, reversed_by=None),
            _("its settlement was reversed, but this entry was not."),
        ),
        (
            settled.filter(source_id__in=stands).exclude(reversed_by=None),
            _("it was reversed, but its settlement stands."),
        ),
        (
            reversals.exclude(
                reverses__amount_minor=F("amount_minor"),
                reverses__debit_account=F("credit_account"),
                reverses__credit_account=F("debit_account"),
            ),
            _("it is not the opposite of what it reverses."),
        ),
        (transfers.filter(pk__in=twice.filter(count__gt=1).values("reverses")), _("it was reversed more than once.")),
    ):
        if wrong := rows.first():
            raise Difference(_entry(wrong.sequence), sentence)


def check_states(club_id: uuid.UUID) -> None:
    """A session is settled exactly while a settlement of it stands."""
    sessions = Session.objects.filter(club=club_id)
    stands = Settlement.objects.filter(session__club=club_id, reversed_at=None).values("session")
    settled = Q(state=Session.State.SETTLED)
    wrong = sessions.filter(settled & ~Q(pk__in=stands) | ~settled & Q(pk__in=stands)).order_by("pk").first()
    if wrong:
        where = _("Session %(table)s (%(id)s)") % {"table": wrong.table, "id": wrong.pk}
        raise Difference(where, _("its state is not that of its settlements."))


def _entry(sequence: int) -> str:
    return _("Entry %(number)s") % {"number": sequence}


def _short(digest: str) -> str:
    return digest[:12]


def _money(amount_minor: object, currency: str) -> str:
    # Only SQLite keeps something else where a number should be.
    return format_money(amount_minor, currency) if isinstance(amount_minor, int) else str(amount_minor)
