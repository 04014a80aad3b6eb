"""Text out of summary values: a string, or a table of strings, cut to what a page can show."""

from __future__ import annotations

import math
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.errors import NotThere
from stepscope.queries.blobs import Payload

MOST_BYTES = 1 << 20
"""Of one value that are answered; all of it can be saved as a file."""
MOST_CELLS = 10_000


class TextValue(Struct, frozen=True):
    """One text, or a table of texts."""

    shape: Annotated[tuple[int, ...], d.count("Shape of the tensor; one dimension when it does not match the strings.")]
    cells: Annotated[tuple[str, ...], d.nested("Strings in the order of their tensor.")]
    bytes: Annotated[int, d.size("Size of the whole value.")]
    cut: Annotated[bool, d.flag("Whether strings are missing or shortened.")]
    replaced: Annotated[bool, d.flag("Whether bytes that are not UTF-8 were replaced.")]


def text_value(payload: Payload) -> TextValue:
    """What a page shows of a value. Raises NotThere when it holds no text."""
    strings = _strings(payload)
    shown: list[str] = []
    left, cut = MOST_BYTES, len(strings) > MOST_CELLS
    replaced = False
    for data in strings[:MOST_CELLS]:
        if left <= 0:
            cut = True
            break
        text, bad = _decoded(data[:left], whole=len(data) <= left)
        cut |= len(data) > left
        replaced |= bad
        left -= len(data)
        shown.append(text)
    return TextValue(_shape(payload), tuple(shown), sum(map(len, strings)), cut, replaced)


def whole_text(payload: Payload) -> bytes:
    """All strings of a value as they were logged, a line between them. Raises NotThere."""
    return b"\n".join(_strings(payload))


def _strings(payload: Payload) -> tuple[bytes, ...]:
    if not payload.strings and math.prod(payload.shape) != 0:
        raise NotThere("This value is not text: its tensor contains no strings.", "bad_text")
    return payload.strings


def _shape(payload: Payload) -> tuple[int, ...]:
    """The tensor's shape where it fits the strings that are there; else one dimension."""
    count = len(payload.strings)
    fits = all(size >= 0 for size in payload.shape) and math.prod(payload.shape) == count
    return payload.shape if fits else (count,)


def _decoded(data: bytes, *, whole: bool) -> tuple[str, bool]:
    """Text, and whether anything had to be replaced; a letter that the cut went through is left out."""
    if not whole:
        start = len(data)
        while start > 0 and len(data) - start < 4 and data[start - 1] & 0xC0 == 0x80:
            start -= 1
        if start > 0 and data[start - 1] >= 0xC0:
            data = data[: start - 1]
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), True
