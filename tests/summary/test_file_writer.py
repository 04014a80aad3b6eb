"""TensorFlow 1's FileWriter, with messages as bytes: what is put in is what is read."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

import event_bytes
from stepscope import summary


class Message:
    """What protobuf's messages have."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def SerializeToString(self) -> bytes:  # noqa: N802 (protobuf's name)
        return self.data


class Graph:
    """What a tf.Graph has."""

    def as_graph_def(self, add_shapes: bool) -> Message:
        assert add_shapes
        return Message(b"")


SUMMARY = event_bytes.value(b"loss", event_bytes.single(2, 0.5))


def test_every_message_is_written(tmp_path: Path, read: Any) -> None:
    with summary.FileWriter(tmp_path, graph=Graph()) as writer:
        assert writer.get_logdir() == str(tmp_path)
        writer.add_summary(SUMMARY, 3)
        writer.add_summary(Message(SUMMARY), global_step=4)
        writer.add_run_metadata(Message(event_bytes.message(1)), "run_1", 5)
        writer.add_session_log(event_bytes.integer(1, 3), 6)
        writer.add_meta_graph(b"", 7)
        writer.flush()
    found = read(tmp_path)
    assert found["loss"].values == [0.5, 0.5]
    assert {tag: (series.kind, series.steps) for tag, series in found.items()} == {
        "loss": ("scalar", [3, 4]),
        "run_1": ("run_metadata", [5]),
        "__run_graph__": ("graph", [0]),
        "__meta_graph__": ("graph", [7]),
    }


def test_whole_events_keep_their_time(tmp_path: Path, read: Any) -> None:
    event = event_bytes.event(9, 1234.5, event_bytes.message(5, SUMMARY))
    with summary.FileWriter(str(tmp_path)) as writer:
        writer.add_event(event)
    assert read(tmp_path)["loss"].steps == [9]


def test_after_close_nothing_is_written_until_it_is_reopened(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    writer = summary.FileWriter(tmp_path)
    writer.close()
    with caplog.at_level(logging.WARNING):
        writer.add_summary(SUMMARY, 1)
        writer.add_summary(SUMMARY, 2)
    assert [message for message in caplog.messages if "reopen" in message] == caplog.messages[:1]
    assert len(list(tmp_path.iterdir())) == 1
    writer.reopen()
    writer.add_summary(SUMMARY, 3)
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_wrong_messages_are_told(tmp_path: Path) -> None:
    with summary.FileWriter(tmp_path) as writer:
        writer.add_run_metadata(b"", "run_1")
        with pytest.raises(ValueError, match="a tag of its own"):
            writer.add_run_metadata(b"", "run_1")
        with pytest.raises(TypeError, match="protobuf message"):
            writer.add_summary({"loss": 1.0})
        with pytest.raises(ValueError, match="but not both"):
            writer.add_graph(Graph(), graph_def=Graph())
