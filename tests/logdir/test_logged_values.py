"""What stepscope.open gives beside scalars: decoded images and sounds, tensors of any plugin, hyperparameters, profiles, new points."""

from __future__ import annotations

import io
import struct
import threading
import wave
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import event_bytes as eb
import stepscope
from browser.sample_profiles import write_trace
from hparam_logs import trial
from image_logs import SVG, old_image, png, tensor_images, write
from log_folder import LogFolder
from stepscope import logged_values
from stepscope.model.errors import NeedsExtra, NotThere, TooMuch
from stepscope.queries.hparams_rows import hparams_rows
from stepscope.queries.png_pixels import Interlaced, png_pixels
from text_and_sound_logs import old_audio, sound, tensor_audio, text


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def filtered(rows: list[bytes], width: int, *, depth: int = 8, kind: int = 0, interlaced: int = 0, more: bytes = b"") -> bytes:
    """A PNG file of rows that begin with the number of their filter."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), depth, kind, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + head + more + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


def test_rows_of_every_filter_are_what_they_were() -> None:
    rows = [b"\0\x0a\x14\x1e", b"\x01\x0a\x0a\x0a", b"\x02\x01\x01\x01", b"\x03\x05\x05\x05", b"\x04\x01\x01\x01"]
    # none; left; above; the mean of both; and of left, above and corner the nearest to left + above - corner
    assert png_pixels(filtered(rows, 3)).tolist() == [[10, 20, 30], [10, 20, 30], [11, 21, 31], [10, 20, 30], [11, 21, 31]]


@pytest.mark.peers
@pytest.mark.slow
def test_pictures_of_pillow_are_decoded_as_pillow_does(run_in_plugins: Callable[..., Any]) -> None:
    found = run_in_plugins(Path(__file__).parent / "pictures_of_pillow.py")
    assert found == {"bad": [], "count": 28}


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", NotThere),
        (png()[:40], NotThere),
        (filtered([b"\x09\0\0\0"], 3), NotThere),
        (filtered([b"\0\0"], 3), NotThere),
        (filtered([b"\0\0\0\0"], 3, kind=5), NotThere),
        (filtered([b"\0\x01"], 8, depth=1, kind=3), NotThere),
        (filtered([b"\0\0\0\0"], 3, interlaced=1), Interlaced),
        (png().replace(struct.pack(">II", 8, 8), struct.pack(">II", 1 << 30, 1 << 30)), TooMuch),
    ],
)
def test_what_is_no_whole_png_is_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        png_pixels(data)


def test_images_of_both_generations_are_decoded_on_demand(tmp_path: Path) -> None:
    red, grey = png(4, 2, (200, 40, 40)), filtered([b"\0\x01\x02", b"\0\x03\x04"], 2)
    write(
        tmp_path,
        "a",
        tensor_images("new", 3, [red, grey]),
        tensor_images("new", 9, [red]),
        old_image("old", 1, grey),
        old_image("svg", 1, SVG),
    )
    run = stepscope.open(tmp_path).runs["a"]
    images = run.images("new")
    assert (images.step.tolist(), len(images), len(images[0]), len(images[-1])) == ([3, 9], 2, 2, 1)
    assert images[0].array().tolist() == [[[200, 40, 40]] * 4] * 2
    assert images.at(3).array(1).tolist() == [[1, 2], [3, 4]] == run.images("old")[0].array().tolist()
    assert images[0].encoded(1) == grey
    assert [one.step for one in images[:2]] == [3, 9]
    assert (run.tags, run.tags_by_kind) == ((), {"image": ("new", "old", "svg")})
    for ask in (lambda: run.images("none"), lambda: run.audio("new"), lambda: images.at(4), lambda: images[0].array(2)):
        with pytest.raises(NotThere):
            ask()


def test_a_format_that_only_pillow_decodes_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> Any:
        raise ImportError(name)

    write(tmp_path, "a", old_image("svg", 1, SVG), old_image("slow", 1, filtered([b"\0\0\0\0"], 3, interlaced=1)))
    run = stepscope.open(tmp_path).runs["a"]
    monkeypatch.setattr(logged_values.importlib, "import_module", gone)
    for tag in ("svg", "slow"):
        with pytest.raises(NeedsExtra):
            run.images(tag)[0].array()


@pytest.mark.parametrize(
    ("width", "frames", "wanted"),
    [(1, b"\x00\xff", [0, 255]), (2, b"\xff\xff\x01\x00", [-1, 1]), (3, b"\xfe\xff\xff\x02\x00\x00", [-2, 2])],
)
def test_sounds_are_decoded_whatever_their_width(tmp_path: Path, width: int, frames: bytes, wanted: list[int]) -> None:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(width)
        out.setframerate(16_000)
        out.writeframes(frames)
    write(tmp_path, "a", tensor_audio("tone", 2, file.getvalue(), b"label", shape=[1, 2]))
    (one,) = stepscope.open(tmp_path).runs["a"].audio("tone")
    samples, rate = one.array()
    assert (samples.tolist(), rate, one.step, len(one)) == ([wanted], 16_000, 2, 1)


def test_old_sounds_are_decoded_and_what_is_none_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a", old_audio("tone", 1, sound(80)), old_audio("bad", 1, b"ID3 mp3"))
    run = stepscope.open(tmp_path).runs["a"]
    assert run.audio("tone")[0].array()[0].shape == (80, 1)
    with pytest.raises(NotThere):
        run.audio("bad")[0].array()
    assert run.audio("bad")[0].encoded() == b"ID3 mp3"


def test_series_of_an_unknown_plugin_are_listed_and_read(tmp_path: Path) -> None:
    value = eb.value(
        b"fair",
        eb.message(8, eb.tensor(eb.FLOAT, eb.message(4, np.array([0.5, 0.25], "<f4").tobytes()), shape=[2])),
        eb.message(9, eb.metadata(b"fairness")),
    )
    write(tmp_path, "a", eb.record(eb.event(7, 1.0, eb.summary(value))), text("words", 1, b"some"))
    run = stepscope.open(tmp_path).runs["a"]
    assert {"fair", "words"} == {tag for tags in run.tags_by_kind.values() for tag in tags}
    (one,) = run.tensors("fair")
    assert (one.step, one.array().tolist()) == (7, [0.5, 0.25])
    assert run.tensors("words")[0].array().tolist() == [b"some"]


def test_hyperparameters_are_one_table(tmp_path: Path) -> None:
    trial(tmp_path / "run2", {"lr": 0.5, "opt": "sgd"}, {"loss": [3.0, 1.0]})
    trial(tmp_path / "run10", {"lr": 0.25, "deep": True}, {"loss": [2.0]})
    stepscope.SummaryWriter(str(tmp_path / "other")).close()
    logs = stepscope.open(tmp_path)
    table = logs.hparams(metrics=["loss", "none"])
    wanted = {
        "run": ["run2", "run10"],
        "lr": [0.5, 0.25],
        "opt": ["sgd", None],
        "deep": [None, True],
        "loss": [1.0, 2.0],
        "none": [None, None],
    }
    assert (table.columns, len(table)) == (wanted, 2)
    assert table.to_polars().to_dict(as_series=False) == wanted == table.to_arrow().to_pydict()
    assert table.to_pandas()["lr"].tolist() == [0.5, 0.25]
    assert list(hparams_rows(logs.library, logs.views.view(), ["lr"])) == ["run", "lr", "opt", "deep", "metric lr"]


def test_values_of_several_types_are_text_where_a_column_has_one(tmp_path: Path) -> None:
    trial(tmp_path / "a", {"kind": 2.0})
    trial(tmp_path / "b", {"kind": "two"})
    table = stepscope.open(tmp_path).hparams()
    assert table.columns["kind"] == [2.0, "two"]
    assert table.to_polars()["kind"].to_list() == ["2.0", "two"]


def test_new_points_are_followed(tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    folder.write("a", {"loss": [1.0, 2.0]})
    run = stepscope.open(tmp_path).runs["a"]
    updates = run.follow(every=0.01)
    first = next(updates)
    assert (first.run, first.tag, first.value.tolist(), len(first)) == ("a", "loss", [1.0, 2.0], 2)

    def later() -> None:
        folder.write("a", {"loss": [(2, 3.0)], "acc": [0.5]}, version=False)

    thread = threading.Thread(target=later)
    thread.start()
    seen: dict[str, list[float]] = {}
    for update in updates:
        seen.setdefault(update.tag, []).extend(update.value.tolist())
        if sum(map(len, seen.values())) == 2:
            break
    thread.join()
    assert seen == {"loss": [3.0], "acc": [0.5]}
    folder.write("a", {"loss": [(0, 9.0)]}, file="events.out.tfevents.2")
    assert next(updates).step.tolist() == [0]


def test_following_ends_when_nothing_is_written(tmp_path: Path) -> None:
    LogFolder(tmp_path).write("a", {"loss": [1.0]})
    run = stepscope.open(tmp_path).runs["a"]
    assert [len(update) for update in run.follow(every=0.01, idle=0.02)] == [1]
    assert list(run.follow(every=0.01, idle=0.02, new_only=True)) == []


def test_profiles_of_a_run_are_analysed(tmp_path: Path) -> None:
    write_trace(tmp_path / "run", steps=6, slow={7: 12.0})
    run = stepscope.open(tmp_path).runs["run"]
    (name,) = run.profiles()
    assert run.profile().step_ms == run.profile(name).step_ms == pytest.approx(10.0)
    with pytest.raises(NotThere):
        run.profile("none")
