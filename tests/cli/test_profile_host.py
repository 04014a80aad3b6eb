"""`stepscope profile host` on the small captures of TensorFlow and JAX: the keys of --json, and lines that fit 80 columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.test_profile import Terminal

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"
TENSORFLOW, JAX = CAPTURES / "tensorflow.xplane.pb", CAPTURES / "jax.xplane.pb"


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_functions_of_tensorflow(terminal: Terminal) -> None:
    (found,) = terminal.json("host", TENSORFLOW)["hosts"]
    assert found["framework"] == "TensorFlow"
    assert found["python_us"] is None, "Python was not recorded"
    calls = {row["name"]: (row["compiler"], row["calls"]) for row in found["functions"]}
    assert calls == {"train_step": ("tf.function", 4), "compiled": ("tf.function", 4)}
    parts = [found[f"{part}_us"] for part in ("compile", "dispatch", "framework", "sync", "alloc", "io", "gc")]
    assert all(part >= 0 for part in parts)
    assert sum(parts) == pytest.approx(found["host_us"])
    assert found["host_us"] / found["step_us"] == pytest.approx(terminal.json("report", TENSORFLOW)["breakdown"]["host"])


def test_functions_of_jax(terminal: Terminal) -> None:
    (found,) = terminal.json("host", JAX)["hosts"]
    names = {row["name"]: row for row in found["functions"]}
    assert names["train_step"]["compiler"] == "jax.jit"
    assert names["train_step"]["calls"] >= 3
    assert names["train_step"]["traces"] <= names["train_step"]["calls"]


@pytest.mark.parametrize("arguments", [(TENSORFLOW,), (JAX,), (JAX, "--beside", TENSORFLOW)])
def test_the_text_fits(terminal: Terminal, arguments: tuple[str | Path, ...]) -> None:
    code, out, _ = terminal.run("host", *arguments)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "A typical step takes" in out
    assert ("All operations together differ by" in out) == ("--beside" in arguments)


def test_a_profile_beside_itself_differs_nowhere(terminal: Terminal) -> None:
    aligned = terminal.json("host", JAX, "--beside", JAX)["aligned"]
    assert aligned
    assert all(row["difference_us"] == 0 and row["first"] == row["second"] for row in aligned)
