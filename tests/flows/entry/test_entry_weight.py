"""What the entry page weighs on the way to a phone."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.flows.entry.conftest import Tables

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("entry")]


def test_the_entry_page_weighs_less_than_150_kb_beside_the_fonts(tables: Tables, enter: Callable[..., Page]) -> None:
    session = tables.open(6, rule_set="phenom-jokers")
    page = enter(session)
    kinds: dict[str, str] = {}
    weights: dict[str, int] = {}

    def note_answer(told: dict[str, Any]) -> None:
        kinds[told["requestId"]] = told["type"]

    def note_weight(told: dict[str, Any]) -> None:
        weights[told["requestId"]] = told["encodedDataLength"]

    wire = page.context.new_cdp_session(page)
    wire.on("Network.responseReceived", note_answer)
    wire.on("Network.loadingFinished", note_weight)
    wire.send("Network.enable")
    wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(f"{session}hands/new", wait_until="networkidle")
    assert {"Document", "Stylesheet", "Script", "Font"} <= set(kinds.values())
    assert sum(weights[one] for one, kind in kinds.items() if kind != "Font") < 150_000
