"""`make bench`: one table of what this machine does in a second; with --json the same as a JSON array.

A ratio is to the peer, phevaluator's C functions scoring hands in a loop in this same run. Pages and imports have none,
or say what they are held against.
"""

import json
import os
import platform
import sys
import tempfile

from tests.bench import books, entry, equity, imports, ledger, open_face, phones, posts, scoring, statements


def main() -> None:
    rows = [dict(row) for row in (*scoring.measure(), *open_face.measure(), *equity.measure())]
    peer = rows[0]["per_second"] / rows[0]["ratio"]
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as folder:
        os.environ["HOMERUN_DATA"] = folder
        os.environ.pop("DATABASE_URL", None)
        rows += books.measure(peer)
        rows += entry.measure()
        rows += statements.measure()
    rows += ledger.measure()
    rows += imports.measure()
    rows += posts.measure()
    rows += phones.measure()
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=1))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print(f"{'name':<16} {'per second':>12} {'ratio':>7}  note")
    for row in rows:
        ratio = f"{row['ratio']:.2f}" if row["ratio"] is not None else "-"
        print(f"{row['name']:<16} {row['per_second']:>12,.0f} {ratio:>7}  {row['note']}")


if __name__ == "__main__":
    main()
