"""A host who has signed up, with tables to sit at and phones to enter hands on."""

import re
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.processes import Service

NAMES = ("Ana", "Ben", "Chi", "Dora", "Emil", "Fay")
PASSWORD = "correct horse battery staple"


@dataclass
class Tables:
    """Sessions of one club, begun without clicking, and phones that are signed in at them."""

    browser: Browser
    service: Service
    state: Any = None
    club: str = ""
    wrong: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def phone(self, width: int = 360, height: int = 740, **options: Any) -> BrowserContext:
        """A browser of its own, signed in as the host; what goes wrong in it is noted."""
        context = self.browser.new_context(
            base_url=f"http://127.0.0.1:{self.service.port}",
            viewport={"width": width, "height": height},
            has_touch=width < 700,
            is_mobile=width < 700,
            storage_state=self.state,
            **options,
        )
        context.set_default_timeout(10_000)
        context.on("weberror", lambda error: self.wrong.append(str(error.error)))
        self.contexts.append(context)
        return context

    def sign_up(self) -> None:
        context = self.phone()
        post(context, "/accounts/signup/", email=f"{uuid.uuid4().hex}@example.com", password1=PASSWORD)
        answer = post(context, "/clubs/new", name="Kitchen", time_zone="Asia/Taipei")
        self.club = re.search(r"/clubs/([\w-]+)/sessions/new", answer.url)[1]
        self.state = context.storage_state()
        context.close()

    def open(self, seats: int = 2, names: Sequence[str] = NAMES, rule_set: str = "phenom") -> str:
        """The address of a new session with the first of these names at the table."""
        context = self.phone()
        form = {f"seat_{place}": name for place, name in enumerate(names[:seats], start=1)}
        form |= {"rule_set": rule_set, "table": "Kitchen", "point_value": "0.50", "currency": "USD"}
        answer = post(context, f"/clubs/{self.club}/sessions/new", session_id=str(uuid.uuid4()), **form)
        assert "/sessions/" in answer.url, answer.text()
        context.close()
        return answer.url

    def hands(self, session: str) -> int:
        opened = sqlite3.connect(f"file:{self.service.data}/homerun.sqlite3?mode=ro", uri=True)
        key = session.rstrip("/").rpartition("/")[2].replace("-", "")
        count = opened.execute("SELECT COUNT(*) FROM hands_hand WHERE session_id = ?", [key]).fetchone()[0]
        opened.close()
        return int(count)


def post(context: BrowserContext, path: str, **form: str) -> Any:
    """Send a form as a browser does, with the token of its page."""
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', context.request.get(path).text())[1]
    return context.request.post(path, form={"csrfmiddlewaretoken": token} | form)


@pytest.fixture(scope="module")
def club_of_tables(browser: Browser, service: Service) -> Tables:
    tables = Tables(browser, service)
    tables.sign_up()
    return tables


@pytest.fixture
def tables(club_of_tables: Tables) -> Iterator[Tables]:
    club_of_tables.wrong.clear()
    yield club_of_tables
    for context in club_of_tables.contexts:
        context.close()
    club_of_tables.contexts.clear()
    assert club_of_tables.wrong == []


@pytest.fixture
def enter(tables: Tables) -> Callable[..., Page]:
    """Open a new hand of a session on a phone (or on any screen)."""

    def begin(session: str, width: int = 360, height: int = 740, **options: Any) -> Page:
        page = tables.phone(width, height, **options).new_page()
        page.goto(f"{session}hands/new")
        page.wait_for_selector(".is-running")
        return page

    return begin
