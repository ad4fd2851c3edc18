"""One service on one data folder."""

import fcntl
from pathlib import Path
from typing import IO


class FolderInUse(Exception):
    """Another process holds the data folder."""


def lock_data_folder(folder: Path) -> IO[str]:
    """Hold the folder until what is returned is closed. Raises ``FolderInUse``."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / "serve.lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise FolderInUse(str(folder)) from None
    return lock
