"""Sizes as users write them: "200MB", "1.5 GB", or a number of bytes."""

from __future__ import annotations

import re

from stepscope.model.number_text import three_digits

_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$")


def bytes_of(size: str | int, name: str) -> int:
    """The number of bytes, which is more than none. Raises ValueError."""
    match = _SIZE.match(str(size))
    unit = _UNITS.get(match[2].lower()) if match else None
    found = int(float(match[1]) * unit) if match and unit else 0
    if found <= 0:
        raise ValueError(f'Give {name} as a size such as "200MB", not as {size!r}.')
    return found


def text_of(size: float) -> str:
    """As engineers write it, with three digits."""
    for unit, divisor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= divisor:
            return f"{three_digits(size / divisor)} {unit}"
    return f"{size:.0f} B"
