"""Pictures of every screen and state, for eyes: `make screenshots` writes them to `shots/`.

A service of its own with the demo club is brought into every state, and Chromium looks at each page on a phone and
on a desk, light and dark. `shots/board-phone-dark.png` is the board on a phone at night.
"""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.flows.browsing import press, sign_up
from tests.flows.conftest import QUIET
from tests.processes import HOUSE, Service, until
from tests.run import chromium

STATES = "import json; from tests.demo_states import addresses; print(json.dumps(addresses()))"
SCREENS = {"phone": (360, 740), "desk": (1280, 800)}
THEMES = ("light", "dark")
# A hand of Open-Face in which the third seat fouls: top, middle, bottom (tests/ofc.py).
LAID = "KsKd4c9h9d5s5c2dAhJh8h6h3h QsQd7cJcJdTsTh3c9s8s7d6c5d AsAd2s4h4dKhTc6sJsTd9c8c7s".replace(" ", "")
# The 52 cards in their order on the keys.
DECK = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]


class Camera:
    """Takes a page as it stands, on every screen and in both themes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.taken = 0

    def take(self, page: Page, name: str, *, whole: bool = True) -> None:
        for screen, (width, height) in SCREENS.items():
            page.set_viewport_size({"width": width, "height": height})
            if whole:
                # A screen as high as the page, so that what sticks to the lower edge lies there.
                longer = page.evaluate("document.documentElement.scrollHeight")
                page.set_viewport_size({"width": width, "height": max(height, longer)})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.evaluate("document.fonts.ready.then(() => scrollTo(0, 0))")
                page.screenshot(path=self.folder / f"{name}-{screen}-{theme}.png")
                self.taken += 1

    def print(self, page: Page, name: str) -> None:
        """As it comes out of a printer: the pages themselves, and their first as a picture."""
        page.emulate_media(media="print", color_scheme="light")
        page.set_viewport_size({"width": 718, "height": 1016})
        page.screenshot(path=self.folder / f"{name}-print.png", full_page=True)
        page.pdf(path=self.folder / f"{name}-print.pdf", format="A4", prefer_css_page_size=True)
        page.emulate_media(media="screen")
        self.taken += 1


@contextmanager
def demo_service() -> Iterator[tuple[Service, dict[str, str], list[str]]]:
    """A service with the demo club, the addresses of its pages, and email and password of its owner."""
    with (
        tempfile.TemporaryDirectory(prefix="homerun-shots-") as folder,
        Service(Path(folder), Path(folder) / "data") as service,
    ):
        supervisor = service.up()
        until(lambda: "First statement" in service.said(supervisor), 120)
        service.environment["HOMERUN_DATA"] = str(service.data)
        made = service.start("manage.py", "shell", "--no-imports", "-c", STATES)
        assert made.wait(60) == 0, service.said(made)
        log_in = re.search(r"Demo log-in: (\S+), password “(.+?)”", service.said(supervisor))
        assert log_in
        yield service, json.loads(service.said(made).splitlines()[-1]), list(log_in.groups())


def phone(browser: Browser, service: Service) -> BrowserContext:
    # Twice as many pixels as points, as phones have them; without motion no picture is of something on its way.
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{service.port}", device_scale_factor=2, reduced_motion="reduce"
    )
    context.set_default_timeout(15_000)
    return context


def take_the_door(camera: Camera, page: Page) -> None:
    for name, url in {"sign-in": "/accounts/login/", "sign-up": "/accounts/signup/", "not-found": "/nothing"}.items():
        page.goto(url)
        camera.take(page, name)


def take_first_start(camera: Camera, page: Page) -> None:
    page.goto("/")
    sign_up(page, "first@example.com")
    page.get_by_role("heading", name="Start your first game").wait_for()
    camera.take(page, "first-start")
    press(page, "Look at a demo session")
    page.get_by_role("heading", name="Points over the hands").wait_for()
    camera.take(page, "demo-session")


def sign_in(page: Page, email: str, password: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(password)
    press(page, "Sign in")
    page.get_by_role("heading", name="Your games").wait_for()
    page.goto("/")


def press_keys(page: Page, cards: list[str]) -> None:
    """Many keys at once: it is not the pressing that is shown."""
    page.evaluate(
        "cards => cards.forEach((card) => document.querySelector(`.key[data-card='${card}']`).click())", cards
    )


def take_entry(camera: Camera, page: Page, url: str) -> None:
    """A six-seat hand from the first key to the check, an unreadable card on the way, and the board with its undo."""
    page.goto(url)
    page.locator(".key").first.wait_for()
    camera.take(page, "entry-empty", whole=False)
    shuffled = [DECK[place * 23 % 52] for place in range(52)]
    press_keys(page, shuffled[:27])
    camera.take(page, "entry-half", whole=False)
    field = page.locator("#entry-text")
    typed = field.input_value()
    field.fill(f"{typed} 1s")
    camera.take(page, "entry-unreadable", whole=False)
    field.fill(typed)
    press_keys(page, shuffled[27:51])
    page.get_by_role("button", name="Check", exact=True).or_(page.locator("#check:not([hidden])")).first.wait_for()
    if page.locator("#check").is_hidden():
        press(page, "Check")
    page.locator("#check .sum-line, #check .sum-figure").first.wait_for()
    camera.take(page, "entry-check")
    page.locator("#save").click()
    page.get_by_role("button", name="Undo").wait_for()
    camera.take(page, "hand-saved")


def take_laid_entry(camera: Camera, page: Page, url: str) -> None:
    """An Open-Face hand of three, Fantasyland proposed, half entered, and its check with a foul."""
    page.goto(url)
    page.locator(".key").first.wait_for()
    cards = [LAID[start : start + 2] for start in range(0, len(LAID), 2)]
    press_keys(page, cards[:22])
    camera.take(page, "entry-laid-half", whole=False)
    press_keys(page, cards[22:])
    page.locator("#check .sum-figure").first.wait_for()
    camera.take(page, "entry-laid-check")


def take_phones(camera: Camera, host: Page, guest: Page, url: str) -> None:
    """Own phones: the code, a phone that takes a seat, sets and has locked, and the host who waits for the others."""
    host.goto(url)
    host.get_by_role("button", name="on own phones").click()
    code = host.locator("#join-code").inner_text()
    camera.take(host, "phones-code")
    guest.goto("/table/")
    camera.take(guest, "phone-code")
    guest.get_by_label("Code of the table").fill(code)
    press(guest, "Go on")
    guest.get_by_text("Choose your seat").wait_for()
    camera.take(guest, "phone-seats")
    guest.get_by_role("button", name="I am").first.click()
    guest.locator(".key").first.wait_for()
    press_keys(guest, DECK[3:40:7][:5])
    camera.take(guest, "phone-set", whole=False)
    press_keys(guest, DECK[50:])
    press(guest, "Confirm")
    guest.locator(".lockers").wait_for()
    camera.take(guest, "phone-locked")
    host.goto(url)
    camera.take(host, "phones-waiting")
    host.locator(".appbar details > summary").first.click()
    press(host, "Give this hand up")


def take_dealt(camera: Camera, host: Page, guests: list[Page], url: str) -> None:
    """A hand that the house deals, on three phones, from the first part to the proof."""
    host.goto(url)
    press(host, "Deal by the house")
    code = host.locator("#join-code").inner_text()
    first = guests[0]
    for guest in guests:
        guest.goto("/table/")
        guest.get_by_label("Code of the table").fill(code)
        press(guest, "Go on")
        guest.get_by_role("button", name="I am").first.click()
        if guest is first:
            guest.get_by_role("heading", name="The house deals in a moment").wait_for()
            camera.take(guest, "phone-dealing")
            host.goto(url)
            camera.take(host, "phones-dealing")
    for guest in guests:
        guest.locator("body.is-running").wait_for()
        if guest is first:
            camera.take(guest, "phone-dealt", whole=False)
        press_keys(guest, guest.locator(".key[data-card]").evaluate_all("keys => keys.map((key) => key.dataset.card)"))
        press(guest, "Confirm")
    for street, button in (("deal", "Show the flops"), ("flop", "Show the turns"), ("turn", "Show the rivers")):
        host.get_by_role("button", name=button).wait_for()
        host.goto(url)
        camera.take(host, f"phones-{street}")
        camera.take(first, f"phone-{street}")
        press(host, button)
    first.get_by_text("all cards are out").wait_for()
    camera.take(first, "phone-river")
    press(host, "Look through and save")
    host.locator("[data-do='check']").first.click()
    host.locator("#save").click()
    first.get_by_role("heading", name="Hand 1").wait_for()
    camera.take(first, "phone-showdown")
    host.goto(host.locator("a[href^='/hands/']").first.get_attribute("href") or "")
    host.get_by_role("link", name="How this hand was dealt").click()
    host.get_by_text("are those that follow").wait_for()
    camera.take(host, "hand-dealt")


def take_correction(camera: Camera, page: Page, pages: dict[str, str]) -> None:
    """A correction that is refused, its effect, and the version that counts no more."""
    page.goto(pages["correct"])
    camera.take(page, "correct")
    top = page.get_by_label("Top").first
    was = top.input_value()
    page.get_by_label("Reason").fill("Ana's top was misread.")
    top.fill("1s")
    press(page, "Show the effect")
    page.locator(".field-error").first.wait_for()
    camera.take(page, "correct-refused")
    # One of the middle's two cards was on top.
    middle = page.get_by_label("Middle").first
    first, second = middle.input_value().split()
    top.fill(first)
    middle.fill(f"{was} {second}")
    press(page, "Show the effect")
    page.get_by_role("heading", name="Before and after").wait_for()
    camera.take(page, "correct-effect")
    press(page, "Correct the hand")
    page.goto(f"{pages['hand']}?version=1")
    camera.take(page, "hand-old-version")


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HOUSE / "shots"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    camera = Camera(folder)
    with demo_service() as (service, pages, log_in), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        guest = phone(browser, service).new_page()
        take_the_door(camera, guest)
        take_first_start(camera, guest)
        page = phone(browser, service).new_page()
        sign_in(page, *log_in)
        for name in pages.keys() - {"entry", "entry-laid", "correct"}:
            page.goto(pages[name])
            camera.take(page, name)
        for name in ("statement", "settle-settled", "hand", "hand-laid", "board-settled"):
            page.goto(pages[name])
            camera.print(page, name)
        page.goto(pages["live-link"])
        press(page, "Switch it on")
        live = page.locator("#live-url").inner_text()
        camera.take(page, "live-link-on")
        page.goto(pages["board-empty"])
        camera.take(page, "board-code")
        take_phones(camera, page, phone(browser, service).new_page(), pages["phones"])
        take_dealt(camera, page, [phone(browser, service).new_page() for _ in range(3)], pages["phones-dealt"])
        take_entry(camera, page, pages["entry"])
        take_laid_entry(camera, page, pages["entry-laid"])
        page.goto(live)
        camera.take(page, "live")
        take_correction(camera, page, pages)
        browser.close()
    sys.stdout.write(f"{camera.taken} pictures in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
