"""The table of devices: what each can do at most, published in devices.toml beside this file, and rows of the user's own, checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import cast

from stepscope.analyses.devices.name_pattern import NamePattern
from stepscope.model.errors import BadInput

FORMATS = ("fp64", "fp32", "tf32", "fp16", "fp8", "fp4")
"""Formats of numbers; fp16 stands for bfloat16 too, and fp8 for 8-bit integers."""
PUBLISHED = "published"
YOURS = "your table"

_BUILT_IN = Path(__file__).with_name("devices.toml")
_RANGES: dict[str, tuple[float, float]] = {
    # What lies outside was mistyped, or is in another unit.
    "teraflops": (1e-3, 1e6),
    "gigabytes_per_second": (0.1, 1e6),
    "multiprocessors": (1, 100_000),
    "clock_ghz": (0.05, 20),
    "memory_gb": (0.1, 100_000),
    "flops_per_cycle": (1, 1 << 24),
    "shared_bytes_per_cycle": (1, 1 << 16),
    "warp": (1, 1024),
    "threads": (1, 1 << 20),
    "blocks": (1, 1 << 16),
    "registers": (1, 1 << 26),
    "register_unit": (1, 1 << 16),
    "shared_memory": (1, 1 << 30),
    "shared_memory_unit": (1, 1 << 20),
    "shared_memory_reserved": (0, 1 << 20),
}
_DEVICE_KEYS = ("name", "generation", "multiprocessors", "clock_ghz", "memory_gb", "teraflops", "gigabytes_per_second", "levels")
_GENERATION_KEYS = (
    "name", "flops_per_cycle", "shared_bytes_per_cycle", "warp", "threads", "blocks", "registers", "register_unit", "shared_memory",
    "shared_memory_unit", "shared_memory_reserved",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MemoryLevel:
    """A memory nearer than the device's main one, and its bytes per second."""

    name: str
    bandwidth: float


@dataclass(frozen=True, slots=True)
class Generation:
    """What a multiprocessor of a generation can do and hold; 0 is unknown."""

    name: str  # "NVIDIA 8.0": vendor and compute capability
    flops_per_cycle: dict[str, float]
    shared_bytes_per_cycle: float = 0.0
    warp: int = 0
    threads: int = 0
    blocks: int = 0
    registers: int = 0
    register_unit: int = 0
    shared_memory: int = 0
    shared_memory_unit: int = 0
    shared_memory_reserved: int = 0  # of every block


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """One row: operations per second by number format, bytes per second, and what identifies it; 0 is unknown."""

    pattern: NamePattern
    generation: str
    multiprocessors: int
    clock_hz: float
    memory_bytes: float
    flops: dict[str, float]
    bandwidth: float | None
    levels: tuple[MemoryLevel, ...]
    source: str  # PUBLISHED or YOURS


@dataclass(frozen=True, slots=True)
class DeviceTable:
    """Rows in the order they are tried."""

    devices: tuple[KnownDevice, ...] = ()
    generations: dict[str, Generation] = field(default_factory=dict[str, Generation])


@lru_cache(maxsize=1)
def published_devices() -> DeviceTable:
    """The rows that come with Stepscope."""
    return read_table(_BUILT_IN.read_text("utf-8"), PUBLISHED, str(_BUILT_IN))


@lru_cache(maxsize=4)
def with_yours(text: str, file: str) -> DeviceTable:
    """The rows of a user's table before the published ones; `file` names it in errors. Raises BadInput."""
    ours, yours = published_devices(), read_table(text, YOURS, file)
    return replace(ours, devices=yours.devices + ours.devices, generations=ours.generations | yours.generations)


