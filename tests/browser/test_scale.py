"""A thousand runs with fifty tags each: the list recycles its rows, all lines can be drawn, and memory stays bounded."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet
from log_folder import START, LogFolder

RUNS, TAGS, POINTS, VARIANTS = 1000, 50, 40, 10
WATCH_LONG_TASKS = """
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: 'longtask', buffered: true });
"""
IDLE_LOAD = 1.0
"""Above this the machine is busy with something else, and times are recorded but not judged."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("thousand")
    contents = [_one_run(LogFolder(folder / "model"), variant).read_bytes() for variant in range(VARIANTS)]
    (folder / "runs").mkdir()
    for run in range(RUNS):
        path = folder / "runs" / f"sweep/lr{run % 7}/run-{run:04}" / "events.out.tfevents.1"
        path.parent.mkdir(parents=True)
        path.write_bytes(contents[run % VARIANTS])
        quiet(path)
    return serve(folder / "runs")


def _one_run(logs: LogFolder, variant: int) -> Path:
    """Fifty tags: a loss that differs by variant, and layers."""
    curves = {"loss": [math.exp(-step / (5 + variant)) for step in range(POINTS)]}
    curves |= {
        f"layer{tag // 10}/norm{tag:02}": [float(tag + step % (variant + 2)) for step in range(POINTS)] for tag in range(1, TAGS)
    }
    return logs.write(f"variant{variant}", curves, start=START + variant)


@pytest.fixture
def watched(charts: ChartsPage, record_property: Callable[[str, object], None]) -> Any:
    """The page with its long tasks recorded, and judged when the machine has nothing else to do."""
    charts.page.add_init_script(WATCH_LONG_TASKS)
    idle = os.getloadavg()[0] < IDLE_LOAD
    yield charts
    longest = max(charts.page.evaluate("window.longTasks"), default=0)
    record_property("longest_task_ms", longest)
    if idle:
        assert longest < 2000


def rows_in_page(charts: ChartsPage) -> int:
    """How many rows of the list exist, seen or not."""
    return charts.page.get_by_role("row").count()


IN_VIEW = """(list) => {
  const places = [...list.querySelectorAll('[role=row][aria-rowindex]')].map((row) => Number(row.ariaRowIndex));
  const [first, last] = [list.scrollTop / 24 + 1, Math.min(1000, (list.scrollTop + list.clientHeight) / 24 - 2)];
  return Math.min(...places) <= first && Math.max(...places) >= last;
}"""
"""Whether the rows on screen are those of where the list is scrolled to; a row is 24 pixels high."""


def test_the_list_recycles_its_rows(watched: ChartsPage, address: str) -> None:
    watched.open(address)
    expect(watched.page.get_by_text("20 of 1000 runs shown")).to_be_visible()
    grid = watched.page.get_by_role("grid", name="Runs")
    expect(grid).to_have_attribute("aria-rowcount", "1000")
    # While files are still read, runs change their places in the list.
    expect(watched.page.get_by_text(f"{RUNS * TAGS * POINTS:,} points".replace(",", "\u202f"))).to_be_visible()
    assert rows_in_page(watched) < 100
    seen: set[str] = set()
    for part in range(61):
        grid.evaluate("(list, part) => list.scrollTo(0, part * list.scrollHeight / 60)", part)
        watched.wait_until(lambda: bool(grid.evaluate(IN_VIEW)), what="the rows of this part of the list")
        seen.update(watched.listed())
        assert rows_in_page(watched) < 100
    assert len(seen) > 900
    grid.focus()
    watched.page.keyboard.press("End")
    watched.page.keyboard.press("Space")
    watched.wait_until(lambda: watched.line_count("loss") == 21, what="the last run's line")


