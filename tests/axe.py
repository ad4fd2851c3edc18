"""axe-core, the referee of accessibility, run in a page."""

from functools import cache
from pathlib import Path

from playwright.sync_api import Page


@cache
def _source() -> str:
    return (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it is, each with the elements it means."""
    # Evaluated by the debugger, so that the page's own policy against foreign scripts stays on.
    page.evaluate(_source())
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]
