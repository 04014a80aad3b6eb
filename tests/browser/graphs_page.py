"""The Graphs tab for tests: where rows are on the canvas, and what is selected, open and drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect


@dataclass
class GraphsPage:
    """Words for the parts of the tab."""

    page: Page

    def show(self, address: str, source: str = "", words: str = "") -> None:
        """Opens the tab at a source by its label."""
        self.page.set_default_timeout(60_000)
        self.page.goto("about:blank")
        self.page.goto(f"{address}#graphs{words}")
        if source:
            self.page.get_by_label("Source").select_option(label=source)
        expect(self.page.locator("canvas[data-rows]")).to_be_visible()

    @property
    def picture(self) -> Locator:
        return self.page.get_by_role("application")

    @property
    def card(self) -> Locator:
        return self.page.get_by_role("region", name="Selected node")

    def find(self, name: str) -> None:
        """Selects the node of that name by search, where it is the first match."""
        field, matches = self.page.get_by_label("Search nodes"), self.page.get_by_role("listbox", name="Matches")
        field.fill("")
        expect(matches).to_have_count(0)
        field.fill(name)
        expect(matches.get_by_role("option")).not_to_have_count(0)
        field.press("Enter")
        expect(self.card.get_by_role("heading", level=2)).to_have_text(name)

    def row(self, path: str) -> Locator:
        return self.page.locator("li[data-path]").and_(self.page.locator(f'[data-path="{path}"]'))

    def paths(self) -> list[str]:
        """All rows, those of open scopes too."""
        found: list[str] = self.page.evaluate("[...document.querySelectorAll('li[data-path]')].map((one) => one.dataset.path)")
        return found

    def at(self, path: str) -> tuple[float, float, float, float]:
        """Where a row is on the screen: left, top, width, height."""
        box = [float(one) for one in (self.row(path).get_attribute("data-box") or "").split()]
        x, y, scale = (float(one) for one in self.camera().split())
        around = self.picture.bounding_box()
        assert around is not None
        return around["x"] + (box[0] - x) * scale, around["y"] + (box[1] - y) * scale, box[2] * scale, box[3] * scale

    def click(self, path: str, *, double: bool = False) -> None:
        left, top, _, height = self.at(path)
        (self.page.mouse.dblclick if double else self.page.mouse.click)(left + 12, top + min(height, 28) / 2)

    def sign(self, path: str) -> None:
        """Clicks what opens or closes a row."""
        left, top, width, height = self.at(path)
        is_open = height > 60
        self.page.mouse.click(left + width - 12, top + (12 if is_open else height / 2))

    def camera(self) -> str:
        """Where the screen is, or goes to."""
        return self.picture.get_attribute("data-camera") or ""

    def moves(self, before: str) -> None:
        """Waits until the camera is elsewhere."""
        expect(self.picture).not_to_have_attribute("data-camera", before)

    def has(self, *paths: str) -> None:
        for path in paths:
            expect(self.row(path)).to_have_count(1)

    def lacks(self, *paths: str) -> None:
        for path in paths:
            expect(self.row(path)).to_have_count(0)

    def address_has(self, pattern: str) -> None:
        expect(self.page).to_have_url(re.compile(pattern))
