"""Every node of a real TensorFlow 1 graph is accounted for against the partition graph; taking evidence away changes the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graph_bytes import graph_def, graph_of
from run_metadata_edits import graph_with_hashed_names, hashed, with_hashed_names, without_event, without_partitions
from sample_files import JAX_CAPTURE, SAMPLES, needs
from stepscope.analyses.coverage.coverage import _same_device
from stepscope.analyses.coverage.fates import Fate, node_fates
from stepscope.analyses.coverage.reasons import MEANINGS, Reason
from stepscope.cli.verbs import run_verbs
from stepscope.formats.read_graphs import graphs_of
from stepscope.formats.run_metadata.executed import parsed_label, read_executed
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.loaded_profile import load_profile
from stepscope.model.executed import ExecutedStep
from stepscope.session.at_path import profile_at
from stepscope.session.covered import LEAST_SHARED
from stepscope.session.near_graphs import executed_step
from stepscope.session.parts.coverage import COVERAGE, Coverage, CoverageWanted

SAMPLE = SAMPLES / "tf1_run_metadata"
MOD, GRAD = "train/gradients/loss/Mean_grad", "train/gradients"
FOLDED = {
    "loss/Const": f"{MOD}/mod",
    "acc/Const": f"{MOD}/mod",
    f"{MOD}/Const": f"{MOD}/mod",
    f"{MOD}/Size": f"{MOD}/mod",
    f"{MOD}/add": f"{MOD}/mod",
    f"{GRAD}/fc/add_grad/Sum/reduction_indices": f"{MOD}/mod",
    f"{GRAD}/Shape": f"{MOD}/Reshape",
    f"{GRAD}/grad_ys_0": f"{MOD}/Reshape",
    f"{GRAD}/grad_ys_0/Const": f"{MOD}/Reshape",
    f"{MOD}/Reshape/shape": f"{MOD}/Reshape",
    f"{GRAD}/conv1/Conv2D_grad/ShapeN": f"ConstantFolding/{GRAD}/conv1/Conv2D_grad/ShapeN-matshapes-1",
}
FUSED = {"conv1/Conv2D": "conv1/Relu", "conv1/add": "conv1/Relu", "fc/MatMul": "fc/add"}
FED = {"x": "_arg_x_0_0", "y": "_arg_y_0_1"}
MERGED = {f"{MOD}/Shape_1": f"{MOD}/Shape"}
TUPLES = {"fc/add_grad", "fc/MatMul_grad", "conv1/add_grad", "conv1/Conv2D_grad"}
REMOVED = {
    f"{GRAD}/{each}/tuple/{name}" for each in TUPLES for name in ("group_deps", "control_dependency", "control_dependency_1")
} - {f"{GRAD}/conv1/Conv2D_grad/tuple/control_dependency"}


def asked(folder: Path, step: bytes, graph: bytes | None) -> Coverage:
    (folder / "run_metadata.pb").write_bytes(step)
    if graph is not None:
        (folder / "graph.pb").write_bytes(graph)
    return profile_at(str(folder / "run_metadata.pb")).answer(COVERAGE, CoverageWanted())


@pytest.fixture
def step() -> bytes:
    return (SAMPLE / "run_metadata_step019.pb").read_bytes()


@pytest.fixture
def graph() -> bytes:
    return (SAMPLE / "graph.pb").read_bytes()


def without_time(answer: Coverage) -> dict[str, tuple[str, str]]:
    return {row.name: (row.reason, row.into) for row in answer.missing if not row.has_time}


@needs("tf1_run_metadata")
def test_every_node_is_accounted_for(tmp_path: Path, step: bytes, graph: bytes) -> None:
    answer = asked(tmp_path, step, graph)
    listed: dict[str, Any] = json.loads((SAMPLE / "coverage.json").read_text())
    assert (answer.source, answer.executed_graph, answer.in_graph) == ("graph", "partitions", 163)
    assert (answer.graph_with_time, answer.with_time, answer.operations) == (78, 83, 168)
    found = without_time(answer)
    assert found.keys() == {name for name, _ in listed["nodes_without_stats"]}
    said = {
        reason: {name: into for name, (one, into) in found.items() if one == reason} for reason in {one for one, _ in found.values()}
    }
    assert said["fed"] == FED
    assert said["fused"] == FUSED
    assert said["merged"] == MERGED
    assert said["constant_folded"] == FOLDED
    assert said["removed"].keys() == REMOVED
    assert len(said["pruned"]) == 163 - 78 - 2 - 3 - 1 - 11 - 11
    assert sum(map(len, said.values())) == 85
    (relu,) = [row for row in answer.ran_as if row.name == "conv1/Relu"]
    assert (relu.op, relu.ran_as, sorted(relu.includes)) == ("Relu", "_MklNativeFusedConv2D", ["conv1/Conv2D", "conv1/add"])


@needs("tf1_run_metadata")
def test_reasons_hold_against_the_partition_graph(tmp_path: Path, step: bytes, graph: bytes) -> None:
    """Checked by the edges of both graphs, not by what the analysis has found on its way."""
    found = without_time(asked(tmp_path, step, graph))
    client = graphs_of(StoredBytes.of(graph), "graph.pb")[1].graphs[0]
    partitions = read_executed(StoredBytes.of(step)).partitions
    assert partitions is not None
    ran = dict(zip(partitions.graphs[0].names(), range(82), strict=True))
    readers: dict[str, set[str]] = {}
    for row, name in enumerate(client.names()):
        for place in client.inputs(row):
            if client.port[place] >= 0:
                readers.setdefault(client.text(client.input_name, place), set()).add(name)
    for name, (reason, into) in found.items():
        assert name not in ran
        if reason == "pruned":  # whatever reads its tensors did not run either, and was pruned as well
            assert all(found[reader][0] == "pruned" for reader in readers.get(name, ())), name
        elif reason in {"fed", "constant_folded", "fused", "merged"}:
            assert into in ran, name
    executed = partitions.graphs[0]
    for source in FED.values():
        assert executed.text(executed.op, ran[source]) == "_Arg"
    for into in set(FOLDED.values()):
        assert executed.text(executed.op, ran[into]) == "Const"


@needs("tf1_run_metadata")
def test_memory_is_explained_where_it_is_missing(tmp_path: Path, step: bytes, graph: bytes) -> None:
    answer = asked(tmp_path, step, graph)
    reasons = {row.name: row.reason for row in answer.missing if row.has_time}
    assert (answer.with_memory, len(reasons)) == (24, 83 - 24)
    assert (reasons["conv1/W"], reasons[f"{GRAD}/conv1/Relu_grad/ReluGrad"], reasons["train/Adam"]) == (
        "reuses_memory",
        "reuses_memory",
        "no_output",
    )


@needs("tf1_run_metadata")
def test_a_missing_event_is_told_from_a_node_that_did_not_run(tmp_path: Path, step: bytes, graph: bytes) -> None:
    answer = asked(tmp_path, without_event(step, "acc/Cast"), graph)
    (row,) = [row for row in answer.missing if row.reason == "dropped_event"]
    assert (row.name, answer.graph_with_time) == ("acc/Cast", 77)
    assert row.at_most_us is not None
    assert 0 <= row.at_most_us < 1e6


@needs("tf1_run_metadata")
def test_without_partition_graphs_only_what_labels_show_is_said(tmp_path: Path, step: bytes, graph: bytes) -> None:
    answer = asked(tmp_path, without_partitions(step), graph)
    found = without_time(answer)
    assert answer.executed_graph == "labels"
    assert {name for name, (reason, _) in found.items() if reason == "fed"} == set(FED)
    assert {name for name, (reason, _) in found.items() if reason == "constant_folded"} <= set(FOLDED)
    assert {name for name, (reason, _) in found.items() if reason == "cannot_tell"} >= {*FUSED, *REMOVED, "init"}
    assert {reason for reason, _ in found.values()} == {"fed", "constant_folded", "cannot_tell"}


@needs("tf1_run_metadata")
def test_names_do_not_matter(tmp_path: Path, step: bytes, graph: bytes) -> None:
    plain = without_time(asked(tmp_path, step, graph))
    answer = asked(tmp_path, with_hashed_names(step), graph_with_hashed_names(graph))
    assert answer.graph_with_time == 78
    assert without_time(answer) == {hashed(name): (reason, hashed(into) if into else "") for name, (reason, into) in plain.items()}


@needs("tf1_run_metadata")
def test_without_a_graph_the_operations_of_the_trace_are_counted(tmp_path: Path, step: bytes) -> None:
    answer = asked(tmp_path, step, None)
    assert (answer.source, answer.operations, answer.with_time, answer.in_graph) == ("trace", 83, 83, 0)
    other = asked(tmp_path, step, graph_def(["p: Placeholder", "q: Relu p"]))  # of another model
    assert other.source == "trace"


def test_instructions_of_a_program(tmp_path: Path) -> None:
    answer = profile_at(str(JAX_CAPTURE)).answer(COVERAGE, CoverageWanted())
    assert answer.source == "programs"
    rows = {row.name: row for row in answer.missing if not row.has_time}
    assert answer.in_graph == len(rows) + answer.graph_with_time
    reasons = {row.reason for row in rows.values()}
    assert {"fused", "no_work", "outside_window"} <= reasons <= {"fused", "no_work", "outside_window", "compiled_program"}
    fused = [row for row in rows.values() if row.reason == "fused"]
    assert all(any(f"/{row.into}" in name for name in rows) or row.into for row in fused)
    only = profile_at(str(JAX_CAPTURE)).answer(COVERAGE, CoverageWanted(reason="fused", limit=1))
    assert ([row.reason for row in only.missing], only.total) == (["fused"], len(fused))


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("[mklcpu 4.9MB 4.9MB] a = Op(b, c:1, ^d)", ("Op", [("b", 0), ("c", 1), ("d", -1)])),
        ("_SOURCE = NoOp()", ("NoOp", [])),
        ("MEMCPYHtoD", ("", [])),
        ("a = Op(b", ("", [])),
        ("", ("", [])),
    ],
)
def test_labels_are_parsed(label: str, found: tuple[str, list[tuple[str, int]]]) -> None:
    assert parsed_label(label) == found


def test_devices_are_compared_without_what_is_left_out() -> None:
    assert _same_device("/job:localhost/replica:0/task:0/device:CPU:0", "/device:CPU:0")
    assert _same_device("/device:GPU:0", "/job:a/device:GPU:0/stream:all")
    assert not _same_device("/job:a/task:0/device:CPU:0", "/job:a/task:1/device:CPU:0")


def test_every_reason_says_what_it_means_and_what_to_do() -> None:
    assert MEANINGS.keys() == set(Reason)
    assert all(meaning and remedy for meaning, remedy in MEANINGS.values())


@needs("tf1_run_metadata")
def test_the_terminal_says_the_same(tmp_path: Path, step: bytes, graph: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(tmp_path, step, graph)
    assert run_verbs(["profile", "coverage", str(tmp_path / "run_metadata.pb"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {key: said[key] for key in ("operations", "with_time", "with_memory")} == {
        "operations": 168,
        "with_time": 83,
        "with_memory": 24,
    }
    assert {"name", "reason", "remedy"} <= said["missing"][0].keys()
    assert run_verbs(["profile", "coverage", str(tmp_path), "--reason", "fused", "--limit", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == sorted(FUSED)
    assert answer.total > len(FUSED)
    rows = load_profile(tmp_path / "run_metadata.pb").coverage()
    assert {row.name for row in rows if row.reason == "fused"} == set(FUSED)
    assert len(rows) == answer.total


def test_fates_of_a_small_graph_and_of_a_cycle() -> None:
    client = graph_of(["x: Placeholder", "a: Relu x", "b: Identity a", "c: Neg b", "l: Merge m", "m: NextIteration l"])
    executed = graph_of(["arg: _Arg", "a: Relu arg", "c: Neg a"])
    found = node_fates(client, executed, lambda _: False, complete=True)
    assert [(one.fate, one.into) for one in found[:4]] == [(Fate.FED, "arg"), (Fate.RAN, ""), (Fate.SKIPPED, "a"), (Fate.RAN, "")]
    assert {one.fate for one in found[4:]} <= {Fate.UNKNOWN, Fate.PRUNED}
    unsure = node_fates(client, executed, lambda _: False, complete=False)
    assert [one.fate for one in unsure[:4]] == [Fate.FED, Fate.RAN, Fate.UNKNOWN, Fate.RAN]


@needs("tf1_run_metadata")
def test_other_formats_record_no_executed_graph(tmp_path: Path, step: bytes) -> None:
    (tmp_path / "run_metadata.pb").write_bytes(step)
    (file,) = profile_at(str(tmp_path / "run_metadata.pb")).session.files
    assert isinstance(executed_step(file), ExecutedStep)
    (other,) = profile_at(str(JAX_CAPTURE)).session.files
    assert executed_step(other) is None
    assert 0 < LEAST_SHARED < 1
