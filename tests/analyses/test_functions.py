"""Operations of TensorFlow are eager or belong to the function that was called, on whatever thread they run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import xspace_bytes as xb
from analyses.timeline import Timeline
from opened_profiles import open_profile
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.work.functions import callers
from stepscope.analyses.work.operations import OperationRow, operations
from stepscope.model.profile import Profile, SpanKind

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"
US = 1_000_000


def recording(tmp_path: Path) -> Profile:
    """A function whose operations an executor runs, one operation that runs eagerly, and one of the input pipeline."""
    host = xb.Plane("/host:CPU")
    host.line(
        "python",
        host.event("train_step", 0, 50 * US, tf_function_call="ref:nontraced"),
        host.event("EagerExecute", 1 * US, 40 * US),
        host.event("FunctionRun", 2 * US, 30 * US, _pt=1, _p=77, _r=1),
        host.event("EagerExecute", 60 * US, 20 * US),
        host.event("Mul:Mul", 62 * US, 10 * US),
        id=1,
    )
    host.line(
        "tf_Compute/1",
        host.event("ExecutorState::Process", 5 * US, 20 * US, _ct=1, _c=77),
        host.event("dense/MatMul:MatMul", 6 * US, 9 * US),
        id=2,
    )
    host.line(
        "tf_data_iterator_get_next/3",
        host.event("ExecutorState::Process", 5 * US, 20 * US),
        host.event("map/Cast:Cast", 6 * US, 9 * US),
        id=3,
    )
    path = tmp_path / "h.xplane.pb"
    path.write_bytes(xb.space(host))
    return open_profile(str(path))[0]


def table(profile: Profile) -> dict[str, OperationRow]:
    return {row.name: row for row in operations(profile, break_down(profile))}


def test_eager_or_in_which_function(tmp_path: Path) -> None:
    rows = table(recording(tmp_path))
    assert {name: (row.eager, row.function) for name, row in rows.items()} == {
        "dense/MatMul": (False, "train_step"),
        "Mul": (True, ""),
        "map/Cast": (None, ""),
    }


def test_a_capture_of_tensorflow() -> None:
    rows = table(open_profile(str(CAPTURES / "tensorflow.xplane.pb"))[0])
    products = {row.function for row in rows.values() if row.type == "MatMul" or row.name.endswith("MatMul")}
    assert products, "the capture trains a network"
    assert "" not in products


def test_handovers_in_a_circle_end() -> None:
    profile = Timeline().draw("main  o o").build()
    circle = np.array([0, 1], np.int32)
    flows = replace(profile.flows, source=circle, target=circle[::-1].copy(), kind=np.zeros(2, np.int8))
    spun = replace(profile, flows=flows, framework="TensorFlow")
    found = callers(spun, np.flatnonzero(spun.spans.kind == SpanKind.OP))
    assert found.function.tolist() == [-1] * len(found.function)
    assert not found.eager.any()
