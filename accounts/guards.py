"""What the database itself refuses, whoever asks: triggers on the ledger's tables, for SQLite and PostgreSQL.

Constraints are declared with the models. What a constraint cannot say is said here: a transfer is never
changed, deleted or written over; both its accounts are of its club and currency; it continues the chain's
numbering; and an account never becomes another's. Django drops SQLite's triggers when it rebuilds a table, so
they are made again after every migrate, and `serve` and the worker refuse to start without them.
"""

from collections.abc import Iterator
from typing import Any, Final

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

TRANSFER: Final = "accounts_transfer"
ACCOUNT: Final = "accounts_account"
AUDIT: Final = "accounts_auditrow"

# (name, table, event, condition in SQL under which the row is refused, the sentence)
_OTHER_CLUB_OR_CURRENCY = f"""(
    SELECT COUNT(*) FROM {ACCOUNT} a
    WHERE a.id IN (NEW.debit_account_id, NEW.credit_account_id)
      AND a.club_id = NEW.club_id AND a.currency = NEW.currency
) <> 2"""
_THERE_ALREADY = f"""EXISTS (
    SELECT 1 FROM {TRANSFER} t
    WHERE t.id = NEW.id
       OR (t.club_id = NEW.club_id AND t.source_key = NEW.source_key)
       OR (t.club_id = NEW.club_id AND t.sequence = NEW.sequence)
       OR (NEW.reverses_id IS NOT NULL AND t.reverses_id = NEW.reverses_id)
)"""
_NOT_NEXT = f"""NEW.sequence <> 1 AND NOT EXISTS (
    SELECT 1 FROM {TRANSFER} t WHERE t.club_id = NEW.club_id AND t.sequence = NEW.sequence - 1
)"""
_WRONG_REVERSAL = f"""NEW.reverses_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM {TRANSFER} t
    WHERE t.id = NEW.reverses_id AND t.amount_minor = NEW.amount_minor AND t.club_id = NEW.club_id
      AND t.debit_account_id = NEW.credit_account_id AND t.credit_account_id = NEW.debit_account_id
)"""
_ACCOUNT_MOVED = """NEW.id <> OLD.id OR NEW.club_id <> OLD.club_id OR NEW.currency <> OLD.currency
    OR NEW.kind <> OLD.kind OR NEW.player_id IS {differs} OLD.player_id
    OR NEW.reference IS {differs} OLD.reference"""
# Only an erasure that is under way may put other words, or nobody, where a person was.
_AUDIT_CHANGED = """NOT EXISTS (
        SELECT 1 FROM accounts_erasure e WHERE e.club_id = OLD.club_id AND e.finished_at IS NULL
    )
    OR NEW.id <> OLD.id OR NEW.club_id <> OLD.club_id OR NEW.at <> OLD.at OR NEW.action <> OLD.action
    OR NEW.source <> OLD.source OR NEW.subject_id IS {differs} OLD.subject_id
    OR NEW.api_key_id IS {differs} OLD.api_key_id OR (NEW.user_id IS NULL AND OLD.user_id IS NOT NULL)
    OR (NEW.address IS NOT NULL AND NEW.address IS {differs} OLD.address)"""

_NEVER = "1 = 1"
RULES: Final = [
    ("transfer_kept", TRANSFER, "UPDATE", _NEVER, "a transfer is never changed"),
    ("transfer_stays", TRANSFER, "DELETE", _NEVER, "a transfer is never deleted"),
    ("transfer_sides", TRANSFER, "INSERT", _OTHER_CLUB_OR_CURRENCY, "both accounts are of one club and currency"),
    ("transfer_new", TRANSFER, "INSERT", _THERE_ALREADY, "this transfer is there already"),
    ("transfer_next", TRANSFER, "INSERT", _NOT_NEXT, "a transfer follows the one before it"),
    ("transfer_reverses", TRANSFER, "INSERT", _WRONG_REVERSAL, "a reversal is the opposite of its transfer"),
    ("account_kept", ACCOUNT, "UPDATE", _ACCOUNT_MOVED, "an account never changes hands"),
    ("account_stays", ACCOUNT, "DELETE", _NEVER, "an account is never deleted"),
    ("audit_kept", AUDIT, "UPDATE", _AUDIT_CHANGED, "what was done is never changed"),
    ("audit_stays", AUDIT, "DELETE", _NEVER, "what was done is never deleted"),
]
# SQLite keeps whatever type it is given; PostgreSQL's columns do not.
SQLITE_RULES: Final = [
    (
        "transfer_whole",
        TRANSFER,
        "INSERT",
        "typeof(NEW.amount_minor) <> 'integer' OR typeof(NEW.sequence) <> 'integer'",
        "an amount is a whole number of minor units",
    ),
    (
        "account_whole",
        ACCOUNT,
        "UPDATE",
        "typeof(NEW.balance_minor) <> 'integer'",
        "a balance is a whole number of minor units",
    ),
    # INSERT OR REPLACE deletes without a DELETE trigger.
    (
        "account_new",
        ACCOUNT,
        "INSERT",
        f"EXISTS (SELECT 1 FROM {ACCOUNT} a WHERE a.id = NEW.id)",
        "this account is there already",
    ),
    (
        "audit_new",
        AUDIT,
        "INSERT",
        f"EXISTS (SELECT 1 FROM {AUDIT} a WHERE a.id = NEW.id)",
        "this row is there already",
    ),
]


