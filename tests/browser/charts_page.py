"""Words for the parts of the page, so that tests say what a user does and reads."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, Request, expect

from browser.page_clock import address_written

QUIET = """() => {
  const charts = [...document.querySelectorAll('[role=application], main .scroller[aria-busy]')];
  return charts.length > 0 && charts.every((chart) => chart.getAttribute('aria-busy') !== 'true');
}"""


def number(text: str) -> float:
    """A number as the page writes it: thin spaces between thousands, a real minus."""
    plain = text.replace("\u202f", "").replace("\u2212", "-").strip()
    return {"∞": float("inf"), "-∞": float("-inf")}.get(plain) or float(plain)


@dataclass
class Tooltip:
    """What the tooltip says: its first line, a row for each line, and its marks."""

    head: str
    names: list[str]
    values: list[float]
    raw: list[float]
    text: str

    @property
    def step(self) -> int:
        """The step of the first line."""
        return int(number(self.head.removeprefix("step ")))

    def value_of(self, name: str) -> float:
        """The value beside a run's name."""
        return self.values[self.names.index(name)]


@dataclass
class Requests:
    """Bodies of the requests for curves, in the order they were sent."""

    bodies: list[dict[str, Any]] = field(default_factory=list)

    def note(self, request: Request) -> None:
        """Keeps the body of a request for curves or groups."""
        if request.method == "POST" and re.search(r"/scalars/(series|groups)$", request.url):
            self.bodies.append(json.loads(request.post_data or "{}"))


