"""Run the tests on everything that this machine has, and say what was not run.

SQLite always. What is marked `both_databases` again on PostgreSQL where its binaries are, what is marked
`browser` where Chromium is, `office` where LibreOffice is, `clients` where npm is, `rabbitmq` where RabbitMQ is.
With CI=true a missing part is a failure.
"""

import os
import shutil
import subprocess
import sys
import time

from tests import postgres, rabbitmq

WORKERS = (os.cpu_count() or 2) + 1


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--slow"]
    speed = "slow" if "--slow" in sys.argv else "not slow"
    missing = {}
    if chromium() is None:
        missing["browser tests (Chromium)"] = "not browser"
    if shutil.which("soffice") is None:
        missing["statements opened in LibreOffice"] = "not office"
    if shutil.which("npm") is None:
        missing["generated clients (npm)"] = "not clients"
    if rabbitmq.server() is None:
        missing["jobs on RabbitMQ"] = "not rabbitmq"
    parts = [("SQLite", f"{speed} and not postgresql_only", {})]
    if postgres.binaries() is None:
        missing["ledger, jobs and imports on PostgreSQL"] = ""
    else:
        # The worker on RabbitMQ has several processes on PostgreSQL only, so it is tried there.
        parts = [("SQLite", f"{speed} and not postgresql_only and not rabbitmq", {})]
        marks = f"both_databases and {speed} and not sqlite_only"
        parts.append(("PostgreSQL", marks, {"HOMERUN_TEST_DATABASE": "postgresql"}))
    begin = time.monotonic()
    results = {}
    for name, marks, environment in parts:
        marks = " and ".join([marks, *filter(None, missing.values())])
        print(f"\n== {name}: {marks}", flush=True)
        # A file's tests share one worker, so that its service starts once; there is one more worker than cores, because
        # who starts services and waits for them leaves a core alone a third of the time.
        command = [sys.executable, "-m", "pytest", "-n", str(WORKERS), "--dist", "loadfile", "-m", marks, *arguments]
        code = subprocess.run(command, env=os.environ | environment, check=False).returncode
        # 5: nothing of this part was chosen by the arguments, which is no failure of a chosen run.
        results[name] = 0 if code == 5 and arguments else code
    print(f"\n== Summary, {time.monotonic() - begin:.0f} s")
    for name, code in results.items():
        print(f"   {name}: {'passed' if code == 0 else 'FAILED'}")
    for part in missing:
        print(f"   NOT RUN: {part}")
    is_ci = os.environ.get("CI") == "true"
    return int(any(results.values()) or bool(missing and is_ci))


def chromium() -> str | None:
    # The first one has no windows, and costs a sixth less.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


if __name__ == "__main__":
    sys.exit(main())
