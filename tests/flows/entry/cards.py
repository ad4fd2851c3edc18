"""Tapping and reading cards on the entry page."""

from typing import Any

from playwright.sync_api import Page

from tests.deals import ANA, BEN, BOARDS, CHI

RANKS = {"T": "Ten", "J": "Jack", "Q": "Queen", "K": "King", "A": "Ace"} | dict(
    zip("23456789", ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"], strict=True)
)
SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
DECK = [rank + suit for suit in SUITS for rank in RANKS]


def in_order(*setups: dict[str, list[str]]) -> list[str]:
    """The cards of the published boards and of these setups, in the order in which they are tapped."""
    cards = [card for board in BOARDS for card in board]
    return cards + [card for setup in setups for row in ("top", "middle", "bottom") for card in setup[row]]


TWO, THREE = in_order(ANA, BEN), in_order(ANA, BEN, CHI)


def words(card: str) -> str:
    return f"{RANKS[card[0]]} of {SUITS[card[1]]}"


def tap(page: Page, *cards: str) -> None:
    for card in cards:
        page.locator(f'.key[data-card="{card}"]').click()


def deal(page: Page, *cards: str) -> None:
    """Press many keys at once, where it is not the pressing that is proved."""
    press = "cards => cards.forEach((card) => document.querySelector(`.key[data-card='${card}']`).click())"
    page.evaluate(press, cards)


BOXES = """elements => elements.map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return { name: one.dataset.card ?? one.className, left, top, right, bottom };
})"""


def boxes(page: Page, selector: str) -> list[dict[str, Any]]:
    """Where these elements are: name (the card of a key), left, top, right and bottom."""
    return page.locator(selector).evaluate_all(BOXES)


def slot(page: Page, where: str, number: int = 1):
    """A slot by what a screen reader says of it: "Board 1" or "Ana, middle"."""
    return page.get_by_role("button", name=f"{where}, card {number}:")


def lies_in(page: Page) -> list[str]:
    """What lies in the slots that are in view, boards first, as two letters each; "" for an empty one."""
    return page.locator(".slot:visible").evaluate_all("slots => slots.map(slot => slot.dataset.shows ?? '')")


def count(page: Page) -> str:
    return page.locator("[data-count]:visible").inner_text()
