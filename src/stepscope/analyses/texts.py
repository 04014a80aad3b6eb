"""How sentences about profiles name times, sizes, parts of a step and ranks."""

from __future__ import annotations

import os
import re

from stepscope.analyses.time_classes import TimeClass
from stepscope.model.number_text import three_digits
from stepscope.model.profile import NONE, Profile

_ROUNDS_UP = 0.9995
"""From here on three digits would read as a thousand of the smaller unit."""
_LONGEST_NAME = 64
_XSPACE = ".xplane.pb"
"""Profilers name these files after the worker."""
_RANK = re.compile(r"rank[ _-]?(\d{1,9})", re.IGNORECASE)


def rank_name(profile: Profile, place: int) -> str:
    """`rank 3`, or what its file is called where that does not tell the rank: several ranks may run on one host."""
    if profile.rank != NONE:
        return f"rank {profile.rank}"
    file = os.path.basename(profile.path)
    return file.removesuffix(_XSPACE) if file.endswith(_XSPACE) else profile.host or file or f"file {place + 1}"


def worker_name(worker: str, rank: int | None) -> str:
    """`rank 3` where the profile or the name of its file says so, else the worker."""
    if rank is None and (named := _RANK.fullmatch(worker)):
        rank = int(named[1])
    return worker if rank is None else f"rank {rank}"


def shortened(name: str) -> str:
    """A name that fits a sentence: the middle is left out of a long one."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME // 2]}…{name[-_LONGEST_NAME // 2 :]}"


def milliseconds(ns: float) -> str:
    """A time as people say it: three digits and its unit."""
    for limit, unit in ((1e3, "ns"), (1e6, "µs"), (1e9, "ms")):
        if abs(ns) < _ROUNDS_UP * limit:
            return f"{three_digits(ns / (limit / 1e3))} {unit}"
    return f"{three_digits(ns / 1e9)} s"


def size_text(size: float) -> str:
    """Bytes in the unit that fits, three digits."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 999.5:
            return f"{three_digits(size)} {unit}"
        size /= 1024
    return f"{three_digits(size)} TiB"


def part_text(time_class: TimeClass) -> str:
    """What a class is called in sentences."""
    return {
        TimeClass.COMM: "communication",
        TimeClass.H2D: "copies to the device",
        TimeClass.D2H: "copies to the host",
        TimeClass.D2D: "copies on devices",
        TimeClass.GC: "garbage collection",
        TimeClass.IO: "checkpoints and summaries",
        TimeClass.INPUT: "waiting for input",
        TimeClass.SYNC: "waiting calls",
        TimeClass.ALLOC: "allocation",
        TimeClass.LAUNCH: "launches",
        TimeClass.OP: "operations on the host",
        TimeClass.PYTHON: "Python",
    }.get(time_class, time_class.key)
