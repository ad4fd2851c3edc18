"""A hand that the house deals, on two phones and the host's, each in a browser of its own."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.flows.browsing import notice_faults, press
from tests.flows.test_phones import a_phone, begin_at_a_table, clean, laid
from tests.processes import Service

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browsers")]

NAMES = ("Ana", "Ben")


def set_and_lock(page: Page) -> None:
    keys = page.locator(".key[data-card]")
    expect(keys).to_have_count(7)
    for place in range(7):
        keys.nth(place).tap()
    assert laid(page) == 7
    press(page, "Confirm")


def test_two_phones_are_dealt_their_cards_and_follow_the_boards_to_the_proof(
    browser: Browser, service: Service
) -> None:
    host = a_phone(browser, service).new_page()
    phones = {name: a_phone(browser, service).new_page() for name in NAMES}
    faults = [notice_faults(page.context) for page in (host, *phones.values())]
    begin_at_a_table(host, "deals@example.com", NAMES)
    clean(host)
    press(host, "Deal by the house")
    code = host.locator("#join-code").inner_text()
    committed = host.locator(".digest code").first.text_content()
    assert re.fullmatch("[0-9a-f]{64}", committed or "")
    clean(host)
    ana, ben = phones["Ana"], phones["Ben"]
    ana.goto("/table/")
    ana.get_by_label("Code of the table").fill(code)
    press(ana, "Go on")
    url = ana.url
    press(ana, "I am Ana")
    # Her phone gives its part by itself.
    expect(ana.get_by_role("heading", name="The house deals in a moment")).to_be_visible()
    assert committed in ana.content()
    clean(ana)
    ben.goto(url)
    press(ben, "I am Ben")
    for name, page in phones.items():
        expect(page.get_by_role("heading", name=f"Your cards, {name}")).to_be_visible()
        expect(page.locator("body.is-running")).to_be_visible()
    clean(ana)
    dealt = [
        page.locator(".key[data-card]").evaluate_all("keys => keys.map((key) => key.dataset.card)")
        for page in (ana, ben)
    ]
    assert len({card for hand in dealt for card in hand}) == 14, "nobody holds another's card"
    for page in phones.values():
        set_and_lock(page)
    for said, button in (
        ("before the flop", "Show the flops"),
        ("flops are out", "Show the turns"),
        ("turns are out", "Show the rivers"),
    ):
        expect(ana.get_by_text(said)).to_be_visible()
        clean(ana)
        clean(host)
        press(host, button)
    expect(ben.get_by_text("all cards are out")).to_be_visible()
    press(host, "Look through and save")
    host.locator("[data-do='check']").first.click()
    host.locator("#save").click()
    expect(host.get_by_text("Hand 1 saved")).to_be_visible()
    expect(ana.get_by_role("heading", name="Hand 1")).to_be_visible()
    host.goto(host.locator("a[href^='/hands/']").first.get_attribute("href") or "")
    host.get_by_role("link", name="How this hand was dealt").click()
    expect(host.get_by_text("The cards of this hand are those that follow")).to_be_visible()
    clean(host)
    assert [fault for found in faults for fault in found] == []
    for page in (host, *phones.values()):
        page.context.close()
