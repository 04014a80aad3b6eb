"""tf.summary.experimental: the step of a thread, and summaries that are ready."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope import summary
from stepscope.summary import experimental
from stepscope.writer.message import Message


def ready(tag: str, value: bytes) -> Any:
    """A Summary with one text."""
    tensor = Message("TensorProto").integer("dtype", 7).data("string_val", value)
    return Message("Summary").message("value", Message("Value").text("tag", tag).message("tensor", tensor))


def test_the_step_that_was_set_is_that_of_later_calls(tmp_path: Path, read: Any) -> None:
    with summary.create_file_writer(tmp_path).as_default() as writer:
        for step in (3, 8):
            experimental.set_step(step)
            assert experimental.get_step() == step
            summary.scalar("a", 1.0)
        summary.scalar("a", 1.0, step=20)
        writer.close()
    assert read(tmp_path)["a"].steps == [3, 8, 20]


def test_a_step_belongs_to_its_thread() -> None:
    experimental.set_step(5)
    seen: list[object] = []
    thread = threading.Thread(target=lambda: seen.append(experimental.get_step()))
    thread.start()
    thread.join()
    assert (seen, experimental.get_step()) == ([None], 5)


def test_no_step_is_none(tmp_path: Path) -> None:
    experimental.set_step(None)
    with summary.create_file_writer(tmp_path).as_default(), pytest.raises(ValueError, match="step"):
        summary.scalar("a", 1.0)


@pytest.mark.parametrize("wrap", [lambda data: data, np.array], ids=["bytes", "an array of one"])
def test_a_ready_summary_is_written_as_it_is(tmp_path: Path, read: Any, wrap: Any) -> None:
    with summary.create_file_writer(tmp_path).as_default(step=4) as writer:
        assert experimental.write_raw_pb(wrap(ready("made", b"words").encoded())) is True
        writer.close()
    made = read(tmp_path)["made"]
    assert (made.steps, b"words" in made.bytes[0]) == ([4], True)


def test_what_is_no_summary_is_refused_at_the_call(tmp_path: Path, read: Any) -> None:
    with summary.create_file_writer(tmp_path).as_default(step=4) as writer:
        with pytest.raises(TypeError):
            experimental.write_raw_pb(3)
        writer.close()
    assert read(tmp_path) == {}
