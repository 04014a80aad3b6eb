"""A hand on a page that counts what it does, as the guide's comparison counts it."""

from __future__ import annotations

from collections import Counter

from playwright.sync_api import Locator, Page


class Hand:
    """Clicks, double clicks, drags, hovers that must rest, and keys; a modifier that is held is one key."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._did: Counter[str] = Counter()

    def click(self, what: Locator, *, key: str | None = None) -> None:
        """Clicks on something; moving there is part of it."""
        self._did["click"] += 1
        if key is None:
            what.click()
        else:
            self._did["key"] += 1
            what.click(modifiers=[key])  # pyright: ignore[reportArgumentType]

    def click_at(self, at: tuple[float, float]) -> None:
        """Clicks on a place of the screen."""
        self._did["click"] += 1
        self.page.mouse.click(*at)

    def double_click_at(self, at: tuple[float, float]) -> None:
        """Double-clicks on a place of the screen."""
        self._did["double-click"] += 1
        self.page.mouse.dblclick(*at)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drags from one place to another."""
        self._did["drag"] += 1
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.page.mouse.move(*end)
        self.page.mouse.up()

    def hover_at(self, at: tuple[float, float]) -> None:
        """Rests on a place of the screen."""
        self._did["hover"] += 1
        self.page.mouse.move(*at)

    def type(self, text: str) -> None:
        """Types a text, a key for each letter."""
        self._did["key"] += len(text)
        self.page.keyboard.type(text)

    def press(self, *keys: str) -> None:
        """Presses keys; one with a modifier counts as one."""
        self._did["key"] += len(keys)
        for key in keys:
            self.page.keyboard.press(key)

    def back(self) -> None:
        """Presses the browser's key for Back."""
        self._did["key"] += 1
        self.page.go_back()

    @property
    def cost(self) -> str:
        """What was done, in the words of the guide."""
        kinds = ("click", "double-click", "drag", "hover", "key")
        said = [f"{self._did[kind]} {kind}{'s' if self._did[kind] > 1 else ''}" for kind in kinds if self._did[kind]]
        return ", ".join(said) or "0"
