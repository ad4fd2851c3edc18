"""The ledger's rules: those of the code, and those of the database itself against raw SQL."""

import uuid
from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts import guards, ledger, services
from accounts.ledger import Entry
from accounts.models import Account, Book, Player, Transfer

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVENING = datetime(2026, 11, 26, 22, 14, tzinfo=UTC)


@pytest.fixture
def accounts(club):
    """Ana, Ben and Chi with a dollar account each."""
    players = [services.add_player(club=club, name=name) for name in ("Ana", "Ben", "Chi")]
    by_player = ledger.player_accounts(players, "USD")
    return [by_player[player.pk] for player in players]


def entry(debit: Account, credit: Account, amount_minor: int = 100, **more) -> Entry:
    fields = {
        "kind": "settlement",
        "source_id": uuid.uuid4(),
        "source_key": str(uuid.uuid4()),
        "occurred_at": EVENING,
    } | more
    return Entry(debit=debit, credit=credit, amount_minor=amount_minor, **fields)


def balance(account: Account) -> int:
    return Account.objects.get(pk=account.pk).balance_minor


def test_a_transfer_moves_its_amount_from_debit_to_credit(club, accounts):
    ana, ben, chi = accounts
    ledger.post(club.pk, [entry(ana, ben, 1750), entry(ben, chi, 50)])
    # ana -17.50; ben +17.50 - 0.50; chi +0.50
    assert [balance(account) for account in accounts] == [-1750, 1700, 50]


def test_the_chain_is_the_hash_of_everything_before(club, accounts):
    ana, ben, _chi = accounts
    ledger.post(club.pk, [entry(ana, ben)])
    ledger.post(club.pk, [entry(ben, ana), entry(ana, ben)])
    previous = ledger.FIRST_HASH
    for sequence, transfer in enumerate(Transfer.objects.filter(club=club).order_by("sequence"), start=1):
        assert transfer.sequence == sequence
        previous = ledger.chain_hash(previous, transfer)
        assert transfer.hash == previous
    book = Book.objects.get(club=club)
    assert (book.head_sequence, book.head_hash) == (3, previous)


def test_a_reversal_takes_back_exactly_once(club, accounts):
    ana, ben, _chi = accounts
    transfers = ledger.post(club.pk, [entry(ana, ben, 30)])
    ledger.reverse(club.pk, transfers, source_id=uuid.uuid4(), occurred_at=EVENING)
    assert [balance(ana), balance(ben)] == [0, 0]
    with pytest.raises(ValidationError, match="reversed before"):
        ledger.reverse(club.pk, transfers, source_id=uuid.uuid4(), occurred_at=EVENING)


def test_a_source_key_is_posted_once(club, accounts):
    ana, ben, _chi = accounts
    ledger.post(club.pk, [entry(ana, ben, source_key="once")])
    with pytest.raises(IntegrityError), transaction.atomic():
        ledger.post(club.pk, [entry(ana, ben, source_key="once")])
    assert balance(ben) == 100
    assert Book.objects.get(club=club).head_sequence == 1


@pytest.mark.parametrize("amount", [0, -5, True, 10**15 + 1])
def test_an_amount_is_positive_whole_and_bounded(club, accounts, amount):
    with pytest.raises(ValidationError):
        ledger.post(club.pk, [entry(accounts[0], accounts[1], amount)])


def test_money_never_moves_to_itself_or_across_clubs_or_currencies(club, accounts, owner):
    ana, ben, _chi = accounts
    other = services.create_club(owner=owner, name="Other")
    theirs = ledger.player_account(services.add_player(club=other, name="Ana"), "USD")
    yen = ledger.player_account(ben.player, "JPY")
    for debit, credit in ((ana, ana), (ana, theirs), (ana, yen)):
        with pytest.raises(ValidationError):
            ledger.post(club.pk, [entry(debit, credit)])


ATTACKS = {
    "edit an amount": "UPDATE accounts_transfer SET amount_minor = 1",
    "edit without change": "UPDATE accounts_transfer SET amount_minor = amount_minor",
    "delete": "DELETE FROM accounts_transfer",
    "delete an account": "DELETE FROM accounts_account",
    "give an account away": "UPDATE accounts_account SET currency = 'JPY'",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_raw_sql_cannot_change_what_is_posted(club, accounts, attack):
    ledger.post(club.pk, [entry(accounts[0], accounts[1])])
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(attack)


def insert(values: dict[str, object], verb: str = "INSERT") -> None:
    """Write a row of transfers past the code, with placeholders of the database's own."""
    names, marks = ", ".join(values), ", ".join(["%s"] * len(values))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"{verb} INTO accounts_transfer ({names}) VALUES ({marks})", list(values.values()))


