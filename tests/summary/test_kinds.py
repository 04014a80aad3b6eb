"""What each call of stepscope.summary writes, takes and refuses."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope import summary
from stepscope.summary import encoding
from stepscope.writer.histogram import NonFinite
from stepscope.writer.png import png


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Any]:
    """A default writer at step 1."""
    made = summary.create_file_writer(tmp_path)
    with made.as_default(step=1):
        yield made


def test_every_kind_is_known_to_stepscope(tmp_path: Path, writer: Any, read: Any) -> None:
    summary.scalar("scalar", 0.5)
    summary.scalar("described", 0.25, description="*said*")
    summary.histogram("histogram", np.arange(9))
    summary.image("image", np.zeros((2, 3, 4, 3), np.uint8))
    summary.audio("audio", np.zeros((1, 50, 1), np.float32), 8000)
    summary.text("text", "words")
    summary.write("own", np.zeros(3), metadata=summary.PluginMetadata("mine", b"content", "Shown", "Said"))
    writer.close()
    found = read(tmp_path)
    assert {tag: series.kind for tag, series in found.items()} == {
        "scalar": "scalar",
        "described": "scalar",
        "histogram": "histogram",
        "image": "image",
        "audio": "audio",
        "text": "text",
        "own": "other",
    }
    assert found["described"].description == "*said*"
    assert found["described"].values == [0.25]
    assert (found["own"].plugin, found["own"].description) == ("mine", "Said")


def test_log_takes_nested_dictionaries(tmp_path: Path, writer: Any, read: Any) -> None:
    values = {
        "train": {"loss": 0.5, "accuracy": np.float32(0.75)},
        "layers": {0: np.arange(4.0)},
        "note": "words",
        "one": np.ones((1, 1)),
    }
    assert summary.log(values, step=7) is True
    writer.close()
    found = read(tmp_path)
    assert {tag: (series.kind, series.steps) for tag, series in found.items()} == {
        "train/loss": ("scalar", [7]),
        "train/accuracy": ("scalar", [7]),
        "layers/0": ("histogram", [7]),
        "note": ("text", [7]),
        "one": ("scalar", [7]),
    }


def test_log_writes_all_or_nothing(tmp_path: Path, writer: Any, read: Any) -> None:
    with pytest.raises(TypeError, match=r"\bbad\b"):
        summary.log({"good": 1.0, "bad": object()})
    writer.close()
    assert read(tmp_path) == {}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: summary.scalar(3, 1.0), "Give the tag as a string"),  # type: ignore[arg-type]
        (lambda: summary.scalar("a", "1.0"), "Give the value as a number"),
        (lambda: summary.scalar("a", np.ones(3)), "Give the value as one number"),
        (lambda: summary.scalar("a", 1.0, description=3), "Give the description as a string"),  # type: ignore[arg-type]
        (lambda: summary.histogram("a", ["x"]), "Give the values as an array of numbers"),
        (lambda: summary.histogram("a", [1.0], buckets=10**9), "Give at most"),
        (lambda: summary.image("a", np.zeros((3, 3))), "Give images of the shape"),
        (lambda: summary.image("a", np.zeros((1, 3, 3, 5))), "Give images of the shape"),
        (lambda: summary.image("a", np.zeros((1, 0, 3, 3))), "pixels to a side"),
        (lambda: summary.image("a", np.zeros((1, 2, 2, 1)), max_outputs=-1), "Give max_outputs"),
        (lambda: summary.image("a", b"no picture"), "Give the bytes of a whole PNG"),
        (lambda: summary.audio("a", np.zeros(5), 8000), "Give sounds of the shape"),
        (lambda: summary.audio("a", np.zeros((1, 5, 1)), 0), "Give a sample rate"),
        (lambda: summary.audio("a", np.zeros((1, 5, 1)), 8000, encoding="mp3"), "Give the encoding"),
        (lambda: summary.text("a", 3), "Give the text as strings"),
        (lambda: summary.text("a", [["a", 1]]), "Give the text as strings"),
        (lambda: summary.write("a", np.zeros(2, complex)), "Give the tensor as an array of numbers"),
        (lambda: summary.write("a", 1.0, metadata=3), "Give metadata as a protobuf message"),
        (lambda: summary.log([1.0]), "Give log a dictionary"),
        (lambda: summary.log({2.5: 1.0}), "keys of strings"),
        (lambda: summary.scalar("a", 1.0, step=2**63), "Give a step that fits 64 bits"),
    ],
)
def test_wrong_arguments_are_told_at_the_call_and_write_nothing(tmp_path: Path, writer: Any, read: Any, call: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call()
    writer.close()
    assert read(tmp_path) == {}


def test_values_are_taken_at_the_call(tmp_path: Path, writer: Any, read: Any) -> None:
    changing = np.zeros((1, 2, 2, 3), np.uint8)
    summary.image("before", changing)
    changing[:] = 200
    summary.image("after", changing)
    writer.close()
    found = read(tmp_path)
    assert png(np.zeros((2, 2, 3), np.uint8)) in found["before"].bytes[0]
    assert png(changing[0]) in found["after"].bytes[0]


def test_pictures_may_be_files(tmp_path: Path, writer: Any, read: Any) -> None:
    file = png(np.zeros((5, 7, 3), np.uint8))
    summary.image("one", file)
    summary.image("several", [file, file, file], max_outputs=2)
    writer.close()
    found = read(tmp_path)
    assert (found["one"].bytes[0].count(file), found["several"].bytes[0].count(file)) == (1, 2)


def test_what_is_not_finite_is_left_out_of_histograms_and_said_once(
    writer: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(encoding, "_non_finite", NonFinite())
    with caplog.at_level(logging.WARNING):
        summary.histogram("a", [1.0, float("nan")])
        summary.histogram("a", [float("inf"), 2.0, 3.0])
        writer.close()
    (said,) = [message for message in caplog.messages if "histogram a" in message]
    assert said.startswith("1 of the 2 values")


def test_a_tensor_may_be_computed_when_it_is_needed(tmp_path: Path, writer: Any, read: Any) -> None:
    def tensor() -> Any:
        computed.append(True)
        return np.zeros(2)

    computed: list[bool] = []
    with summary.record_if(False):
        assert summary.write("a", tensor) is False
    assert computed == []
    assert summary.write("a", tensor) is True
    writer.close()
    assert (computed, read(tmp_path)["a"].steps) == ([True], [1])


def test_scalars_need_no_numpy_and_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from stepscope import summary\n"
        f"with summary.create_file_writer({str(tmp_path)!r}).as_default():\n"
        "    summary.scalar('a', 1.0, 1); summary.scalar('b', 1.0, 1, 'said'); summary.log({'c': 1}, 1); summary.text('d', 'e', 1)\n"
        "print('\\n'.join(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH") or str(Path(__file__).resolve().parents[2] / "src")}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in result.stdout.split()}
    assert loaded.isdisjoint({"numpy", "tensorflow", "jax", "torch", "starlette", "uvicorn", "msgspec", "psutil"})
