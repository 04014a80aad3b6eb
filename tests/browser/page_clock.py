"""Time as the page has it: what the page does after a pause has been done when as much has passed on its own clock."""

from __future__ import annotations

from playwright.sync_api import Page

ADDRESS_MS = 300
"""Twice the pause after which the page writes what is shown into its address."""


def let_pass(page: Page, milliseconds: int) -> None:
    """Waits by a timer of the page, which goes off after all shorter ones that were set before it, however busy the machine is."""
    page.evaluate("(milliseconds) => new Promise((done) => setTimeout(done, milliseconds))", milliseconds)


def address_written(page: Page) -> None:
    """Waits until the address says what is shown."""
    let_pass(page, ADDRESS_MS)
