"""After the last hand, in two browsers: part of a debt is paid, the other side confirms, and what was wrong is undone.

The published deal at 50 cents a point, without scripts for typing it in: Ana +11.00, Ben -20.00, Chi +9.00.
"""

import re
from collections.abc import Iterator

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Browser, Page, expect

from tests.deals import BOARDS, THREE
from tests.flows.browsing import findings, notice_faults, press, sign_up
from tests.processes import Service

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browsers")]


def person(browser: Browser, service: Service, **options: object) -> Iterator[Page]:
    """The phone of one person, which notices what goes wrong."""
    context = browser.new_context(
        base_url=f"http://127.0.0.1:{service.port}", viewport={"width": 360, "height": 740}, **options
    )
    context.set_default_timeout(15_000)
    wrong = notice_faults(context)
    yield context.new_page()
    context.close()
    assert wrong == []


@pytest.fixture
def host(browser: Browser, service: Service) -> Iterator[Page]:
    yield from person(browser, service, java_script_enabled=False, accept_downloads=True)


@pytest.fixture
def ben(browser: Browser, service: Service) -> Iterator[Page]:
    yield from person(browser, service)


def begin_evening(page: Page) -> None:
    page.goto("/")
    sign_up(page, "host@example.com")
    press(page, "New session")
    page.get_by_label("Name of your home game or club").fill("Kitchen")
    press(page, "Go on")
    page.get_by_label("Table").fill("Thursday table")
    for number, name in enumerate(THREE, start=1):
        page.locator(f"[name=seat_{number}]").fill(name)
    press(page, "Start session")
    press(page, "New hand")
    for number, board in enumerate(BOARDS, start=1):
        page.get_by_role("textbox", name=f"Board {number}").fill(" ".join(board))
    for name, rows in THREE.items():
        for row, cards in rows.items():
            page.get_by_role("region", name=name).get_by_label(row.capitalize()).fill(" ".join(cards))
    press(page, "Save hand 1")


def settle(page: Page) -> None:
    press(page, "Close and settle")
    press(page, "Settle")
    expect(line(page, "Ben pays Ana")).to_contain_text("$11.00")


def line(page: Page, who: str):
    return page.get_by_role("listitem").filter(has_text=who)


def invitation_for(page: Page, name: str) -> str:
    page.get_by_role("link", name=name, exact=True).click()
    press(page, "Edit")
    link = page.locator("#invitation").text_content() or ""
    return re.sub(r"^https?://[^/]+", "", link.strip())


def balance(page: Page, name: str) -> str:
    """As the page of all open balances tells it."""
    found = page.locator(".line", has=page.get_by_role("link", name=name, exact=True))
    return (found.locator(".money [aria-hidden]").text_content() or "").strip() if found.count() else ""


