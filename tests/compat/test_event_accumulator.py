"""EventAccumulator and the loaders of single files beside TensorBoard's own, in programs that import them, and on damaged files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepscope.compat
from log_folder import START, LogFolder
from stepscope.compat.accumulated_events import HistogramEvent, HistogramValue, ScalarEvent, compressed
from stepscope.compat.event_accumulator import DEFAULT_SIZE_GUIDANCE, EventAccumulator
from stepscope.compat.event_file_loader import RawEventFileLoader
from stepscope.compat.peer_messages import peer_module
from stepscope.model.errors import NeedsExtra
from stepscope.model.protobuf_fields import BadMessage
from stepscope.queries.tensor_message import scalar_tensor, tensor_message
from stepscope.writer import SummaryWriter

HERE = Path(__file__).parent


@pytest.mark.peers
@pytest.mark.slow
def test_everything_is_read_as_tensorboard_reads_it(logs: Path, run_in_plugins: Callable[..., Any]) -> None:
    found = run_in_plugins(HERE / "accumulators.py", logs)
    assert found["differences"] == []
    assert min(found["counts"].values()) > 0, found["counts"]
    assert found["counts"]["runs"] > 15


@pytest.mark.peers
@pytest.mark.slow
def test_programs_work_with_their_import_replaced(logs: Path, run_in_plugins: Callable[..., Any]) -> None:
    runs = [logs / "all" / "torch", logs / "all" / "torch other"]
    for folder in ("torch_hparams", "all/torch", "all/keras"):
        found = run_in_plugins(HERE / "reading_clients.py", logs / folder, *runs)
        assert found["ours"] == found["theirs"]
        assert found["ours"]["tbparse tensors" if folder == "all/keras" else "tbparse scalars"]["value"]
        assert "reducer loss" in found["ours"]


def test_every_point_is_returned_unless_fewer_are_asked_for(folder: LogFolder) -> None:
    folder.write("a", form=0, series={"loss": [float(step) for step in range(12_000)]})
    every = EventAccumulator(folder.path / "a").Reload().Scalars("loss")
    assert [event.value for event in every] == [float(step) for step in range(12_000)]
    assert every[1] == ScalarEvent(START + 1, 1, 1.0)
    some = EventAccumulator(folder.path / "a", {**DEFAULT_SIZE_GUIDANCE, "scalars": 5}).Reload().Scalars("loss")
    assert [event.step for event in some] == [0, 3000, 6000, 8999, 11999]
    assert [event.step for event in EventAccumulator(folder.path / "a", {"scalars": 1}).Reload().Scalars("loss")] == [11999]


def test_a_step_that_was_logged_again_is_there_once_or_as_often_as_it_was_logged(folder: LogFolder) -> None:
    folder.write("a", form=0, series={"loss": [0.0, 1.0, 2.0, 3.0]})
    folder.write("a", form=0, series={"loss": [(2, 20.0), (3, 30.0)]}, start=START + 100, file="events.out.tfevents.2", session_start=2)
    path = folder.path / "a"
    assert [event.value for event in EventAccumulator(path).Reload().Scalars("loss")] == [0, 1, 20, 30]
    every = EventAccumulator(path, purge_orphaned_data=False).Reload().Scalars("loss")
    assert sorted(event.value for event in every) == [0, 1, 2, 3, 20, 30]


def test_what_is_written_later_is_read_by_the_next_reload(folder: LogFolder) -> None:
    file = folder.write("a", form=0, series={"loss": [1.0]})
    run = EventAccumulator(str(file)).Reload()
    folder.write("a", form=0, series={"loss": [(1, 2.0)], "new": [3.0]}, version=False)
    assert [event.value for event in run.Scalars("loss")] == [1.0]
    run.Reload()
    assert [event.value for event in run.Scalars("loss")] == [1.0, 2.0]
    assert run.Tags()["scalars"] == ["loss", "new"]
    file.unlink()
    folder.write("a", form=0, series={"other": [1.0]})
    assert run.Reload().Tags()["scalars"] == ["other"]


def test_what_is_not_there_is_said_as_tensorboard_says_it(folder: LogFolder) -> None:
    folder.write("a", form=0, series={"loss": [1.0]})
    run = EventAccumulator(folder.path / "a").Reload()
    for method in (run.Scalars, run.Histograms, run.CompressedHistograms, run.Images, run.Audio, run.Tensors, run.SummaryMetadata):
        with pytest.raises(KeyError):
            method("none")
    for method in (run.Graph, run.MetaGraph, lambda: run.RunMetadata("none"), lambda: EventAccumulator("")):
        with pytest.raises(ValueError, match=r"."):
            method()
    with pytest.raises(KeyError):
        run.PluginTagToContent("none")
    with pytest.raises(FileNotFoundError):
        EventAccumulator(folder.path / "none").Reload()
    assert stepscope.compat.EventAccumulator is EventAccumulator


def test_files_of_a_plugin_are_listed_and_nothing_beside_them_is_read(folder: LogFolder) -> None:
    folder.write("a", form=0, series={"loss": [1.0]})
    kept = folder.path / "a" / "plugins" / "mine"
    kept.mkdir(parents=True)
    (kept / "notes.txt").write_text("words")
    run = EventAccumulator(folder.path / "a")
    assert run.PluginAssets("mine") == ["notes.txt"]
    assert run.PluginAssets("none") == []
    assert run.RetrievePluginAsset("mine", "notes.txt") == "words"
    for name in ("none.txt", "../mine/notes.txt", "", ".."):
        with pytest.raises(KeyError):
            run.RetrievePluginAsset("mine", name)


def test_a_message_of_tensorboard_needs_its_package() -> None:
    with pytest.raises(NeedsExtra, match=r"stepscope\[plugins\]"):
        peer_module("tensorboard_that_is_not_installed")


def test_media_of_our_writer_are_tensors_or_messages_with_their_bytes(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("weights", [1.0, 2.0, 3.0], 4)
        writer.add_text("words", "some", 5)
    run = EventAccumulator(tmp_path).Reload()
    (words,) = run.Tensors("words/text_summary")
    assert words.tensor_proto.numpy().tolist() == [b"some"]
    assert run.SummaryMetadata("words/text_summary").plugin_data.plugin_name == "text"
    (histogram,) = run.Histograms("weights")
    assert (histogram.step, histogram.histogram_value.num, histogram.histogram_value.sum) == (4, 3, 6)


def test_percentiles_are_those_of_the_buckets() -> None:
    event = HistogramEvent(1.0, 2, HistogramValue(0.0, 4.0, 4, 8.0, 20.0, [1.0, 2.0, 3.0, 5.0], [1, 0, 1, 2]))
    found = dict(compressed(event, (0, 2500, 5000, 7500, 10000)).compressed_histogram_values)
    assert found == {0: 0.0, 2500: 2.0, 5000: 3.0, 7500: 3.5, 10000: 4.0}
    nothing = HistogramEvent(1.0, 2, HistogramValue(0.0, 0.0, 0, 0.0, 0.0, [], []))
    assert compressed(nothing, (0, 10000)).compressed_histogram_values == [(0, 0.0), (10000, 0.0)]


@pytest.mark.parametrize(
    ("value", "dtype"), [(0.5, "float32"), (0.1, "float64"), (math.inf, "float32"), (math.nan, "float32"), (1e300, "float64")]
)
def test_a_scalar_as_a_tensor_keeps_its_value(value: float, dtype: str) -> None:
    made = scalar_tensor(value)
    for tensor in (made, tensor_message(made.SerializeToString())):
        array = tensor.numpy()
        assert (array.shape, array.dtype) == ((), dtype)
        assert float(array) == value or math.isnan(value)


@pytest.mark.parametrize(
    "message",
    [
        b"\x08\x01\x12\x08\x12\x06\x08\xff\xff\xff\xff\x07",  # two thousand million numbers, and none of them there
        b"\x08\x01\x12\x04\x12\x02\x08\x03\x2a\x08\x00\x00\x00\x00\x00\x00\x00\x00",  # two of three
        b"\x08\x63",  # a type that nobody knows
    ],
)
def test_a_tensor_that_lies_about_itself_is_refused(message: bytes) -> None:
    with pytest.raises(BadMessage):
        tensor_message(message).numpy()


def test_records_are_yielded_once_and_damage_costs_one(folder: LogFolder) -> None:
    file = folder.write("a", form=0, series={"loss": [1.0, 2.0, 3.0]})
    whole = list(RawEventFileLoader(file).Load())
    assert len(whole) == 4
    loader = RawEventFileLoader(file)
    assert next(loader.Load()) == whole[0]
    assert list(loader.Load()) == whole[1:]
    assert list(loader.Load()) == []
    folder.write("a", form=0, series={"loss": [(3, 4.0)]}, version=False)
    assert len(list(loader.Load())) == 1
    data = bytearray(file.read_bytes())
    data[16 + len(whole[0]) + 12 + 3] ^= 1
    file.write_bytes(data[:-3])
    assert list(RawEventFileLoader(file).Load()) == [whole[0], *whole[2:]]
    with pytest.raises(FileNotFoundError):
        list(RawEventFileLoader(folder.path / "none").Load())
