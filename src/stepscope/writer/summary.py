"""What every kind of summary has in common: a tag, a step, a time, and a message that is made after the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, SupportsInt

from stepscope.writer.message import Message
from stepscope.writer.scalar import as_step, as_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

Step = SupportsInt | SupportsIndex | None

FLOAT, STRING = 1, 7
"""Tensor types."""


class Deferred(NamedTuple):
    """Work for the writer's thread, and how much memory it holds until it is done."""

    make: Callable[[], bytes | None]
    """Returns a serialized Event, or None when there is nothing to write."""

    held_bytes: int


class Moment(NamedTuple):
    """When something was logged."""

    step: int
    wall_time: float

    def event(self, *values: Message) -> bytes:
        """The Event with these summary values."""
        summary = Message("Summary")
        for value in values:
            summary.message("value", value)
        event = Message("Event").double("wall_time", self.wall_time).integer("step", self.step)
        return event.message("summary", summary).encoded()


def moment_of(step: Step, walltime: float | None) -> Moment:
    """Step and time of a call, with what was not given."""
    return Moment(as_step(step), as_time(walltime))


def checked_tag(tag: object) -> str:
    """The tag, if it is one."""
    if not isinstance(tag, str):
        raise TypeError(f"Give the tag as a string, not as {type(tag).__name__}.")
    return tag


def value_of(tag: str) -> Message:
    """A summary value with its tag; the caller adds the rest."""
    return Message("Value").text("tag", tag)


def metadata_of(plugin: str, content: Message | None = None) -> Message:
    """The metadata that says which plugin a tensor belongs to."""
    data = Message("PluginData").text("plugin_name", plugin)
    if content is not None:
        data.data("content", content.encoded())
    return Message("SummaryMetadata").message("plugin_data", data)


def shape_of(sizes: Iterable[int]) -> Message:
    """A tensor's shape."""
    shape = Message("TensorShape")
    for size in sizes:
        shape.message("dim", Message("Dim").integer("size", size))
    return shape


def float_tensor(values: NDArray[Any]) -> Message:
    """A tensor of 32-bit floats."""
    tensor = Message("TensorProto").integer("dtype", FLOAT).message("tensor_shape", shape_of(values.shape))
    return tensor.array("float_val", values.reshape(-1), "<f4")


def string_tensor(strings: Sequence[bytes], shape: Iterable[int]) -> Message:
    """A tensor of byte strings."""
    tensor = Message("TensorProto").integer("dtype", STRING).message("tensor_shape", shape_of(shape))
    for each in strings:
        tensor.data("string_val", each, always=True)
    return tensor