def test_who_pays_whom_from_both_sides(host: Page, ben: Page, tmp_path) -> None:
    begin_evening(host)
    press(host, "Back")
    settle(host)
    settled = host.url

    # In part, by the host: counts at once.
    press(host, "Another payment, or a part")
    host.get_by_label("Who paid").select_option("Ben")
    host.get_by_label("Who was paid").select_option("Ana")
    host.get_by_label("Amount").fill("4")
    press(host, "Write it down")
    host.goto(settled)
    expect(host.locator(".payment.is-paid")).to_contain_text("$4.00")
    expect(line(host, "Ben pays Ana").filter(has_text="Mark paid")).to_contain_text("$7.00")

    # Ben comes by the invitation, signs up on the way, and says that he paid the rest.
    ben.goto(invitation_for(host, "Ben"))
    sign_up(ben, "ben@example.com")
    press(ben, "I am Ben")
    expect(ben.get_by_role("heading", name="Ben", exact=True)).to_be_visible()
    press(ben, "Write one down")
    ben.get_by_label("Who paid").select_option("Ben")
    ben.get_by_label("Who was paid").select_option("Ana")
    ben.get_by_label("Amount").fill("7")
    press(ben, "Write it down")
    expect(ben.get_by_text("Ana has not confirmed yet")).to_be_visible()
    assert findings(ben) == []
    assert ben.get_by_role("button", name="Ana has it: confirm").count() == 0

    # The host knows that Ana has it.
    host.goto(settled)
    press_more(host, "All open balances")
    owed = host.url
    host.get_by_role("link", name="$7.00").click()
    press(host, "Ana has it: confirm")
    expect(host.get_by_text("Paid", exact=True)).to_be_visible()
    payment = host.url
    host.goto(owed)
    assert (balance(host, "Ben"), balance(host, "Chi"), balance(host, "Ana")) == ("−$9.00", "+$9.00", "")

    # It bounced: cancelled by reversal.
    host.goto(payment)
    host.get_by_text("Cancel this payment").click()
    host.get_by_label("Reason").fill("It bounced")
    press(host, "Cancel the payment")
    expect(host.get_by_text("Cancelled", exact=True).first).to_be_visible()
    host.goto(owed)
    assert (balance(host, "Ben"), balance(host, "Chi"), balance(host, "Ana")) == ("−$16.00", "+$9.00", "+$7.00")

    # Ben doubts the hand; the host sees it on the session's pages and declines.
    ben.goto("/")
    assert findings(ben) == []
    ben.locator("#sessions + section").get_by_role("link", name="Thursday table", exact=True).click()
    press(ben, "Open")
    press_more(ben, "Something is wrong")
    assert findings(ben) == []
    ben.get_by_label("What is wrong?").fill("My top was the six.")
    press(ben, "Tell the host")
    host.goto(settled)
    expect(host.get_by_role("note")).to_contain_text("My top was the six.")
    press(host, "Answer")
    host.get_by_label("Why it stays as it is").fill("Everybody saw the five.")
    press(host, "Decline")
    expect(host.get_by_text("Everybody saw the five.")).to_be_visible()
    host.goto(settled)
    expect(host.get_by_role("note")).to_have_count(0)

    # A name more, which is Chi too.
    host.goto(owed)
    host.get_by_role("link", name="Chi", exact=True).click()
    player = host.url
    host.goto(re.sub(r"/clubs/([^/]+)/.*", r"/clubs/\1/players", owed))
    host.get_by_label("Name").fill("Chichi")
    press(host, "Add player")
    host.goto(player)
    press(host, "Edit")
    host.get_by_label("Another name of Chi").select_option("Chichi")
    press(host, "Merge")
    expect(host.get_by_text("Also written as Chichi.")).to_be_visible()

    # Page, statement and API say the same of Chi.
    expect(host.locator(".amount")).to_contain_text("$9.00")
    press(host, "Make the statement")
    expect(host.get_by_role("link", name="Download Excel")).to_be_visible(timeout=15_000)
    with host.expect_download() as download:
        press(host, "Download Excel")
    path = tmp_path / "chi.xlsx"
    download.value.save_as(path)
    rows = {row[2].value: row for row in load_workbook(path)["Statement"].iter_rows(min_row=7) if row[2].value}
    assert rows["Closing balance"][8].value == 9
    host.goto(re.sub(r"/clubs/([^/]+)/.*", r"/clubs/\1/", owed))
    host.get_by_label("What the key is for").fill("Balances")
    press(host, "Make a key")
    key = (host.locator("#secret").text_content() or "").strip()
    answer = host.request.get("/api/v1/balances", headers={"Authorization": f"Api-Key {key}"})
    held = {one["name"]: one["balance"]["amount_minor"] for one in answer.json()["results"]}
    assert held == {"Ana": 700, "Ben": -1600, "Chi": 900}


def press_more(page: Page, name: str) -> None:
    page.locator("summary.appbar-button").locator("visible=true").first.click()
    press(page, name)
