"""Words for traces on one axis: ranks of a session as rows and as open tracks, and what each of them shows of its own time."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.profile_page import plain

PATIENCE_MS = 180_000
"""A busy machine takes long over the report of hundreds of ranks."""


class RanksPage:
    """The trace of all ranks."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(60_000)
        self.board = page.get_by_role("application", name="Ranks", exact=True)
        self.toolbar = page.get_by_role("toolbar", name="Ranks")
        self.rows = page.locator("canvas.rows")

    def open(self, address: str, run: str, more: str = "") -> None:
        """Goes to the ranks of a run and waits until their rows are drawn."""
        self.page.goto("about:blank")
        self.page.goto(f"{address}#profile?session={session_of(self.page, address, run)}&show=trace&stack=ranks{more}")
        self.ready()

    def ready(self) -> None:
        """Waits until everything that is on screen has come."""
        expect(self.board).to_have_attribute("data-loading", "false")

    def row(self, rank: int) -> Locator:
        """The name of a rank, beside its row."""
        return self.page.locator(f"[data-worker$='_rank{rank}']")

    def listed(self) -> list[str]:
        """Ranks on screen, from the top."""
        found = self.page.locator(".rank").evaluate_all(
            "(rows) => rows.map((row) => [row.offsetTop, row.querySelector('button').innerText.trim()])"
        )
        return [name for _, name in sorted(found)]

    def lane(self, rank: int) -> Locator:
        """The open tracks of a rank."""
        return self.page.get_by_role("region", name=f"rank {rank}", exact=True)

    def lane_window(self, rank: int) -> tuple[float, float]:
        """What an open rank shows of its own time, in milliseconds."""
        board = self.lane(rank).get_by_role("application")
        expect(board).to_have_attribute("data-loading", "false")
        return window_of(board)

    def tip(self, rank: int, ms: float) -> str:
        """What stands beside the pointer on a row at a time of the axis."""
        canvas, row = self.rows.bounding_box(), self.row(rank).bounding_box()
        assert canvas is not None
        assert row is not None
        start, end = window_of(self.board)
        self.rows.hover(position={"x": (ms - start) / (end - start) * canvas["width"], "y": row["y"] - canvas["y"] + row["height"] / 2})
        tip = self.page.locator(".tip")
        expect(tip).to_contain_text(f"rank {rank}")
        return plain(tip.inner_text())


def session_of(page: Page, address: str, run: str) -> str:
    return next(one["id"] for one in got(page, address, "sessions")["sessions"] if one["run_name"] == run)


def got(page: Page, address: str, route: str) -> dict[str, Any]:
    """An answer of the server, asked for until it has read what it needs."""
    while True:
        answer = page.request.get(f"{address.rstrip('/')}/api/v1/profile/{route}", timeout=PATIENCE_MS).json()
        if not answer.get("reading"):
            return answer


def window_of(board: Locator) -> tuple[float, float]:
    found = re.fullmatch(r"(-?[\d.e-]+) (-?[\d.e-]+)", board.get_attribute("data-window") or "")
    assert found is not None
    return float(found[1]) / 1e3, float(found[2]) / 1e3