def install(connection: BaseDatabaseWrapper) -> None:
    """Make every guard anew on this database."""
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name, trigger in _sqlite():
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
                cursor.execute(trigger)
            return
        for name, table, event, call, body in _postgresql():
            each = "STATEMENT" if event == "TRUNCATE" else "ROW"
            cursor.execute(f"CREATE OR REPLACE FUNCTION {call}() RETURNS trigger LANGUAGE plpgsql AS $${body}$$")
            cursor.execute(
                f"CREATE OR REPLACE TRIGGER {name} BEFORE {event} ON {table} FOR EACH {each} EXECUTE FUNCTION {call}()"
            )


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of the guards that this database does not have, has switched off, or has in other words."""
    standing: dict[str, object] = {}
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            standing = dict(cursor.fetchall())
            wanted: dict[str, object] = dict(_sqlite())
        else:
            # Only those of the tables in use: a schema that was put aside has triggers of the same names.
            cursor.execute(
                """SELECT t.tgname, c.relname, t.tgtype, p.prosrc
                FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
                WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL
                    AND pg_table_is_visible(t.tgrelid)"""
            )
            standing = {name: tuple(rest) for name, *rest in cursor.fetchall()}
            wanted = {
                name: (table, _POSTGRESQL_EVENTS[event], body) for name, table, event, _call, body in _postgresql()
            }
    return sorted(name for name, guard in wanted.items() if standing.get(name) != guard)


def install_after_migrate(sender: Any, using: str, **options: Any) -> None:
    """For ``post_migrate``: the guards stand again as soon as the tables do."""
    from django.db import connections

    if {TRANSFER, ACCOUNT, AUDIT} <= set(connections[using].introspection.table_names()):
        install(connections[using])


def _sqlite() -> Iterator[tuple[str, str]]:
    """Each guard's name and the whole of its trigger, as SQLite keeps it."""
    for name, table, event, condition, sentence in RULES + SQLITE_RULES:
        yield (
            name,
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {condition.format(differs='NOT')}"
            f" BEGIN SELECT RAISE(ABORT, '{sentence}'); END",
        )


# A trigger before an event of a row, or of a statement: the bits of pg_trigger.tgtype.
_POSTGRESQL_EVENTS: Final = {"INSERT": 7, "DELETE": 11, "UPDATE": 19, "TRUNCATE": 34}


def _postgresql() -> Iterator[tuple[str, str, str, str, str]]:
    """Each guard's name, table and event, and the function that it calls with the whole of its body."""
    for name, table, event, condition, sentence in RULES:
        returned = "OLD" if event == "DELETE" else "NEW"
        body = (
            f" BEGIN IF {condition.format(differs='DISTINCT FROM')} THEN RAISE EXCEPTION '{sentence}'"
            f" USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN {returned}; END "
        )
        yield name, table, event, name, body
    emptied = (
        " BEGIN RAISE EXCEPTION 'the ledger is never emptied' USING ERRCODE = 'integrity_constraint_violation'; END "
    )
    for name, table in (("transfer_all_stays", TRANSFER), ("account_all_stays", ACCOUNT), ("audit_all_stays", AUDIT)):
        yield name, table, "TRUNCATE", "ledger_all_stays", emptied
