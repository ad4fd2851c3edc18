"""A hand on own phones, from the code to the showdown: six players and their host, each in a browser of their own."""

from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.flows.browsing import findings, notice_faults, overflow, press, sign_up
from tests.processes import Service

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browsers")]

NAMES = ("Ana", "Ben", "Chi", "Dora", "Emil", "Fay")
# Every 23rd card of a deck in order: seven for each of six seats, and ten for the two boards.
DECK = [rank + suit for suit in "shdc" for rank in "AKQJT98765432"]
DEALT = [DECK[place * 23 % 52] for place in range(52)]
CARDS = {name: DEALT[7 * place : 7 * place + 7] for place, name in enumerate(NAMES)}
BOARDS = DEALT[42:]


def a_phone(browser: Browser, service: Service) -> BrowserContext:
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{service.port}",
        viewport={"width": 360, "height": 740},
        has_touch=True,
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    return context


def begin_at_a_table(page: Page, email: str, names: Sequence[str]) -> None:
    """A host who signs up, seats these people at a table, and comes to the page of own phones."""
    page.goto("/")
    sign_up(page, email)
    page.goto("/clubs/new")
    page.get_by_label("Name of your home game or club").fill("Kitchen")
    press(page, "Go on")
    for number, name in enumerate(names, start=1):
        page.get_by_label(f"Seat {number}").fill(name)
    press(page, "Start session")
    page.get_by_role("link", name="Own phones", include_hidden=True).wait_for(state="attached")
    page.goto(f"{page.url}phones")


@pytest.fixture(scope="module")
def host(browser: Browser, service: Service) -> Iterator[Page]:
    """A host with a session of six, on its page of own phones."""
    context = a_phone(browser, service)
    page = context.new_page()
    begin_at_a_table(page, "phones@example.com", NAMES)
    yield page
    context.close()


@pytest.fixture
def phones(browser: Browser, service: Service) -> Iterator[dict[str, Page]]:
    contexts = {name: a_phone(browser, service) for name in NAMES}
    yield {name: context.new_page() for name, context in contexts.items()}
    for context in contexts.values():
        context.close()


def lay(page: Page, cards: list[str]) -> None:
    for card in cards:
        page.locator(f".key[data-card='{card}']").tap()


def laid(page: Page) -> int:
    return page.locator(".slot .pcard:not(.pcard-slot)").count()


def clean(page: Page) -> None:
    assert findings(page) == []
    assert overflow(page) <= 0


