"""What every flow in a browser shares: Chromium, a service of its own, and pages that notice what goes wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

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


@contextmanager
def chromium_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        begun = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield begun
        begun.close()


@contextmanager
def watched_context(
    browser: Browser, service: Service, width: int, height: int, **options: object
) -> Iterator[BrowserContext]:
    """A browser of one person; at its end no error was seen, and no request left this machine."""
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{service.port}", viewport={"width": width, "height": height}, **options
    )
    context.set_default_timeout(15_000)
    wrong: list[str] = []
    context.on("request", lambda request: _note_foreign(request.url, wrong))
    context.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on("response", lambda answer: _note_refusal(answer.status, answer.url, wrong))
    yield context
    context.close()
    assert wrong == []


def _note_refusal(status: int, url: str, wrong: list[str]) -> None:
    if status >= 400:
        wrong.append(f"{status} {url}")


def _note_foreign(url: str, wrong: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
        wrong.append(f"left the machine: {url}")


def press(page: Page, name: str) -> None:
    """Press what is called so, a button or a link, where a thumb or a mouse would find it."""
    page.get_by_role("button", name=name, exact=True).or_(page.get_by_role("link", name=name, exact=True)).click()


def sign_up(page: Page, email: str) -> None:
    """From the door to an account; whatever one came for comes next."""
    press(page, "Create an account")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill("correct horse battery staple")
    press(page, "Create account")
