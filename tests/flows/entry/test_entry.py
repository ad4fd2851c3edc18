"""Entering a hand by taps, by typing and by paste: as many taps as there are cards, and nothing moves meanwhile."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.flows.browsing import findings
from tests.flows.entry.cards import DECK, THREE, TWO, boxes, count, deal, lies_in, slot, tap, words
from tests.flows.entry.conftest import NAMES, Tables

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("entry")]

Enter = Callable[..., Page]
SIZES = {"small": (320, 568), "phone": (360, 740), "desk": (1280, 800)}
STATE = """[
    document.body.classList.contains("is-checking"),
    document.documentElement.scrollHeight, document.documentElement.scrollWidth,
]"""
LONG_NAMES = [
    "Maximiliane-Theodora Wolkenstein"[:30],
    "陳美玲與她的朋友們今晚都在這裡打牌",
    "W" * 30,
    "Ⅷ 😀",
    "O’Neill",
    "Zoë",
]


@pytest.mark.parametrize(
    ("seats", "taps", "size"),
    [
        (2, 24, "phone"),
        (3, 31, "small"),
        (4, 38, "desk"),
        (5, 45, "phone"),
        (6, 51, "small"),
        (6, 51, "phone"),
        (6, 51, "desk"),
    ],
)
def test_a_hand_takes_one_tap_a_card_on_keys_that_stay_in_place(
    tables: Tables, enter: Enter, seats: int, taps: int, size: str
) -> None:
    width, height = SIZES[size]
    page = enter(tables.open(seats), width, height)
    keys = boxes(page, ".key")
    assert len(keys) == 56, "52 cards, two jokers, undo and type"
    for key in keys:
        assert key["right"] - key["left"] >= 44
        assert key["bottom"] - key["top"] >= 44
        assert 0 <= key["left"] < key["right"] <= width
        assert 0 <= key["top"] < key["bottom"] <= height
    places = {key["name"]: ((key["left"] + key["right"]) / 2, (key["top"] + key["bottom"]) / 2) for key in keys}
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


def test_the_check_shows_pairs_and_rows_and_one_tap_saves(tables: Tables, enter: Enter) -> None:
    session = tables.open(3)
    page = enter(session)
    deal(page, *THREE)
    # The published nets of the deal.
    for name, net in (("Ana", "+22"), ("Ben", "−40"), ("Chi", "+18")):
        expect(page.locator(".matrix tbody tr").filter(has_text=name).locator(".matrix-net")).to_contain_text(net)
    expect(page.locator(".matrix .sum-figure")).to_have_text("0")
    expect(page.locator(".setup-row").first.locator(".reading:visible")).to_have_count(2)
    assert tables.hands(session) == 0
    page.get_by_role("button", name="Save hand 1").click()
    page.wait_for_url(session)
    expect(page.get_by_role("status")).to_contain_text("Hand 1 saved")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".is-running")
    assert count(page) == "31 of 31"
    tap_check = page.get_by_role("button", name="Check", exact=True)
    tap_check.click()
    page.get_by_role("button", name="Save hand 2").click()
    page.wait_for_url(session)
    assert tables.hands(session) == 2, "the one that was undone, and the one that counts"


def test_a_wrong_card_is_mended_in_three_taps(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2))
    wrong = [card if card != "9h" else "9s" for card in TWO]
    deal(page, *wrong)
    # In the check: the card, then the right key, and the check is back.
    page.locator(".setup").first.get_by_role("img", name="Nine of spades").click()
    expect(slot(page, "Ana, middle")).to_have_attribute("aria-current", "true")
    tap(page, "9h")
    expect(page.locator(".setup").first.get_by_role("img", name="Nine of hearts")).to_be_visible()
    # From anywhere among the keys: chip, slot, key.
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Ana, 7 of 7 cards").click()
    slot(page, "Ana, middle").click()
    tap(page, "9c")
    expect(page.locator(".setup").first.get_by_role("img", name="Nine of clubs")).to_be_visible()
    # Right away: Undo, then the right key.
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("button", name="Undo").click()
    assert "9h" in page.locator("#entry-text").input_value()


def test_two_cards_change_places_and_used_ones_are_disabled(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2))
    deal(page, *TWO[:13])
    assert lies_in(page)[10:14] == ["7h", "9h", "Ad", ""]
    slot(page, "Ana, top").click()
    slot(page, "Ana, middle", 2).click()
    assert lies_in(page)[10:13] == ["Ad", "9h", "7h"]
    key = page.get_by_role("button", name="Ace of diamonds", exact=True)
    expect(key).to_be_disabled()
    expect(key).to_have_class(re.compile("is-used"))
    key.click(force=True)
    expect(page.locator(".entry-said")).to_have_text("Ana, top has it")
    assert count(page) == "13 of 24"
    # Between a row and a board as well.
    slot(page, "Ana, top").click()
    slot(page, "Board 1").click()
    assert (lies_in(page)[0], lies_in(page)[10]) == ("Ad", "2d")


def test_a_seat_sits_out_and_comes_back(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(3))
    page.get_by_role("button", name="Ben, 0 of 7 cards").click()
    page.get_by_role("button", name="Sits out").click()
    assert count(page) == "0 of 24"
    page.get_by_role("button", name="Ben sits out", exact=True).click()
    page.get_by_role("button", name="Deal in").click()
    assert count(page) == "0 of 31"
    page.locator("summary:visible").click()
    page.get_by_role("button", name="Chi sits out").click()
    deal(page, *TWO)
    expect(page.locator(".matrix tbody tr")).to_have_count(2)
    expect(page.locator(".matrix-net").nth(1)).to_contain_text("+20")


def test_jokers_only_where_the_rules_have_them_and_never_on_a_board(tables: Tables, enter: Enter) -> None:
    joker = "Joker 1"
    expect(enter(tables.open(2)).get_by_role("button", name=joker, exact=True)).to_be_disabled()
    page = enter(tables.open(2, rule_set="phenom-jokers"))
    expect(page.get_by_role("button", name=joker, exact=True)).to_be_disabled()
    deal(page, *TWO[:10])
    expect(page.get_by_role("button", name=joker, exact=True)).to_be_enabled()
    tap(page, "X1")
    assert lies_in(page)[10] == "X1"
    page.locator("#entry-text").fill("Jk jokerAd")
    assert lies_in(page)[10:13] == ["X1", "X2", "Ad"]
    slot(page, "Board 1").click()
    page.locator("#entry-text").fill("X1 Ac 4d Qc 8h")
    expect(page.locator(".entry-said")).to_have_text("No X1 here")
    page.locator("#entry-text").fill("2d Ac 4d Qc 8h")
    deal(page, "Kd", "3c", "5s", "3s", "5d", "Td", "5c", "8s", "2c", "Th", "7s")
    expect(page.locator("#save")).to_be_visible()


def test_one_board_has_one(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2, rule_set="one-board-scoop"))
    deal(page, *TWO[:5], *TWO[10:])
    expect(page.locator("#check .board")).to_have_count(1)
    expect(page.locator("#save")).to_be_visible()


TYPED = {
    "Kd AsTs 9h9d": "Kd As Ts 9h 9d",
    "10h h9 10d,d9/9C": "Th 9h Td 9d 9c",
    "♠A K♥️ q♢ ♣10 J♤": "As Kh Qd Tc Js",
    "kDaS  tS\t9H9d": "Kd As Ts 9h 9d",
    "KDAS10S9H9D": "Kd As Ts 9h 9d",
}


def test_typed_cards_are_read_however_they_are_written(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2), 1280, 800)
    text = page.locator("#entry-text")
    for typed, cards in TYPED.items():
        slot(page, "Board 1").click()
        text.fill(typed)
        assert lies_in(page)[:5] == cards.split(), typed
    # The grid writes into the field, the field into the grid.
    slot(page, "Ana, top").click()
    tap(page, "7h", "9s")
    expect(text).to_have_value("7h 9s")
    text.press("End")
    text.press_sequentially("ad 3c5s3s7d")
    expect(page.get_by_role("button", name="Ana, 7 of 7 cards")).to_be_visible()
    expect(page.get_by_role("button", name="Three of clubs", exact=True)).to_be_disabled()


@pytest.mark.parametrize(
    ("typed", "bad", "said", "sentence"),
    [
        ("7h 1s Ad", "1s", "“1s” is no card", "“1s” is not a card. Write a rank"),
        ("7hzz9hAd", "zz", "“zz” is no card", "“zz” is not a card."),
        ("7h 9h 2d", "2d", "2d is used", "2d is in this hand already: Board 1."),
        ("7h 7h", "7h", "7h is used", "7h is in this hand already: Ana, top."),
    ],
)
def test_what_cannot_be_read_is_named_and_underlined_in_place(
    tables: Tables, enter: Enter, typed: str, bad: str, said: str, sentence: str
) -> None:
    page = enter(tables.open(2))
    deal(page, *TWO[:10])
    text = page.locator("#entry-text")
    text.fill(typed)
    expect(page.locator(".entry-mirror u")).to_have_text(bad)
    expect(page.locator(".entry-mirror")).to_have_text(typed)
    expect(page.locator(".entry-said")).to_have_text(said)
    expect(page.get_by_role("alert")).to_contain_text(sentence)
    expect(text).to_have_attribute("aria-invalid", "true")
    expect(text).to_have_value(typed)
    # The rest is taken, each card at its place; mended, all is well.
    assert lies_in(page)[10] == "7h"
    text.fill("7h 9h Ad")
    expect(page.locator(".entry-mirror u")).to_have_count(0)
    assert lies_in(page)[10:13] == ["7h", "9h", "Ad"]


def test_a_card_that_is_half_typed_is_no_error_until_the_field_is_left(tables: Tables, enter: Enter) -> None:
    page = enter(tables.open(2))
    page.locator("#entry-text").press_sequentially("2d 1")
    expect(page.locator(".entry-mirror u")).to_have_count(0)
    page.locator("#entry-text").press("Enter")
    expect(page.locator(".entry-mirror u")).to_have_text("1")
    # Mended, Enter goes on to the next board, whatever is still missing here.
    page.locator("#entry-text").fill("2d")
    page.locator("#entry-text").press("Enter")
    expect(slot(page, "Board 2")).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize(
    "text",
    [
        "2d Ac 4d Qc 8h\nAs Jh Jd 4c Js\n7h / 9hAd / 3c5s3s7d\n5d / Td5c / 8s2cTh7s",
        "Board 1: 2dAc4dQc8h\nboard 2: AsJhJd4cJs\n\nBen: 5d / 10d5c / 8s2c10h7s\nana 7h 9hAd 3c5s3s7d",
    ],
    ids=["cards", "with names"],
)
def test_a_whole_hand_is_pasted(tables: Tables, enter: Enter, text: str) -> None:
    page = enter(tables.open(2), permissions=["clipboard-read", "clipboard-write"])
    tap(page, "Ks", "Kh")
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.get_by_role("button", name="Paste").click()
    expect(page.locator(".matrix-net").nth(1)).to_contain_text("+20")
    page.get_by_role("button", name="Edit").click()
    assert lies_in(page)[:10] == TWO[:10]


def test_the_keyboard_alone_enters_and_saves_a_hand(tables: Tables, enter: Enter) -> None:
    session = tables.open(2)
    page = enter(session, 1280, 800)
    keyboard = page.keyboard
    # The field has the focus; two cards by the grid: into it, along it with the arrows, Enter.
    keyboard.type("2dAc4dQc8h as")
    for _tab in range(12):
        keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.key')"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    for _step in range(3):
        keyboard.press("ArrowRight")
    for _line in range(2):
        keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.lastElementChild.textContent") == words("Jh")
    keyboard.press("Enter")
    assert lies_in(page)[5:7] == ["As", "Jh"]
    # Whoever types goes on in the field; Backspace takes back.
    keyboard.press("ArrowRight")
    keyboard.press("Space")
    keyboard.press("Backspace")
    keyboard.type("jd4cjs 7h 9had 3c5s3s7d 5d td5c 8s2cth7s")
    page.locator("#save").wait_for()
    for _tab in range(40):
        keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "save":
            break
    keyboard.press("Enter")
    page.wait_for_url(session)
    assert tables.hands(session) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(tables: Tables, enter: Enter, scheme: str) -> None:
    page = enter(tables.open(6, LONG_NAMES), color_scheme=scheme)
    deal(page, *DECK[:14])
    page.locator("#entry-text").fill("As 1s")
    assert findings(page) == []
    page.locator("#entry-text").fill(" ".join(DECK[:51]))
    page.locator("#save").wait_for()
    assert findings(page) == []


def test_text_at_200_percent_and_long_names_break_nothing(tables: Tables, enter: Enter) -> None:
    session = tables.open(6, LONG_NAMES)
    for width, height in SIZES.values():
        page = enter(session, width, height)
        page.locator("#entry-text").fill(" ".join(DECK[:17]))
        assert page.evaluate("document.documentElement.scrollHeight") == height, "names make nothing higher"
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for box in boxes(page, ".key > span:first-child, .chip, .entry-field > .name, .entry-count:visible"):
            assert 0 <= box["left"] <= box["right"] <= width, box
        clipped = "keys => keys.filter(key => key.scrollWidth > key.clientWidth + 1).map(key => key.textContent)"
        assert page.locator(".key").evaluate_all(clipped) == []
        tap(page, DECK[20])


def test_the_page_weighs_less_than_150_kilobytes_beside_the_fonts(tables: Tables) -> None:
    page = tables.phone().new_page()
    sizes: dict[str, int] = {}
    page.on("requestfinished", lambda request: sizes.update({request.url: request.sizes()["responseBodySize"]}))
    page.goto(f"{tables.open(6, NAMES)}hands/new")
    page.wait_for_load_state("networkidle")
    weighed = {url: size for url, size in sizes.items() if not url.endswith(".woff2")}
    assert any("entry-hand" in url for url in weighed)
    assert sum(weighed.values()) < 150_000
