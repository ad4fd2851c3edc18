"""Many rows of one table at once, past the models: of an import, the models would be the greatest cost."""

from collections.abc import Sequence
from typing import Any, Final

from django.db import connection, models

# COPY asks the server three times: for a few rows one statement is quicker.
FEWEST_FOR_COPY: Final = 20


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert ``rows``, each with the values of the fields ``names``, as the driver takes them (an id as its hex).

    Whoever calls has checked them; the database's constraints hold, and what breaks one raises ``IntegrityError``.
    """
    if not rows:
        return
    quote = connection.ops.quote_name
    columns = ", ".join(quote(model._meta.get_field(name).column) for name in names)
    table = quote(model._meta.db_table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql" and len(rows) >= FEWEST_FOR_COPY:
            with (
                connection.wrap_database_errors,
                cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
            ):
                for row in rows:
                    copy.write_row(row)
            return
        marks = f"({', '.join(['%s'] * len(names))})"
        insert = f"INSERT INTO {table} ({columns}) VALUES "  # noqa: S608  (names of ours)
        if connection.vendor == "postgresql":
            cursor.execute(insert + ", ".join([marks] * len(rows)), [value for row in rows for value in row])
        else:
            cursor.executemany(insert + marks, rows)
