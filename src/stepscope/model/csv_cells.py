"""Text in CSV files: what a spreadsheet would run as a formula is shown instead, and what ends lines is quoted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def shown_text(text: str) -> str:
    """The text with a quote before it where a spreadsheet would take it for a formula. Numbers are not text, and stay numbers."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_line(cells: Iterable[object]) -> str:
    """The cells as one line, without its end."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)  # with any other end, older Pythons leave a bare \r without quotes
    return text.getvalue().removesuffix("\r\n")
