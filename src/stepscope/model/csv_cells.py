"""Text in CSV files: what a spreadsheet would run as a formula is shown instead."""

from __future__ import annotations

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def shown_text(text: str) -> str:
    """The text with a quote before it where a spreadsheet would take it for a formula. Numbers are not text, and stay numbers."""
    return f"'{text}" if text.startswith(_FORMULA) else text
