"""A child of the supervisor ends when its parent does, however the parent ended.

The kernel gives an orphan another parent, so a child looks at whose it is twice a second. That works for every
POSIX system, and for children of children: each parent names itself in the environment before it starts one.
"""

import os
import threading
import time
from typing import Final

VARIABLE: Final = "HOMERUN_PARENT_PID"
LOOK_EVERY_SECONDS: Final = 0.5


def name_as_parent() -> None:
    """Tell the children that are started from here whose they are."""
    os.environ[VARIABLE] = str(os.getpid())


def leave_with_parent() -> None:
    """End this process as soon as the parent named in the environment is gone; nothing when none is named."""
    parent = os.environ.get(VARIABLE)
    if parent is None:
        return

    def watch() -> None:
        while os.getppid() == int(parent):
            time.sleep(LOOK_EVERY_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()
