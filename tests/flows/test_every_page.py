"""Every page of a club with data: for eyes that cannot see it, on narrow screens, with large text and hard names."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.everything import EMAIL, PASSWORD
from tests.flows.browsing import findings, notice_faults, overflow, press
from tests.processes import Service

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browsers")]

# The database of a service is its own; what stands in it is made by a process that is told where it lies.
FURNISH = "import json; from tests.everything import furnish; print(json.dumps(furnish()))"


@pytest.fixture(scope="module")
def addresses(service: Service) -> list[str]:
    service.environment["HOMERUN_DATA"] = str(service.data)
    made = service.start("manage.py", "shell", "--no-imports", "-c", FURNISH)
    assert made.wait(60) == 0, service.said(made)
    found: list[str] = json.loads(service.said(made).splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def owner(browser: Browser, service: Service, addresses: list[str]) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=f"http://127.0.0.1:{service.port}", reduced_motion="reduce")
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign in")
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    page.close()
    yield context
    context.close()


def look_at(page: Page, url: str) -> list[str]:
    """What is wrong with one page, in the light of a desk, in the dark of a phone, narrow, and with large text."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    page.goto(url)
    wrong = [f"light {finding}" for finding in findings(page)]
    wrong += [f"{url} is too wide on 1280"] * (overflow(page) > 0)
    page.emulate_media(color_scheme="dark")
    for width, height in ((360, 740), (320, 568)):
        page.set_viewport_size({"width": width, "height": height})
        wrong += [f"{url} is too wide on {width}"] * (overflow(page) > 0)
        if width == 360:
            wrong += [f"dark {finding}" for finding in findings(page)]
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    wrong += [f"{url} is too wide with text at 200 %"] * (overflow(page) > 0)
    return wrong


def test_every_page_is_clean_under_axe_and_fits_every_screen(owner: BrowserContext, addresses: list[str]) -> None:
    faults = notice_faults(owner)
    page = owner.new_page()
    wrong = [finding for url in addresses for finding in look_at(page, url)]
    page.close()
    assert wrong + faults == []
    assert len(addresses) > 50


def test_the_door_and_what_is_not_there_are_clean_too(browser: Browser, service: Service) -> None:
    context = browser.new_context(base_url=f"http://127.0.0.1:{service.port}", reduced_motion="reduce")
    page = context.new_page()
    doors = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/", "/accounts/password/reset/done/"]
    wrong = [finding for url in [*doors, "/nothing-here"] for finding in look_at(page, url)]
    context.close()
    assert wrong == []
