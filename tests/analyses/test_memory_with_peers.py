"""Memory in recordings made just now by the real torch: a leak is found and named, and a training without one is steady."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opened_profiles import open_profile
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.memory.growth import GrowthVerdict, MemoryGrowth, memory_growth
from stepscope.analyses.memory.held import MemoryUse, memory
from stepscope.analyses.memory.ledger import MatchedBy, ledgers
from stepscope.analyses.memory.timeline import StackedBy, memory_timeline, possible_stacks
from stepscope.analyses.steps import find_steps

pytestmark = pytest.mark.peers
MIB = 1 << 20


@pytest.fixture(scope="module")
def torch(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return run_in_peers(Path(__file__).parent / "recorders" / "torch_memory.py", tmp_path_factory.mktemp("torch"))


def growth_of(path: str) -> MemoryGrowth:
    (profile,) = open_profile(path)
    (found,) = memory_growth(profile, break_down(profile))
    return found


def use_of(path: str) -> MemoryUse:
    (profile,) = open_profile(path)
    (found,) = memory(profile, find_steps(profile))
    return found


def test_a_leak_is_found_with_its_slope_and_its_operation(torch: dict[str, str]) -> None:
    found = growth_of(torch["leak"])
    assert (found.verdict, found.rising) == (GrowthVerdict.GROWS, 1.0)
    assert found.slope == pytest.approx(MIB, rel=0.01)
    name, size = found.grows[0]
    assert name == "aten::ones"
    assert size >= 0.9 * len(found.level) * MIB


def test_a_training_that_keeps_nothing_is_steady(torch: dict[str, str]) -> None:
    found = growth_of(torch["steady"])
    assert (found.verdict, found.slope) == (GrowthVerdict.STEADY, 0.0)


def test_what_is_held_at_the_peak_is_all_of_it(torch: dict[str, str]) -> None:
    use = use_of(torch["steady"])
    assert use.ledger.matched_by is MatchedBy.ADDRESS
    assert sum(row.bytes for row in use.at_peak) == use.peak_bytes
    # Gradients of both weights are as large as the weights, and activations of 256 rows half as large.
    assert use.peak_bytes >= 2 * 512 * 512 * 4
    assert any("Linear" in row.module for row in use.at_peak)


def test_modules_are_layers(torch: dict[str, str]) -> None:
    use = use_of(torch["steady"])
    assert StackedBy.MODULE in possible_stacks(use.ledger)
    line = memory_timeline(use.ledger, StackedBy.MODULE)
    assert any("Linear" in layer.name for layer in line.layers)
    assert np.array_equal(sum((layer.bytes for layer in line.layers), np.zeros_like(line.level)), line.level)


def most_of(path: str, kind: str) -> int:
    """The most that a kind ever held."""
    (profile,) = open_profile(path)
    (ledger,) = ledgers(profile)
    line = memory_timeline(ledger, StackedBy.KIND, stretches=5_000)
    return max((int(layer.bytes.max()) for layer in line.layers if layer.name.lower() == kind), default=0)


@pytest.mark.parametrize("kind", ["gradient", "optimizer state"])
def test_kinds_are_those_that_torch_tells_itself(torch: dict[str, str], kind: str) -> None:
    weights = 2 * (512 * 512 + 512) * 4
    assert most_of(torch["kinds"], kind) == pytest.approx(most_of(torch["told"], kind), rel=0.02)
    assert most_of(torch["kinds"], kind) >= weights


def test_activations_are_those_that_the_pass_back_needs(torch: dict[str, str]) -> None:
    # What ReLU and square keep, and nothing of the optimizer, which torch's own timeline counts as well.
    assert most_of(torch["kinds"], "activation") == pytest.approx(2 * 256 * 512 * 4, rel=0.01)
