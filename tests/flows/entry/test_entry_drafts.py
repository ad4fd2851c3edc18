"""What was tapped is never lost, and nothing is written over unseen: no network, two tabs, two phones, a restart."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.flows.browsing import findings
from tests.flows.entry.cards import TWO, count, deal, lies_in, tap
from tests.flows.entry.conftest import Tables
from tests.processes import until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("entry")]

Enter = Callable[..., Page]
SAVED = "Saved on this phone and the server"


def status(page: Page):
    return page.locator("#entry-status")


def test_a_reload_after_every_tap_loses_nothing(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2))
    for tapped, card in enumerate(TWO[:-1], start=1):
        tap(page, card)
        page.reload()
        page.wait_for_selector(".is-running")
        assert count(page) == f"{tapped} of 24"
    assert lies_in(page)[:10] == TWO[:10]
    tap(page, TWO[-1])
    expect(page.locator("#save")).to_be_visible()


def test_within_a_second_the_draft_is_on_every_other_phone(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session)
    deal(page, *TWO[:12])
    expect(status(page)).to_have_text(SAVED, timeout=1000)
    # A battery that died took the first phone's memory with it; another phone goes on from New hand.
    other = enter(session)
    assert count(other) == "12 of 24"
    assert lies_in(other)[:12] == TWO[:12]
    other.goto(session)
    other.get_by_role("link", name="A hand is being entered").click()
    other.wait_for_selector(".is-running")
    assert count(other) == "12 of 24"


def test_without_a_network_nothing_is_lost_and_all_is_sent_when_it_is_back(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session)
    tap(page, *TWO[:3])
    expect(status(page)).to_have_text(SAVED)
    page.context.set_offline(True)
    deal(page, *TWO[3:])
    expect(page.locator("#check")).to_contain_text("No network. Your cards are saved on this phone")
    page.get_by_role("button", name="Edit").click()
    expect(status(page)).to_have_text("Saved on this phone")
    page.get_by_role("button", name="Check", exact=True).click()
    page.context.set_offline(False)
    # The points come by themselves; then the hand is saved while the network is gone, and when it is back.
    save = page.get_by_role("button", name="Save hand 1")
    save.wait_for()
    page.context.set_offline(True)
    save.click()
    expect(page.locator("#check")).to_contain_text("The hand is not in the book yet: no network.")
    assert tables.hands(session) == 0
    page.context.set_offline(False)
    save.click()
    page.wait_for_url(session)
    assert tables.hands(session) == 1


def test_what_was_tapped_without_a_network_outlives_the_page(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session)
    page.context.set_offline(True)
    deal(page, *TWO[:7])
    again = page.context.new_page()
    page.close()
    again.context.set_offline(False)
    again.goto(f"{session}hands/new")
    again.wait_for_selector(".is-running")
    expect(again.locator("[data-count]:visible")).to_have_text("7 of 24")
    expect(status(again)).to_have_text(SAVED)


def test_two_tabs_of_one_phone_stay_in_step(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    one = enter(session)
    deal(one, *TWO[:5])
    other = one.context.new_page()
    other.goto(one.url)
    other.wait_for_selector(".is-running")
    tap(other, TWO[5])
    expect(one.locator("[data-count]:visible")).to_have_text("6 of 24")
    tap(one, TWO[6])
    expect(other.locator("[data-count]:visible")).to_have_text("7 of 24")
    assert lies_in(one)[:7] == lies_in(other)[:7] == TWO[:7]
    expect(status(one)).to_have_text(SAVED)
    expect(status(other)).to_have_text(SAVED)


def test_a_page_that_is_older_than_what_another_tab_sent_shows_the_newest(tables: Tables, enter: Enter) -> None:
    one = enter(tables.open(2))
    deal(one, *TWO[:2])
    expect(status(one)).to_have_text(SAVED)
    other = one.context.new_page()

    def answer_late(route: Route) -> None:
        answer = route.fetch()
        deal(one, *TWO[2:6])
        until(lambda: one.evaluate("JSON.parse(Object.values(localStorage)[0]).isSent"))
        route.fulfill(response=answer)

    other.route("**/hands/new?*", answer_late)
    other.goto(one.url)
    other.wait_for_selector(".is-running")
    assert count(other) == "6 of 24"
    tap(other, TWO[6])
    expect(one.locator("[data-count]:visible")).to_have_text("7 of 24")
    expect(status(other)).to_have_text(SAVED)
    assert lies_in(one)[:7] == TWO[:7]


@pytest.mark.parametrize("choice", ["Show theirs", "Keep mine"])
def test_the_later_of_two_phones_is_shown_the_difference(tables: Tables, enter: Enter, choice: str) -> None:
    session = tables.open(2)
    first = enter(session)
    deal(first, *TWO[:2])
    expect(status(first)).to_have_text(SAVED)
    second = enter(session)
    tap(first, "Ks")
    expect(status(first)).to_have_text(SAVED)
    expect(first.locator("[data-count]:visible")).to_have_text("3 of 24")
    page_before = lies_in(first)[:3]
    until(lambda: first.evaluate("JSON.parse(Object.values(localStorage)[0]).isSent"))
    tap(second, "Kh")
    dialog = second.get_by_role("dialog")
    expect(dialog.get_by_role("row").nth(1)).to_have_text("Board 12d Ac Ks _ _2d Ac Kh _ _")
    expect(dialog.get_by_role("heading")).to_contain_text("@example.com changed this hand at")
    assert findings(second) == []
    dialog.get_by_role("button", name=choice).click()
    kept = page_before if choice == "Show theirs" else ["2d", "Ac", "Kh"]
    assert lies_in(second)[:3] == kept
    until(lambda: second.evaluate("JSON.parse(Object.values(localStorage)[0]).isSent"))
    assert lies_in(enter(session))[:3] == kept
    # The other one is not gone either.
    second.get_by_role("button", name="Undo").click()
    assert lies_in(second)[2] == ({"Ks", "Kh"} - {kept[2]}).pop()


def test_a_hand_that_another_phone_changed_is_not_saved_unseen(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    first = enter(session)
    deal(first, *TWO)
    first.locator("#save").wait_for()
    until(lambda: first.evaluate("JSON.parse(Object.values(localStorage)[0]).isSent"))
    second = enter(session)
    second.get_by_role("button", name="Ben, 7 of 7 cards").click()
    second.locator("#entry-text").fill("5d Td5c 8s2cTh6s")
    second.locator("#save").wait_for()
    until(lambda: second.evaluate("JSON.parse(Object.values(localStorage)[0]).isSent"))
    first.locator("#save").click()
    expect(first.get_by_role("dialog")).to_contain_text("6s")
    assert tables.hands(session) == 0
    first.get_by_role("button", name="Keep mine").click()
    first.locator("#save").click()
    first.wait_for_url(session)
    # The second phone learns where its draft has gone.
    second.get_by_role("button", name="Edit").click()
    second.get_by_role("button", name="Undo").click()
    second.wait_for_url("**/hands/*/")
    assert tables.hands(session) == 1


def test_a_double_tap_on_save_is_one_hand(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session)
    deal(page, *TWO)
    page.locator("#save").dblclick()
    page.wait_for_url(session)
    assert tables.hands(session) == 1
    # Going back does not lead into the hand that is in the book.
    page.go_back()
    expect(page.locator("[data-count]:visible")).to_have_text("0 of 24")
    assert tables.hands(session) == 1


def test_a_draft_is_thrown_away_after_a_question(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session)
    deal(page, *TWO[:4])
    for answer in ("Keep it", "Throw it away"):
        page.locator("summary:visible").click()
        page.get_by_role("button", name="Throw this draft away").click()
        assert findings(page) == []
        page.get_by_role("dialog").get_by_role("button", name=answer).click()
    page.wait_for_url(session)
    expect(page.get_by_text("A hand is being entered")).to_have_count(0)
    assert page.evaluate("localStorage.length") == 0
    assert count(enter(session)) == "0 of 24"


def test_a_restart_of_the_server_loses_nothing(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session)
    deal(page, *TWO[:5])
    expect(status(page)).to_have_text(SAVED)
    tables.service.end()
    tap(page, *TWO[5:9])
    expect(status(page)).to_have_text("Saved on this phone")
    tables.service.up("--no-demo")
    tap(page, TWO[9])
    expect(status(page)).to_have_text(SAVED, timeout=20_000)
    assert lies_in(enter(session))[:10] == TWO[:10]
