"""The pages of a club whose book has 1,000,000 transfers, held against those of a club whose book fills one page.

Run as a process of its own, one for each database: its settings are read from the environment.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from typing import Any

from tests import postgres

TRANSFERS = 1_000_000
A_PAGE = 100
PAGES = 40

# Rows are made by the database itself; the pages read no hash, so these are no chain.
_COLUMNS = (
    "id, club_id, sequence, debit_account_id, credit_account_id, amount_minor, currency, kind, source_id,"
    " source_key, occurred_at, posted_at, hash"
)
_FILL = {
    "sqlite": """WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < %s)
        INSERT INTO accounts_transfer ("""
    + _COLUMNS
    + """)
        SELECT lower(hex(randomblob(16))), %s, n, %s, %s, 1 + n %% 5000, 'USD', 'settlement', %s, n,
            datetime(%s, n || ' seconds'), datetime(%s, n || ' seconds'), '' FROM counted""",
    "postgresql": "INSERT INTO accounts_transfer ("
    + _COLUMNS
    + """)
        SELECT gen_random_uuid(), %s, n, %s, %s, 1 + n %% 5000, 'USD', 'settlement', %s, n::text,
            %s::timestamptz + n * interval '1 second', %s::timestamptz + n * interval '1 second', ''
        FROM generate_series(1, %s) n""",
}


def measure() -> list[dict[str, Any]]:
    """A row for SQLite, and one for PostgreSQL where its binaries are."""
    rows = [_in_a_process("SQLite", {})]
    if postgres.binaries() is not None:
        rows.append(_in_a_process("PostgreSQL", {"DATABASE_URL": postgres.cluster_url()}))
    return rows


def _in_a_process(name: str, environment: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as folder:
        run = subprocess.run(
            [sys.executable, "-m", "tests.bench.ledger"],
            env=os.environ | {"HOMERUN_DATA": folder} | environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    row: dict[str, Any] = json.loads(run.stdout)
    row["note"] += f" on {name}"
    return row


def _measure_here() -> dict[str, Any]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settlement.settings")
    import django
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client

    if "DATABASE_URL" in os.environ:
        import psycopg

        server = os.environ["DATABASE_URL"].rpartition("/")[0]
        with psycopg.connect(f"{server}/postgres", autocommit=True) as control:
            control.execute("CREATE DATABASE homerun")
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)

    from accounts import guards, ledger
    from accounts.models import Account, Book, User
    from accounts.services import add_player, create_club

    owner = User.objects.create_user("bench@example.com", "bench bench")
    pages = []
    for name, transfers in (("Small", A_PAGE), ("Full", TRANSFERS)):
        club = create_club(owner=owner, name=name)
        players = [add_player(club=club, name=one) for one in ("Ana", "Ben")]
        ana, ben = (ledger.player_accounts([player], "USD")[player.pk] for player in players)
        pages.append([f"/clubs/{club.pk}/books", f"/ledger/{ana.pk}/", f"/?club={club.pk}"])
        with connection.cursor() as cursor:
            # A guard a row would be most of the time; they stand again before anything is measured.
            on = "" if connection.vendor == "sqlite" else " ON accounts_transfer"
            for rule, table, event, *_rest in guards.RULES + (guards.SQLITE_RULES if not on else []):
                if (table, event) == (guards.TRANSFER, "INSERT"):
                    cursor.execute(f"DROP TRIGGER {rule}{on}")
            keys = [key if on else key.hex for key in (club.pk, ana.pk, ben.pk, uuid.uuid4())]
            values = [*keys, "2020-01-01 00:00:00", "2020-01-01 00:00:00"]
            cursor.execute(_FILL[connection.vendor], [*values, transfers] if on else [transfers, *values])
            cursor.execute("ANALYZE")
        guards.install(connection)
        Book.objects.filter(club=club).update(head_sequence=transfers)
        Account.objects.filter(pk=ben.pk).update(balance_minor=1)
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(owner)
    small, full = (_seconds_a_page(client, urls) for urls in pages)
    return {
        "name": "million-transfers",
        "per_second": 1 / full,
        "ratio": full / small,
        "note": f"{1000 * full:.1f} ms a page (books, account, tables), {1000 * small:.1f} ms with {A_PAGE} transfers;"
        " the ratio is of these,",
    }


def _seconds_a_page(client: Any, urls: list[str]) -> float:
    for url in urls:
        assert client.get(url).status_code == 200, url
    begin = time.perf_counter()
    for url in urls * PAGES:
        client.get(url)
    return (time.perf_counter() - begin) / (PAGES * len(urls))


if __name__ == "__main__":
    print(json.dumps(_measure_here()))
