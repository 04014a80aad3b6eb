"""The kinds of series; the numbers are those of native/columns.hpp, and a test holds the two together."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """What a series holds. Only SCALAR has values in columns; all others are (offset, length) of bytes in the file."""

    SCALAR = 0
    IMAGE = 1
    AUDIO = 2
    TEXT = 3
    HISTOGRAM = 4
    TENSOR = 5
    MESH = 6
    PR_CURVE = 7
    HPARAMS = 8
    GRAPH = 9
    LAYOUT = 10
    RUN_METADATA = 11
    SESSION_LOG = 12
    OTHER = 13

    @property
    def label(self) -> str:
        """The word the API uses."""
        return self.name.lower()
