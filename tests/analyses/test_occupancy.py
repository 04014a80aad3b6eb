"""Occupancy from launch facts, beside what PyTorch records of real kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import timeline
from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.analyses.devices.occupancy import COMPUTED, RECORDED, occupancies
from stepscope.model.profile import Device, Profile


def launched(
    device: Device, *, threads: int = 128, grid: int = 1_000, registers: int = 32, shared: int = 0, occupancy: float = np.nan
) -> Profile:
    """One kernel launched so."""
    profile = replace(timeline("gpu 0  K"), format="kineto")
    profile.devices[0] = device
    facts = profile.kernels
    facts.grid[0], facts.block[0] = (grid, 1, 1), (threads, 1, 1)
    facts.registers[0], facts.shared_memory[0], facts.occupancy[0] = registers, shared, occupancy
    facts.blocks_per_multiprocessor[0] = np.nan
    return profile


A100 = Device("NVIDIA A100-SXM4-80GB", "GPU", 0)
T4 = Device("Tesla T4", "GPU", 0)


@pytest.mark.parametrize(
    ("device", "facts", "theoretical"),
    [
        (A100, {"threads": 128, "registers": 32}, 1.0),  # 16 blocks of 4 warps fill 64 warps
        (A100, {"threads": 128, "registers": 65}, 0.4375),  # 72 registers a thread: 7 warps a part, 28 in all
        (A100, {"threads": 128, "registers": 255}, 0.125),  # 8 warps
        (A100, {"threads": 32, "registers": 16}, 0.5),  # 32 blocks at most
        (A100, {"threads": 256, "registers": 32, "shared": 48 * 1024}, 0.375),  # 3 × 49 KiB of 164 KiB
        (A100, {"threads": 1024, "registers": 33}, 0.5),  # 40 registers: 12 warps a part hold one block of 32
        (A100, {"threads": 100, "registers": 32}, 16 * 100 / 2048),  # the last warp of a block is not full
        (T4, {"threads": 128, "registers": 32}, 1.0),
        (T4, {"threads": 64, "registers": 32}, 1.0),
        (T4, {"threads": 32, "registers": 32}, 0.5),  # 16 blocks at most
    ],
)
def test_theory_by_hand(device: Device, facts: dict[str, int], theoretical: float) -> None:
    found = occupancies(launched(device, **facts))
    assert found.theoretical[0] == pytest.approx(theoretical)
    assert found.theoretical_from == COMPUTED


def test_a_small_grid_fills_less_than_theory_allows() -> None:
    found = occupancies(launched(A100, threads=128, grid=54))
    assert found.theoretical[0] == 1
    assert found.achieved[0] == pytest.approx(54 / 108 * 128 / 2048)


def test_what_was_recorded_is_believed_unless_it_is_nothing() -> None:
    found = occupancies(launched(A100, occupancy=0.3))
    assert (found.achieved[0], found.achieved_from) == (pytest.approx(0.3), RECORDED)
    # PyTorch writes 0 of kernels that ask for more shared memory than is usual, though they ran.
    found = occupancies(launched(A100, registers=168, shared=147_456, threads=128, occupancy=0.0))
    assert found.achieved[0] == pytest.approx(1 * 128 / 2048)
    unknown = occupancies(launched(Device("new", "GPU", 0), occupancy=0.0))
    assert unknown.achieved[0] == 0


def test_other_files_record_the_theory() -> None:
    found = occupancies(replace(launched(A100, occupancy=0.3), format="xplane"))
    assert (found.theoretical[0], found.theoretical_from) == (pytest.approx(0.3), RECORDED)
    assert (found.achieved[0], found.achieved_from) == (pytest.approx(1_000 / 108 * 128 / 2048), COMPUTED)


@pytest.mark.parametrize(
    "facts", [{"threads": 0}, {"threads": 4096}, {"registers": 0}, {"registers": -1}, {"shared": -1}, {"shared": 1 << 40}]
)
def test_launches_that_cannot_be_are_unknown(facts: dict[str, int]) -> None:
    assert np.isnan(occupancies(launched(A100, **facts)).theoretical[0])


def test_amd_and_unknown_devices_are_unknown() -> None:
    for device in (Device("AMD Instinct MI300X", "GPU", 0), Device("new", "GPU", 0)):
        found = occupancies(launched(device))
        assert np.isnan(found.theoretical[0])
        assert (found.theoretical_from, found.achieved_from) == ("", "")


@needs("kineto")
@pytest.mark.parametrize(
    "path", ["resnet50_workers0", "hta/trace_diff/test", "hta/trace_diff/control", "tracelens/h100", "tracelens/b200"]
)
def test_estimates_are_those_of_pytorch_wherever_it_has_one(path: str) -> None:
    file = min((SAMPLES / "kineto" / path).glob("*.json.gz"), key=lambda each: each.stat().st_size)
    (profile,) = open_profile(str(file))
    nothing = np.full(len(profile.kernels.row), np.nan, np.float32)
    without = replace(profile.kernels, occupancy=nothing, blocks_per_multiprocessor=nothing)
    computed = occupancies(replace(profile, kernels=without)).achieved
    recorded = profile.kernels.occupancy
    told = recorded > 0
    assert told.sum() > 40
    assert np.abs(computed[told] - recorded[told]).max() <= 0.0051, "PyTorch rounds to whole per cent"
    assert np.isfinite(computed).all()
