"""A session becomes money once: pair by pair, at its point value, in one transaction."""

import pytest
from django.core.exceptions import ValidationError

from accounts import ledger
from accounts.models import Account, Book, Transfer
from hands.models import Hand, Session
from hands.queries import hands_digest
from hands.services import close_session
from settlement.corrections import reopen_session
from settlement.models import SettledPair, Settlement
from settlement.services import request_settlement, settle_session
from tests.deals import ANA, BEN, EVENING, THREE, add_hand, ask_to_settle, done, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def balances(currency: str = "USD") -> dict[str, int]:
    accounts = Account.objects.filter(currency=currency).select_related("player")
    return {account.player.name: account.balance_minor for account in accounts}


def transfers() -> dict[tuple[str, str], int]:
    """What each loser owes each winner, in minor units."""
    rows = Transfer.objects.select_related("debit_account__player", "credit_account__player")
    return {(row.debit_account.player.name, row.credit_account.player.name): row.amount_minor for row in rows}


def nothing_is_written() -> bool:
    return not (
        Transfer.objects.exists()
        or Settlement.objects.exists()
        or SettledPair.objects.exists()
        or Account.objects.exists()
        or Book.objects.exclude(head_sequence=0).exists()
    )


def test_each_pairs_points_become_a_transfer_at_the_point_value(club):
    session = play(club)
    job = settle(session)
    assert (job.status, job.error) == ("done", "")
    # Ana +20 against Ben, +2 against Chi; Chi +20 against Ben; 50 cents a point.
    assert transfers() == {("Ben", "Ana"): 1000, ("Chi", "Ana"): 100, ("Ben", "Chi"): 1000}
    # Ana 10.00 + 1.00; Ben -10.00 - 10.00; Chi 10.00 - 1.00.
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}
    session.refresh_from_db()
    assert session.state == "settled"


def test_a_settlement_keeps_what_it_paid(club):
    session = play(club, [THREE, THREE])
    settle(session)
    session.refresh_from_db()
    settlement = Settlement.objects.get()
    assert (settlement.revision, settlement.hands) == (session.revision, 2)
    assert settlement.hands_digest == hands_digest(session)
    # Dated when the last hand was played: two hands of four minutes after 12:00.
    assert settlement.occurred_at.isoformat() == "2026-11-26T12:08:00+00:00"
    pairs = {
        (pair.winner.name, pair.loser.name): (pair.hands, pair.points, pair.transfer.amount_minor)
        for pair in settlement.pairs.all()
    }
    assert pairs == {("Ana", "Ben"): (2, 40, 2000), ("Ana", "Chi"): (2, 4, 200), ("Chi", "Ben"): (2, 40, 2000)}
    assert set(Transfer.objects.values_list("occurred_at", flat=True)) == {settlement.occurred_at}


def test_balances_add_up_to_zero_over_several_sessions(club):
    settle(play(club))
    settle(play(club, [{"Chi": BEN, "Ana": ANA}], point_value_minor=37))
    # The second: Ana +20 against Chi at 37 cents, 7.40.
    assert balances() == {"Ana": 1100 + 740, "Ben": -2000, "Chi": 900 - 740}
    assert sum(balances().values()) == 0


def test_settling_twice_does_nothing(club):
    session = play(club)
    first = settle(session)
    again = request_settlement(session=session)
    assert again.pk == first.pk
    done(again)
    assert settle_session(session_id=session.pk).pk == Settlement.objects.get().pk
    assert (Settlement.objects.count(), Transfer.objects.count()) == (1, 3)
    assert balances() == {"Ana": 1100, "Ben": -2000, "Chi": 900}


def test_asking_twice_before_the_worker_comes_is_one_job(club):
    session = play(club)
    job = ask_to_settle(session)
    assert request_settlement(session=session).pk == job.pk


def test_an_open_session_is_not_settled(club):
    session = play(club)
    with pytest.raises(ValidationError, match="Close the session first"):
        request_settlement(session=session)
    with pytest.raises(ValidationError, match="opened again"):
        settle_session(session_id=session.pk)
    assert nothing_is_written()


