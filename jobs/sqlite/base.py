"""Django's SQLite backend, but for how a transaction waits for its turn to write."""

import sqlite3
import time
from typing import Any, Final

from django.db import OperationalError
from django.db.backends.sqlite3 import base

# SQLite itself waits 1, 2, 5 and up to 100 ms between its tries, whatever short a transaction is: of several
# writers one goes on and on while the others sleep.
_PAUSE_SECONDS: Final = 0.0003


class DatabaseWrapper(base.DatabaseWrapper):
    """Asks for the write lock three times a millisecond, as long as the connection's ``timeout`` (in seconds) says."""

    connection: Any

    def _start_transaction_under_autocommit(self) -> None:
        if self.transaction_mode != "IMMEDIATE":
            super()._start_transaction_under_autocommit()
            return
        self.ensure_connection()
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", 5.0))
        until = time.monotonic() + timeout
        self.connection.execute("PRAGMA busy_timeout=0")
        try:
            while not self._begins(is_last=time.monotonic() >= until):
                time.sleep(_PAUSE_SECONDS)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout={1000 * timeout:.0f}")

    def _begins(self, *, is_last: bool) -> bool:
        """Whether the transaction has begun; raises what the last try raised, and every other fault at once."""
        try:
            super()._start_transaction_under_autocommit()
        except OperationalError as error:
            code = getattr(error.__cause__, "sqlite_errorcode", None)
            if is_last or code != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True
