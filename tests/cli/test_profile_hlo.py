"""`stepscope profile hlo` on a small recording of JAX on a CPU: the table, the tree, texts, and one-sentence errors."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from stepscope.cli.verbs import run_verbs

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"
JAX = CAPTURES / "jax.xplane.pb"


class Terminal:
    """Runs the verb in this process and hands back what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        code = run_verbs(["profile", "hlo", *map(str, arguments)])
        printed = self.capsys.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str | Path) -> dict[str, Any]:
        code, out, _ = self.run(*arguments, "--json")
        assert code == 0
        return json.loads(out)


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_the_table(terminal: Terminal) -> None:
    answer = terminal.json(JAX)
    rows = {row["name"]: row for row in answer["rows"]}
    dot = rows["dot"]
    assert (dot["program"], dot["category"], dot["opcode"], dot["count"]) == ("jit_train_step(6)", "dot", "dot", 4)
    assert dot["flops_per_second"] == pytest.approx(dot["flops"] / dot["total_us"] * 1e6)
    assert dot["text"].startswith("%dot = f32[")
    assert (dot["bound_by"], dot["has_text"], dot["worker"]) == ("", True, "jax")
    assert rows["multiply_select_fusion"]["fused_instructions"] > 1
    assert answer["programs"][0]["name"] == "jit_train_step(6)"
    assert any("no peak" in note for note in answer["notes"])


def test_peaks_that_the_user_knows(terminal: Terminal) -> None:
    rows = terminal.json(JAX, "--peak-tflops", "0.000001", "--peak-gbs", "1000000")["rows"]
    assert {row["bound_by"] for row in rows} <= {"compute", "neither"}
    assert all(row["wasted_us"] is not None and row["wasted_us"] <= row["self_us"] for row in rows)


@pytest.mark.parametrize("by", ["category", "program", "framework", "source"])
def test_rows_by_something_else(terminal: Terminal, by: str) -> None:
    whole = sum(row["self_us"] for row in terminal.json(JAX)["rows"])
    rows = terminal.json(JAX, "--by", by)["rows"]
    assert sum(row["self_us"] for row in rows) == pytest.approx(whole)
    assert len({row["name"] for row in rows}) == len(rows)


def test_rows_as_csv(terminal: Terminal) -> None:
    code, out, _ = terminal.run(JAX, "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["name"] for row in rows] == [row["name"] for row in terminal.json(JAX)["rows"]]


def test_the_tree(terminal: Terminal) -> None:
    nodes = terminal.json(JAX, "--tree")["nodes"]
    program, *below = nodes
    assert (program["kind"], program["depth"], {node["program"] for node in nodes}) == ("program", 0, {program["name"]})
    categories = [node for node in below if node["depth"] == 1]
    assert program["time_us"] == pytest.approx(sum(node["time_us"] for node in categories))
    fusion = next(place for place, node in enumerate(nodes) if node["name"] == "multiply_select_fusion")
    assert (nodes[fusion]["depth"], nodes[fusion + 1]["depth"], nodes[fusion + 1]["kind"]) == (2, 3, "inside")
    rows = {row["name"]: row["self_us"] for row in terminal.json(JAX)["rows"]}
    assert {node["name"]: node["time_us"] for node in nodes if node["kind"] == "op"} == rows


def test_the_text_of_a_program_and_of_an_operation(terminal: Terminal) -> None:
    _, short, _ = terminal.run(JAX, "--program", "jit_train_step", "--text")
    _, long, _ = terminal.run(JAX, "--program", "jit_train_step(6)", "--text", "--long")
    assert short.startswith("HloModule jit_train_step(6)")
    assert "ENTRY %" in short
    assert "metadata=" not in short
    assert "metadata={" in long
    _, op, _ = terminal.run(JAX, "--program", "jit_train_step", "--op", "multiply_select_fusion", "--text")
    assert op.splitlines()[0].startswith("%multiply_select_fusion = ")
    assert "ROOT" in op
    (program,) = terminal.json(JAX, "--program", "jit_train_step", "--text")["programs"]
    assert (program["name"], program["text"], program["text_cut"]) == ("jit_train_step(6)", short.removesuffix("\n"), False)


def test_what_is_around_an_operation(terminal: Terminal) -> None:
    options = (JAX, "--program", "jit_train_step", "--op", "dot")
    around = terminal.json(*options, "--width", "1")["neighbourhood"]
    distances = {node["name"]: node["distance"] for node in around["nodes"]}
    assert distances["dot"] == 0
    assert set(distances.values()) == {-1, 0, 1}
    assert all(source in distances and target in distances for source, target in around["edges"])
    assert len(terminal.json(*options, "--width", "0")["neighbourhood"]["nodes"]) == 1
    _, text, _ = terminal.run(*options)
    shown = [line.split(" = ")[0].strip() for line in text.partition("\noperands")[2].splitlines() if " = " in line]
    assert sorted(shown) == sorted(node["name"] for node in terminal.json(*options)["neighbourhood"]["nodes"] if node["distance"])


@pytest.mark.parametrize("options", [(), ("--tree",), ("--by", "source"), ("--peak-tflops", "1", "--peak-gbs", "100")])
def test_lines_fit_a_terminal(terminal: Terminal, options: tuple[str, ...]) -> None:
    for capture in (JAX, CAPTURES / "tensorflow.xplane.pb"):
        code, out, _ = terminal.run(capture, *options)
        assert code == 0
        assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--op", "nothing"), "No program has an operation nothing"),
        (("--program", "jit_g"), "has no program jit_g; it has jit_train_step(6)"),
        (("--op", "broadcast.0", "--program", "none"), "has no program none"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(terminal: Terminal, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = terminal.run(JAX, *arguments)
    assert (code != 0, out) == (True, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_recording_without_programs(terminal: Terminal, tmp_path: Path) -> None:
    trace = {
        "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 5, "pid": 1, "tid": 1}],
        "schemaVersion": 1,
    }
    path = tmp_path / "host_1.1.pt.trace.json"
    path.write_text(json.dumps(trace))
    answer = terminal.json(path)
    assert (answer["programs"], answer["rows"], answer["total"]) == ([], [], 0)
    assert terminal.json(path, "--tree")["nodes"] == terminal.json(path, "--text")["programs"] == []
    assert terminal.run(path)[0] == 0
    code, out, err = terminal.run(path, "--op", "dot")
    assert (code, out, err.count("\n")) == (2, "", 1)
