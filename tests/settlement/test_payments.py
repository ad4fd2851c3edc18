"""Payments: who may say that money changed hands, what the book says then, and what is still to be paid."""

import uuid

import pytest
from django.core import mail
from django.core.exceptions import ValidationError

from accounts.models import Account, Player, Transfer, User
from accounts.services import claim_player
from hands.models import Hand
from hands.queries import load_hands
from jobs.models import Job
from settlement import owing
from settlement.corrections import correct_hand
from settlement.models import Payment, Settlement
from settlement.payments import Wanted, cancel_payment, confirm_payment, owed_between, record_payments
from settlement.reminders import ask_reminder
from settlement.verify import verify_club
from tests.deals import done, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def settled(club):
    """The published deal at 50 cents a point: Ana +11.00, Ben -20.00, Chi +9.00."""
    session = play(club)
    settle(session)
    return session


def account(name: str) -> Account:
    return Account.objects.select_related("player").get(player__name=name, currency="USD")


def balances() -> dict[str, int]:
    held = Account.objects.filter(kind="player").select_related("player")
    return {one.player.name: one.balance_minor for one in held}


def want(payer: str, payee: str, amount_minor: int, **more) -> Wanted:
    return Wanted(uuid.uuid4(), account(payer), account(payee), amount_minor, **more)


def pay(club, author, *wanted, **more) -> list[Payment]:
    return record_payments(club=club, wanted=wanted, author=author, **more)


def person(name: str) -> User:
    """Somebody with a log-in who is the player of that name."""
    user = User.objects.create_user(f"{name.lower()}@example.com", "a long password")
    claim_player(player=Player.objects.get(name=name), user=user)
    return user


def dues(session) -> list[tuple[str, str, int]]:
    found = owing.session_owing(session, Settlement.objects.get(session=session, reversed_at=None))
    return [(line.payer.player.name, line.payee.player.name, line.amount_minor) for line in found.dues]


def code_of(error) -> list[str]:
    return [one.code for one in error.value.error_list]


def test_a_payment_is_a_transfer_the_other_way(club, owner, settled):
    (payment,) = pay(club, owner, want("Ben", "Ana", 1100, session=settled))
    assert payment.state == "paid"
    transfer = payment.transfer
    assert (transfer.debit_account, transfer.credit_account) == (account("Ana"), account("Ben"))
    assert balances() == {"Ana": 0, "Ben": -900, "Chi": 900}
    assert dues(settled) == [("Ben", "Chi", 900)]
    assert verify_club(club).finding == ""


def test_what_the_payer_says_waits_for_the_payee(club, settled):
    ben, ana = person("Ben"), person("Ana")
    (payment,) = pay(club, ben, want("Ben", "Ana", 1100, session=settled))
    assert (payment.state, payment.transfer) == ("pending", None)
    assert balances()["Ana"] == 1100
    assert dues(settled) == [("Ben", "Chi", 900)], "what waits counts as made"
    with pytest.raises(ValidationError, match="That is for the host and for Ana"):
        confirm_payment(payment=payment, author=ben)
    confirm_payment(payment=payment, author=ana)
    confirm_payment(payment=payment, author=ana)
    assert balances() == {"Ana": 0, "Ben": -900, "Chi": 900}


def test_what_the_payee_says_counts_at_once(club, settled):
    (payment,) = pay(club, person("Ana"), want("Ben", "Ana", 600))
    assert payment.state == "paid"


def test_nobody_else_says_it(club, settled):
    with pytest.raises(ValidationError, match="Only the host and the two people"):
        pay(club, person("Chi"), want("Ben", "Ana", 600))


def test_a_double_tap_makes_one_payment(club, owner, settled):
    wanted = want("Ben", "Ana", 1100)
    first, second = (pay(club, owner, wanted)[0] for _tap in range(2))
    assert first == second
    assert Transfer.objects.filter(kind="payment").count() == 1
    with pytest.raises(ValidationError, match="written down before"):
        pay(club, owner, Wanted(wanted.id, wanted.payer, wanted.payee, 1))


def test_many_of_a_list_are_written_down_all_or_none(club, owner, settled):
    with pytest.raises(ValidationError):
        pay(club, owner, want("Ben", "Ana", 1100), want("Ben", "Chi", 0))
    assert not Payment.objects.exists()
    pay(club, owner, want("Ben", "Ana", 1100), want("Ben", "Chi", 900))
    assert set(balances().values()) == {0}


def test_more_than_is_owed_is_asked_about(club, owner, settled):
    with pytest.raises(ValidationError, match=r"Ben and Ana are square after \$11.00; \$11.01 is more") as error:
        pay(club, owner, want("Ben", "Ana", 1101))
    assert code_of(error) == ["more_than_owed"]
    pay(club, owner, want("Ben", "Ana", 1101), accept_more=True)
    assert balances() == {"Ana": -1, "Ben": -899, "Chi": 900}
    # Ana has a cent too much, which is Chi's now: 8.99 + 0.01 = 9.00.
    assert [(one.payer, one.payee) for one in owing.club_owing(club, "USD").dues] == [
        (account("Ben"), account("Chi")),
        (account("Ana"), account("Chi")),
    ]


def test_what_waits_is_counted_before_more_is_taken(club, settled):
    ben = person("Ben")
    pay(club, ben, want("Ben", "Ana", 1000))
    assert owed_between(account("Ben"), account("Ana")) == 100
    with pytest.raises(ValidationError, match=r"square after \$1.00"):
        pay(club, ben, want("Ben", "Ana", 1000))


