"""What TensorFlow runs eagerly is an operation with its own time: drawn, and in a recording of the real TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xspace_bytes as xb
from analyses.timeline import MS, Timeline
from stepscope._native import read_xspace
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.operations import operations
from stepscope.formats.open_profile import read_file
from stepscope.formats.xplane.eager_operations import with_eager_operations
from stepscope.model.profile import NONE, Profile, SpanKind

US = 1_000
RUN = "KernelAndDeviceFunc::Run"


def called(call: str, length: int, kind: SpanKind = SpanKind.FRAMEWORK) -> Profile:
    """Three steps of 10 ms with one call, the run of a kernel inside it, and a call inside that."""
    line = Timeline()
    for step in range(3):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"train {step}", step=step)
        line.span("main", at, at + length + 3, kind, call)
        line.span("main", at + 1, at + length + 2, SpanKind.FRAMEWORK, "EagerKernelExecute")
        line.span("main", at + 2, at + length + 2, SpanKind.FRAMEWORK, RUN)
        line.span("main", at + 3, at + length + 1, SpanKind.FRAMEWORK, "DecodeImageV2Op::JPEG")
    return with_eager_operations(line.build())


def test_the_run_inside_a_call_is_the_operation() -> None:
    profile = called("EagerLocalExecute: DecodeJpeg", 4 * MS)
    runs = [row for row in range(len(profile.spans)) if profile.names[profile.spans.name[row]] == RUN]
    assert {int(profile.spans.kind[row]) for row in runs} == {int(SpanKind.OP)}
    (number,) = {int(profile.spans.op[row]) for row in runs}
    assert (profile.ops[number].name, profile.ops[number].type, profile.ops[number].eager) == ("DecodeJpeg", "DecodeJpeg", True)
    breakdown = break_down(profile)
    assert breakdown.typical_parts[TimeClass.COMPUTE] == 4 * MS
    (row,) = operations(profile, breakdown)
    assert (row.name, row.count, row.total_ns, row.self_ns) == ("DecodeJpeg", 3, 12 * MS, 12 * MS), "with the call inside it"


def test_a_short_one_is_no_compute() -> None:
    parts = break_down(called("EagerLocalExecute: Mul", 49 * US)).typical_parts
    assert (parts[TimeClass.COMPUTE], parts[TimeClass.OP]) == (0, 49 * US)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("EagerLocalExecute: __inference_train_12", SpanKind.FRAMEWORK),
        ("EagerLocalExecute: IteratorGetNext", SpanKind.FRAMEWORK),
        ("EagerLocalExecute: SaveV2", SpanKind.IO),
        ("EagerLocalExecute: DisableCopyOnRead", SpanKind.IO),
        ("FunctionRun", SpanKind.FRAMEWORK),
    ],
)
def test_functions_input_and_checkpoints_are_none(call: str, kind: SpanKind) -> None:
    profile = called(call, 4 * MS, kind)
    assert SpanKind.OP not in profile.spans.kind
    assert set(profile.spans.op.tolist()) == {NONE}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("EagerPyFunc:EagerPyFunc", SpanKind.OP),
        ("map/EagerPyFunc:EagerPyFunc", SpanKind.OP),
        ("EagerExecute", SpanKind.FRAMEWORK),
        ("EagerLocalExecute: MatMul", SpanKind.FRAMEWORK),
        ("EagerCopyToDevice", SpanKind.FRAMEWORK),
    ],
)
def test_kinds_of_names_that_begin_with_eager(name: str, kind: SpanKind) -> None:
    plane = xb.Plane("/host:CPU")
    plane.line("python", plane.event(name, 0, 1_000_000), id=1)
    tables = read_xspace(xb.space(plane), 1000, 1000, 1)
    assert [SpanKind(each) for each in tables.spans["kind"].tolist()] == [kind]


@pytest.mark.slow
def test_sums_are_those_of_xprof(run_in_peers: Callable[..., Any], tmp_path: Path) -> None:
    told = run_in_peers(Path(__file__).with_name("record_eager.py"), tmp_path)
    profile = read_file(told["path"])
    rows = {row.name: row for row in operations(profile, break_down(profile))}
    # XProf lists stages of the input and operations of functions; of what runs eagerly it has no time.
    for name in [each for each in told["xprof"] if each.startswith("Iterator::")]:
        count, us = told["xprof"][name]
        assert (rows[name].count, rows[name].total_ns) == (count, pytest.approx(us * US, abs=5 * US))
    for name in ("DecodeJpeg", "EagerPyFunc"):
        count, us = told["xprof"][name]
        alone = [row for row in range(len(profile.spans)) if _eager(profile, row) == name]
        ran = sum(int(profile.spans.end[row] - profile.spans.start[row]) for row in alone)
        assert (rows[name].count - len(alone), len(alone)) == (count, 4)
        assert rows[name].total_ns - ran == pytest.approx(us * US, abs=5 * US)
    assert rows["DecodeJpeg"].self_ns == pytest.approx(rows["DecodeJpeg"].total_ns, rel=0.05), "nothing in it is another operation"
    assert rows["MatMul"].count == 4


def _eager(profile: Profile, row: int) -> str:
    op = int(profile.spans.op[row])
    return profile.ops[op].name if op != NONE and profile.ops[op].eager else ""
