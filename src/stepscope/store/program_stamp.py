"""A stamp of the program itself: what a cache keeps was made by one version of the code, and another may make something else."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path


def stamp_of(sources: Sequence[Path]) -> str:
    """Changes with any of the files of a program."""
    states = repr([(source.name, info.st_size, info.st_mtime_ns) for source in sources if (info := _state(source))])
    return hashlib.blake2b(states.encode(), digest_size=16).hexdigest()


def _state(source: Path) -> os.stat_result | None:
    try:
        return source.stat()
    except OSError:
        return None