def test_a_session_reopened_after_the_request_is_not_settled(club):
    session = play(club)
    job = ask_to_settle(session)
    reopen_session(session=session, reason="a hand is missing")
    assert done(job).status == "failed"
    assert job.error == "The session was opened again; close it, then settle."
    assert nothing_is_written()


def test_a_request_counts_for_the_hands_that_were_seen(club):
    """Reopened, one hand more, closed again: the old request must not pay what nobody asked it to pay."""
    session = play(club)
    old = ask_to_settle(session)
    reopen_session(session=session, reason="a hand is missing")
    add_hand(session, THREE, EVENING)
    close_session(session=session)
    assert done(old).status == "failed"
    assert nothing_is_written()
    new = request_settlement(session=session)
    assert new.pk != old.pk
    assert done(new).status == "done"
    # Twice the hand: Ben owes each of the two 40 points of 50 cents.
    assert balances() == {"Ana": 2200, "Ben": -4000, "Chi": 1800}


def test_a_settled_session_takes_no_hand_and_does_not_open_without_a_reason(club):
    session = play(club)
    settle(session)
    with pytest.raises(ValidationError, match="closed"):
        add_hand(session, THREE, EVENING)
    with pytest.raises(ValidationError, match="Say why"):
        reopen_session(session=session, reason=" ")
    close_session(session=session)
    session.refresh_from_db()
    assert (session.state, Hand.objects.count()) == ("settled", 1)


def test_a_session_without_hands_settles_into_nothing(club):
    session = play(club, [])
    assert settle(session).status == "done"
    settlement = Settlement.objects.get()
    # No hand has a time, so the session's own counts.
    assert (settlement.hands, settlement.occurred_at) == (0, EVENING)
    assert (Transfer.objects.count(), SettledPair.objects.count()) == (0, 0)


def test_an_even_pair_is_kept_and_moves_no_money(club):
    # Ana and Ben change cards for the second hand: +20 and -20.
    session = play(club, [{"Ana": ANA, "Ben": BEN}, {"Ana": BEN, "Ben": ANA}])
    assert settle(session).status == "done"
    pair = SettledPair.objects.get()
    assert (pair.hands, pair.points, pair.transfer) == (2, 0, None)
    assert not Transfer.objects.exists()
    assert set(balances().values()) <= {0}


def test_an_amount_beyond_the_ledgers_bound_is_refused_whole(club):
    # 2 points of 500,000,000,000,000 are the bound itself, 20 points are beyond: Chi's debt must not be paid either.
    session = play(club, point_value_minor=5 * 10**14)
    job = settle(session)
    assert (job.status, job.error) == ("failed", "An amount of this session is too large to be kept.")
    assert nothing_is_written()
    session.refresh_from_db()
    assert session.state == "closed"


def test_the_largest_amount_is_kept_to_the_last_unit(club):
    # 20 points of 50,000,000,000,000 minor units are 10 ** 15, the bound.
    settle(play(club, [{"Ana": ANA, "Ben": BEN}], point_value_minor=5 * 10**13))
    assert balances() == {"Ana": 10**15, "Ben": -(10**15)}


def test_yen_have_no_decimals_and_an_account_of_their_own(club):
    settle(play(club))
    settle(play(club, point_value_minor=100, currency="JPY"))
    assert balances("JPY") == {"Ana": 2200, "Ben": -4000, "Chi": 1800}
    assert balances("USD") == {"Ana": 1100, "Ben": -2000, "Chi": 900}


def test_stored_balances_are_the_sums_of_their_transfers(club):
    settle(play(club, [THREE] * 3))
    for account in Account.objects.all():
        assert account.balance_minor == ledger.balance_before(account, EVENING.replace(year=2030))


def test_the_books_of_two_clubs_do_not_touch(club, stranger):
    theirs = stranger.memberships.get().club
    settle(play(club))
    session = play(theirs, [{"Ana": BEN, "Ben": ANA}])
    settle(session)
    held = Account.objects.filter(club=theirs).order_by("player__name")
    # There Ben won the 20 points.
    assert [account.balance_minor for account in held] == [-1000, 1000]
    assert Book.objects.get(club=theirs).head_sequence == 1
    assert Session.objects.filter(club=club).count() == 1
