"""The service that all flows of a worker share, each with people of its own, and the browser of a file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.processes import Service, until
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
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("host")
    with Service(folder, folder / "data") as begun:
        begun.up("--no-demo")
        until(begun.answers)
        yield begun


# A file's own: while a browser is driven, Django takes every test of the same worker for an asynchronous one.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        begun = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield begun
        begun.close()
