"""System checks: what this service refuses to run without, and what it warns of."""

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from django.core import checks
from django.core.checks import CheckMessage, Tags, register
from django.db import connections

from accounts import guards

# Before it, a rare fault of resetting the write-ahead log can lose what was written.
SQLITE_WITHOUT_WAL_FAULT: Final = (3, 51, 3)


@register(Tags.database)
def check_guards(databases: Sequence[str] | None = None, **options: Any) -> list[CheckMessage]:
    """The ledger's triggers stand on every database that has its tables."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        if guards.TRANSFER not in connection.introspection.table_names():
            continue
        if absent := guards.missing(connection):
            found.append(
                checks.Error(
                    f"The database does not guard its ledger: {', '.join(absent)} missing or altered.",
                    hint="Run manage.py migrate, which makes them again, and find out who took them away.",
                    id="accounts.E001",
                )
            )
        if connection.vendor == "sqlite" and sqlite3.sqlite_version_info < SQLITE_WITHOUT_WAL_FAULT:
            found.append(
                checks.Warning(
                    f"SQLite {sqlite3.sqlite_version} has a rare fault in its write-ahead log.",
                    hint="Python built against SQLite 3.51.3 or newer is without it; keep backups.",
                    id="accounts.W001",
                )
            )
    return found
