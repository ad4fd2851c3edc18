"""The database as one file and back: SQLite's own online copy, PostgreSQL's pg_dump and pg_restore."""

import os
import re
import shutil
import sqlite3
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Final

from django.db import DatabaseError, connection, transaction
from psycopg import conninfo, pq

from settlement.archive import BackupError

# Only this schema is dumped: what an earlier restore put aside stays where it is.
SCHEMA: Final = "public"


def dump_database(target: Path) -> None:
    """Write the database as it is at the moment of the transaction around this call."""
    if connection.vendor == "sqlite":
        with sqlite3.connect(target) as copy:
            connection.connection.backup(copy)
        copy.close()
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]
    _run("pg_dump", "--format=custom", f"--schema={SCHEMA}", f"--snapshot={snapshot}", f"--file={target}")


def is_empty() -> bool:
    """Whether the database has no table yet. One that cannot be read is not empty."""
    try:
        return not connection.introspection.table_names()
    except DatabaseError:
        return False


def check_nobody_else_is_there() -> None:
    """Raise ``BackupError`` while another process has the database open. Closes this one's connection."""
    if connection.vendor == "sqlite":
        connection.close()
        path = database_path()
        if path.exists():
            opened = sqlite3.connect(path, timeout=1)
            try:
                # Only whoever is alone may leave the write-ahead log, and then all is in one file.
                opened.execute("PRAGMA journal_mode=DELETE")
            except sqlite3.OperationalError:
                raise BackupError(f"Somebody has {path} open. Stop web and workers first.") from None
            except sqlite3.DatabaseError:
                # What is broken may be replaced too.
                pass
            finally:
                opened.close()
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        others = cursor.fetchone()[0]
    connection.close()
    if others:
        raise BackupError(f"Others are connected to the database ({others}). Stop web and workers first.")


def put_aside(folder: Path, now: datetime) -> str:
    """Take what is in the database out of the way, and say where it is; nothing is deleted."""
    if connection.vendor == "sqlite":
        path = database_path()
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                shutil.move(part, folder / part.name)
        return str(folder / path.name)
    kept = f"replaced_{now:%Y%m%d_%H%M%S}"
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"ALTER SCHEMA {SCHEMA} RENAME TO {kept}")
            cursor.execute(f"CREATE SCHEMA {SCHEMA}")
    except DatabaseError as error:
        raise BackupError(
            f"This role may not put the schema {SCHEMA} aside ({error}). Restore into an empty database instead."
        ) from None
    connection.close()
    return f"the schema {kept} of the database"


def restore_database(source: Path) -> None:
    """Make an empty database what the dump holds."""
    if connection.vendor == "postgresql":
        connection.close()
        _run("pg_restore", "--exit-on-error", "--single-transaction", f"--schema={SCHEMA}", str(source))
        return
    path = database_path()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    fresh = path.with_name(path.name + ".restoring")
    shutil.move(source, fresh)
    fresh.replace(path)


def database_path() -> Path:
    return Path(connection.settings_dict["NAME"])


def _run(program: str, *arguments: str) -> None:
    parameters = connection.get_connection_params()
    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()} - {"password"}
    target = conninfo.make_conninfo(**{name: parameters[name] for name in known & parameters.keys()})
    # Not among the arguments, which every process can read.
    environment = os.environ | ({"PGPASSWORD": parameters["password"]} if parameters.get("password") else {})
    command = [
        str(_find(program, connection.pg_version // 10000)),
        "--no-owner",
        "--no-privileges",
        f"--dbname={target}",
        *arguments,
    ]
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise BackupError(f"{program} failed: {done.stderr.strip()}")


def programs(name: str) -> list[Path]:
    """Where the program is: Debian keeps one for each version, the newest first; else what is on the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    found = [folder / name for folder in folders if (folder / name).exists()]
    return found + [Path(path) for path in [shutil.which(name)] if path]


def _find(name: str, server: int) -> Path:
    """A program at least as new as the server; an older one would refuse or leave out what it does not know."""
    versions = []
    for path in programs(name):
        said = subprocess.run([path, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
        version = int(match[1]) if (match := re.search(r" (\d+)", said)) else 0
        if version >= server:
            return path
        versions.append(str(version))
    if versions:
        raise BackupError(
            f"{name} {', '.join(versions)} is older than the server ({server}). Install postgresql-client-{server}."
        )
    raise BackupError(f"{name} is not installed. Install PostgreSQL's client programs, version {server} or newer.")
