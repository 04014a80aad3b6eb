"""Links with regular expressions that a backtracking matcher never finishes: the page opens, says nothing wrong, and can be used."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from log_folder import LogFolder

CATASTROPHE = "(a%2B)%2B%24"
"""(a+)+$"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for run in ("a" * 60 + "!", "b"):
        logs.write(run, {"a" * 60 + "!": [1.0, 2.0], "loss": [3.0, 4.0]})
    return serve(logs.path)


@pytest.mark.parametrize(
    "link", [f"tags={CATASTROPHE}", f"find=/{CATASTROPHE}/", f"group=regex:{CATASTROPHE}"], ids=["tags", "find", "group"]
)
def test_the_page_opens_and_can_be_used(charts: ChartsPage, address: str, link: str) -> None:
    page = charts.page
    page.goto(f"{address}#scalars?{link}")
    expect(page.locator("#tag-filter")).to_be_visible()
    page.locator("#tag-filter").fill("loss")
    expect(page.locator("#tag-filter")).to_have_value("loss")
    assert page.evaluate("1 + 1") == 2
