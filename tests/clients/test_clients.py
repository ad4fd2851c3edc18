"""Two clients are generated from the document, compile, and talk to a running service.

The generators come from the package registries once, into a folder beside the virtual environment's packages;
what they generate is thrown away.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hands.api.hands import EXAMPLE
from tests.flows.test_api_guide import _KEY
from tests.processes import HOUSE, Service, until

pytestmark = [pytest.mark.clients, pytest.mark.xdist_group("entry")]

HERE = Path(__file__).resolve().parent
EXPECTED = {"number": 12, "points": {"1": 20, "2": -20}, "sessions": 1, "refused": "/name"}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What a client needs to know: where the service is, the key, and a hand to send."""
    folder = tmp_path_factory.mktemp("clients")
    with Service(folder, folder / "data") as service:
        service.environment["DJANGO_SETTINGS_MODULE"] = "settlement.settings"
        service.up("--no-demo")
        until(service.answers)
        environment = service.environment | {"HOMERUN_DATA": str(service.data)}
        made = subprocess.run(
            [sys.executable, "-c", _KEY], cwd=HOUSE, env=environment, stdout=subprocess.PIPE, check=True
        )
        yield {
            "HOMERUN_URL": f"http://127.0.0.1:{service.port}",
            "HOMERUN_KEY": made.stdout.decode().strip(),
            "HOMERUN_HAND": json.dumps(EXAMPLE),
        }


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("document") / "schema.json"
    run(sys.executable, "manage.py", "spectacular", "--format", "openapi-json", "--file", path, cwd=HOUSE)
    return path


def packages() -> Path:
    """Where the npm packages of the lock file are; fetched when they are not there yet."""
    lock = (HERE / "package-lock.json").read_bytes()
    folder = Path(sys.prefix) / "clients" / hashlib.sha256(lock).hexdigest()[:12]
    if not (folder / "node_modules" / ".package-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder / name)
        run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", cwd=folder)
    return folder


def test_a_python_client_is_generated_and_talks(running, document, tmp_path):
    generator = Path(sys.executable).with_name("openapi-python-client")
    run(
        generator,
        "generate",
        "--path",
        document,
        "--output-path",
        tmp_path / "homerun_client",
        "--meta",
        "none",
        cwd=tmp_path,
        PATH=f"{generator.parent}:{os.environ['PATH']}",
    )
    run(sys.executable, "-m", "compileall", "-q", tmp_path / "homerun_client", cwd=tmp_path)
    said = run(sys.executable, HERE / "client.py", cwd=tmp_path, PYTHONPATH=str(tmp_path), **running)
    assert json.loads(said) | {"points": EXPECTED["points"]} == EXPECTED


def test_a_typescript_client_is_generated_and_talks(running, document, tmp_path):
    folder = packages()
    (tmp_path / "node_modules").symlink_to(folder / "node_modules")
    tools = folder / "node_modules" / ".bin"
    run(tools / "openapi-typescript", document, "-o", tmp_path / "schema.d.ts", cwd=tmp_path)
    shutil.copy(HERE / "client.ts", tmp_path / "client.ts")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    run(
        tools / "tsc",
        "--strict",
        "--noEmitOnError",
        "--allowImportingTsExtensions",
        "--rewriteRelativeImportExtensions",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--types",
        "node",
        "client.ts",
        cwd=tmp_path,
    )
    said = run("node", tmp_path / "client.js", cwd=tmp_path, **running)
    # The same hand is there from the other client or not: either way it is this one.
    assert json.loads(said) == EXPECTED
