"""What the host does, on drawn profiles with known answers: Python and waits, runs of calls, garbage, functions and their traces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.host_profiles import STEP, STEPS, US, recorded
from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.host.compiled_functions import CompiledFunction, Compiler, compiled_functions
from stepscope.analyses.host.work import HostWork, host_work
from stepscope.analyses.time_classes import Group
from stepscope.analyses.work.aligned_operations import align
from stepscope.model.profile import MarkerFamily, Markers, Operation, Profile, SpanKind


def work(profile: Profile) -> HostWork:
    return host_work(profile, break_down(profile))


def functions(profile: Profile) -> tuple[CompiledFunction, ...]:
    return compiled_functions(profile, break_down(profile))


def test_python_that_works_and_python_that_waits() -> None:
    lock = "<built-in method acquire of _thread.lock object>"
    found = work(
        recorded(
            (0, 200, SpanKind.OP, "matmul"),
            (200, 500, SpanKind.PYTHON, "train.py(3): count"),
            (500, 600, SpanKind.PYTHON, lock),
        )
    )
    assert (found.step_ns, found.python_ns, found.waiting_ns, found.untraced_ns) == (STEP, 300 * US, 100 * US, 400 * US)
    assert [(one.name, one.ns, one.calls) for one in found.python] == [("train.py(3): count", 300 * US, 1)]
    assert [one.name for one in found.waits] == [lock]
    assert found.python_recorded


def test_python_that_an_operation_hides_is_not_counted() -> None:
    builder = Timeline().draw("main   111122223333\nmain   pppp....pppp\npool   oooo....oooo")
    assert work(builder.build()).python_ns == 0


def test_runs_of_calls_and_other_calls() -> None:
    calls = [(200 + 10 * number, 205 + 10 * number, SpanKind.FRAMEWORK, "call") for number in range(30)]
    found = work(recorded((0, 100, SpanKind.OP, "matmul"), *calls, (700, 900, SpanKind.FRAMEWORK, "run")))
    assert (found.dispatch_ns, found.framework_ns, found.calls_in_runs) == (150 * US, 200 * US, 30)


def test_lines_sum_to_the_host_of_the_breakdown() -> None:
    profile = recorded(
        (0, 100, SpanKind.OP, "matmul"),
        (100, 250, SpanKind.SYNC, "synchronize"),
        (250, 300, SpanKind.ALLOC, "malloc"),
        (300, 330, SpanKind.IO, "save"),
        (330, 340, SpanKind.RUNTIME, "launch"),
        (340, 400, SpanKind.PYTHON, "train.py(3): count"),
    )
    found, parts = work(profile), group_sums(break_down(profile).typical_parts)
    assert (found.sync_ns, found.alloc_ns, found.io_ns, found.framework_ns) == (150 * US, 50 * US, 30 * US, 10 * US)
    assert found.host_ns == parts[Group.HOST] == 300 * US


def test_garbage() -> None:
    found = work(recorded((0, 100, SpanKind.OP, "matmul"), (100, 150, SpanKind.GC, "gc"), (300, 320, SpanKind.GC, "gc")))
    assert (found.garbage.count, found.garbage.total_ns, found.garbage.longest_ns) == (8, 280 * US, 50 * US)
    assert found.gc_ns == 70 * US


def test_functions_of_jax() -> None:
    profile = recorded(
        (0, 400, SpanKind.FRAMEWORK, "PjitFunction(train)"),
        (1, 399, SpanKind.FRAMEWORK, "PjitFunction(train)"),  # JAX writes every call twice
        (10, 300, SpanKind.COMPILE, "trace_to_jaxpr"),
        (20, 30, SpanKind.FRAMEWORK, "PjitFunction(sin)"),  # while train is traced
        (500, 510, SpanKind.FRAMEWORK, "PjitFunction(add)"),
        (520, 530, SpanKind.FRAMEWORK, "PjitFunction(add)"),
    )
    train, add = functions(profile)
    assert (train.name, train.compiler, train.calls, train.traces) == ("train", Compiler.JAX, 4, 4)
    assert (train.total_ns, train.traced_ns) == (4 * 400 * US, 4 * 290 * US)
    assert (add.name, add.calls, add.traces, add.traced_ns) == ("add", 8, 0, 0)


def test_functions_of_torch() -> None:
    profile = recorded(
        (0, 300, SpanKind.COMPILE, "dynamo"),
        (10, 200, SpanKind.COMPILE, "bytecode_tracing"),
        (310, 320, SpanKind.ANNOTATION, "Torch-Compiled Region: 0/1"),
        (330, 360, SpanKind.ANNOTATION, "Torch-Compiled Region: 1/0"),
    )
    first, second = functions(profile)
    assert (first.name, first.compiler, first.calls, first.traces, first.versions) == ("compiled region 0", Compiler.TORCH, 4, 4, 1)
    assert (first.traced_ns, first.total_ns) == (4 * 300 * US, 4 * 310 * US), "a call is as long as its compilation and its run"
    assert (second.calls, second.traces) == (4, 0)


def test_functions_of_tensorflow() -> None:
    profile = recorded(
        (0, 300, SpanKind.COMPILE, "weighted"),
        (310, 320, SpanKind.FRAMEWORK, "train"),
        (311, 315, SpanKind.FRAMEWORK, "FunctionRun"),
        (330, 340, SpanKind.FRAMEWORK, "FunctionRun"),
    )
    rows = np.flatnonzero(profile.spans.kind != SpanKind.MARKER).astype(np.int32)
    roots = Markers(rows, np.full(len(rows), -1, np.int64), np.full(len(rows), MarkerFamily.ROOT_CALL, np.int8))
    markers = Markers(*(np.concatenate([getattr(profile.markers, name), getattr(roots, name)]) for name in ("row", "number", "family")))
    weighted, train = functions(replace(profile, framework="TensorFlow", markers=markers))
    assert (weighted.name, weighted.compiler, weighted.calls, weighted.traces) == ("weighted", Compiler.TENSORFLOW, 4, 4)
    assert (train.name, train.calls, train.traces, train.total_ns) == ("train", 4, 0, 4 * 10 * US)


def test_calls_outside_of_steps_do_not_count() -> None:
    builder = Timeline()
    for step in range(STEPS):
        builder.span("main", (step + 1) * STEP, (step + 2) * STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
    builder.span("main", 0, 100 * US, SpanKind.FRAMEWORK, "PjitFunction(before)")
    assert functions(builder.build()) == ()


def with_operations(framework: str, eager: bool | None, count: int, program: str = "", calls: int = 0) -> Profile:
    builder = Timeline()
    for number in range(count):
        builder.ops.append(Operation(f"op{number}", "", "", program, "", "", float("nan"), float("nan"), eager))
    for step in range(STEPS):
        at = step * STEP
        builder.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for number in range(count):
            builder.span("main", at + number * 20 * US, at + (number * 20 + 15) * US, SpanKind.OP, f"op{number}", op=number)
        for number in range(calls):
            start = at + (500 + number * 10) * US
            builder.span("main", start, start + 5 * US, SpanKind.FRAMEWORK, "EagerLocalExecute: Mul")
            builder.span("main", start + 6 * US, start + 8 * US, SpanKind.FRAMEWORK, "EagerLocalExecute: __inference_train_12")
    return replace(builder.build(), framework=framework)


@pytest.mark.parametrize(
    ("profile", "eager", "compiled"),
    [
        (with_operations("PyTorch", True, 5), 20, 0),
        (with_operations("PyTorch", False, 5), 0, 20),
        (with_operations("TensorFlow", None, 5, calls=3), 12, 20),
        (with_operations("JAX", None, 2, "jit_add(1)"), 8, 0),
        (with_operations("JAX", None, 5, "jit_train(1)"), 0, 20),
    ],
)
def test_operations_run_on_their_own(profile: Profile, eager: int, compiled: int) -> None:
    found = work(profile)
    assert (found.eager, found.compiled) == (eager, compiled)
    assert found.eager_share == eager / (eager + compiled)


def test_eager_beside_compiled() -> None:
    eager = recorded(
        (0, 100, SpanKind.OP, "aten::linear"),
        (10, 90, SpanKind.OP, "aten::addmm"),
        (200, 230, SpanKind.OP, "aten::relu_"),
        (300, 320, SpanKind.FRAMEWORK, "EagerLocalExecute: Mul"),
    )
    compiled = recorded((0, 80, SpanKind.OP, "addmm.7"), (100, 105, SpanKind.OP, "Mul"), (200, 240, SpanKind.OP, "fused"))
    found = {one.name: one for one in align((eager, break_down(eager)), (compiled, break_down(compiled)))}
    assert {name: one.difference_ns / US for name, one in found.items()} == {
        "addmm": 0,
        "linear": -20,
        "relu_": -30,
        "Mul": -15,
        "fused": 40,
    }
    addmm = found["addmm"]
    assert addmm.first is not None
    assert addmm.second is not None
    assert (addmm.first.calls, addmm.first.ns, addmm.second.ns) == (1, 80 * US, 80 * US)
    assert found["fused"].first is None
    assert next(iter(found)) == "fused", "what differs most comes first"
