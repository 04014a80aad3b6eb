"""What a call of any kind takes, refuses and leaves to the thread, and how Stepscope reads it back."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind
from stepscope.writer import SummaryWriter, arrays, complaints, pr_curve
from stepscope.writer.png import png
from stepscope.writer.summary import moment_of


@pytest.fixture
def kinds(log: Path) -> Callable[[], dict[str, tuple[str, int]]]:
    """Of each tag in the folder's own event file: its kind, and how many values it has."""

    def read() -> dict[str, tuple[str, int]]:
        names = NamePool()
        (path,) = log.glob("*tfevents*")
        events = EventFile(str(path), names)
        events.scan()
        assert (events.skipped, events.pending) == (0, 0)
        rows = zip(events.tag_ids(), events.kinds(), events.counts(), strict=True)
        return {names.name(int(tag)).decode(): (Kind(int(kind)).label, int(count)) for tag, kind, count in rows}

    return read


def log_one_of_each(writer: SummaryWriter) -> None:
    writer.add_scalar("scalar", 1.0)
    writer.add_histogram("histogram", np.arange(9.0))
    writer.add_histogram_raw("raw", 0, 1, 2, 1, 1, [0.5, 1], [1, 1])
    writer.add_image("image", np.zeros((3, 2, 2)))
    writer.add_images("images", np.zeros((4, 3, 2, 2)))
    writer.add_video("video", np.zeros((1, 2, 3, 2, 2)))
    writer.add_audio("audio", np.zeros(5))
    writer.add_text("text", "words")
    writer.add_pr_curve("curve", [0, 1], [0.2, 0.7])
    rows: tuple[Any, ...] = (np.ones(3),) * 6
    writer.add_pr_curve_raw("raw curve", *rows[:4], precision=rows[4], recall=rows[5])
    writer.add_custom_scalars_multilinechart(["scalar"])
    writer.add_mesh("mesh", np.zeros((1, 4, 3)))
    writer.add_tensor("tensor", np.zeros((2, 2)))


def test_stepscope_knows_every_kind(log: Path, kinds: Any, verbs: Callable[..., Any]) -> None:
    with SummaryWriter(log) as writer:
        log_one_of_each(writer)
        log_one_of_each(writer)
        writer.add_hparams({"lr": 0.1}, {"accuracy": 0.5}, run_name="trial")
    found = kinds()
    assert {tag: kind for tag, (kind, _) in found.items() if kind != "session_log"} == {
        "scalar": "scalar",
        "histogram": "histogram",
        "raw": "histogram",
        "image": "image",
        "images": "image",
        "video": "image",
        "audio": "audio",
        "text/text_summary": "text",
        "curve": "pr_curve",
        "raw curve": "pr_curve",
        "custom_scalars__config__": "layout",
        "mesh_VERTEX": "mesh",
        "tensor": "tensor",
    }
    assert {count for kind, count in found.values() if kind != "session_log"} == {2}
    said = verbs("inspect", "--no-cache", log).stdout
    assert "2 runs" in said
    assert verbs("inspect", "--no-cache", "--tag", "_hparams_/session_start_info", log / "trial").returncode == 0


def test_arrays_are_taken_at_the_call(log: Path) -> None:
    values, samples, text = np.ones(4), np.full(4, 0.5, np.float32), ["row"] * 4
    with SummaryWriter(log) as writer:
        for _ in range(200):  # Enough that the thread has not done with them when they change.
            writer.add_histogram("values", values)
        writer.add_tensor("samples", samples)
        writer.add_embedding(values.reshape(2, 2), text[:2])
        values[:] = 7
        samples[:] = 7
        text[:] = ["changed"] * 4
    data = next(log.glob("*tfevents*")).read_bytes()
    assert np.float64(7).tobytes() not in data
    assert np.full(4, 0.5, "<f4").tobytes() in data
    assert (log / "00000" / "default" / "tensors.tsv").read_text() == "1.0\t1.0\n1.0\t1.0\n"
    assert (log / "00000" / "default" / "metadata.tsv").read_text() == "row\nrow\n"


def test_only_what_nobody_can_change_is_not_copied() -> None:
    values = np.ones(3)
    view = values[:2]
    view.flags.writeable = False
    assert not np.shares_memory(arrays.take(values, "x"), values)
    assert not np.shares_memory(arrays.take(view, "x"), values)
    values.flags.writeable = False
    assert np.shares_memory(arrays.take(values, "x"), values)
    assert np.shares_memory(arrays.take(values[1:], "x"), values)


