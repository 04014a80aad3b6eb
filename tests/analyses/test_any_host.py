"""Whatever a recording of a CPU looks like, the host's parts stay within the step, and levers give ranges that make sense."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import ON_THREADS, Timeline
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.host.work import host_work
from stepscope.analyses.time_classes import Group
from stepscope.analyses.what_if.levers import LEVERS, Lever
from stepscope.analyses.what_if.prediction import plain_range, predict, replay_context
from stepscope.analyses.work.aligned_operations import align

THREAD = st.text("".join(ON_THREADS) + "...", min_size=24, max_size=24)
NAMES = st.fixed_dictionaries(
    {},
    optional={
        "f": st.sampled_from(["EagerLocalExecute: Mul", "PjitFunction(add)", "FunctionRun"]),
        "n": st.sampled_from(["Torch-Compiled Region: 0/1", "Torch-Compiled Region: 3/0"]),
        "p": st.sampled_from(["<built-in method acquire of _thread.lock object>", "train.py(3): count"]),
    },
)
FRAMEWORKS = st.sampled_from(["", "PyTorch", "TensorFlow", "JAX"])


@pytest.mark.slow
@given(THREAD, THREAD, NAMES, FRAMEWORKS, st.sampled_from([1_000_000, 5_000]), st.sampled_from([None, 0.5, 1.0, 2.0]))
def test_parts_and_ranges(main: str, pool: str, names: dict[str, str], framework: str, unit: int, slower: float | None) -> None:
    picture = f"main   111111222222333333444444\nmain   {main}\npool   {pool}"
    profile = replace(Timeline(unit).draw(picture, **names).build(), framework=framework)
    breakdown = break_down(profile)
    found = host_work(profile, breakdown)
    assert min(ns for _, _, ns in found.lines) >= -1e-6
    assert found.host_ns == pytest.approx(float(group_sums(breakdown.typical_parts)[Group.HOST]), abs=1e-3)
    assert all(0 <= one.traces <= one.calls and one.traced_ns >= 0 for one in found.functions)
    assert all(one.difference_ns == 0 for one in align((profile, breakdown), (profile, breakdown)))
    context = replay_context([profile], [breakdown], cores=8, unprofiled_ns=None if slower is None else breakdown.median_ns * slower)
    for name in LEVERS:
        if name == "straggler":
            continue
        low, high = plain_range(context, [Lever(name)])
        assert 0 <= low <= high + 1e-9
        asked = predict(context, [Lever(name)])
        assert asked.refused or (asked.low_ms is not None and asked.high_ms is not None and asked.low_ms <= asked.high_ms + 1e-9)
