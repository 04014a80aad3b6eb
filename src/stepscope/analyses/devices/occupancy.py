"""How full multiprocessors are while a kernel runs: at best by its launch facts, and as far as its grid fills the device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.devices.peaks import generation_of, known_device
from stepscope.analyses.devices.table import DeviceTable
from stepscope.model.profile import NONE, Device, Float32, Float64, Int64, Profile

RECORDED = "recorded"
COMPUTED = "computed"
_PARTITIONS = 4
"""A multiprocessor's registers lie in this many equal parts, and a warp's in one of them."""


@dataclass(frozen=True, slots=True)
class Occupancies:
    """Of every row of Profile.kernels, 0..1, nan when unknown: threads that a multiprocessor holds, of those it could."""

    theoretical: Float32  # with as many blocks as registers, shared memory and limits allow
    achieved: Float32  # an estimate: with no more blocks than the grid gives each multiprocessor
    theoretical_from: str  # RECORDED, COMPUTED, or "" when no kernel has any
    achieved_from: str


@dataclass(frozen=True, slots=True)
class _Limits:
    """What one multiprocessor holds at once."""

    warp: int
    threads: int
    blocks: int
    registers: int
    register_unit: int
    shared_memory: int
    shared_memory_unit: int
    shared_memory_reserved: int
    multiprocessors: int


def occupancies(profile: Profile, table: DeviceTable | None = None) -> Occupancies:
    """What the file tells, else what follows from launch facts and the device. PyTorch records estimates, others theory."""
    kernels = profile.kernels
    theoretical = np.full(len(kernels.row), np.nan, np.float32)
    achieved = theoretical.copy()
    track = profile.spans.track[kernels.row]
    device_of_track = np.array([each.device for each in profile.tracks] or [NONE])
    device = device_of_track[track] if len(track) else np.zeros(0, np.int64)
    for place, each in enumerate(profile.devices):
        limits, mine = _limits(each, table), np.flatnonzero(device == place)
        if limits is None or not len(mine):
            continue
        threads, grid = kernels.block[mine].astype(np.int64).prod(axis=1), kernels.grid[mine].astype(np.int64).prod(axis=1)
        blocks = active_blocks(limits, threads, kernels.registers[mine].astype(np.int64), kernels.shared_memory[mine])
        theoretical[mine] = blocks * threads / limits.threads
        achieved[mine] = np.minimum(blocks, _blocks_given(profile, mine, grid, limits)) * threads / limits.threads
    recorded = kernels.occupancy
    if profile.format == "kineto":
        return Occupancies(theoretical, _preferred(recorded, achieved), _source(None, theoretical), _source(recorded, achieved))
    return Occupancies(_preferred(recorded, theoretical), achieved, _source(recorded, theoretical), _source(None, achieved))


def active_blocks(limits: _Limits, threads: Int64, registers: Int64, shared_memory: Int64) -> Float64:
    """Blocks that a multiprocessor holds at once; nan where the facts are not known or no such launch can be."""
    warps = -(-threads // limits.warp)
    known = (threads > 0) & (warps * limits.warp <= limits.threads) & (registers > 0) & (shared_memory >= 0)
    warps = np.maximum(warps, 1)
    by_threads = np.minimum(limits.blocks, limits.threads // (warps * limits.warp))
    of_warp = _rounded_up(np.maximum(registers, 1) * limits.warp, limits.register_unit)
    by_registers = limits.registers // _PARTITIONS // of_warp * _PARTITIONS // warps
    of_block = _rounded_up(np.maximum(shared_memory, 0) + limits.shared_memory_reserved, limits.shared_memory_unit)
    by_memory = np.where(of_block > 0, limits.shared_memory // np.maximum(of_block, 1), limits.blocks)
    found = np.minimum(np.minimum(by_threads, by_registers), by_memory)
    return np.where(known & (found > 0), found, np.nan)


def _blocks_given(profile: Profile, rows: Int64, grid: Int64, limits: _Limits) -> Float64:
    """Blocks of the grid for each multiprocessor, as the file tells or by the device's number of them."""
    told = profile.kernels.blocks_per_multiprocessor[rows].astype(np.float64)
    given = grid / limits.multiprocessors if limits.multiprocessors else np.full(len(grid), np.nan)
    return np.where(np.isfinite(told), told, np.where(grid > 0, given, np.nan))


def _limits(device: Device, table: DeviceTable | None) -> _Limits | None:
    """As the file tells, else as the generation has them; None when registers or threads are unknown, as on AMD's devices."""
    generation, row = generation_of(device, table), known_device(device, table)
    if generation is None or not generation.threads or not generation.registers:
        return None
    return _Limits(
        warp=device.warp_size or generation.warp,
        threads=device.threads_per_multiprocessor or generation.threads,
        blocks=generation.blocks,
        registers=device.registers_per_multiprocessor or generation.registers,
        register_unit=generation.register_unit,
        shared_memory=device.shared_memory_per_multiprocessor or generation.shared_memory,
        shared_memory_unit=generation.shared_memory_unit,
        shared_memory_reserved=generation.shared_memory_reserved,
        multiprocessors=device.multiprocessors or (row.multiprocessors if row else 0),
    )


def _rounded_up(values: Int64, unit: int) -> Int64:
    return -(-values // unit) * unit


def _preferred(recorded: Float32, computed: Float32) -> Float32:
    """What was recorded, unless it is 0, which no kernel that ran has: PyTorch writes that of kernels with much shared memory."""
    return np.where((recorded > 0) | np.isnan(computed), recorded, computed)


def _source(recorded: Float32 | None, computed: Float32) -> str:
    if recorded is not None and np.isfinite(recorded).any():
        return RECORDED
    return COMPUTED if np.isfinite(computed).any() else ""
