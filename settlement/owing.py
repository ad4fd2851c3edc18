"""Who owes what, and who pays whom: of a session, and of all open balances of a club in a currency."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import Account, Club, Merge, Player, Transfer
from accounts.money import format_money
from hands.models import Hand, Session
from hands.queries import load_hands
from settlement.amounts import Outcome
from settlement.fewest import Due, fewest_payments, still_due
from settlement.models import Payment, Settlement
from settlement.payments import holder_name, payments_of
from settlement.services import outcome_of

# A holder as the pure functions want it: sorted as people are looked for, and known by its account.
Holder = tuple[str, uuid.UUID]


@dataclass(frozen=True)
class DueLine:
    """One line of "who pays whom". ``is_open`` is false where both are square by other payments already."""

    payer: Account
    payee: Account
    amount_minor: int
    is_open: bool = True
    # For the form: what its payment will be called, so that a double tap makes one.
    payment_id: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def value(self) -> str:
        return f"{self.payment_id}:{self.payer.pk}:{self.payee.pk}:{self.amount_minor}"


@dataclass(frozen=True)
class Owing:
    """Who pays whom: what was paid or waits for a word, what is left, and what each balance is made of."""

    nets: dict[uuid.UUID, int]
    accounts: dict[uuid.UUID, Account]
    payments: list[Payment]
    dues: list[DueLine]

    @property
    def total_minor(self) -> int:
        """Everything on the list, paid and open."""
        return sum(line.amount_minor for line in self.dues) + sum(one.amount_minor for one in self.payments)


def session_owing(session: Session, settlement: Settlement) -> Owing:
    """The fewest payments that square what this settlement moved, less what was paid for the session since.

    A payment stays when a hand is corrected later: what is owed then is worked out from both.
    """
    moved = list(
        Transfer.objects.filter(source_id=settlement.pk, reverses=None).select_related(
            "debit_account__player", "credit_account__player"
        )
    )
    nets: dict[uuid.UUID, int] = {}
    accounts: dict[uuid.UUID, Account] = {}
    for transfer in moved:
        for account, sign in ((transfer.debit_account, -1), (transfer.credit_account, 1)):
            if account.kind != Account.Kind.TABLE:
                accounts[account.pk] = account
                nets[account.pk] = nets.get(account.pk, 0) + sign * transfer.amount_minor
    paid = [one for one in payments_of(session) if one.kind == Payment.Kind.PAYMENT]
    for one in paid:
        accounts |= {one.payer.pk: one.payer, one.payee.pk: one.payee}
    instead = _kept_instead(accounts.values())
    accounts |= {account.pk: account for account in instead.values()}

    def holder(key: uuid.UUID) -> Holder:
        account = instead.get(key, accounts[key])
        return holder_name(account).casefold(), account.pk

    by_holder: dict[Holder, int] = {}
    for key, net_minor in nets.items():
        by_holder[holder(key)] = by_holder.get(holder(key), 0) + net_minor
    made = [Due(holder(one.payer_id), holder(one.payee_id), one.amount_minor) for one in paid]
    dues = [
        DueLine(
            accounts[due.payer[1]],
            accounts[due.payee[1]],
            due.amount_minor,
            is_open=accounts[due.payer[1]].balance_minor < 0 < accounts[due.payee[1]].balance_minor,
        )
        for due in still_due(by_holder, made)
    ]
    return Owing(nets, accounts, paid, dues)


@dataclass(frozen=True)
class RunningDue:
    """What one would pay the other if the session ended now, by name: nothing of it is in the book."""

    payer: str
    payee: str
    amount_minor: int


def running_dues(session: Session, outcome: Outcome | None = None) -> list[RunningDue]:
    """The fewest payments that would square the session's results so far, the house's part among them.

    ``outcome`` is the session's, where it is worked out already. Raises ``ValidationError`` where `outcome_of` does.
    """
    if outcome is None:
        outcome = outcome_of(session, list(load_hands(Hand.objects.filter(session=session))))
    results = outcome.results()
    names = {pk: player.name for pk, player in Player.objects.in_bulk(results).items()}
    by_holder = {(names[pk].casefold(), pk, names[pk]): minor for pk, minor in results.items()}
    if taken_minor := sum(outcome.taken.values()):
        house = str(Account.Kind.HOUSE.label).capitalize()
        # No player has the nil key, so that a player who is called like the house stays a person.
        by_holder[house.casefold(), uuid.UUID(int=0), house] = taken_minor
    return [RunningDue(due.payer[2], due.payee[2], due.amount_minor) for due in fewest_payments(by_holder)]


def _kept_instead(accounts: Iterable[Account]) -> dict[uuid.UUID, Account]:
    """For accounts of merged players: the account of the name that was kept."""
    merged = {account.player_id: account for account in accounts if account.player_id is not None}
    found = {}
    for merge in Merge.objects.filter(merged__in=merged, undone_at=None):
        account = merged[merge.merged_id]
        kept = Account.objects.filter(player=merge.kept_id, currency=account.currency, kind=Account.Kind.PLAYER)
        found[account.pk] = kept.select_related("player").get()
    return found


def club_owing(club: Club, currency: str) -> Owing:
    """The fewest payments that square every open balance of the club in that currency.

    Payments that wait for a word count as made. Chips in play are no debt: what was bought and cashed in sessions
    that are not settled yet is left out.
    """
    mine = Payment.objects.filter(club=club, currency=currency).select_related("payer__player", "payee__player")
    waiting = list(mine.filter(state=Payment.State.PENDING).order_by("recorded_at", "pk"))
    in_play = mine.exclude(kind=Payment.Kind.PAYMENT).filter(state=Payment.State.PAID)
    in_play = in_play.exclude(session__state=Session.State.SETTLED)
    held = Account.objects.filter(club=club, currency=currency).exclude(balance_minor=0).select_related("player")
    accounts = {account.pk: account for account in held}
    nets = {key: account.balance_minor for key, account in accounts.items()}
    for payments, sign in ((waiting, 1), (in_play, -1)):
        for one in payments:
            accounts |= {account.pk: account for account in (one.payer, one.payee) if account.pk not in accounts}
            nets[one.payer_id] = nets.get(one.payer_id, 0) + sign * one.amount_minor
            nets[one.payee_id] = nets.get(one.payee_id, 0) - sign * one.amount_minor
    balances = {(holder_name(accounts[key]).casefold(), key): net_minor for key, net_minor in nets.items()}
    dues = [
        DueLine(accounts[due.payer[1]], accounts[due.payee[1]], due.amount_minor) for due in fewest_payments(balances)
    ]
    return Owing(nets, accounts, waiting, dues)


def currencies_in_use(club: Club) -> list[str]:
    """The currencies in which the club holds accounts."""
    return list(Account.objects.filter(club=club).order_by("currency").values_list("currency", flat=True).distinct())


@dataclass(frozen=True)
class Reason:
    """One entry that a balance is made of, as its holder sees it."""

    transfer: Transfer
    other: Account
    amount_minor: int


MOST_REASONS = 60


def reasons_in(settlement: Settlement, account: Account) -> list[Reason]:
    """What an account was moved by in a settlement; they sum to its net there."""
    mine = Q(debit_account=account) | Q(credit_account=account)
    rows = Transfer.objects.filter(mine, source_id=settlement.pk, reverses=None).order_by("sequence")
    return _reasons(rows.select_related("debit_account__player", "credit_account__player"), account)


def reasons_of_balance(account: Account) -> list[Reason]:
    """The entries since the balance was last zero, the oldest first; they sum to it. Empty when they are too many."""
    mine = Q(debit_account=account) | Q(credit_account=account)
    rows = Transfer.objects.filter(mine).select_related("debit_account__player", "credit_account__player")
    found: list[Reason] = []
    left = account.balance_minor
    for reason in _reasons(rows.order_by("-sequence")[:MOST_REASONS], account):
        if not left:
            break
        found.append(reason)
        left -= reason.amount_minor
    return [] if left else found[::-1]


def _reasons(rows: Iterable[Transfer], account: Account) -> list[Reason]:
    return [
        Reason(transfer, transfer.debit_account, transfer.amount_minor)
        if transfer.credit_account_id == account.pk
        else Reason(transfer, transfer.credit_account, -transfer.amount_minor)
        for transfer in rows
    ]


def as_text(title: str, dues: Sequence[DueLine], payments: Sequence[Payment] = ()) -> str:
    """The list for a chat: one payment a line, with how the payee likes to be paid."""
    lines = [title]
    for one in payments:
        words = _("%(payer)s pays %(payee)s %(amount)s (done)")
        if one.state == Payment.State.PENDING:
            words = _("%(payer)s pays %(payee)s %(amount)s (not confirmed yet)")
        lines.append(words % _words(one.payer, one.payee, one.amount_minor))
    for line in dues:
        text = _("%(payer)s pays %(payee)s %(amount)s") % _words(line.payer, line.payee, line.amount_minor)
        player = line.payee.player
        how = ", ".join(filter(None, [player.payment_note, player.payment_link])) if player else ""
        lines.append(f"{text} ({how})" if how else text)
    if not dues:
        lines.append(_("Nothing is left to pay."))
    return "\n".join(lines)


def _words(payer: Account, payee: Account, amount_minor: int) -> dict[str, str]:
    return {
        "payer": holder_name(payer),
        "payee": holder_name(payee),
        "amount": format_money(amount_minor, payer.currency),
    }
