"""How writers on SQLite wait for their turn."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler

Connect = Callable[..., Any]


@pytest.fixture
def connect(tmp_path: Path, django_db_blocker: Any) -> Iterator[Connect]:
    def made(*, timeout: float = 20.0) -> Any:
        options = {"timeout": timeout, "transaction_mode": "IMMEDIATE"}
        database = {"ENGINE": "jobs.sqlite", "NAME": tmp_path / "turns.sqlite3", "OPTIONS": options}
        return ConnectionHandler({"default": database})["default"]

    with django_db_blocker.unblock():
        yield made


@contextmanager
def writing(connection: Any) -> Iterator[None]:
    """A transaction as ``atomic`` begins and ends it."""
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    yield
    connection.commit()
    connection.set_autocommit(True)


def run(connection: Any, sql: str) -> Any:
    with connection.cursor() as cursor:
        return cursor.execute(sql).fetchone()


def test_a_writer_waits_until_the_one_before_has_written(connect):
    first = connect()
    run(first, "CREATE TABLE turn (who TEXT)")

    def write() -> None:
        second = connect()
        with writing(second):
            # It reads what the first wrote, because its transaction began after the other had ended.
            run(second, "INSERT INTO turn SELECT 'after ' || who FROM turn")
        second.close()

    with writing(first):
        other = threading.Thread(target=write)
        other.start()
        other.join(0.1)
        assert other.is_alive(), "it waits for its turn"
        run(first, "INSERT INTO turn VALUES ('first')")
    other.join()
    with first.cursor() as cursor:
        assert cursor.execute("SELECT who FROM turn ORDER BY who").fetchall() == [("after first",), ("first",)]
    first.close()


def test_a_turn_that_does_not_come_is_told(connect):
    first, second = connect(), connect(timeout=0.05)
    with writing(first), pytest.raises(OperationalError, match="database is locked"), writing(second):
        raise AssertionError("two wrote at once")
    assert run(second, "PRAGMA busy_timeout") == (50,), "a statement of its own waits as long as before"
    first.close()
    second.close()


def test_another_fault_is_told_at_once(connect):
    connection = connect()
    run(connection, "BEGIN")
    with pytest.raises(OperationalError, match="within a transaction"), writing(connection):
        raise AssertionError("it began")
    connection.close()