def test_all_thousand_are_drawn_and_memory_is_bounded(watched: ChartsPage, address: str) -> None:
    watched.open(address)
    watched.button("Show all").click()
    watched.wait_until(lambda: watched.line_count("loss") == 1000, what="a thousand lines")
    curves = watched.chart("loss").locator("canvas").nth(1)
    inked = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0)"
    watched.wait_until(lambda: curves.evaluate(inked), what="drawn lines")
    tooltip = watched.hover("loss", 0.3)
    assert len(tooltip.names) == 5
    asked = len(watched.requests.bodies)
    for place in range(20):
        watched.hover("loss", 0.3 + place / 50)
    assert len(watched.requests.bodies) == asked, "pointing at lines asks the server for nothing"
    heap = watched.page.evaluate("performance.memory.usedJSHeapSize")
    assert heap < 300 << 20
    before = watched.page.locator("article").count()
    watched.page.locator("main .scroller").evaluate("(scroller) => scroller.scrollTo(0, 1e6)")
    watched.settle()
    assert watched.page.locator("article").count() < before + 12


def test_charts_over_columns_show_every_run(watched: ChartsPage, address: str) -> None:
    watched.open(address, "#scalars?panel=bar~min:loss&panel=scatter~points~min:loss")
    watched.button("Show all").click()
    bars = watched.page.get_by_role("article", name="Lowest loss", exact=True)
    expect(bars.locator("footer")).to_contain_text("1000")
    assert bars.get_by_role("listitem").count() < 60
    bars.locator(".scroller").evaluate("(scroller) => scroller.scrollTo(0, 1e6)")
    # The slowest to fall are the last: every tenth run has the same values.
    expect(bars.get_by_role("listitem").last).to_contain_text(re.compile(r"run-\d{3}9"))
    dots = watched.page.get_by_role("article", name="Lowest loss against Points").locator("circle")
    expect(dots).to_have_count(1000)
    assert dots.first.evaluate("(dot) => getComputedStyle(dot).stroke") == "none", "edges of dots above hide those below"


def test_search_and_sort_keep_up(watched: ChartsPage, address: str) -> None:
    watched.open(address)
    watched.search("/run-00.7$/")
    watched.wait_until(lambda: len(watched.listed()) == 10)
    watched.search("lr3")
    expect(watched.page.get_by_role("grid", name="Runs")).to_have_attribute("aria-rowcount", str(len(range(3, RUNS, 7))))
    watched.choose("Sort runs", "Name")
    watched.wait_until(lambda: watched.listed()[0] == "sweep/lr3/run-0003")


def test_a_thousand_groups_make_few_rows(watched: ChartsPage, address: str) -> None:
    """Rows that nobody sees would keep the page busy: tables make those on screen, the inspector the first hundred."""
    groups = "group=regex:run-(.*)"
    watched.page.goto(f"{address}#table?{groups}&columns=loss")
    table = watched.page.get_by_role("table", name="Groups of runs")
    expect(table).to_have_attribute("aria-rowcount", str(RUNS + 1))
    rows = table.locator("tbody:not([aria-hidden]) tr")
    expect(rows.first.get_by_role("rowheader")).to_have_text("0000")
    expect(rows.first.get_by_role("cell").nth(1)).not_to_have_text("–")
    assert rows.count() < 100
    width = (rows.first.bounding_box() or {"width": 0})["width"]
    table.locator("xpath=..").evaluate("(scroller) => scroller.scrollTo(0, scroller.scrollHeight)")
    expect(rows.last.get_by_role("rowheader")).to_have_text("0999")
    assert rows.count() < 100
    assert (rows.last.bounding_box() or {"width": 0})["width"] == width, "columns keep their width"
    watched.open(address, f"#scalars?{groups}&runs=all&at=10")
    values = watched.page.get_by_role("complementary", name="Inspector").locator("tbody tr")
    expect(values).to_have_count(100)
    watched.page.get_by_role("complementary", name="Inspector").get_by_role("button", name="Show all").click()
    expect(values).to_have_count(RUNS)
