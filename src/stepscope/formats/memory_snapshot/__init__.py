"""PyTorch's CUDA memory snapshots: pickles of plain data, read without ever executing anything in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat

if TYPE_CHECKING:
    from stepscope.model.profile import Profile

_PICKLE = b"\x80"
_KEYS = (b"device_traces", b"segments")
_ENDINGS = (".pickle", ".pkl")


def is_candidate(name: str) -> bool:
    """Users choose the name; the ending is what torch's documentation uses."""
    return name.endswith(_ENDINGS)


def sniff(head: bytes, name: str) -> bool:
    """Whether the bytes begin a pickle that names the tables of a snapshot early, or is one by its ending and first key."""
    return head.startswith(_PICKLE) and (any(key in head for key in _KEYS) or (name.endswith(_ENDINGS) and b"blocks" in head))


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.memory_snapshot.read import read

    return read(path, limits)


FORMAT = ProfileFormat("memory_snapshot", "PyTorch memory snapshot", is_candidate, sniff, _read, has_steps=False)
