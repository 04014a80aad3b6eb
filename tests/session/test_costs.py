"""`profile scope` and `profile code` on profiles of tf.profiler, on run metadata with a graph, and on other profiles."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from analyses.timeline import MS, Timeline
from sample_files import SAMPLES, needs
from stepscope.analyses.statistics.from_profile import profile_costs
from stepscope.analyses.statistics.options import ViewOptions
from stepscope.analyses.statistics.views import code_view, scope_view
from stepscope.cli.verbs import run_verbs
from stepscope.model.profile import SpanKind

SAMPLE = SAMPLES / "tf1_run_metadata"


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run_verbs(["profile", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@needs("tf1_run_metadata")
def test_a_profile_of_tf_profiler(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(SAMPLE / "profile.tfprof.pb")
    scope = asked(capsys, "scope", path)
    rows = {row["name"]: row for row in scope["rows"]}
    assert (rows["conv1/Relu"]["us"], rows["conv1/Relu"]["bytes"], rows["conv1"]["depth"]) == (3034, 5222496, 0)
    assert (scope["trainable_parameters"], scope["flops"], scope["average_of_steps"]) == (31786, 70314197, 2)
    code = asked(capsys, "code", path, "--show", r".*tf1\.py.*")
    lines = {(row["depth"], row["name"]): row["total_us"] for row in code["rows"]}
    assert (lines[0, "tf1.py:9:<module> (gradient)"], lines[1, "tf1.py:7:var"], code["us"]) == (5058, 2, 12165)


@needs("tf1_run_metadata")
def test_run_metadata_with_the_graph_of_its_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(SAMPLE / "run_metadata_step019.pb", tmp_path / "run_metadata.pb")
    path = str(tmp_path / "run_metadata.pb")
    alone = asked(capsys, "scope", path)
    shutil.copy(SAMPLE / "graph.pb", tmp_path / "graph.pb")
    both = asked(capsys, "scope", path, "--order", "parameters", "--depth", "1")
    assert (alone["parameters"], both["parameters"], alone["us"] == both["us"]) == (0, 95360, True)
    assert [row["name"] for row in both["rows"]][:2] == ["fc", "conv1"]
    assert {row["depth"] for row in both["rows"]} == {0}
    kept = asked(capsys, "scope", path, "--start", "conv1", "--hide", "conv1", "--min-time", "500")
    assert [row["name"] for row in kept["rows"]] == ["conv1/Relu", "conv1/MaxPool"]
    assert run_verbs(["profile", "scope", path, "--hide", "("]) == 2
    assert run_verbs(["profile", "scope", path, "--hide", "(a+)+"]) == 2  # which could take hours
    assert run_verbs(["profile", "code", path]) == 0
    assert "No lines of code" in capsys.readouterr().out


def test_time_of_called_operations_counts_once() -> None:
    drawn = Timeline()
    outer = drawn.op("linear", scope="net/fc", source="/home/me/train.py:12", flops=100.0)
    inner, kernel = drawn.op("addmm", scope="net/fc"), drawn.op("gemm", scope="net/fc", source="train.py:12")
    drawn.span("main", 0, 10 * MS, SpanKind.OP, "linear", op=outer)
    drawn.span("main", 2 * MS, 6 * MS, SpanKind.OP, "addmm", op=inner)
    drawn.span("gpu 0", 3 * MS, 8 * MS, SpanKind.KERNEL, "gemm", op=kernel)
    costs = profile_costs([drawn.build()])
    root = scope_view(costs, ViewOptions(order_by="micros"))
    assert {row.name: row.own.us for _, row in root.rows()} == {
        "net": 0,
        "net/fc": 0,
        "net/fc/linear": 6_000,
        "net/fc/gemm": 5_000,
        "net/fc/addmm": 4_000,
    }
    assert (root.total.us, root.total.accelerator_us, root.total.flops) == (15_000, 5_000, 100)
    (line,) = code_view(costs, ViewOptions()).children
    assert (line.name, line.total.us) == ("train.py:12", 11_000)


@needs("kineto/torch213_cpu")
def test_a_profile_of_torch(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(SAMPLES / "kineto" / "torch213_cpu" / "oneshot.json.gz")
    scope = asked(capsys, "scope", path)
    assert sum(row["us"] for row in scope["rows"]) == pytest.approx(scope["us"])
    assert run_verbs(["profile", "scope", path, "--limit", "2"]) == 0
    assert "aten::copy_" in capsys.readouterr().out
