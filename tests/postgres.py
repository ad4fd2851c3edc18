"""A throw-away PostgreSQL cluster that the tests start themselves, as a user without privileges."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any


def binaries() -> Path | None:
    """Where initdb and postgres are, or None: the newest of Debian's folders, else what is on the path."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    if found := shutil.which("initdb"):
        folders.append(Path(found).resolve().parent)
    return next((path for path in folders if (path / "initdb").exists() and (path / "postgres").exists()), None)


def cluster_url() -> str:
    """Start a cluster (once per run: xdist's workers share the first one's) and return its URL."""
    if url := os.environ.get("HOMERUN_TEST_POSTGRES_URL"):
        return url
    found = binaries()
    if found is None:
        raise RuntimeError("PostgreSQL's binaries are not installed.")
    folder = Path(tempfile.mkdtemp(prefix="homerun-postgres-"))
    # PostgreSQL refuses to run as root: Debian's user of that name has no privileges.
    user: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    if user:
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"
    subprocess.run(
        [found / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        **user,
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [
        "-c",
        f"port={port}",
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        f"unix_socket_directories={folder}",
        "-c",
        "max_connections=200",
        # It is thrown away: what a power cut would lose is no loss.
        "-c",
        "fsync=off",
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [found / "postgres", "-D", data, *options], stdout=subprocess.DEVNULL, stderr=log, cwd=folder, **user
        )

    def end() -> None:
        # The fast way, which does not wait for those who forgot to leave.
        server.send_signal(signal.SIGINT)
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    while subprocess.run([found / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)], check=False).returncode:
        if server.poll() is not None:
            raise RuntimeError((folder / "log").read_text())
    url = f"postgres://postgres@127.0.0.1:{port}/homerun"
    os.environ["HOMERUN_TEST_POSTGRES_URL"] = url
    return url
