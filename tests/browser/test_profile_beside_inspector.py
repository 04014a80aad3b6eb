"""The Profile tab with the inspector open: its columns stand beside or below each other, and never on one another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE
from browser.profile_page import ProfilePage
from browser.sample_profiles import write_trace
from log_folder import LogFolder

COVERED = """(root) => {
  const texts = [...root.querySelectorAll('td, th, h2, h3, p, li, pre, button')]
    .filter((part) => part.checkVisibility() && part.closest('footer') === null && part.innerText.trim() !== '');
  const boxes = texts.map((part) => [part, part.getBoundingClientRect()]);
  return boxes.flatMap(([one, a], i) => boxes.slice(i + 1)
    .filter(([other, b]) => !one.contains(other) && !other.contains(one)
      && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => `${one.innerText} / ${other.innerText}`));
}"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    logs.write("train", {"loss": [0.5, 0.4, 0.3]})
    write_trace(logs.path / "train", operations=[f"aten::a_rather_long_operation_name_{place}" for place in range(8)])
    return serve(logs.path)


@pytest.mark.parametrize("width", [1280, 1024])
def test_no_column_covers_another(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    page.get_by_role("button", name="Details of train").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector).to_be_visible()
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Profile").click()
    profile = ProfilePage(page)
    expect(page.locator(".sentence")).to_be_visible()
    profile.settled()
    expect(inspector).to_be_visible()
    expect(page.get_by_role("region", name="Most exposed operations").locator("tbody tr").first).to_be_visible()
    assert page.locator("main").evaluate(COVERED) == []
    edge = inspector.evaluate("(box) => box.getBoundingClientRect().left")
    assert (
        page.locator("main section").evaluate_all("(parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().right))")
        <= edge + 1
    )
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
