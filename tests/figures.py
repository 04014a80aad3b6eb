"""Reads the numbers in a text that is shown to people: tests compare these, so that its wording can improve."""

from __future__ import annotations

import re


def figures(text: str) -> list[float]:
    """All of them in order, with or without thousands separators; also those in names, such as `fp16`."""
    return [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]
