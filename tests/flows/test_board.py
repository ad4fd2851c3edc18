"""The running evening in a browser: a demo, a board that follows by itself, the table's page, keys, eyes, names."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.flows.browsing import findings, notice_faults, overflow, press
from tests.processes import Service

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browsers")]

LONG = "Maximiliana Featherstonehaugh"
CHINESE = "歐陽娜娜與司馬相如"


@pytest.fixture(scope="module")
def host(browser: Browser, service: Service) -> Iterator[BrowserContext]:
    """Somebody who has signed up and looks at the demo session."""
    context = browser.new_context(base_url=f"http://127.0.0.1:{service.port}", viewport={"width": 360, "height": 740})
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.goto("/accounts/signup/")
    page.get_by_label("Email").fill("board@example.com")
    page.get_by_label("Password").fill("correct horse battery staple")
    press(page, "Create account")
    expect(page.get_by_role("heading", name="Start your first game")).to_be_visible()
    assert findings(page) == []
    press(page, "Look at a demo session")
    expect(page.get_by_text("These people and cards are made up.")).to_be_visible()
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(host: BrowserContext) -> Iterator[Page]:
    """The board of the demo session."""
    wrong = notice_faults(host)
    page = host.new_page()
    page.goto("/")
    press(page, "Look at a demo session")
    expect(page.get_by_role("heading", name="Points over the hands")).to_be_visible()
    yield page
    page.close()
    assert wrong == []


def address(page: Page, link: str) -> str:
    return page.get_by_role("link", name=link, include_hidden=True).first.get_attribute("href") or ""


def test_board_and_live_page_follow_by_themselves_and_ask_little(
    page: Page, host: BrowserContext, browser: Browser, service: Service
) -> None:
    answers: list[int] = []
    page.on("response", lambda answer: answers.append(answer.status) if answer.url.endswith("/board") else None)
    board = page.url
    second = host.new_page()
    second.goto(f"{board}live")
    press(second, "Switch it on")
    live = second.locator("#live-url").inner_text()
    table = browser.new_context(viewport={"width": 360, "height": 740})
    table.set_default_timeout(15_000)
    phone = table.new_page()
    phone.goto(live)
    expect(phone.get_by_role("heading", name="Thursday table")).to_be_visible()
    page.locator("#chart-table > summary").click()
    page.wait_for_event("response", lambda answer: answer.url.endswith("/board") and answer.status == 304)
    second.goto(f"{board}seats")
    press(second, "Dora leaves")
    for screen in (page, phone):
        expect(screen.get_by_text("left after hand 24")).to_be_visible()
    expect(page.locator("#chart-table table")).to_be_visible()
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})")
    page.wait_for_timeout(300)
    before = len(answers)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(500)
    assert len(answers) == before, "a hidden page asks nothing"
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => false})")
    with page.expect_response(lambda answer: answer.url.endswith("/board")):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    second.goto(f"{board}live")
    press(second, "Switch it off")
    gone = phone.goto(live)
    assert gone is not None
    assert gone.status == 404
    table.close()
    second.close()


def test_axe_finds_nothing_in_light_and_dark(page: Page, host: BrowserContext) -> None:
    board = page.url
    hand, rules = address(page, "Open"), address(page, "Rules of this table")
    club = page.get_by_role("navigation", name="Where you are", include_hidden=True).get_by_role(
        "link", include_hidden=True
    )
    sessions = club.first.get_attribute("href") or ""
    page.goto(f"{board}live")
    if page.get_by_role("button", name="Switch it on").count():
        press(page, "Switch it on")
    urls = [board, f"{board}?seat=2", f"{board}seats", f"{board}live", page.locator("#live-url").inner_text()]
    urls += [hand, f"{hand}?row=1-bottom-1&pair=1-2", rules, sessions, "/", "/clubs/new"]
    urls.append(f"/clubs/{sessions.partition('club=')[2]}/rules/phenom-jokers")
    urls.append(f"/clubs/{sessions.partition('club=')[2]}/rules")
    urls.append(f"/clubs/{sessions.partition('club=')[2]}/sessions/new")
    wrong = []
    for scheme, width in (("dark", 360), ("light", 1280)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        for url in urls:
            page.goto(url)
            wrong += [f"{scheme} {finding}" for finding in findings(page)]
            wrong += [f"{url} is too wide on {width}"] * (overflow(page) > 0)
    page.set_viewport_size({"width": 360, "height": 740})
    assert wrong == []


def test_on_paper_there_are_numbers_and_no_buttons(page: Page) -> None:
    for url in (page.url, address(page, "Open")):
        page.goto(url)
        page.emulate_media(media="print")
        expect(page.get_by_role("table").first).to_be_visible()
        for kind in (".btn", ".appbar-button", "summary"):
            assert page.locator(kind).filter(visible=True).count() == 0, kind
        page.emulate_media(media="screen")


def test_text_at_200_percent_stays_inside_the_page(page: Page) -> None:
    urls = [page.url, f"{page.url}seats", address(page, "Open"), address(page, "Rules of this table")]
    wide = []
    for url in urls:
        page.goto(url)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        if overflow(page) > 0:
            wide.append(url)
    assert wide == []


def test_the_keyboard_reaches_everything_on_the_board(page: Page) -> None:
    wanted = page.evaluate(
        """() => [...document.querySelectorAll('a[href], button, summary, [tabindex="0"]')]
            .filter(one => one.checkVisibility({visibilityProperty: true})).length"""
    )
    page.evaluate(
        "document.querySelectorAll('*').forEach(one => one.addEventListener('focus', () => one.dataset.was = 1))"
    )
    for _press in range(wanted + 5):
        page.keyboard.press("Tab")
    assert page.evaluate("document.querySelectorAll('[data-was]').length") >= wanted


def test_long_and_chinese_names_break_nothing(page: Page) -> None:
    page.goto(f"{page.url}seats")
    for name in (LONG, CHINESE):
        if page.get_by_role("button", name=f"{name} leaves").count():
            continue
        page.get_by_role("button", name="leaves").first.click()
        page.get_by_label("Player").fill(name)
        press(page, "Sit down")
        expect(page.get_by_text(f"{name} plays from the next hand on")).to_be_visible()
    for width in (320, 360, 1280):
        page.set_viewport_size({"width": width, "height": 640})
        for url in (page.url, page.url.removesuffix("seats")):
            page.goto(url)
            expect(page.get_by_text(CHINESE).first).to_be_visible()
            assert overflow(page) <= 0, (width, url)
    page.set_viewport_size({"width": 360, "height": 740})


def test_a_new_session_says_what_a_point_means_while_it_is_typed(page: Page) -> None:
    page.goto("/clubs/new")
    page.get_by_label("Name of your home game or club").fill("Kitchen")
    press(page, "Go on")
    expect(page.get_by_text("20 points = $10.00")).to_be_visible()
    page.get_by_label("A point is worth").press_sequentially("0", delay=20)
    page.get_by_label("A point is worth").fill("1.25")
    expect(page.get_by_text("20 points = $25.00")).to_be_visible()
    page.get_by_label("Currency").select_option("JPY")
    expect(page.get_by_text("1.25 JPY is no whole number of minor units: JPY has 0 decimals.")).to_be_visible()
    page.get_by_label("Currency").select_option("USD")
    page.get_by_label("Seat 1", exact=True).fill("Ana")
    page.get_by_label("Seat 2", exact=True).fill("Ben")
    press(page, "Start session")
    expect(page.get_by_role("heading", name="No hands yet")).to_be_visible()
    page.goto("/")
    page.get_by_role("button", name="Same as last time").dblclick()
    expect(page.get_by_role("heading", name="No hands yet")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("listitem").filter(has_text="Home game")).to_have_count(2)
    demo = page.get_by_role("link", name="Demo")
    demo.click()
    press(page, "Put the demo away")
    expect(page.get_by_text("The demo is put away.")).to_be_visible()
    expect(demo).to_have_count(0)
