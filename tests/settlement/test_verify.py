"""The attack list on the books: raw SQL past the guards, and what the verification says of it.

The books are those of the published deal (`tests/deals.py`), at 50 cents a point: entries 1 to 3 settle one
session, 4 to 6 another, 7 to 9 take the first back for a correction and 10 to 12 settle it anew. Ana and Ben
had their cards exchanged there, so Ben owes Ana nothing for it but the reverse.
"""

import uuid
from datetime import UTC, date, datetime
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from accounts import guards, ledger, services
from accounts.models import Account, Book, Player, Transfer
from hands.models import Hand, HandVersion, Setup
from jobs import queue
from jobs.models import Job
from settlement import book_checks, verify
from settlement.corrections import correct_hand, reverse_settlement
from settlement.models import SettledPair, Settlement, Statement, Verification
from settlement.services import request_statement
from tests.deals import THREE, done, play, settle
from tests.settlement.test_corrections import swapped

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def books(club):
    first, second = play(club), play(club, table="Second table")
    for session in (first, second):
        settle(session)
    hand = Hand.objects.select_related("current", "session__rule_set").get(session=first)
    correct_hand(hand=hand, based_on=1, deal=swapped(first), reason="Seats exchanged", author=None)
    print_statement()
    yield club
    # What an attack left behind need not pass the test runner's own look at foreign keys.
    transaction.set_rollback(True)


def print_statement() -> Statement:
    day = date(2026, 11, 26)
    statement = request_statement(
        player=Player.objects.get(name="Ana"), currency="USD", first_day=day, last_day=day, author=None
    )
    done(Job.objects.get(subject_id=statement.pk))
    return statement


def sql(statement: str, *values: object) -> None:
    """One statement past the code; ids as this database keeps them."""
    plain = [value.hex if isinstance(value, uuid.UUID) and connection.vendor == "sqlite" else value for value in values]
    with connection.cursor() as cursor:
        cursor.execute(statement, plain)


def take_guards_away() -> None:
    if connection.vendor == "sqlite":
        for name, *_rest in guards.RULES + guards.SQLITE_RULES:
            sql(f"DROP TRIGGER {name}")
        return
    sql("SET CONSTRAINTS ALL IMMEDIATE")
    sql("SET CONSTRAINTS ALL DEFERRED")
    for table in (guards.TRANSFER, guards.ACCOUNT):
        sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")


def finding(club) -> str:
    return verify.verify_club(club).finding


def transfer(sequence: int) -> Transfer:
    return Transfer.objects.get(sequence=sequence)


def rechain(club, first: int = 1) -> None:
    """What a careful forger does: every hash from ``first`` on made right again, and the book's head with them."""
    earlier = Transfer.objects.filter(club=club, sequence=first - 1).first()
    previous = earlier.hash if earlier else ledger.FIRST_HASH
    for row in Transfer.objects.filter(club=club, sequence__gte=first).order_by("sequence"):
        previous = ledger.chain_hash(previous, row)
        sql("UPDATE accounts_transfer SET hash = %s WHERE id = %s", previous, row.pk)
    sql("UPDATE accounts_book SET head_hash = %s WHERE club_id = %s", previous, club.pk)


def test_books_that_are_right_are_clean(books):
    verification = verify.verify_club(books)
    assert (verification.finding, verification.transfers, verification.settlements) == ("", 12, 3)


def test_an_empty_book_is_clean(club):
    assert finding(club) == ""


def test_an_edited_amount_is_named(books):
    take_guards_away()
    sql("UPDATE accounts_transfer SET amount_minor = amount_minor + 1 WHERE sequence = 5")
    assert finding(books).startswith(
        "Entry 5: its hash is not that of what it says and of the entry before it. Expected "
    )


@pytest.mark.parametrize("column", ["occurred_at", "posted_at"])
def test_an_edited_time_is_named(books, column):
    take_guards_away()
    sql(f"UPDATE accounts_transfer SET {column} = %s WHERE sequence = 5", "2026-01-01 00:00:00")
    assert finding(books).startswith("Entry 5: its hash")


