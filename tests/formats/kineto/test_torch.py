"""Traces of the real torch and Lightning, against torch's own sums."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formats.kineto.oracle import assert_equal_to_torch, load, totals_of, totals_of_profile
from formats.kineto.trace_events import kind_of, names_of
from stepscope.analyses.work.modules import module_tree
from stepscope.formats.format import Limits
from stepscope.formats.kineto.read import read
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import FlowKind, Profile, SpanKind, TrackPurpose

HERE = Path(__file__).resolve().parent
KEPT = HERE / "captures" / "torch_2_13_cpu.json.gz"
KEPT_KINDS = {"OTHER": 1, "OP": 334, "INPUT": 2, "ANNOTATION": 6}
KEPT_ALLOCATIONS = 82
KEPT_FLOWS = 12


@pytest.fixture(scope="module")
def captured(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The folder with the traces, and torch's table."""
    folder = tmp_path_factory.mktemp("torch")
    return folder, run_in_peers(HERE / "capture_torch.py", folder)


@pytest.fixture(scope="module")
def profile(captured: tuple[Path, list[dict[str, Any]]]) -> Profile:
    return read(str(captured[0] / "torch.json"), Limits())


@pytest.mark.peers
def test_counts_and_times_are_those_of_key_averages(profile: Profile, captured: tuple[Path, list[dict[str, Any]]]) -> None:
    assert_equal_to_torch(profile, captured[1])


@pytest.mark.peers
def test_a_packed_trace_reads_the_same(profile: Profile, captured: tuple[Path, list[dict[str, Any]]]) -> None:
    packed = read(str(captured[0] / "torch.json.gz"), Limits())
    assert packed.names == profile.names
    assert (packed.spans.start == profile.spans.start).all()
    assert (packed.spans.source == profile.spans.source).all()


@pytest.mark.peers
def test_steps_loader_memory_and_backward(profile: Profile) -> None:
    assert profile.markers.number.tolist() == [2, 3, 4]
    assert len(names_of(profile, SpanKind.INPUT)) == 3
    assert len(profile.allocations.time) > 50
    assert set(profile.flows.kind.tolist()) == {FlowKind.BACKWARD}
    assert [track.purpose for track in profile.tracks if track.number > 0] == [TrackPurpose.MAIN]


@pytest.mark.peers
def test_modules_are_python_spans(profile: Profile) -> None:
    modules = {name for name in names_of(profile, SpanKind.PYTHON) if name.startswith("nn.Module: ")}
    assert {"nn.Module: Linear_0", "nn.Module: ReLU_0"} <= modules


@pytest.mark.peers
def test_compilation_collection_and_saving_are_told_apart(captured: tuple[Path, list[dict[str, Any]]]) -> None:
    profile = read_file(str(captured[0] / "compiled.json"))
    compiling = np.flatnonzero(profile.spans.kind == SpanKind.COMPILE)
    lasted = profile.spans.end - profile.spans.start
    assert profile.names[profile.spans.name[compiling[0]]].startswith("torch/_dynamo/convert_frame.py(")
    assert lasted[compiling].max() > 0.3 * profile.window[1]
    assert "dynamo" in names_of(profile, SpanKind.COMPILE)
    assert "Python GC" in names_of(profile, SpanKind.GC)
    assert any("torch/serialization.py(" in name for name in names_of(profile, SpanKind.IO))


@pytest.mark.peers
def test_lightning(captured: tuple[Path, list[dict[str, Any]]]) -> None:
    (path,) = captured[0].glob("fit-lightning*.pt.trace.json")
    profile = read_file(str(path))
    assert profile.environment["Framework"] == "pytorch-lightning"
    assert profile.markers.number.tolist() == [2, 3, 4]
    inputs = set(names_of(profile, SpanKind.INPUT))
    assert "[pl][profile][_TrainingEpochLoop].train_dataloader_next" in inputs
    assert "[pl][module]torch.nn.modules.linear.Linear: net.0" in names_of(profile, SpanKind.ANNOTATION)


@pytest.mark.peers
def test_modules_of_lightning_are_a_tree(captured: tuple[Path, list[dict[str, Any]]]) -> None:
    (path,) = captured[0].glob("fit-lightning*.pt.trace.json")
    tree = module_tree(read_file(str(path)))
    assert tree.recorded
    (linear,) = [row for row in tree.rows if row.name == "torch.nn.modules.linear.Linear: net.0"]
    assert linear.calls == 3
    assert linear.forward.host_ns > 0
    assert linear.backward.host_ns > 0


def test_the_kept_capture_reads_as_it_stands() -> None:
    profile = read_file(str(KEPT))
    assert totals_of_profile(profile) == totals_of(load(KEPT))
    kinds, counts = np.unique(profile.spans.kind, return_counts=True)
    found = {SpanKind(kind).name: int(count) for kind, count in zip(kinds, counts, strict=True)}
    assert found == KEPT_KINDS
    assert len(profile.allocations.time) == KEPT_ALLOCATIONS
    assert len(profile.flows.source) == KEPT_FLOWS
    assert kind_of(profile, "PyTorch Profiler (0)") is SpanKind.OTHER
    shapes = {profile.names[shape] for shape in profile.spans.shape if shape >= 0}
    assert "[[8, 16], [32, 16], [32]]" in shapes
