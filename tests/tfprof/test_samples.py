"""Every view of a real profile, and of the run metadata that it was made of, equals what TensorFlow's tf.profiler printed of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sample_files import SAMPLES, needs
from stepscope.tfprof import ProfileOptionBuilder, Profiler

pytestmark = needs("tf1_run_metadata")
SAMPLE = SAMPLES / "tf1_run_metadata"
BUILDER = ProfileOptionBuilder
TIME_AND_MEMORY = BUILDER.time_and_memory()
VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "ops": ("profile_operations", TIME_AND_MEMORY),
    "minmicros": ("profile_operations", BUILDER.time_and_memory(min_micros=100)),
    "scope": ("profile_name_scope", TIME_AND_MEMORY),
    "graph": ("profile_graph", BUILDER(TIME_AND_MEMORY).with_max_depth(20).build()),
    "params": ("profile_name_scope", BUILDER.trainable_variables_parameter()),
    "flops": ("profile_name_scope", BUILDER.float_operation()),
    "python": ("profile_python", BUILDER(TIME_AND_MEMORY).with_node_names(show_name_regexes=[".*tf1.py.*"]).build()),
}


def printed(name: str) -> list[str]:
    """The lines of the table that TensorFlow printed."""
    text = (SAMPLE / f"tfprof_{name}.txt").read_text()
    return [line.rstrip() for line in text.partition("Profile:\n")[2].partition("---proto---")[0].rstrip().splitlines()]


def shown(profiler: Profiler, name: str, folder: Path) -> list[str]:
    method, options = VIEWS[name]
    out = folder / "out.txt"
    getattr(profiler, method)({**options, "output": f"file:outfile={out}"})
    return [line.rstrip() for line in out.read_text().removeprefix("Profile:\n").rstrip().splitlines()]


@pytest.fixture(scope="module")
def saved() -> Profiler:
    return Profiler.load(SAMPLE / "profile.tfprof.pb")


@pytest.fixture(scope="module")
def collected() -> Profiler:
    profiler = Profiler(SAMPLE / "graph.pb")
    for step in (9, 19):
        profiler.add_step(step, SAMPLE / f"run_metadata_step{step:03}.pb")
    return profiler


@pytest.mark.parametrize("name", VIEWS)
def test_a_saved_profile(saved: Profiler, name: str, tmp_path: Path) -> None:
    assert shown(saved, name, tmp_path) == printed(name)


@pytest.mark.parametrize("name", ["ops", "minmicros", "scope", "graph"])
def test_graph_and_run_metadata_without_tensorflow(collected: Profiler, name: str, tmp_path: Path) -> None:
    assert shown(collected, name, tmp_path) == printed(name)


def test_exact_totals(saved: Profiler) -> None:
    root = saved.profile_python({**TIME_AND_MEMORY, "output": "none"})
    assert (root.total_exec_micros, root.total_requested_bytes) == (12165, 13582235)  # as the text has them below its table
    assert (root.total_parameters, root.total_float_ops) == (95360, 70314197)
    trainable = saved.profile_name_scope({**BUILDER.trainable_variables_parameter(), "output": "none"})
    assert (trainable.total_parameters, trainable.total_exec_micros) == (31786, 8)
    (nineteen,) = [line for line in (SAMPLE / "tfprof_timeline.txt").read_text().splitlines() if line.startswith("total_exec_micros")]
    step = saved.profile_graph(BUILDER(TIME_AND_MEMORY).with_step(19).with_empty_output().build())
    assert step.total_exec_micros == int(nineteen.split()[1])


def test_advice_names_the_same_operations_and_lines(saved: Profiler) -> None:
    reports = saved.advise({"ExpensiveOperationChecker": {}})["ExpensiveOperationChecker"]
    said = (SAMPLE / "tfprof_advise.txt").read_text().replace("\\n", "\n")
    operations, scopes, code = reports
    assert operations in said
    assert code in said
    # TensorFlow prints what scopes spend themselves, which is nothing; here it is what is inside them.
    assert [line.split(", ")[0] for line in scopes.splitlines()] == [
        f"top {place} graph node: {name}" for place, name in enumerate(("train", "conv1", "fc"), 1)
    ]
    assert "total: 0us" not in scopes
