"""Entering hands of the Chinese family: thirteen taps a seat, fouls marked, Fantasyland proposed by the hand before."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.flows.browsing import findings, overflow
from tests.flows.entry.cards import DECK, boxes, count, deal, lies_in, slot, tap
from tests.flows.entry.conftest import Tables
from tests.flows.entry.test_entry import SIZES, STATE
from tests.ofc import FOULED, setup_document

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("entry")]

Enter = Callable[..., Page]
ROWS = ("top", "middle", "bottom")
# Ana +22, Ben +11, Chi fouls: -33 (tests/ofc.py).
THREE = [card for setup in FOULED.values() for row in ROWS for card in setup_document(setup)[row]]
ANA, BEN, CHI = THREE[:13], THREE[13:26], THREE[26:]


def chip(page: Page, name: str):
    return page.get_by_role("button", name=re.compile(rf"^{name}, \d"))


@pytest.mark.parametrize(
    ("rule_set", "seats", "taps", "size"),
    [
        ("open-face", 3, 39, "phone"),
        ("open-face", 3, 39, "small"),
        ("pineapple-jokers", 3, 39, "desk"),
        # The whole deck: its last card fills itself.
        ("chinese", 4, 51, "phone"),
        ("chinese-naturals", 4, 51, "small"),
    ],
)
def test_a_hand_takes_thirteen_taps_a_seat_on_keys_that_stay_in_place(
    tables: Tables, enter: Enter, rule_set: str, seats: int, taps: int, size: str
) -> None:
    width, height = SIZES[size]
    page = enter(tables.open(seats, rule_set=rule_set), width, height)
    for key in boxes(page, ".key"):
        assert key["right"] - key["left"] >= 44
        assert key["bottom"] - key["top"] >= 44
        assert 0 <= key["left"] < key["right"] <= width
        assert 0 <= key["top"] < key["bottom"] <= height
    lain = boxes(page, ".slot:visible")
    assert len(lain) == 13
    for one in lain:
        assert one["right"] - one["left"] >= 24
        assert 0 <= one["left"] < one["right"] <= width
    places = {
        key["name"]: ((key["left"] + key["right"]) / 2, (key["top"] + key["bottom"]) / 2) for key in boxes(page, ".key")
    }
    tapped = 0
    for card in DECK:
        checks, *extent = page.evaluate(STATE)
        if checks:
            break
        assert extent == [height, width], f"it scrolls after {tapped} taps"
        page.mouse.click(*places[card])
        tapped += 1
    assert tapped == taps
    expect(page.get_by_role("heading", name="Check hand 1")).to_be_visible()
    expect(page.locator("#check .laid .setup")).to_have_count(seats)


def test_a_foul_is_marked_and_fantasyland_proposed_in_the_next_hand(tables: Tables, enter: Enter) -> None:
    session = tables.open(3, rule_set="open-face")
    page = enter(session)
    deal(page, *THREE)
    for name, net in (("Ana", "+22"), ("Ben", "+11"), ("Chi", "−33")):
        expect(page.locator(".matrix tbody tr").filter(has_text=name).locator(".matrix-net")).to_contain_text(net)
    setups = page.locator("#check .setup")
    expect(setups.filter(has_text="Foul")).to_have_count(1)
    expect(setups.filter(has_text="Foul")).to_contain_text("Chi")
    expect(setups.nth(0)).to_contain_text("Royalties 12")
    expect(setups.nth(0)).to_contain_text("Fantasyland next, 13 cards")
    assert findings(page) == []
    assert overflow(page) == 0
    page.get_by_role("button", name="Save hand 1").click()
    page.wait_for_url(session)
    expect(page.locator(".board-last")).to_contain_text("Foul")

    page.get_by_role("link", name="New hand").click()
    page.wait_for_selector(".is-running")
    fantasyland = page.get_by_label("Fantasyland", exact=True)
    expect(fantasyland).to_have_value("13")
    expect(chip(page, "Ana")).to_have_accessible_name("Ana, 0 of 13 cards, Fantasyland, 13 cards")
    chip(page, "Chi").click()
    expect(fantasyland).to_have_value("0")
    # The host knows better than the hand before: Ben was not dealt in it, and the check says so.
    chip(page, "Ben").click()
    fantasyland.select_option("0")
    chip(page, "Ana").click()
    deal(page, *THREE)
    expect(page.locator("#check .alert")).to_have_text(
        "Seat 2 (Ben) is not in Fantasyland; by hand 1 it is, with 13 cards."
    )
    expect(page.locator("#check .setup").nth(0)).to_contain_text("In Fantasyland, 13 cards")
    page.get_by_role("button", name="Save hand 2").click()
    page.wait_for_url(session)
    assert tables.hands(session) == 2


def test_marks_outlive_a_reload_and_undo_takes_them_back(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2, rule_set="progressive"))
    fantasyland = page.get_by_label("Fantasyland", exact=True)
    fantasyland.select_option("16")
    tap(page, ANA[0])
    page.get_by_role("button", name="Undo").click()
    expect(fantasyland).to_have_value("16")
    page.get_by_role("button", name="Undo").click()
    expect(fantasyland).to_have_value("0")
    fantasyland.select_option("17")
    tap(page, *ANA[:2])
    page.reload()
    page.wait_for_selector(".is-running")
    expect(fantasyland).to_have_value("17")
    assert lies_in(page)[:3] == [*ANA[:2], ""]
    assert count(page) == "2 of 26"


def test_typed_text_fills_three_five_and_five(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2, rule_set="chinese"))
    page.get_by_role("textbox", name="Ana").fill("KsKd4c / 9h9d5s5c2d / AhJh8h6h3h")
    expect(page.get_by_role("textbox", name="Ben")).to_be_visible()
    page.get_by_role("textbox", name="Ben").fill("".join(BEN))
    expect(page.get_by_role("heading", name="Check hand 1")).to_be_visible()
    # A card of the check is the one to be mended.
    page.locator("#check .setup").first.get_by_role("img", name="Two of diamonds").click()
    expect(slot(page, "Ana, middle", 5)).to_have_attribute("aria-current", "true")


def test_discards_are_asked_for_only_where_they_are_wanted(tables: Tables, enter: Enter) -> None:
    session = tables.open(2, rule_set="pineapple")
    page = enter(session)
    assert count(page) == "0 of 26"
    page.locator(".appbar .entry-count").click()
    page.get_by_role("button", name="Discards too").click()
    assert count(page) == "0 of 34"
    deal(page, *ANA, *CHI[:4])
    assert slot(page, "Ben, top").get_attribute("aria-current") == "true"
    # In Fantasyland fourteen are dealt: one is discarded.
    page.get_by_label("Fantasyland", exact=True).select_option("14")
    assert count(page) == "17 of 31"
    deal(page, *BEN, CHI[4])
    expect(page.locator("#check .setup").first.locator(".laid-discards .pcard")).to_have_count(4)
    expect(page.locator("#check .setup").nth(1).locator(".laid-discards .pcard")).to_have_count(1)
    page.get_by_role("button", name="Save hand 1").click()
    page.wait_for_url(session)
    assert tables.hands(session) == 1


def test_who_surrenders_shows_no_cards(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2, rule_set="chinese-naturals"))
    deal(page, *ANA)
    page.get_by_role("button", name="Surrenders").click()
    # rules.md: a surrender pays 3 under 1-6.
    expect(page.locator("#check .setup").filter(has_text="Surrendered")).to_contain_text("Ben")
    expect(page.locator(".matrix tbody tr").first.locator(".matrix-net")).to_contain_text("+3")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_text("Ben surrenders")).to_be_visible()
    page.get_by_role("button", name="Deal in").click()
    assert count(page) == "13 of 26"
