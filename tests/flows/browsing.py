"""What flows do in a browser, and what they notice while they do it."""

from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page


def notice_faults(context: BrowserContext) -> list[str]:
    """Every error of this context from now on, and every request that leaves this machine, as it happens."""
    wrong: list[str] = []

    def note_foreign(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
            wrong.append(f"left the machine: {url}")

    context.on("request", lambda request: note_foreign(request.url))
    context.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    context.on(
        "response", lambda answer: wrong.append(f"{answer.status} {answer.url}") if answer.status > 399 else None
    )
    return wrong


def findings(page: Page) -> list[str]:
    """What axe has against the page as it stands."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{page.url}: {one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the screen."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def press(page: Page, name: str) -> None:
    """Press what is called so, a button or a link, where a thumb or a mouse would find it."""
    page.get_by_role("button", name=name, exact=True).or_(page.get_by_role("link", name=name, exact=True)).click()


def sign_up(page: Page, email: str) -> None:
    """From the door to an account; whatever one came for comes next."""
    press(page, "Create an account")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill("correct horse battery staple")
    press(page, "Create account")
