"""The way into the API, run word for word: by curl, then by Python, against the service as a person starts it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import HOUSE, Service

pytestmark = pytest.mark.xdist_group("browsers")

_KEY = """
import django; django.setup()
from accounts.models import User
from accounts.services import create_api_key, create_club
owner = User.objects.create_user("owner@example.com")
print(create_api_key(club=create_club(owner=owner, name="T7"), name="Guide", scope="settle", author=owner)[1])
"""


@pytest.fixture(scope="module")
def key(service: Service) -> str:
    ours = {"HOMERUN_DATA": str(service.data), "DJANGO_SETTINGS_MODULE": "settlement.settings"}
    environment = service.environment | ours
    made = subprocess.run([sys.executable, "-c", _KEY], cwd=HOUSE, env=environment, stdout=subprocess.PIPE, check=True)
    return made.stdout.decode().strip()


def blocks(language: str) -> list[str]:
    text = (HOUSE / "docs" / "api.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def run(command: list[str], script: str, folder: Path, service: Service, key: str) -> str:
    """What the script says, run in ``folder`` with the address and the key that a reader would have set."""
    environment = os.environ | {"HOMERUN_URL": f"http://127.0.0.1:{service.port}", "HOMERUN_KEY": key}
    done = subprocess.run(
        [*command, script], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_guide_does_what_it_says(service: Service, key: str, tmp_path: Path) -> None:
    setting, *steps = blocks("sh")
    assert "export HOMERUN_KEY" in setting
    said = run(["bash", "-ec"], "\n".join(steps), tmp_path, service, key)
    assert '"accepted":1' in said
    (program,) = blocks("python")
    lines = run([sys.executable, "-c"], program, tmp_path, service, key).splitlines()
    # The same file again, then twenty points at fifty cents.
    assert lines == ["succeeded 0 1", "{'Ana': 1000, 'Ben': -1000}"]
