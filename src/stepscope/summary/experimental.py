"""The names of tf.summary.experimental."""

from __future__ import annotations

from stepscope.summary.record import record_event
from stepscope.summary.scopes import summary_scope
from stepscope.writer.compiled import plain
from stepscope.writer.message import Message
from stepscope.writer.ready_messages import serialized
from stepscope.writer.recording import calls
from stepscope.writer.summary import Deferred, Moment

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]


@plain
def set_step(step: object) -> None:
    """Sets the step of this thread's summaries that are given none: a number, a tensor or variable, or None for no step."""
    calls.step = step


@plain
def get_step() -> object:
    """The step that was set for this thread, or None."""
    return calls.step


@plain
def write_raw_pb(tensor: object, step: object = None, name: str | None = None) -> object:
    """Writes a Summary message, or its bytes."""
    del name
    return record_event(_summary_work, (tensor,), step)


def _summary_work(moment: Moment, summary: object) -> Deferred:
    item = getattr(summary, "item", None) or getattr(summary, "numpy", None)
    data = serialized(item() if item is not None else summary, "the summary")
    event = Message("Event").double("wall_time", moment.wall_time).integer("step", moment.step).data("summary", data).encoded()
    return Deferred(lambda: event, len(event))
