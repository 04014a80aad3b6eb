"""Which of a run's series tell how much memory is used: those of system metrics, and those that the user names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from stepscope.model.errors import BadInput

UNITS = {
    "bytes": 1.0,
    "KB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 1024.0,
    "MiB": 1024.0**2,
    "GiB": 1024.0**3,
}
"""Bytes of each unit of memory, by its name."""
_MIB = UNITS["MiB"]
_BY_LOWER = {name.lower(): size for name, size in UNITS.items()}
_UNIT_IN_TAG = re.compile(r"(?<![a-z])(bytes|kib|mib|gib|kb|mb|gb)(?![a-z])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GPU = re.compile(r"system/gpu/([0-9]{1,6})/(memory_used_mib|process_memory_mib)")
_COMPARED = 1_000


class CapacityFrom(StrEnum):
    """What a second series says about the size of the memory."""

    LIMIT = "limit"
    FREE = "free"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True)
class MemoryTag:
    """A series of used memory."""

    tag: str
    name: str
    unit: float  # bytes
    beside: str | None = None  # the series that tells the capacity
    beside_is: CapacityFrom | None = None
    marked: bool = False  # by the user

    @property
    def unit_name(self) -> str:
        """What the unit is called."""
        return unit_name(self.unit)


_HOST = (
    MemoryTag("system/memory/used_mib", "machine", _MIB, "system/memory/available_mib", CapacityFrom.FREE),
    MemoryTag("system/cgroup/memory_used_mib", "container or job", _MIB, "system/cgroup/memory_limit_mib", CapacityFrom.LIMIT),
    MemoryTag("system/process/rss_mib", "process", _MIB),
    MemoryTag("system/process/children_rss_mib", "its children", _MIB),
    MemoryTag("system/swap/used_mib", "swap", _MIB, "system/swap/used_percent", CapacityFrom.PERCENT),
)


def memory_tags(tags: Collection[str], marked: Mapping[str, str] | None = None) -> list[MemoryTag]:
    """Those among a run's tags: of GPUs, of the host, and the user's own, each in the unit that it is marked with."""
    there = set(tags)
    gpus = sorted((int(found[1]), found[2], tag) for tag in there if (found := _GPU.fullmatch(tag)))
    known = [_gpu(index, what, tag) for index, what, tag in gpus] + [each for each in _HOST if each.tag in there]
    own = {each.tag for each in known}
    named = [(tag, unit) for tag, unit in (marked or {}).items() if tag in there and tag not in own and unit in UNITS]
    return known + [MemoryTag(tag, tag, UNITS[unit], marked=True) for tag, unit in named]


def unit_of(tag: str) -> float:
    """Bytes of the unit that a tag's name ends with or contains, such as _mib or Bytes. Raises BadInput."""
    found: list[str] = _UNIT_IN_TAG.findall(_CAMEL.sub("_", tag).lower())
    if not found:
        raise BadInput(f"The name {tag!r} does not include a unit; choose one (--unit in the terminal): {', '.join(UNITS)}.", "no_unit")
    return _BY_LOWER[found[-1]]


def unit_of_mark(tag: str, unit: str = "") -> str:
    """The name of the unit of a series that the user marks: as given, or else as in the tag's name. Raises BadInput."""
    if unit and unit not in UNITS:
        raise BadInput(f"The unit is one of {', '.join(UNITS)}.", "bad_unit")
    return unit or unit_name(unit_of(tag))


def unit_name(size: float) -> str:
    """What a unit of so many bytes is called."""
    return next(name for name, bytes_of in UNITS.items() if bytes_of == size)


def capacity_beside(
    tag: MemoryTag, wall: NDArray[np.float64], used: NDArray[np.float64], beside_wall: NDArray[np.float64], beside: NDArray[np.float64]
) -> float | None:
    """The size of the memory in bytes, by the newest moment at which both series have a point; None when there is none."""
    if tag.beside_is is CapacityFrom.LIMIT:
        known = beside[np.isfinite(beside) & (beside > 0)]
        return float(known[-1]) * tag.unit if len(known) else None
    _, mine, other = np.intersect1d(wall[-_COMPARED:], beside_wall[-_COMPARED:], return_indices=True)
    level, told = used[-_COMPARED:][mine], beside[-_COMPARED:][other]
    if tag.beside_is is CapacityFrom.FREE:
        sizes = level + told
    else:
        sizes = 100.0 * np.divide(level, told, out=np.full(len(level), np.nan), where=told > 0)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    return float(sizes[-1]) * tag.unit if len(sizes) else None


def _gpu(index: int, what: str, tag: str) -> MemoryTag:
    if what == "process_memory_mib":
        return MemoryTag(tag, f"GPU {index}, process", _MIB)
    return MemoryTag(tag, f"GPU {index}", _MIB, f"system/gpu/{index}/memory_used_percent", CapacityFrom.PERCENT)