def test_a_deleted_row_is_named(books):
    take_guards_away()
    sql("DELETE FROM settlement_settledpair WHERE transfer_id = %s", transfer(5).pk)
    sql("DELETE FROM accounts_transfer WHERE sequence = 5")
    assert finding(books) == "Entry 5: it is missing. Expected 5, found 6."


def cut_tail() -> None:
    take_guards_away()
    sql("DELETE FROM settlement_settledpair WHERE transfer_id = %s", transfer(12).pk)
    sql("DELETE FROM accounts_transfer WHERE sequence = 12")


def test_a_cut_tail_is_named(books):
    cut_tail()
    assert finding(books) == "Entry 12: it is missing; the book ends later. Expected 12, found 11."


def test_a_cut_tail_whose_head_was_moved_back_is_told_by_the_printed_statement(books):
    cut_tail()
    sql("UPDATE accounts_book SET head_sequence = 11, head_hash = %s", transfer(11).hash)
    # The forger mends everything else too: the pair owes nothing now, and the balances follow.
    mend_balances()
    Settlement.objects.filter(reversed_at=None).update(hands=0)
    assert "no such entry" in find_in(books, book_checks.check_printed_heads)
    assert finding(books), "and the cards know it as well"


def find_in(club, check) -> str:
    with pytest.raises(book_checks.Difference) as found:
        check(club.pk)
    return str(found.value)


def mend_balances() -> None:
    for account in Account.objects.all():
        sql(
            "UPDATE accounts_account SET balance_minor = %s WHERE id = %s",
            ledger.balance_before(account, datetime(2100, 1, 1, tzinfo=UTC)),
            account.pk,
        )


def test_a_chain_that_was_worked_out_anew_is_told_by_the_printed_statement(books):
    take_guards_away()
    sql("UPDATE accounts_transfer SET source_key = 'another' WHERE sequence = 12")
    rechain(books)
    assert finding(books).startswith(
        "Statement 1, which printed the head at entry 12: that entry has another hash now. Expected "
    )


def test_swapped_rows_are_named(books):
    take_guards_away()
    for one, other in ((2, 99), (3, 2), (99, 3)):
        sql("UPDATE accounts_transfer SET sequence = %s WHERE sequence = %s", other, one)
    assert finding(books).startswith("Entry 2: its hash")


def test_a_row_beyond_the_head_is_named(books):
    sql("UPDATE accounts_book SET head_sequence = 11, head_hash = %s", transfer(11).hash)
    assert finding(books) == "Entry 12: it comes after the book's head. Expected 11, found 12."


def test_a_changed_head_is_named(books):
    sql("UPDATE accounts_book SET head_hash = %s", "f" * 64)
    assert finding(books).startswith("The book's head: its hash is not that of the last entry.")


def test_a_changed_balance_is_named(books):
    take_guards_away()
    account = Account.objects.get(player__name="Ben")
    # Ben lost 20.00 in the second session and has 11.00 of the corrected first: 40 and 22 points of 50 cents.
    sql("UPDATE accounts_account SET balance_minor = 0 WHERE id = %s", account.pk)
    assert finding(books) == (
        "Account of Ben in USD: the stored balance is not the sum of its entries. Expected −$9.00, found $0.00."
    )


def test_an_account_that_went_to_another_club_is_named(books, owner):
    take_guards_away()
    other = services.create_club(owner=owner, name="Other")
    account = Account.objects.get(player__name="Ben")
    sql("UPDATE accounts_account SET club_id = %s WHERE id = %s", other.pk, account.pk)
    assert finding(books) == f"{account.pk}: entries name this account, but the club has no such account."


@pytest.mark.parametrize("card", ["2s", "Ah"])
def test_a_changed_card_of_a_settled_hand_is_named(books, card):
    # Whatever the card: also one that changes nobody's points.
    setup = Setup.objects.filter(version__hand__session__table="Second table").first()
    Setup.objects.filter(pk=setup.pk).update(top=card)
    assert "Settlement of Second table" in finding(books)
    assert "its hands are not those that were settled" in finding(books)


def test_a_version_that_nobody_settled_is_named(books):
    hand = Hand.objects.get(session__table="Second table")
    hidden = HandVersion.objects.create(
        hand=hand, version=2, played_at=hand.current.played_at, digest="", created_at=hand.current.created_at
    )
    Hand.objects.filter(pk=hand.pk).update(current=hidden)
    assert "its hands are not those that were settled" in finding(books)


