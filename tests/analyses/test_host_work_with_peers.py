"""Recordings of the pairs of benchmarks/truth, made just now by the real frameworks: what is compiled again, and what runs eagerly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.compiled_functions import CompiledFunction
from stepscope.analyses.host.work import HostWork, host_work

pytestmark = pytest.mark.peers
TRUTH = Path(__file__).resolve().parents[2] / "benchmarks" / "truth"


@pytest.fixture(scope="module")
def recorded(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], HostWork]:
    """Runs the recompiling and the eager pair of a framework in one process; what each answers is in its folder."""
    folders: dict[str, Path] = {}

    def found(framework: str, pair: str) -> HostWork:
        if framework not in folders:
            folders[framework] = tmp_path_factory.mktemp(framework)
            last = run_in_peers(TRUTH / f"in_{framework}.py", folders[framework], *PAIRS[framework])
            assert "error" not in last, last
        profile = open_profile(str(folders[framework] / pair))[0]
        return host_work(profile, break_down(profile))

    return found


PAIRS = {
    "torch": ("torch_recompilation", "torch_python_loop"),
    "tensorflow": ("tensorflow_retracing", "tensorflow_eager"),
    "jax": ("jax_recompilation", "jax_eager"),
}
Recorded = Callable[[str, str], HostWork]


def named(found: HostWork, name: str) -> CompiledFunction:
    return next(one for one in found.functions if one.name == name)


def test_torch_compiles_for_every_call(recorded: Recorded) -> None:
    found = recorded("torch", "torch_recompilation")
    region = found.functions[0]
    assert region.calls >= 6
    assert region.traces == region.calls
    assert found.compile_ns > 0.5 * found.step_ns


def test_python_in_the_loop_is_named(recorded: Recorded) -> None:
    found = recorded("torch", "torch_python_loop")
    assert found.python_recorded
    assert "count_words" in found.python[0].name
    assert found.python_ns > 0.2 * found.step_ns
    assert found.functions == ()


def test_tensorflow_traces_for_every_number(recorded: Recorded) -> None:
    found = recorded("tensorflow", "tensorflow_retracing")
    assert (named(found, "weighted").calls, named(found, "weighted").traces) == (8, 8)
    assert (named(found, "train").calls, named(found, "train").traces) == (8, 0)
    assert found.eager_share == 0


def test_tensorflow_runs_operations_on_their_own(recorded: Recorded) -> None:
    found = recorded("tensorflow", "tensorflow_eager")
    assert found.eager == 12 * 400
    assert found.eager_share is not None
    assert found.eager_share > 0.9


def test_jax_compiles_for_every_shape(recorded: Recorded) -> None:
    found = recorded("jax", "jax_recompilation")
    assert (named(found, "<lambda>").calls, named(found, "<lambda>").traces) == (8, 8)
    assert named(found, "update").traces == 0


def test_jax_runs_operations_on_their_own(recorded: Recorded) -> None:
    found = recorded("jax", "jax_eager")
    assert (named(found, "add").calls, named(found, "multiply").calls) == (12 * 150, 12 * 150)
    assert found.eager_share is not None
    assert found.eager_share > 0.9
