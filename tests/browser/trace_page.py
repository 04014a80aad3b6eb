"""Words for the trace viewer, so that tests say where on the timeline they point and what it shows there."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.profile_page import plain

LINE = 18
"""Pixels of one line of spans."""


class TracePage:
    """The trace of a profile under test. Times are milliseconds since the start of the profile."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(60_000)
        self.board = page.get_by_role("application", name="Timeline")
        self.spans = page.locator("canvas.spans")

    def open(self, address: str, more: str = "") -> None:
        """Goes to the trace and waits until its spans are drawn."""
        self.page.goto("about:blank")
        self.page.goto(f"{address}#profile?show=trace{more}")
        self.ready()

    def ready(self) -> None:
        """Waits until everything that is on screen has come."""
        expect(self.board).to_be_visible()
        expect(self.board).to_have_attribute("data-loading", "false")

    def answer(self, part: str, **asked: object) -> Any:
        """What the server says about a part of the profile."""
        return self.page.evaluate(
            """async ([part, asked]) => {
              const { sessions } = await (await fetch('api/v1/profile/sessions')).json();
              for (;;) {
                const found = await (await fetch(`api/v1/profile/${sessions[0].id}/${part}?${new URLSearchParams(asked)}`)).json();
                if (found.answer !== null) return found.answer;
              }
            }""",
            [part, {key: str(value) for key, value in asked.items()}],
        )

    def window(self) -> tuple[float, float]:
        """What is shown, from and to."""
        found = re.fullmatch(r"([\d.]+) ([\d.]+)", self.board.get_attribute("data-window") or "")
        assert found is not None
        return float(found[1]) / 1e3, float(found[2]) / 1e3

    def label(self, track: str) -> Locator:
        """The name of a track, beside its spans."""
        return self.page.locator(".label.track").filter(has_text=track).first

    def place(self, track: str | Locator, ms: float, line: int = 0) -> dict[str, float]:
        """The pixel of a time on a line of a track, or beside any name, in the canvas."""
        named = self.label(track) if isinstance(track, str) else track
        canvas, label = self.spans.bounding_box(), named.bounding_box()
        assert canvas is not None
        assert label is not None
        start, end = self.window()
        return {
            "x": (ms - start) / (end - start) * canvas["width"],
            "y": label["y"] - canvas["y"] + line * LINE + LINE / 2,
        }

    def tip(self, track: str | Locator, ms: float, line: int = 0) -> str:
        """What stands beside the pointer at a time."""
        self.spans.hover(position=self.place(track, ms, line))  # type: ignore[arg-type]
        tip = self.page.locator(".tip")
        expect(tip).to_be_visible()
        return plain(tip.inner_text())

    def click(self, track: str | Locator, ms: float, line: int = 0) -> None:
        """Chooses the span at a time."""
        self.spans.click(position=self.place(track, ms, line))  # type: ignore[arg-type]

    def details(self) -> Locator:
        """The panel below the timeline."""
        return self.page.get_by_role("region", name="Details")

    def facts(self) -> dict[str, str]:
        """What the panel says about the chosen span."""
        rows = self.details().get_by_role("region", name="Span", exact=True)
        expect(rows).to_be_visible()
        names, values = rows.locator("dt").all_inner_texts(), rows.locator("dd").all_inner_texts()
        return dict(zip(names, map(plain, values), strict=True))
