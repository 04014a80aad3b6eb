"""What is made of real captures of TensorFlow and JAX that this project took itself (capture_*.py)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT
from stepscope.formats.xplane.read import read_arguments
from stepscope.model.profile import NONE, MarkerFamily, Profile, SpanKind, TrackPurpose, TrackRole

CAPTURES = Path(__file__).parent / "captures"


def capture(name: str) -> Profile:
    return FORMAT.read(str(CAPTURES / f"{name}.xplane.pb"), Limits())


@pytest.fixture(scope="module")
def tensorflow() -> Profile:
    return capture("tensorflow")


@pytest.fixture(scope="module")
def jax() -> Profile:
    return capture("jax")


def kinds(profile: Profile) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, kind in zip(profile.spans.name, profile.spans.kind, strict=True):
        found.setdefault(SpanKind(kind).name, set()).add(profile.names[name])
    return found


def steps(profile: Profile) -> list[tuple[str, int]]:
    return [
        (profile.names[profile.spans.name[row]], int(number))
        for row, number, family in zip(profile.markers.row, profile.markers.number, profile.markers.family, strict=True)
        if family == MarkerFamily.STEP_NUM
    ]


@pytest.mark.parametrize("name", ["tensorflow", "jax"])
def test_steps_threads_and_times(name: str) -> None:
    profile = capture(name)
    assert steps(profile) == [("train", 0), ("train", 1), ("train", 2), ("train", 3)]
    main = [track for track in profile.tracks if track.purpose == TrackPurpose.MAIN]
    assert [(track.name, track.role, track.process) for track in main] == [("python", TrackRole.THREAD, "host")]
    assert 1_700_000_000_000_000_000 < profile.base_ns < 2_500_000_000_000_000_000
    assert 0 < profile.window[0] < profile.window[1] < 10**9
    assert profile.environment["host_tracer_level"] == "2"
    assert profile.notes == []


def test_tensorflow_kinds(tensorflow: Profile) -> None:
    found = kinds(tensorflow)
    assert tensorflow.framework == "TensorFlow"
    assert "IteratorGetNextOp::DoCompute" in found["INPUT"]
    assert "Iterator::Root" in found["INPUT"]
    assert "Iterator::Root::Prefetch" in found["FRAMEWORK"]
    assert "MatMul:_MklMatMul" in found["OP"]
    assert {"EagerExecute", "FunctionRun", "ExecutorState::Process", "TFE_Py_ExecuteCancelable"} <= found["FRAMEWORK"]
    assert "BlockUntilReady" in found["SYNC"]
    assert found["MARKER"] == {"train"}
    assert "ANNOTATION" not in found


def test_tensorflow_threads(tensorflow: Profile) -> None:
    purposes = {track.name.split("/")[0]: track.purpose for track in tensorflow.tracks}
    assert purposes["tf_Compute"] == TrackPurpose.EXECUTOR
    assert purposes["tf_data_iterator_resource"] == purposes["tf_data_private_threadpool"] == TrackPurpose.INPUT


def test_tensorflow_operations(tensorflow: Profile) -> None:
    operations = {operation.name: operation for operation in tensorflow.ops}
    assert operations["MatMul"].type == "_MklMatMul"
    assert operations["MatMul/ReadVariableOp"].scope == "MatMul"
    (program,) = {operation.program for operation in tensorflow.ops if operation.name.startswith("MatMul.")}
    assert program in {program.name for program in tensorflow.programs}


def test_roots_leave_the_input_pipeline_out(tensorflow: Profile) -> None:
    roots = Counter(
        tensorflow.names[tensorflow.spans.name[row]]
        for row, family in zip(tensorflow.markers.row, tensorflow.markers.family, strict=True)
        if family == MarkerFamily.ROOT_CALL
    )
    assert roots == {"train_step": 4, "compiled": 4, "FunctionRun": 4}  # twelve more run the pipeline's map


def test_jax_kinds_and_programs(jax: Profile) -> None:
    found = kinds(jax)
    assert jax.framework == "JAX"
    assert jax.environment["jax_version"]
    assert found["SYNC"] == {"CommonPjRtBuffer::Await"}
    assert "PjitFunction(train_step)" in found["FRAMEWORK"]
    programs = {program.name: program for program in jax.programs}
    assert {operation.program for operation in jax.ops} <= set(programs)
    content = (CAPTURES / "jax.xplane.pb").read_bytes()
    for program in jax.programs:
        module = content[program.offset : program.offset + program.length]
        assert module[0] == 0x0A  # HloProto begins with its module
        assert program.name.rsplit("(", 1)[0].encode() in module
        assert program.name.endswith(f"({program.program_id})")


def test_only_the_outermost_call_of_a_name_may_be_a_step(jax: Profile) -> None:
    calls = [row for row in range(len(jax.spans)) if jax.names[jax.spans.name[row]] == "PjitFunction(train_step)"]
    roots = [int(row) for row, family in zip(jax.markers.row, jax.markers.family, strict=True) if family == MarkerFamily.ROOT_CALL]
    assert len(calls) == 8
    assert len(roots) == 4
    assert all(jax.names[jax.spans.name[jax.spans.parent[row]]] == "train" for row in roots)


def test_handovers_between_threads(tensorflow: Profile) -> None:
    pairs = Counter(
        (tensorflow.names[tensorflow.spans.name[source]], tensorflow.names[tensorflow.spans.name[target]])
        for source, target in zip(tensorflow.flows.source, tensorflow.flows.target, strict=True)
    )
    assert pairs["ThreadpoolListener::Record", "ThreadpoolListener::Region"] > 40
    assert pairs["FunctionRun", "ExecutorState::Process"] > 10
    assert all(
        tensorflow.spans.start[source] <= tensorflow.spans.start[target]
        for source, target in zip(tensorflow.flows.source, tensorflow.flows.target, strict=True)
    )


def test_attributes_are_read_when_asked_for(tensorflow: Profile) -> None:
    for row in range(len(tensorflow.spans)):
        name = tensorflow.names[tensorflow.spans.name[row]]
        found = read_arguments(tensorflow.path, int(tensorflow.spans.source[row]))
        assert found.get("long_name", name) == name
        if name == "MatMul:_MklMatMul":
            assert "long_name" in found  # the short one is the operation's type
        if name == "train":
            assert found == {"step_num": tensorflow.spans.step[row], "_r": 1}
            assert found["step_num"] != NONE
