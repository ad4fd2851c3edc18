"""The host's evening in a browser: sign up, deal, close, settle, take a statement home.

Chromium against `manage.py serve` on a folder of its own; on a desk, on a phone, and on a phone without scripts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from openpyxl import load_workbook
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.flows.browsing import notice_faults, press, sign_up
from tests.processes import Service

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browsers")]

# `vectors/published.jsonl`, swept-both-boards: Ana wins all six rows, 6 + 6, and 8 for the homerun.
CARDS = {
    "Board 1": "2d Ac 4d Qc 8h",
    "Board 2": "As Jh Jd 4c Js",
    "Ana": {"Top": "7h", "Middle": "9h Ad", "Bottom": "3c 5s 3s 7d"},
    "Ben": {"Top": "5d", "Middle": "Td5c", "Bottom": "8s2cTh7s"},
}


@dataclass(frozen=True)
class Device:
    name: str
    width: int
    height: int
    has_scripts: bool = True


DEVICES = [Device("desk", 1280, 900), Device("phone", 360, 740), Device("phone without scripts", 360, 740, False)]


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def device(request: pytest.FixtureRequest) -> Device:
    return request.param


@pytest.fixture
def page(browser: Browser, service: Service, device: Device) -> Iterator[Page]:
    """A page that notices every error, and every request that leaves this machine."""
    context: BrowserContext = browser.new_context(
        base_url=f"http://127.0.0.1:{service.port}",
        viewport={"width": device.width, "height": device.height},
        java_script_enabled=device.has_scripts,
        accept_downloads=True,
    )
    context.set_default_timeout(15_000)
    wrong = notice_faults(context)
    yield context.new_page()
    context.close()
    assert wrong == []


def found_club(page: Page, device: Device) -> None:
    page.goto("/")
    sign_up(page, f"{device.name.replace(' ', '-')}@example.com")
    press(page, "New session")
    page.get_by_label("Name of your home game or club").fill("Kitchen")
    press(page, "Go on")


def begin_session(page: Page) -> None:
    page.get_by_label("Table").fill("Thursday table")
    page.get_by_label("A point is worth").fill("0.50")
    page.get_by_label("Seat 1", exact=True).fill("Ana")
    page.get_by_label("Seat 2", exact=True).fill("Ben")
    press(page, "Start session")


def record_hand(page: Page, device: Device) -> None:
    """The whole hand as one text where there are scripts, which open the check; a field a row where there are none."""
    press(page, "New hand")
    if device.has_scripts:
        # Before its style sheets are there, the plain form's own field of this name would be found.
        page.locator("body.is-running").wait_for()
        rows = [CARDS["Board 1"], CARDS["Board 2"], *CARDS["Ana"].values(), *CARDS["Ben"].values()]
        page.get_by_role("textbox", name="Board 1").fill(" / ".join(rows))
        press(page, "Save hand 1")
        press(page, "Open")
        return
    page.get_by_role("textbox", name="Board 1").fill(CARDS["Board 1"])
    page.get_by_role("textbox", name="Board 2").fill(CARDS["Board 2"])
    for name in ("Ana", "Ben"):
        seat = page.get_by_role("region", name=name)
        for row, cards in CARDS[name].items():
            seat.get_by_label(row).fill(cards)
    press(page, "Save hand 1")


def test_the_host_keeps_score_settles_and_hands_out_a_statement(page: Page, device: Device, tmp_path: Path) -> None:
    found_club(page, device)
    begin_session(page)
    record_hand(page, device)

    expect(page.get_by_role("heading", name="Hand 1")).to_be_visible()
    expect(page.get_by_text("Homerun", exact=True).filter(visible=True).first).to_be_visible()
    expect(page.get_by_text("All six rows: 6 + 6, and 8 for the homerun")).to_be_visible()
    matrix = page.get_by_role("table").filter(has_text="Net")
    expect(matrix.get_by_role("row").filter(has_text="Ana")).to_contain_text("+20")
    expect(matrix.get_by_role("row").filter(has_text="Ben")).to_contain_text("−20")

    press(page, "Back")
    press(page, "Close and settle")
    press(page, "Settle")
    # The worker settles while the page waits; then it says who owes whom, by itself.
    debt = page.get_by_role("listitem").filter(has_text="Ben pays Ana")
    expect(debt).to_contain_text("$10.00")
    expect(page.get_by_role("button", name="Settle", exact=True)).to_have_count(0)
    nets = page.locator(".net")
    expect(nets.filter(has_text="Ana")).to_contain_text("+$10.00")
    expect(nets.filter(has_text="Ben")).to_contain_text("−$10.00")

    for name, amount in (("Ana", 10), ("Ben", -10)):
        settled = page.url
        page.get_by_role("link", name=name, exact=True).click()
        press(page, "Make the statement")
        with page.expect_download() as download:
            press(page, "Download Excel")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        sheet = load_workbook(path)["Statement"]
        rows = {row[2].value: row for row in sheet.iter_rows(min_row=7) if row[2].value}
        assert sheet["A2"].value == f"{name}, at Kitchen"
        assert [rows["Session settled"][column].value for column in (6, 7, 8)] == [2 * amount, amount, amount]
        assert rows["Opening balance"][8].value == 0
        assert rows["Closing balance"][8].value == amount
        page.goto(settled)
