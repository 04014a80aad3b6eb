"""pprof profiles of memory, as jax.profiler.save_device_memory_profile writes them: who holds how many bytes at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat

if TYPE_CHECKING:
    from stepscope.model.profile import Profile

_ENDINGS = (".prof", ".pprof", ".pb.gz")


def is_candidate(name: str) -> bool:
    """The endings that JAX's documentation and pprof use."""
    return name.endswith(_ENDINGS)


def sniff(head: bytes, _: str) -> bool:
    """Whether the bytes begin with value types, each two small numbers of strings, and go on with a sample."""
    place = seen = 0
    while head[place : place + 1] == b"\x0a" and place + 1 < len(head) and head[place + 1] <= 8:
        inner = head[place + 2 : place + 2 + head[place + 1]]
        if inner[:1] != b"\x08" or b"\x10" not in inner:
            return False
        place += 2 + head[place + 1]
        seen += 1
    return seen > 0 and head[place : place + 1] == b"\x12"


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.pprof.read import read

    return read(path, limits)


FORMAT = ProfileFormat("pprof", "pprof memory profile", is_candidate, sniff, _read, has_steps=False)
