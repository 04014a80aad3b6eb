"""every and record_if are tested before a value is taken, by stepscope.summary and by SummaryWriter alike."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from stepscope import SummaryWriter, every, record_if, summary


class Costly:
    """A value that must not be looked at."""

    def __float__(self) -> float:
        raise AssertionError

    def __array__(self, *_: object, **__: object) -> Any:
        raise AssertionError


def test_every_counts_steps() -> None:
    assert [step for step in range(10) if every(3)(step)] == [0, 3, 6, 9]
    assert bool(every(5)(np.int64(10)))
    assert every(np.int64(5))(10)
    summary.experimental.set_step(6)
    assert every(3)
    assert not every(4)


def test_every_needs_a_step_to_count() -> None:
    with pytest.raises(ValueError, match=r"Give a step as every\(3\)\(step\)"):
        bool(every(3))


@pytest.mark.parametrize("steps", [0, -1, 2.5, "3", True])
def test_every_refuses_what_cannot_be_counted(steps: Any) -> None:
    with pytest.raises(ValueError, match="Give every"):
        every(steps)


def test_nothing_is_taken_from_what_is_not_recorded(tmp_path: Path, read: Any) -> None:
    writer = SummaryWriter(tmp_path)
    with record_if(False):
        writer.add_scalar("a", Costly(), 1)
        writer.add_histogram("a", Costly(), 1)
        writer.add_images("a", img_tensor=Costly())
        writer.add_scalars("a", {"b": Costly()}, 1)
    with writer, summary.create_file_writer(tmp_path / "summary").as_default(step=1), record_if(lambda: False):
        for call in (summary.scalar, summary.histogram, summary.image, summary.text, summary.write):
            assert call("a", Costly()) is False
        assert summary.audio("a", Costly(), 8000) is False
        assert summary.log({"a": Costly()}) is False
        assert summary.should_record_summaries() is False
    assert read(tmp_path) == {}


def test_every_is_tested_with_the_step_of_each_call(tmp_path: Path, read: Any) -> None:
    default = summary.create_file_writer(tmp_path / "summary")
    with SummaryWriter(tmp_path) as writer, default.as_default(), record_if(every(4)):
        for step in range(10):
            writer.add_scalar("position", step, step)
            writer.add_scalar("name", step, global_step=step)
            writer.add_text("text", "said", step)
            summary.scalar("a", step, step=step)
            with default.as_default(step=step):
                summary.histogram("b", [1.0])
    default.close()
    assert [series.steps for series in read(tmp_path).values()] == [[0, 4, 8]] * 3
    assert [series.steps for series in read(tmp_path / "summary").values()] == [[0, 4, 8]] * 2


def test_a_condition_is_tested_once_for_each_call(tmp_path: Path, read: Any) -> None:
    tested: list[int] = []

    def second() -> bool:
        tested.append(1)
        return len(tested) % 2 == 0

    default = summary.create_file_writer(tmp_path / "summary")
    with SummaryWriter(tmp_path) as writer, record_if(second), default.as_default():
        for step in range(4):
            writer.add_scalar("a", 1.0, step)
        for step in range(4):
            summary.scalar("a", 1.0, step)
        writer.add_custom_scalars_multilinechart(["a"])
    default.close()
    assert len(tested) == 9
    assert read(tmp_path)["a"].steps == [1, 3]
    assert read(tmp_path / "summary")["a"].steps == [1, 3]


def test_the_inner_condition_counts_and_the_outer_returns(tmp_path: Path, read: Any) -> None:
    with SummaryWriter(tmp_path) as writer, record_if(False):
        writer.add_scalar("a", 1.0, 1)
        with record_if(True):
            writer.add_scalar("a", 1.0, 2)
        writer.add_scalar("a", 1.0, 3)
    assert read(tmp_path)["a"].steps == [2]


def test_a_condition_is_one_of_its_thread(tmp_path: Path, read: Any) -> None:
    with SummaryWriter(tmp_path) as writer, record_if(False):
        thread = threading.Thread(target=writer.add_scalar, args=("a", 1.0, 1))
        thread.start()
        thread.join()
    assert read(tmp_path)["a"].steps == [1]


def test_one_context_can_be_entered_again(tmp_path: Path, read: Any) -> None:
    never = record_if(False)
    with SummaryWriter(tmp_path) as writer:
        with never, never:
            writer.add_scalar("a", 1.0, 1)
        writer.add_scalar("a", 1.0, 2)
    assert read(tmp_path)["a"].steps == [2]


def test_the_names_are_those_of_the_package() -> None:
    assert summary.record_if is stepscope.record_if
    assert {"every", "record_if", "summary"} <= set(dir(stepscope))


def test_methods_keep_their_signature_and_their_words() -> None:
    assert list(inspect.signature(SummaryWriter.add_histogram).parameters)[:3] == ["self", "tag", "values"]
    assert SummaryWriter.add_text.__doc__