def read_table(text: str, source: str, file: str) -> DeviceTable:
    """The rows of a table's text. Raises BadInput with a sentence on the first thing that cannot be."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(file, f"is not valid TOML ({error}): correct it, or move it away") from error
    _check_keys(content, ("device", "generation"), "the table", file)
    devices = [_device(row, source, file) for row in _rows(content, "device", file)]
    generations = [_generation(row, file) for row in _rows(content, "generation", file)]
    return DeviceTable(tuple(devices), {generation.name: generation for generation in generations})


def _rows(content: Mapping[str, object], key: str, file: str) -> Iterable[dict[str, object]]:
    found = content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in cast("list[object]", found)):
        raise _bad(file, f"must list each {key} under [[{key}]]")
    return cast("list[dict[str, object]]", found)


def _device(row: dict[str, object], source: str, file: str) -> KnownDevice:
    name = _text(row, "name", file)
    _check_keys(row, _DEVICE_KEYS, f'device "{name}"', file)
    if not name:
        raise _bad(file, "has a device without a name: write name = '…'")
    try:
        pattern = NamePattern(name)
    except ValueError as error:
        advice = "use text with . .* ? (a|b) \\b, and \\ before other special characters"
        raise _bad(file, f'names a device "{name}", which is not a pattern ({error}): {advice}') from error
    where = f'of "{name}"'
    levels = row.get("levels", [])
    if not isinstance(levels, list) or not all(isinstance(level, dict) for level in cast("list[object]", levels)):
        raise _bad(file, f"has levels {where} that are not a list of tables: write levels = [{{ name = …, gigabytes_per_second = … }}]")
    bandwidth = _number(row, "gigabytes_per_second", where, file)
    return KnownDevice(
        pattern=pattern,
        generation=_text(row, "generation", file),
        multiprocessors=int(_number(row, "multiprocessors", where, file)),
        clock_hz=_number(row, "clock_ghz", where, file) * 1e9,
        memory_bytes=_number(row, "memory_gb", where, file) * 1e9,
        flops={each: number * 1e12 for each, number in _by_format(row, "teraflops", where, file).items()},
        bandwidth=bandwidth * 1e9 if bandwidth else None,
        levels=tuple(
            MemoryLevel(_text(level, "name", file) or "cache", _number(level, "gigabytes_per_second", where, file) * 1e9)
            for level in cast("list[dict[str, object]]", levels)
        ),
        source=source,
    )


def _generation(row: dict[str, object], file: str) -> Generation:
    name = _text(row, "name", file)
    _check_keys(row, _GENERATION_KEYS, f'generation "{name}"', file)
    where = f'of generation "{name}"'
    return Generation(
        name=name,
        flops_per_cycle=_by_format(row, "flops_per_cycle", where, file),
        shared_bytes_per_cycle=_number(row, "shared_bytes_per_cycle", where, file),
        warp=int(_number(row, "warp", where, file)),
        threads=int(_number(row, "threads", where, file)),
        blocks=int(_number(row, "blocks", where, file)),
        registers=int(_number(row, "registers", where, file)),
        register_unit=int(_number(row, "register_unit", where, file)),
        shared_memory=int(_number(row, "shared_memory", where, file)),
        shared_memory_unit=int(_number(row, "shared_memory_unit", where, file)),
        shared_memory_reserved=int(_number(row, "shared_memory_reserved", where, file)),
    )


def _by_format(row: dict[str, object], key: str, where: str, file: str) -> dict[str, float]:
    found = row.get(key, {})
    if not isinstance(found, dict):
        raise _bad(file, f"has {key} {where} that are not a table: write {key} = {{ fp32 = …, fp16 = … }}")
    by_format = cast("dict[str, object]", found)
    _check_keys(by_format, FORMATS, f"{key} {where}", file)
    return {each: _in_range(number, key, f"{each} {where}", file) for each, number in by_format.items()}


def _number(row: dict[str, object], key: str, where: str, file: str) -> float:
    return _in_range(row[key], key, f"{key} {where}", file) if key in row else 0.0


def _in_range(number: object, key: str, what: str, file: str) -> float:
    low, high = _RANGES[key]
    if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high:
        raise _bad(file, f"says {what} is {number!r}, which is out of range: write a number from {low:g} to {high:g}")
    return float(number)


def _text(row: dict[str, object], key: str, file: str) -> str:
    found = row.get(key, "")
    if not isinstance(found, str):
        raise _bad(file, f"has a {key} that is not text: put it in quotes")
    return found


def _check_keys(row: Mapping[str, object], known: Iterable[str], what: str, file: str) -> None:
    for key in row:
        if key not in known:
            raise _bad(file, f'has "{key}" in {what}, which is unknown: write one of {", ".join(known)}')


def _bad(file: str, problem: str) -> BadInput:
    return BadInput(f"{file} {problem}.", "bad_device_table")