def test_three_refunds_of_one_payment_move_money_once(club, owner, settled):
    (payment,) = pay(club, owner, want("Ben", "Ana", 1100))
    for _time in range(3):
        cancel_payment(payment=Payment.objects.get(), reason="it bounced", author=owner)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}
    assert Transfer.objects.filter(reverses=payment.transfer).count() == 1
    assert verify_club(club).finding == ""


def test_what_was_paid_and_given_back_leaves_nothing(club, owner):
    # 112.00 at 56.00 a point: two points, so Chi owes Ana 112.00.
    session = play(club, [{"Ana": _ANA, "Chi": _CHI}], point_value_minor=5600)
    settle(session)
    assert balances() == {"Ana": 11200, "Chi": -11200}
    pay(club, owner, want("Chi", "Ana", 11200))
    pay(club, owner, want("Ana", "Chi", 11200), accept_more=True)
    pay(club, owner, want("Chi", "Ana", 11200))
    assert balances() == {"Ana": 0, "Chi": 0}


def test_a_cancelled_payment_can_not_be_confirmed_and_needs_a_reason(club, owner, settled):
    ben = person("Ben")
    (payment,) = pay(club, ben, want("Ben", "Ana", 1100))
    with pytest.raises(ValidationError, match="Say why"):
        cancel_payment(payment=payment, reason=" ", author=ben)
    cancel_payment(payment=payment, reason="wrong person", author=ben)
    with pytest.raises(ValidationError, match="was cancelled"):
        confirm_payment(payment=payment, author=owner)
    assert balances()["Ana"] == 1100


def test_the_payer_takes_nothing_back_that_arrived(club, owner, settled):
    (payment,) = pay(club, owner, want("Ben", "Ana", 1100))
    with pytest.raises(ValidationError, match="That is for the host and for Ana"):
        cancel_payment(payment=payment, reason="mine", author=person("Ben"))


def test_a_late_correction_leaves_payments_alone_and_shows_what_is_owed_now(club, owner, settled):
    pay(club, owner, want("Ben", "Ana", 1100, session=settled), want("Ben", "Chi", 900, session=settled))
    hand = Hand.objects.get()
    correct_hand(hand=hand, based_on=1, deal=None, reason="not this table", author=owner)
    assert Payment.objects.filter(state="paid").count() == 2
    # The void hand owes nobody anything, so both give back what they were paid.
    assert balances() == {"Ana": -1100, "Ben": 2000, "Chi": -900}
    assert dues(settled) == [("Ana", "Ben", 1100), ("Chi", "Ben", 900)]


def test_each_payment_opens_into_the_debts_that_it_covers(club, settled):
    settlement = Settlement.objects.get()
    reasons = owing.reasons_in(settlement, account("Ben"))
    # Ben lost 20 points to each: 10.00 and 10.00.
    assert [(one.other.player.name, one.amount_minor) for one in reasons] == [("Ana", -1000), ("Chi", -1000)]
    assert owing.reasons_of_balance(account("Ben"))[0].amount_minor == -1000
    assert sum(one.amount_minor for one in owing.reasons_of_balance(account("Chi"))) == 900


def test_the_text_for_a_chat(club, owner, settled):
    Player.objects.filter(name="Chi").update(payment_note="cash on Thursday")
    pay(club, person("Ben"), want("Ben", "Ana", 1100, session=settled))
    found = owing.session_owing(settled, Settlement.objects.get())
    assert owing.as_text("Thursday table, 26 Nov", found.dues, found.payments) == (
        "Thursday table, 26 Nov\nBen pays Ana $11.00 (not confirmed yet)\nBen pays Chi $9.00 (cash on Thursday)"
    )


def test_a_reminder_goes_out_once_a_day_while_something_is_owed(club, owner, settled):
    with pytest.raises(ValidationError, match="Ben has no log-in here"):
        ask_reminder(payer=account("Ben"), payee=account("Ana"), session=settled, author=owner)
    person("Ben")
    ask_reminder(payer=account("Ben"), payee=account("Ana"), session=settled, author=owner)
    with pytest.raises(ValidationError, match="Ben was reminded today already"):
        ask_reminder(payer=account("Ben"), payee=account("Ana"), session=settled, author=owner)
    assert done(Job.objects.get(kind="notice")).status == "done"
    (letter,) = mail.outbox
    assert letter.to == ["ben@example.com"]
    assert letter.subject == "A reminder: you owe Ana $11.00"
    with pytest.raises(ValidationError, match="Nothing is open"):
        ask_reminder(payer=account("Ana"), payee=account("Ben"), session=None, author=owner)


def test_a_deactivated_players_sessions_stay_and_the_balance_can_be_paid(club, owner, settled):
    from accounts.services import players_named, set_active

    set_active(player=Player.objects.get(name="Ben"), is_active=False)
    with pytest.raises(ValidationError, match="Ben is deactivated"):
        players_named(club=club, names={1: "ben"})
    pay(club, owner, want("Ben", "Ana", 1100), want("Ben", "Chi", 900))
    assert set(balances().values()) == {0}
    assert [seat.name for seat in next(load_hands(Hand.objects.all())).seats] == ["Ana", "Ben", "Chi"]


_ANA = {"top": ["7h"], "middle": ["9h", "Ad"], "bottom": ["3c", "5s", "3s", "7d"]}
_CHI = {"top": ["Kh"], "middle": ["Kd", "Kc"], "bottom": ["Qh", "Qd", "9c", "9d"]}
