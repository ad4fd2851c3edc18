"""`make bench`: one table of what this machine does in a second; with --json the same as a JSON array."""

import importlib
import json
import os
import platform
import sys
import tempfile

# Which modules measure, in the order of the table.
MODULES = ["books"]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as folder:
        os.environ["HOMERUN_DATA"] = folder
        os.environ.pop("DATABASE_URL", None)
        rows = [row for name in MODULES for row in importlib.import_module(f"tests.bench.{name}").measure()]
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