def raw_row(club, debit: Account, credit: Account, **more) -> dict[str, object]:
    def key(value: uuid.UUID) -> str:
        return value.hex if connection.vendor == "sqlite" else str(value)

    return {
        "id": key(uuid.uuid4()),
        "club_id": key(club.pk),
        "sequence": Book.objects.get(club=club).head_sequence + 1,
        "debit_account_id": key(debit.pk),
        "credit_account_id": key(credit.pk),
        "amount_minor": 5,
        "currency": "USD",
        "kind": "settlement",
        "source_id": key(uuid.uuid4()),
        "source_key": str(uuid.uuid4()),
        "reverses_id": None,
        "occurred_at": "2026-11-26 22:14:00+00:00",
        "posted_at": "2026-11-26 22:14:00+00:00",
        "hash": "0" * 64,
    } | more


def test_the_harness_can_insert_a_row_that_is_right(club, accounts):
    ledger.post(club.pk, [entry(accounts[0], accounts[1])])
    insert(raw_row(club, accounts[0], accounts[1]))
    assert Transfer.objects.count() == 2


def test_raw_sql_cannot_insert_what_is_no_transfer(club, accounts, owner):
    ana, ben, _chi = accounts
    posted = ledger.post(club.pk, [entry(ana, ben, source_key="there")])[0]
    other = services.create_club(owner=owner, name="Other")
    theirs = ledger.player_account(services.add_player(club=other, name="Ana"), "USD")
    yen = ledger.player_account(ben.player, "JPY")
    faults = {
        "zero": raw_row(club, ana, ben, amount_minor=0),
        "negative": raw_row(club, ana, ben, amount_minor=-5),
        "too much": raw_row(club, ana, ben, amount_minor=10**15 + 1),
        "text": raw_row(club, ana, ben, amount_minor="much"),
        "to itself": raw_row(club, ana, ana),
        "another club": raw_row(club, ana, theirs),
        "another currency": raw_row(club, ana, yen),
        "the same key": raw_row(club, ana, ben, source_key="there"),
        "the same number": raw_row(club, ana, ben, sequence=1),
        "a gap": raw_row(club, ana, ben, sequence=7),
        "a reversal of another amount": raw_row(
            club, ben, ana, reverses_id=posted.pk.hex if connection.vendor == "sqlite" else str(posted.pk)
        ),
    }
    if connection.vendor == "sqlite":
        faults["a float"] = raw_row(club, ana, ben, amount_minor=5.5)
    for name, row in faults.items():
        with pytest.raises(DatabaseError):
            insert(row)
        assert Transfer.objects.count() == 1, f"{name} was let in"


def test_nothing_is_written_over(club, accounts):
    ana, ben, _chi = accounts
    posted = ledger.post(club.pk, [entry(ana, ben)])[0]
    row = raw_row(club, ana, ben, id=posted.pk.hex if connection.vendor == "sqlite" else str(posted.pk))
    if connection.vendor == "sqlite":
        for verb in ("INSERT OR REPLACE", "REPLACE"):
            with pytest.raises(DatabaseError):
                insert(row, verb)
    else:
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("TRUNCATE accounts_transfer CASCADE")
    assert Transfer.objects.get().hash == posted.hash


def test_missing_guards_are_named(db):
    assert guards.missing(connection) == []
    with connection.cursor() as cursor:
        cursor.execute(
            "DROP TRIGGER transfer_kept" + ("" if connection.vendor == "sqlite" else " ON accounts_transfer")
        )
    assert guards.missing(connection) == ["transfer_kept"]
    guards.install(connection)
    assert guards.missing(connection) == []


def test_a_guard_that_guards_nothing_is_named(db):
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DROP TRIGGER transfer_kept")
            cursor.execute("CREATE TRIGGER transfer_kept BEFORE UPDATE ON accounts_transfer BEGIN SELECT 1; END")
        else:
            empty = "RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
            cursor.execute(f"CREATE OR REPLACE FUNCTION transfer_kept() {empty}")
            cursor.execute("DROP TRIGGER transfer_stays ON accounts_transfer")
            cursor.execute(
                "CREATE TRIGGER transfer_stays BEFORE DELETE ON accounts_transfer FOR EACH ROW"
                " WHEN (OLD.amount_minor < 0) EXECUTE FUNCTION transfer_stays()"
            )
    altered = ["transfer_kept"] if connection.vendor == "sqlite" else ["transfer_kept", "transfer_stays"]
    assert guards.missing(connection) == altered
    guards.install(connection)
    assert guards.missing(connection) == []


def test_two_spellings_of_one_name_are_one_player(club):
    services.add_player(club=club, name="Ana")
    for spelling in ("ANA", " ana ", "Ａｎａ", "A\u200bna"):
        with pytest.raises(ValidationError, match="Ana is a player of this club already"):
            services.add_player(club=club, name=spelling)
    assert Player.objects.filter(club=club).count() == 1