class ChartsPage:
    """The page under test."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests = Requests()
        self.may_complain = False
        """Set by tests that make a request fail: Chromium itself then writes to the console."""
        page.on("request", self.requests.note)

    # --- the page as a whole ---

    def open(self, address: str, view: str = "") -> None:
        """Goes to the page, or to a view of it, and waits until its curves are there."""
        self.page.goto("about:blank")
        self.page.goto(address + view)
        self.settle()

    def settle(self) -> None:
        """Waits until no chart is waiting for data."""
        self.page.wait_for_function(QUIET)

    def reload(self) -> None:
        """Loads the page anew at the same address, after the address was written."""
        address_written(self.page)
        self.page.reload()
        self.settle()

    def button(self, name: str) -> Locator:
        """A button by its whole name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, menu: str, item: str) -> None:
        """Opens a menu by its button's name and takes one line of it."""
        self.button(menu).first.click()
        self.page.get_by_role("menu").get_by_text(item, exact=True).click()

    def display(self, label: str) -> Locator:
        """A control of the panel "Display", which is opened when it is not."""
        control = self.page.get_by_label(label, exact=True)
        if not control.is_visible():
            self.button("Display").click()
        return control

    def close_panel(self) -> None:
        """Closes an open panel with Escape and waits until it has given the focus back."""
        self.page.keyboard.press("Escape")
        expect(self.page.locator("[popover=auto]:popover-open")).to_have_count(0)

    # --- the run list ---

    def search(self, text: str) -> None:
        """Types into the run list's search."""
        self.page.get_by_role("searchbox", name="Find runs").fill(text)

    def listed(self) -> list[str]:
        """Names of the runs on screen, from top to bottom."""
        script = """() => [...document.querySelectorAll('[aria-label^="Details of "]')]
          .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
          .map((name) => name.getAttribute('aria-label').slice('Details of '.length))"""
        return self.page.evaluate(script)

    def drawn(self) -> list[str]:
        """Names of the listed runs whose lines are drawn."""
        script = """() => [...document.querySelectorAll('button.swatch[aria-pressed=true]')]
          .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
          .map((swatch) => swatch.getAttribute('aria-label').slice('Hide '.length))"""
        return self.page.evaluate(script)

    def row(self, run: str) -> Locator:
        """A run's line in the list."""
        return self.page.get_by_role("row").filter(has=self.button(f"Details of {run}"))

    def swatch(self, run: str) -> Locator:
        """The square of a run's colour."""
        return self.row(run).locator("button.swatch")

    def colour(self, run: str) -> str:
        """The colour of a run's square."""
        box = self.swatch(run).locator("rect").first
        return box.get_attribute("fill") if box.get_attribute("fill") != "none" else box.get_attribute("stroke") or ""  # pyright: ignore[reportReturnType]

    def details(self, run: str) -> Locator:
        """Opens a run in the inspector."""
        self.button(f"Details of {run}").click()
        return self.page.get_by_role("complementary", name="Inspector")

    # --- cards ---

    def card(self, tag: str) -> Locator:
        """A tag's card; the first, where it is also among the highlights."""
        return self.page.locator("article").filter(has=self.button(f"Pin {tag}")).first

    def chart(self, tag: str) -> Locator:
        """The chart inside a tag's card."""
        return self.card(tag).get_by_role("application")

    def summary(self, tag: str) -> str:
        """What a screen reader says about a chart."""
        self.settle()
        return self.chart(tag).get_attribute("aria-label") or ""

    def line_count(self, tag: str) -> int:
        """How many lines a chart has."""
        found = re.search(r": ([\d\u202f]+) lines?", self.summary(tag))
        assert found, self.summary(tag)
        return int(number(found.group(1)))

    def steps(self, tag: str) -> tuple[float, float]:
        """The steps that a chart shows, as far as its words say."""
        found = re.search(r"step ([^ ,]+) to step ([^ ,]+), values", self.summary(tag))
        assert found, self.summary(tag)
        return number(found.group(1)), number(found.group(2))

    def values(self, tag: str) -> tuple[float, float]:
        """The range of a chart's y axis."""
        found = re.search(r"values ([^ ,]+) to ([^ ,]+)", self.summary(tag))
        assert found, self.summary(tag)
        return number(found.group(1)), number(found.group(2))

    def points(self, tag: str) -> tuple[int, int]:
        """How many points are drawn, and of how many."""
        self.settle()
        text = self.card(tag).locator(".corner").inner_text()
        counts = [int(number(part)) for part in re.findall(r"[\d\u202f]+", text.split(",")[0])]
        return counts[0], counts[-1]

    def card_menu(self, tag: str, item: str) -> None:
        """Takes one line of a card's menu."""
        self.card(tag).hover()
        self.card(tag).get_by_role("button", name=f"More for {tag}").click()
        self.page.locator(":popover-open").get_by_text(item, exact=True).click()

    def place(self, tag: str, x: float, y: float = 0.5) -> tuple[float, float]:
        """A place in a chart on the screen, from fractions of its width and height."""
        chart = self.chart(tag)
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        assert box is not None
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def hover(self, tag: str, x: float, y: float = 0.5) -> Tooltip:
        """Moves the pointer into a chart and reads the tooltip."""
        self.page.mouse.move(*self.place(tag, x, y))
        return self.tooltip()

    def drag(self, tag: str, x_from: float, x_to: float, *, y: float = 0.5, key: str | None = None) -> None:
        """Drags across a chart at one height, with a key held down."""
        self.page.mouse.move(*self.place(tag, x_from, y))
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.down()
        self.page.mouse.move(*self.place(tag, (x_from + x_to) / 2, y))
        self.page.mouse.move(*self.place(tag, x_to, y))
        self.page.mouse.up()
        if key:
            self.page.keyboard.up(key)
        self.page.mouse.move(2, 2)
        self.settle()

    def keys(self, tag: str, *keys: str) -> None:
        """Presses keys in a chart that has its data; one that still waits for it has no points for a cursor."""
        self.settle()
        self.chart(tag).focus()
        for key in keys:
            self.page.keyboard.press(key)

    def tooltip(self) -> Tooltip:
        """The tooltip on screen."""
        box = self.page.locator(".tooltip")
        expect(box).to_be_visible()
        script = """(box) => ({
          head: box.querySelector('.head').innerText, text: box.innerText,
          rows: [...box.querySelectorAll('tbody tr')]
            .map((row) => [...row.querySelectorAll('.name, .value, .raw')].map((cell) => cell.innerText)),
        })"""
        read: dict[str, Any] = box.evaluate(script)
        rows: list[list[str]] = read["rows"]
        raw = [number(row[2]) for row in rows if len(row) > 2 and row[2]]
        return Tooltip(read["head"], [row[0] for row in rows], [number(row[1]) for row in rows], raw, read["text"])

    def table(self) -> dict[str, list[str]]:
        """The inspector's rows by run."""
        rows = self.page.get_by_role("complementary", name="Inspector").locator("tbody tr").all_inner_texts()
        return {cells[0].strip(): [cell.strip() for cell in cells[1:]] for row in rows if (cells := row.split("\t"))}

    def wait_until(self, true: Callable[[], bool], seconds: float = 60, what: str = "what the test waits for") -> None:
        """Asks again and again until something holds."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, f"{what} did not come within {seconds:g} s"
            self.page.wait_for_timeout(40)
