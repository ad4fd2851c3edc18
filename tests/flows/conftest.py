"""The service and the browser that the flows share, each begun once a file."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.processes import Service
from tests.run import chromium

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def first_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a service after its first start: the tables made, the static files collected."""
    folder = tmp_path_factory.mktemp("first")
    begun = Service(folder, folder / "data")
    try:
        begun.up("--no-demo")
    finally:
        begun.end()
    return begun.data


@pytest.fixture(scope="module")
def service(first_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("host")
    shutil.copytree(first_data, folder / "data")
    begun = Service(folder, folder / "data")
    try:
        begun.up("--no-demo")
        yield begun
    finally:
        begun.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        begun = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield begun
        begun.close()
