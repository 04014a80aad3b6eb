"""What every format says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stepscope.model.profile import Profile

SNIFF_BYTES = 64 << 10
"""Traces may begin with twenty kilobytes of what users noted about them."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format. When a folder is scanned, names choose candidates and content decides."""

    id: str
    title: str
    is_candidate: Callable[[str], bool]
    """Whether a file of that base name may hold the format."""
    sniff: Callable[[bytes], bool]
    """Whether a file that begins with these bytes (as many as SNIFF_BYTES, fewer for a short file) holds the format."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one profile may ask for. Files are hostile: a reader stops with TooMuch rather than go beyond."""

    bytes: int = 8 << 30
    """Of content, after decompression."""
    ratio: int = 400
    """Decompressed to compressed size, from where on a file is taken for a bomb; trace JSON stays below 60."""
    spans: int = 100_000_000
    names: int = 10_000_000


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """A format of profiles: one file holds one process's recording."""

    id: str
    title: str
    is_candidate: Callable[[str], bool]
    """Whether a file of that base name may hold the format, when a log folder is scanned."""
    sniff: Callable[[bytes, str], bool]
    """Whether content that begins with these bytes holds the format; the base name may only break ties.

    The bytes are as many as SNIFF_BYTES, fewer for a short file, and those of a gzip file are inflated already.
    """
    read: Callable[[str, Limits], Profile]
    """Reads a whole file, plain or gzip. Raises BadInput with one sentence when nothing of it can be read."""
    has_steps: bool = True
    """Whether it records time that can be divided into steps; a memory profile does not."""
    read_arguments: Callable[[str, int], Mapping[str, object]] | None = None
    """Attributes of the span at `Spans.source`, as the file has them; None when the format keeps none beside the columns."""
