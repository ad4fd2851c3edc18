"""What the host feels: from a tap to its paint in Chromium, and at the server from Save to the scores."""

import contextlib
import io
import statistics
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any, Final

TAP_TARGET_MS: Final = 50
SAVE_TARGET_MS: Final = 300
# From the moment of the tap (the event's own time stamp) to the first moment after its frame was painted.
WATCH: Final = """() => {
    window.taps = [];
    document.addEventListener("click", (event) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => window.taps.push(performance.now() - event.timeStamp);
        port2.postMessage(null);
    }), true);
}"""


def measure() -> list[dict[str, Any]]:
    """Both rows; without Chromium only the server's. The books have set up Django and filled its database."""
    from tests.run import chromium

    return [*([_tap_to_paint()] if chromium() else []), _save_to_scores()]


def _row(name: str, milliseconds: list[float], target: int, what: str) -> dict[str, Any]:
    middle, worst = statistics.median(milliseconds), max(milliseconds)
    note = f"{middle:.1f} ms {what}, at most {worst:.1f} of {len(milliseconds)} (target {target})"
    return {"name": name, "per_second": 1000 / middle, "ratio": None, "note": note}


def _tap_to_paint() -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    from tests.flows.conftest import QUIET
    from tests.flows.entry.cards import DECK
    from tests.flows.entry.conftest import Tables
    from tests.processes import Service
    from tests.run import chromium

    with tempfile.TemporaryDirectory(prefix="homerun-bench-") as folder, sync_playwright() as playwright:
        service = Service(Path(folder), Path(folder) / "data")
        service.up("--no-demo")
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        tables = Tables(browser, service)
        tables.sign_up()
        page = tables.phone().new_page()
        page.goto(f"{tables.open(6)}hands/new")
        page.wait_for_selector(".is-running")
        page.evaluate(WATCH)
        for card in DECK[:51]:
            page.locator(f'.key[data-card="{card}"]').click()
        page.locator("#save").wait_for()
        taps = page.evaluate("window.taps")
        browser.close()
        # What its processes said is no part of the table.
        with contextlib.redirect_stdout(io.StringIO()):
            service.end()
    return _row("tap-to-paint", taps, TAP_TARGET_MS, "from tap to paint, six seats at 360 x 740")


def _save_to_scores() -> dict[str, Any]:
    from django.test import Client
    from django.urls import reverse

    from accounts.models import User
    from hands.models import Session
    from hands.scoring.cards import card_text

    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.get())
    session = Session.objects.all()[0]
    save, scores = reverse("hand-save", args=[session.pk]), reverse("session", args=[session.pk])
    deck = [card_text(card) for card in range(52)]
    form = {"board_1": "".join(deck[:5]), "board_2": "".join(deck[5:10])}
    for seat in range(6):
        held = deck[10 + 7 * seat :]
        rows = {"top": held[:1], "middle": held[1:3], "bottom": held[3:7]}
        form |= {f"{row}_{seat + 1}": "".join(cards) for row, cards in rows.items()}
    taken = []
    for _hand in range(20):
        begin = time.perf_counter()
        assert client.post(save, form | {"client_key": str(uuid.uuid4()), "based_on": "0"}).status_code == 200
        assert client.get(scores).status_code == 200
        taken.append(1000 * (time.perf_counter() - begin))
    return _row("save-to-scores", taken[2:], SAVE_TARGET_MS, "from Save to the scores, in a session of 100 hands")