BAD = {
    "object array": lambda w: w.add_histogram("a", np.array([1, None])),
    "complex": lambda w: w.add_histogram("a", np.array([1j])),
    "ragged": lambda w: w.add_histogram("a", [[1], [1, 2]]),
    "text as values": lambda w: w.add_histogram("a", "1"),
    "none": lambda w: w.add_image("a", None),
    "empty": lambda w: w.add_histogram("a", []),
    "bins": lambda w: w.add_histogram("a", [1.0], bins="best"),
    "falling bins": lambda w: w.add_histogram("a", [1.0], bins=[2, 1]),
    "limits and counts": lambda w: w.add_histogram_raw("a", 0, 1, 1, 1, 1, [1.0], [1, 2]),
    "image of rank 5": lambda w: w.add_image("a", np.zeros((1, 1, 1, 1, 1))),
    "five channels": lambda w: w.add_image("a", np.zeros((5, 2, 2))),
    "format": lambda w: w.add_image("a", np.zeros((3, 2, 2)), dataformats="CHH"),
    "no pixels": lambda w: w.add_image("a", np.zeros((3, 0, 2))),
    "video of rank 4": lambda w: w.add_video("a", np.zeros((1, 3, 2, 2))),
    "boxes": lambda w: w.add_image_with_boxes("a", np.zeros((3, 2, 2)), np.zeros(4)),
    "stereo": lambda w: w.add_audio("a", np.zeros((2, 9))),
    "text": lambda w: w.add_text("a", 3),
    "tag": lambda w: w.add_text(3, "a"),
    "step": lambda w: w.add_text("a", "a", 2**63),
    "lengths": lambda w: w.add_pr_curve("a", [0, 1], [0.5]),
    "predictions": lambda w: w.add_pr_curve("a", [0, 1], [0.5, 1.5]),
    "rows": lambda w: w.add_pr_curve_raw("a", [1], [1], [1], [1], [1], [1, 2]),
    "margin": lambda w: w.add_custom_scalars_marginchart(["a", "b"]),
    "chart": lambda w: w.add_custom_scalars({"a": {"b": ["Pie", ["c"]]}}),
    "mesh": lambda w: w.add_mesh("a", np.zeros((4, 3))),
    "hparams": lambda w: w.add_hparams({"a": [1]}, {}),
    "hparams list": lambda w: w.add_hparams([("a", 1)], {}),
    "domain": lambda w: w.add_hparams({"a": 1}, {}, {"a": ["x"]}),
    "metric": lambda w: w.add_hparams({"a": 1}, {"m": "high"}),
    "scalars": lambda w: w.add_scalars("a", {"b": 1.0, "c": "no number"}),
    "embedding": lambda w: w.add_embedding(np.zeros(3)),
    "metadata": lambda w: w.add_embedding(np.zeros((3, 2)), ["a"]),
    "tensor": lambda w: w.add_tensor("a", np.array(["text"])),
    "figure": lambda w: w.add_figure("a", []),
    "bytes of no picture": lambda w: w.add_image("a", b"GIF"),
    "half a header": lambda w: w.add_image("a", png(np.zeros((2, 2, 3), np.uint8))[:20]),
    "no colours": lambda w: w.add_image("a", b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\0\x01" * 2 + b"\x08\x09"),
    "endless jpeg": lambda w: w.add_image("a", b"\xff\xd8" + b"\xff" * 100),
    "one of them no picture": lambda w: w.add_images("a", [png(np.zeros((2, 2, 3), np.uint8)), b"?"]),
    "tag of bytes": lambda w: w.add_scalar(b"a", 1.0),
    "value of a list": lambda w: w.add_scalar("a", [1.0]),
    "complex value": lambda w: w.add_scalar("a", 1j),
    "two values": lambda w: w.add_scalar("a", np.zeros(2)),
    "object value": lambda w: w.add_scalar("a", np.array(None)),
    "no value": lambda w: w.add_scalar("a", None),
    "no tag": lambda w: w.add_scalar(None, 1.0),
    "step of words": lambda w: w.add_scalar("a", 1.0, "first"),
    "step of words for an array": lambda w: w.add_histogram("a", [1.0], "first"),
    "time of words": lambda w: w.add_scalar("a", 1.0, 1, "noon"),
    "time of words for an array": lambda w: w.add_histogram("a", [1.0], 1, walltime="noon"),
    "complex tensor": lambda w: w.add_tensor("a", np.zeros(2, complex)),
    "complex image": lambda w: w.add_image("a", np.zeros((3, 2, 2), complex)),
    "object image": lambda w: w.add_image("a", np.full((3, 2, 2), None)),
    "complex sound": lambda w: w.add_audio("a", np.zeros(3, complex)),
    "graph of no module": lambda w: w.add_graph(object(), 1),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_raise_at_the_call_and_write_nothing(log: Path, name: str, kinds: Any) -> None:
    with SummaryWriter(log) as writer:
        with pytest.raises((TypeError, ValueError)) as caught:
            BAD[name](writer)
        assert re.fullmatch(r"Give [^\n]+\.", str(caught.value))
    assert {kind for kind, _ in kinds().values()} <= {"session_log"}
    assert [path.name for path in log.iterdir() if "tfevents" not in path.name] == []


def test_what_is_clipped_or_left_out_is_said_once(log: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(complaints, "_told_once", set[str]())
    with caplog.at_level(logging.WARNING, "stepscope.writer"), SummaryWriter(log) as writer:
        for step in range(3):
            writer.add_audio("loud", [0.5, 2.0], step)
            writer.add_image("white", np.full((3, 2, 2), 200), step)
            writer.add_image("fine", np.full((3, 2, 2), 200, np.uint8), step)
            writer.add_image("normalized", np.full((3, 2, 2), 2.5), step)
            writer.add_pr_curve("astray", [0, 1], [float("nan"), 0.5], step)
    said = sorted(record.getMessage() for record in caplog.records)
    starts = ["1 of the 2 predictions of the curve astray", "The audio loud", "The image white has values up to 200"]
    assert [message[: len(start)] for message, start in zip(said, starts, strict=True)] == starts


def test_predictions_that_rounding_took_beyond_1_count_as_1() -> None:
    labels, predictions = [1, 0, 1], [1.0005, -0.0005, float("nan")]
    moment = moment_of(1, 2.0)
    rounded = pr_curve.pr_curve_work("a", labels, predictions, 2, None, moment).make()
    assert rounded == pr_curve.pr_curve_work("a", labels[:2], [1.0, 0.0], 2, None, moment).make()


def test_what_a_missing_package_would_draw_is_said_at_the_call(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with SummaryWriter(log) as writer:
        with pytest.raises(ImportError, match="pip install pillow"):
            writer.add_image_with_boxes("a", np.zeros((3, 4, 4)), np.zeros((1, 4)))
        with pytest.raises(ImportError, match="pip install matplotlib"):
            writer.add_figure("a", object())


def test_numpy_comes_with_the_first_array_only(log: Path) -> None:
    code = (
        "import sys; from stepscope.writer import SummaryWriter; w = SummaryWriter(sys.argv[1])\n"
        "w.add_scalar('a', 1.0); w.add_scalars('b', {'c': 1}); w.add_text('d', 'e'); w.add_hparams({'f': 1}, {'g': 2.0})\n"
        "w.add_custom_scalars_multilinechart(['a']); w.close(); assert 'numpy' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(arrays.__file__).parents[2])}
    subprocess.run([sys.executable, "-c", code, str(log)], env=environment, check=True)


def test_logdir_is_another_name_for_log_dir(log: Path) -> None:
    with SummaryWriter(logdir=log) as writer:
        assert writer.get_logdir() == str(log)
    with pytest.raises(TypeError, match="not both"):
        SummaryWriter(log, logdir=log)


def test_lines_of_add_scalars_share_the_restart_and_the_end(log: Path, read_files: Callable[[Path], list[Any]]) -> None:
    with SummaryWriter(log, purge_step=5) as writer:
        writer.add_scalars("loss", {"a": 1.0, "b": 2.0}, 5)
        writer.flush()
        for name in ("a", "b"):
            (line,) = read_files(log / f"loss_{name}")
            assert list(line.points) == ["loss"]
    (line,) = read_files(log / "loss_a")
    assert (line.start_steps, line.session) == ([5], 2)
    writer.add_scalars("loss", {"a": 1.0}, 6)
    writer.close()
    assert sorted(line.start_steps for line in read_files(log / "loss_a")) == [[], [5]]
