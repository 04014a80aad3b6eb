"""`stepscope profile host` on the small captures of TensorFlow and JAX: the keys of --json, and lines that fit 80 columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.profile_terminal import Terminal

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"
TENSORFLOW, JAX = CAPTURES / "tensorflow.xplane.pb", CAPTURES / "jax.xplane.pb"


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_functions_of_tensorflow(terminal: Terminal) -> None:
    (found,) = terminal.json("host", TENSORFLOW)["hosts"]
    assert found["framework"] == "TensorFlow"
    assert not found["python_recorded"]
    calls = {row["name"]: (row["compiler"], row["calls"]) for row in found["functions"]}
    assert calls == {"train_step": ("tf.function", 4), "compiled": ("tf.function", 4)}
    parts = {each["part"]: each["us"] for each in found["breakdown"]}
    assert list(parts) == ["compile", "dispatch", "framework", "sync", "alloc", "io", "gc", "untraced"]
    assert all(us >= 0 for us in parts.values())
    assert sum(parts.values()) - parts["untraced"] == pytest.approx(found["host_us"])
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
    heads = [line.split() for line in out.splitlines()]
    assert any(head[-2:] == ["ms", "share"] for head in heads)
    assert any(head[-3:] == ["other's", "ms", "differs"] for head in heads) == ("--beside" in arguments)


def test_a_profile_beside_itself_differs_nowhere(terminal: Terminal) -> None:
    assert terminal.json("host", JAX)["aligned"] is None
    aligned = terminal.json("host", JAX, "--beside", JAX)["aligned"]
    assert aligned
    assert all(row["difference_us"] == 0 and row["first"] == row["second"] for row in aligned)
