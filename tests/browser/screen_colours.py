"""The colour that is on the screen at a place."""

from __future__ import annotations

import zlib

from playwright.sync_api import Page


def pixel(page: Page, x: float, y: float) -> tuple[int, ...]:
    """The colour on the screen at a place: the only number in a picture of one pixel."""
    data = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    found, place = b"", 8
    while place < len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        if data[place + 4 : place + 8] == b"IDAT":
            found += data[place + 8 : place + 8 + size]
        place += size + 12
    return tuple(zlib.decompress(found)[1:4])