def test_six_phones_play_a_hand_to_the_showdown(host: Page, phones: dict[str, Page]) -> None:
    faults = {name: notice_faults(page.context) for name, page in phones.items() if name != "Chi"}
    press(host, "Set hand 1 on own phones")
    code = host.locator("#join-code").inner_text()
    clean(host)
    # Ana types the code; whoever scans is at the table at once.
    ana = phones["Ana"]
    ana.goto("/table/")
    ana.get_by_label("Code of the table").fill(code.lower())
    press(ana, "Go on")
    expect(ana.get_by_text("Choose your seat")).to_be_visible()
    clean(ana)
    for name, page in phones.items():
        page.goto(ana.url)
        press(page, f"I am {name}")
        expect(page.get_by_role("heading", name=f"Your cards, {name}")).to_be_visible()
    clean(ana)
    assert ana.evaluate("document.documentElement.scrollHeight") <= 740, "nothing scrolls while one sets"

    # Ana takes everything back once, then sets and locks.
    lay(ana, CARDS["Fay"][:3])
    press(ana, "Recall")
    assert laid(ana) == 0
    lay(ana, CARDS["Ana"])
    press(ana, "Confirm")
    expect(ana.get_by_text("1 of 6 locked")).to_be_visible()
    expect(host.get_by_text("1 of 6 locked")).to_be_visible()
    clean(ana)
    own = ana.locator(".peek-faces")
    expect(own).to_be_hidden()
    button = ana.get_by_role("button", name="Hold to look at your cards")
    button.dispatch_event("pointerdown")
    expect(own).to_be_visible()
    button.dispatch_event("pointerup")
    expect(own).to_be_hidden()

    # Ben's phone reloads after four cards.
    ben = phones["Ben"]
    lay(ben, CARDS["Ben"][:4])
    ben.reload()
    expect(ben.get_by_role("button", name="3 more to confirm")).to_be_visible()
    lay(ben, CARDS["Ben"][4:])
    press(ben, "Confirm")
    expect(ben.get_by_text("2 of 6 locked")).to_be_visible()

    # Chi's phone has no network while it sets, and confirms when it is back.
    chi = phones["Chi"]
    chi.context.set_offline(True)
    lay(chi, CARDS["Chi"])
    press(chi, "Confirm")
    expect(chi.get_by_text("Not locked yet: no network.")).to_be_visible()
    expect(chi.get_by_text("Saved on this phone", exact=True)).to_be_visible()
    chi.context.set_offline(False)
    chi.reload()
    assert laid(chi) == 7
    press(chi, "Confirm")
    expect(chi.get_by_text("3 of 6 locked")).to_be_visible()

    # Dora mistakes her first card for Emil's; nobody is told before the last one has locked.
    dora, emil, fay = phones["Dora"], phones["Emil"], phones["Fay"]
    lay(dora, [CARDS["Emil"][0], *CARDS["Dora"][1:]])
    press(dora, "Confirm")
    lay(emil, CARDS["Emil"])
    press(emil, "Confirm")
    expect(emil.get_by_text("5 of 6 locked")).to_be_visible()

    # The host unlocks Emil, who is told, and locks the same cards again.
    press(host, "Unlock Emil")
    expect(emil.get_by_text("The host unlocked your seat at")).to_be_visible()
    clean(emil)
    press(emil, "Confirm")
    expect(ana.get_by_text("unlocked at")).to_be_visible()
    assert "claimed" not in host.content()

    lay(fay, CARDS["Fay"])
    press(fay, "Confirm")
    for page in (dora, emil, host, ana):
        expect(page.get_by_text("was claimed twice: Dora, Emil.")).to_be_visible()
    clean(dora)
    dora.locator(".slot").first.tap()
    lay(dora, CARDS["Dora"][:1])
    press(dora, "Confirm")
    press(emil, "Confirm")

    # All are locked: the cards are open on every phone, and ten taps make the boards.
    for page in phones.values():
        expect(page.get_by_role("heading", name="All cards are open")).to_be_visible()
    clean(ana)
    clean(host)
    expect(ana.get_by_text("before the flop")).to_be_visible()
    press(host, "Enter the boards")
    # The boards are asked for as they come, and every phone follows them.
    lay(host, BOARDS[:6])
    flops = host.locator(".slot[data-row^='board'] .pcard:not(.pcard-slot)")
    expect(flops).to_have_count(6)
    # What is taken back after a reload is the last card of the boards, never one that somebody has locked.
    host.reload()
    for _card in range(7):
        host.locator("[data-do='undo']").first.tap()
    expect(flops).to_have_count(0)
    expect(host.get_by_role("banner").get_by_text("42 of 52")).to_be_visible()
    lay(host, BOARDS[:6])
    expect(ana.get_by_text("flops are out")).to_be_visible()
    clean(ana)
    lay(host, BOARDS[6:8])
    expect(ana.get_by_text("turns are out")).to_be_visible()
    ana.set_viewport_size({"width": 320, "height": 568})
    clean(ana)
    ana.set_viewport_size({"width": 360, "height": 740})
    # The tenth card of the boards fills itself: it is the last of the deck.
    lay(host, BOARDS[8:9])
    expect(ana.get_by_text("all cards are out")).to_be_visible()
    clean(ana)
    host.locator("#save").click()
    expect(host.get_by_text("Hand 1 saved")).to_be_visible()
    for page in phones.values():
        expect(page.get_by_role("heading", name="Hand 1")).to_be_visible()
        expect(page.locator(".setup")).to_have_count(6)
    clean(ana)
    assert [fault for found in faults.values() for fault in found] == []


def lock_while_taps_are_on_their_way(page: Page) -> None:
    """Taps are still being kept when they are confirmed: the lock waits for them, so that nothing comes too late."""
    faults = notice_faults(page.context)
    held: list[Route] = []
    arrived: list[str] = []
    page.on("request", lambda request: arrived.append("locked") if request.url.endswith("/confirm") else None)
    page.route("**/setups/*", lambda route: held.append(route), times=1)
    with page.expect_request("**/setups/*"):
        lay(page, CARDS["Ana"])
    press(page, "Confirm")
    page.wait_for_timeout(300)
    arrived.append("kept")
    held.pop().continue_()
    expect(page.get_by_text("1 of 6 locked")).to_be_visible()
    assert arrived == ["kept", "locked"]
    assert faults == []


def test_the_next_hand_comes_to_the_phones_by_itself_and_fits_small_screens(
    host: Page, phones: dict[str, Page]
) -> None:
    ana = phones["Ana"]
    session = host.url.split("/phones")[0].rstrip("/")
    host.goto(f"{session}/phones")
    press(host, "Free the seat of Ana")
    ana.goto("/table/")
    ana.get_by_label("Code of the table").fill(host.locator("#join-code").inner_text())
    press(ana, "Go on")
    press(ana, "I am Ana")
    expect(ana.get_by_role("heading", name="Hand 1")).to_be_visible()
    press(host, "Set hand 2")
    expect(ana.get_by_role("heading", name="Your cards, Ana")).to_be_visible()
    for width, height in ((320, 568), (360, 640), (1280, 800)):
        ana.set_viewport_size({"width": width, "height": height})
        assert overflow(ana) <= 0
        assert ana.evaluate("document.documentElement.scrollHeight") <= height, (width, height)
    ana.set_viewport_size({"width": 360, "height": 740})
    lock_while_taps_are_on_their_way(ana)
    press(host, "Ben sits out")
    expect(host.get_by_text("1 of 5 locked")).to_be_visible()
