"""A real `kill -9` in the middle of an import: what was written stays, what was not is written once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from accounts.models import User
from accounts.services import create_club
from hands.models import Hand, Import
from jobs import queue
from jobs.models import Job
from tests.hands.test_imports import as_bytes, counts
from tests.histories import numbered

pytestmark = [pytest.mark.both_databases, pytest.mark.xdist_group("processes")]


def test_a_killed_import_goes_on_and_writes_no_hand_twice(own_database, django_db_blocker, tmp_path):
    path = tmp_path / "hands.ndjson"
    path.write_bytes(as_bytes(*map(numbered, range(1, 6001))))
    with django_db_blocker.unblock():
        create_club(owner=User.objects.create_user("kill@example.com"), name="Kill")
        environment = own_database.environment | {"JOB_LEASE_SECONDS": "1"}
        command = [sys.executable, "manage.py", "import_hands", str(path)]
        first = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while Hand.objects.count() == 0 and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        held = Hand.objects.count()
        assert 0 < held < 6000, "it was killed in the middle"
        job = Job.objects.get(kind="import")
        while Job.objects.get(pk=job.pk).status == Job.Status.RUNNING:
            time.sleep(0.1)
            queue.sweep()
        queue.run_to_end(job.pk)
        history = Import.objects.get()
        assert (counts(history), Hand.objects.count()) == ((6000, 0, 0, 0), 6000)
