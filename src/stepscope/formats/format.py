"""What every format says of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A file format. When a folder is scanned, names choose candidates and content decides."""

    id: str
    title: str
    is_candidate: Callable[[str], bool]
    """Whether a file of that base name may hold the format."""
    sniff: Callable[[bytes], bool]
    """Whether a file that begins with these bytes (as many as SNIFF_BYTES, fewer for a short file) holds the format."""


SNIFF_BYTES = 4096