def test_a_changed_pair_is_named(books):
    pair = SettledPair.objects.get(settlement__session__table="Second table", winner__name="Ana", loser__name="Chi")
    SettledPair.objects.filter(pk=pair.pk).update(points=3)
    assert "Chi's debt to Ana is not that of entry 5. Expected $1.50, found $1.00." in finding(books)


def test_a_pair_and_its_entry_changed_alike_are_told_by_the_cards(books):
    """The forger mends chain, balances and the printed head too; the cards still say 2 points."""
    take_guards_away()
    SettledPair.objects.filter(transfer=transfer(5)).update(points=4)
    sql("UPDATE accounts_transfer SET amount_minor = 200 WHERE sequence = 5")
    rechain(books)
    mend_balances()
    Statement.objects.update(head_hash=transfer(12).hash)
    assert "the cards say something else of Chi, Ana (points, hands). Expected (2, 1), found (4, 1)." in finding(books)


def test_a_pair_without_its_entry_is_named(books):
    SettledPair.objects.filter(transfer=transfer(5)).update(transfer=None)
    assert "Chi's debt to Ana has no entry. Expected $1.00, found —." in finding(books)


def test_an_entry_that_no_pair_owes_is_named(books):
    pair = SettledPair.objects.get(transfer=transfer(5))
    pair.delete()
    assert finding(books) == "Entry 5: no pair of its settlement owes it."


def test_an_entry_without_a_settlement_is_named(books):
    ana, ben = Account.objects.filter(player__name__in=["Ana", "Ben"]).order_by("player__name")
    entry = ledger.Entry(
        debit=ana,
        credit=ben,
        amount_minor=5,
        kind=Transfer.Kind.SETTLEMENT,
        source_id=uuid.uuid4(),
        source_key="none",
        occurred_at=transfer(1).occurred_at,
    )
    ledger.post(books.pk, [entry])
    assert finding(books) == "Entry 13: it settles a session, but no settlement is there."


def test_a_reversed_settlement_that_was_not_taken_back_is_named(books):
    Settlement.objects.filter(session__table="Second table").update(reversed_at=transfer(1).posted_at)
    # What the forger overlooks is named first by its entries, then by its session.
    assert finding(books) == "Entry 4: its settlement was reversed, but this entry was not."


def test_a_live_settlement_that_was_taken_back_is_named(books):
    settlement = Settlement.objects.get(session__table="Second table")
    reverse_settlement(settlement=settlement, reason="test")
    Settlement.objects.filter(pk=settlement.pk).update(reversed_at=None)
    assert finding(books) == "Entry 4: it was reversed, but its settlement stands."


def test_a_settled_session_without_its_settlement_is_named(books):
    settlement = Settlement.objects.get(session__table="Second table")
    reverse_settlement(settlement=settlement, reason="test")
    assert finding(books) == ""
    settlement.session.__class__.objects.filter(pk=settlement.session_id).update(state="settled")
    assert "its state is not that of its settlements" in finding(books)


def test_a_reversal_of_another_amount_is_named(books):
    take_guards_away()
    sql("UPDATE accounts_transfer SET amount_minor = amount_minor + 1 WHERE sequence = 8")
    rechain(books)
    mend_balances()
    Statement.objects.update(head_hash=transfer(12).hash)
    assert finding(books) == "Entry 8: it is not the opposite of what it reverses."


@pytest.mark.sqlite_only
def test_what_cannot_be_read_is_named(books):
    # PostgreSQL's columns keep their types.
    take_guards_away()
    sql("UPDATE accounts_transfer SET occurred_at = 'yesterday' WHERE sequence = 5")
    assert finding(books) == "Entry 5: it cannot be read."


