"""What the Python of a step is: it sleeps, loads, calls operations or works; by names, and by the functions around a built-in one."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.python_kinds import PythonKind, python_work
from stepscope.model.profile import NONE, Profile, SpanKind


def steps_of(*nested: str, before: tuple[str, int] | None = None) -> Profile:
    """Six steps of 10 ms with functions one inside the other for 4 ms, and a kernel; `before` is a function of its own with its ms."""
    line = Timeline()
    for step in range(6):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        begin = at
        if before is not None:
            begin += before[1] * MS
            line.span("main", at, begin, SpanKind.PYTHON, before[0])
        for name in nested:
            line.span("main", begin, begin + 4 * MS, SpanKind.PYTHON, name)
        if nested[0].startswith("nn.Module") and "works" not in nested[-1]:
            line.span("main", begin + 3 * MS, begin + 4 * MS, SpanKind.OP, "aten::add")
        line.span("gpu 0/7", at + 9 * MS, at + 10 * MS, SpanKind.KERNEL, "k")
    return line.build()


@pytest.mark.parametrize(
    ("nested", "kind"),
    [
        (("loop.py(8): train", "<built-in function sleep>"), PythonKind.SLEEPS),
        (("loop.py(8): next_batch",), PythonKind.LOADS),
        (("loop.py(8): load", "<built-in function open>"), PythonKind.LOADS),
        (("nn.Module: Net_0", "net.py(3): forward"), PythonKind.CALLS),
        (("nn.Module: Net_0", "net.py(3): works_on_a_list"), PythonKind.WORKS),
        (("nn.Module: Net_0", "net.py(3): forward", "<built-in function print>"), PythonKind.FORMATS),
        (("torch/_tensor_str.py(699): _str", "torch/functional.py(1): f"), PythonKind.FORMATS),
        (("torch/serialization.py(900): save",), PythonKind.WORKS),
        (("train.py(8): penalty",), PythonKind.WORKS),
        (("threading.py(604): wait",), PythonKind.WAITS),
        (("train.py(8): report", "<built-in method acquire of _thread.lock object at 0x7f>"), PythonKind.WAITS),
        (("train.py(8): penalty", "<built-in function sum>"), PythonKind.WORKS),
    ],
)
def test_kinds_by_name_and_by_who_calls(nested: tuple[str, ...], kind: PythonKind) -> None:
    profile = steps_of(*nested)
    breakdown = break_down(profile)
    found = python_work(profile, breakdown)
    assert found.main is kind
    assert {each: len(rows) for each, rows in found.by_kind.items() if len(rows)} == {kind: len(breakdown.typical)}
    assert profile.names[profile.spans.name[found.longest]] == nested[-1]


def test_who_calls_the_sleep_is_found_and_whether_it_loads() -> None:
    profile = steps_of("loop.py(8): load", "<built-in function sleep>")
    found = python_work(profile, break_down(profile))
    assert (profile.names[profile.spans.name[found.sleeper]], found.loads) == ("loop.py(8): load", True)
    alone = steps_of("<built-in function sleep>")
    unknown = python_work(alone, break_down(alone))
    assert (unknown.main, unknown.sleeper, unknown.loads) == (PythonKind.SLEEPS, NONE, False)


def test_the_kind_with_most_time_is_the_main_one() -> None:
    more = steps_of("train.py(8): penalty", before=("loop.py(8): next_batch", 5))
    less = steps_of("train.py(8): penalty", before=("loop.py(8): next_batch", 3))
    assert python_work(more, break_down(more)).main is PythonKind.LOADS
    found = python_work(less, break_down(less))
    assert found.main is PythonKind.WORKS
    assert len(found.rows) == 2 * len(break_down(less).typical)


@pytest.mark.parametrize("name", ["$array.py:640 block_until_ready", "torch/autograd/profiler.py(789): __enter__"])
def test_waiting_for_the_device_and_the_profiler_are_no_work(name: str) -> None:
    profile = steps_of(name)
    assert len(python_work(profile, break_down(profile)).rows) == 0


@pytest.mark.parametrize("name", ["pure_callback.1", "io_callback", "StatefulPartitionedCall/loss/PyFunc:PyFunc"])
def test_an_operation_that_calls_python_is_python_of_the_step(name: str) -> None:
    line = Timeline().draw("main  111122223333")
    for step in range(3):
        line.span("main", 4 * step * MS, (4 * step + 3) * MS, SpanKind.OP, name)
        line.span("main", (4 * step + 3) * MS, (4 * step + 4) * MS, SpanKind.OP, "dot.1")
    profile = line.build()
    found = python_work(profile, break_down(profile))
    assert (found.main, len(found.rows)) == (PythonKind.INSIDE, 3)
