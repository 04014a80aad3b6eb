"""A tooltip of more lines than fit: the nearest is in sight, and Shift with the wheel turns the list."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet
from log_folder import LogFolder

INSIDE = """(row) => {
  const box = row.closest('.list').getBoundingClientRect(), own = row.getBoundingClientRect();
  return own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
}"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place in range(28):
        quiet(logs.write(f"run{place}", {"value": [float(place)] * 50}))
    return serve(logs.path)


def test_the_nearest_line_is_in_sight_and_the_list_scrolls(charts: ChartsPage, address: str) -> None:
    charts.page.set_viewport_size({"width": 1200, "height": 500})
    charts.open(address, "#scalars?tooltipall=on")
    tooltip = charts.hover("value", 0.5, 0.75)
    assert tooltip.values == sorted(tooltip.values, reverse=True)
    assert len(tooltip.values) == 28
    rows = charts.page.locator(".tooltip .list")
    assert charts.page.locator(".tooltip tr.nearest").evaluate(INSIDE)
    rows.evaluate("(list) => (list.scrollTop = 0)")
    charts.page.keyboard.down("Shift")
    charts.page.mouse.wheel(0, 40)
    charts.wait_until(lambda: rows.evaluate("(list) => list.scrollTop") > 0, what="a scrolled tooltip")
    charts.page.keyboard.up("Shift")