def test_blocks_lead_to_the_same_end_and_a_job_goes_on_where_it_stopped(books, owner, monkeypatch):
    monkeypatch.setattr(book_checks, "TRANSFERS_A_BLOCK", 5)
    monkeypatch.setattr(book_checks, "SETTLEMENTS_A_BLOCK", 2)
    verification = verify.request_verification(club=books, author=owner)
    job = Job.objects.get(subject_id=verification.pk)
    assert (job.kind, job.club_id) == ("verify", books.pk)
    claim = queue.claim(job.pk)
    save = Verification.save

    def stumble(self, *arguments, **options):
        save(self, *arguments, **options)
        if self.transfers == 10:
            raise OSError("the machine stumbles")

    monkeypatch.setattr(Verification, "save", stumble)
    with pytest.raises(OSError):
        verify.run_verification(claim=claim)
    monkeypatch.setattr(Verification, "save", save)
    verification.refresh_from_db()
    assert verification.transfers == 5, "the second block was rolled back whole"
    read = []
    monkeypatch.setattr(book_checks, "chain_hash", lambda *pair: read.append(pair[1]) or ledger.chain_hash(*pair))
    claim.put_back("")
    Job.objects.update(not_before=job.created_at)
    assert done(job).status == "done"
    verification.refresh_from_db()
    assert [row.sequence for row in read] == list(range(6, 13)), "what was right before is not read again"
    assert (verification.transfers, verification.settlements, verification.finding) == (12, 3, "")
    assert verification.finished_at is not None
    assert (job.progress_done, job.progress_total) == (15, 15)


def test_a_finding_stands_in_the_verification_and_the_job_is_done(books, owner):
    sql("UPDATE accounts_book SET head_hash = %s", "f" * 64)
    verification = verify.request_verification(club=books, author=owner)
    assert done(Job.objects.get(subject_id=verification.pk)).status == "done"
    verification.refresh_from_db()
    assert verification.finding.startswith("The book's head")


def test_missing_guards_are_named_by_the_job(books, owner):
    take_guards_away()
    verification = verify.request_verification(club=books, author=owner)
    done(Job.objects.get(subject_id=verification.pk))
    verification.refresh_from_db()
    assert verification.finding.startswith("The database does not guard its ledger: account_")


def nightly() -> list[str]:
    verify.enqueue_nightly()
    return list(Job.objects.filter(kind="verify").order_by("created_at").values_list("key", flat=True))


def test_every_book_is_verified_once_a_day_of_its_club_grown_or_not(books):
    """The club is in Taipei, 8 hours before UTC; its day begins at four in the morning."""
    with time_machine.travel("2026-11-27T19:59:00Z", tick=False):  # 03:59 of the 28th there
        assert nightly() == nightly() == [f"verify/{books.pk}/2026-11-27"]
    done(Job.objects.get(kind="verify"))
    take_guards_away()
    with time_machine.travel("2026-11-27T20:00:00Z", tick=False):
        assert nightly()[1:] == nightly()[1:] == [f"verify/{books.pk}/2026-11-28"]
    done(Job.objects.latest("created_at"))
    first, second = Verification.objects.filter(club=books, requested_by=None).order_by("requested_at")
    assert (first.finding, bool(second.finding)) == ("", True)


def test_an_empty_book_is_not_verified_nightly(club):
    assert nightly() == []


def test_the_relay_knows_of_the_nightly_look():
    assert verify.enqueue_nightly in queue.HOURLY


def command(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("verify_ledger", *arguments, stdout=out, stderr=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


def test_the_command_counts_what_is_clean(books):
    assert command() == (0, f"Harbour Card Room ({books.pk}): clean (transfers: 12, settlements: 3)\n")


def test_the_command_names_a_finding_of_each_club(books, owner):
    other = services.create_club(owner=owner, name="Other")
    settle(play(other, [THREE]))
    Book.objects.update(head_hash="f" * 64)
    code, said = command()
    assert code == 1
    assert said.count("The book's head: its hash is not that of the last entry.") == 2
    code, said = command("--club", str(other.pk))
    assert code == 1
    assert "Harbour" not in said
    assert said.startswith(f"Other ({other.pk}): The book's head: ")


def test_the_command_names_missing_guards(books):
    take_guards_away()
    code, said = command()
    assert (code, "transfer_kept" in said, "clean (transfers: 12, settlements: 3)" in said) == (1, True, True)


def test_the_command_knows_no_such_club(db):
    with pytest.raises(CommandError, match="no such club"):
        command("--club", str(uuid.uuid4()))
