"""torch.profiler's memory timeline: bytes by category over time, raw or summed, as export_memory_timeline writes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stepscope.formats.format import Limits, ProfileFormat

if TYPE_CHECKING:
    from stepscope.model.profile import Profile

_HEAD = re.compile(rb"^\s*\[\s*\[\s*-?\d+\s*[,\]]")


def is_candidate(name: str) -> bool:
    """Users choose the name; torch's documentation and others have these words."""
    return "memory" in name and name.endswith((".json", ".json.gz", ".raw.gz", ".raw"))


def sniff(head: bytes, _: str) -> bool:
    """Whether the bytes begin a list of lists of whole numbers: no other profile does."""
    return _HEAD.match(head) is not None


def _read(path: str, limits: Limits) -> Profile:
    from stepscope.formats.torch_memory.read import read

    return read(path, limits)


FORMAT = ProfileFormat("torch_memory", "PyTorch memory timeline", is_candidate, sniff, _read, has_steps=False)
