"""The bank of a session: chips are bought from it, and what is left of them is cashed in."""

from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.faults import fault
from accounts.models import Account, Player, User
from accounts.money import format_money
from hands.models import Hand, Session
from hands.queries import load_hands
from settlement.models import Payment
from settlement.payments import Wanted, lock_open_session, payments_of, record_payments
from settlement.services import outcome_of

HOUSE: Final = "house"


@transaction.atomic
def record_at_bank(*, session: Session, one: Wanted, author: User | None) -> Payment:
    """A buy-in (``one.payee`` is the bank) or a cash-out (``one.payer`` is). Only while the session is open.

    Raises ``ValidationError`` as ``record_payments`` does.
    """
    # The session's row first, as everywhere: a close and a buy-in cannot pass each other.
    lock_open_session(session)
    return record_payments(club=session.club, wanted=[one], author=author)[0]


def bank_of(session: Session) -> Account:
    """The club's bank account in the session's currency; opened when it is new."""
    return ledger.club_account(session.club_id, session.currency, Account.Kind.BANK)


def holders(session: Session) -> dict[str, str]:
    """Who may buy and cash chips: the players of the session and the house, each key with its name."""
    seated = Player.objects.filter(seats__session=session).distinct().order_by("name_key", "pk")
    return {str(player.pk): player.name for player in seated} | {HOUSE: str(Account.Kind.HOUSE.label).capitalize()}


def account_of(session: Session, holder: str) -> Account:
    """The account of one of ``holders``; opened when it is new."""
    if holder == HOUSE:
        return ledger.club_account(session.club_id, session.currency, Account.Kind.HOUSE)
    return ledger.player_account(Player.objects.get(pk=holder, club=session.club), session.currency)


@dataclass
class BankLine:
    """One holder at the bank, in minor units. ``missing_minor`` is what still has to be cashed in (or too much)."""

    name: str
    bought_minor: int = 0
    cashed_minor: int = 0
    won_minor: int = 0

    @property
    def missing_minor(self) -> int:
        return self.bought_minor + self.won_minor - self.cashed_minor


@dataclass(frozen=True)
class Bank:
    """A session's bank: its holders, and what it holds still (above zero) or gave out too much (below)."""

    lines: list[BankLine]

    @property
    def bought_minor(self) -> int:
        return sum(line.bought_minor for line in self.lines)

    @property
    def cashed_minor(self) -> int:
        return sum(line.cashed_minor for line in self.lines)

    @property
    def held_minor(self) -> int:
        return self.bought_minor - self.cashed_minor

    @property
    def differing(self) -> list[BankLine]:
        """Where to look: whose cash-out is not their buy-ins and result together."""
        return [line for line in self.lines if line.missing_minor]


def look_into_bank(session: Session) -> Bank | None:
    """What was bought and cashed, held against what the hands say each holder has; None where nobody bought chips."""
    moves = [one for one in payments_of(session) if one.kind != Payment.Kind.PAYMENT]
    if not moves:
        return None
    names = holders(session)
    lines: dict[str, BankLine] = {}

    def line(holder: str) -> BankLine:
        return lines.setdefault(holder, BankLine(names[holder]))

    for one in moves:
        is_buy_in = one.kind == Payment.Kind.BUY_IN
        player_id = (one.payer if is_buy_in else one.payee).player_id
        of_holder = line(str(player_id) if player_id else HOUSE)
        if is_buy_in:
            of_holder.bought_minor += one.amount_minor
        else:
            of_holder.cashed_minor += one.amount_minor
    outcome = outcome_of(session, list(load_hands(Hand.objects.filter(session=session))))
    for player_id, won_minor in outcome.results().items():
        if won_minor:
            line(str(player_id)).won_minor += won_minor
    if taken_minor := sum(outcome.taken.values()):
        line(HOUSE).won_minor += taken_minor
    return Bank(sorted(lines.values(), key=lambda one: one.name.casefold()))


def check_bank(session: Session) -> None:
    """Raise ``ValidationError`` (code ``bank_differs``) while what came in is not what went out."""
    bank = look_into_bank(session)
    if bank is None or not bank.held_minor:
        return
    amount = format_money(abs(bank.held_minor), session.currency)
    sentence = (
        _("The bank still holds %(amount)s.") if bank.held_minor > 0 else _("The bank gave out %(amount)s too much.")
    )
    places = ", ".join(
        f"{line.name} {format_money(line.missing_minor, session.currency, sign=True)}" for line in bank.differing
    )
    where = _("Look at: %(places)s.") % {"places": places} if places else ""
    raise fault("", "bank_differs", f"{sentence % {'amount': amount}} {where}".strip())
