"""Tensors of any shape, for plugins and scripts that read them back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stepscope.writer.arrays import take
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, checked_tag, metadata_of, shape_of, value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TYPES = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "int64": 9,
    "bool": 10,
    "uint16": 17,
    "float16": 19,
    "uint32": 22,
    "uint64": 23,
}
_BFLOAT16 = 14
_LISTS = {"float32": ("float_val", "<f4"), "float64": ("double_val", "<f8")}
_MOST_BYTES = 1 << 31


def tensor_work(tag: object, tensor: object, moment: Moment) -> Deferred:
    """The event of a tensor, which keeps its type; bfloat16 included."""
    name = checked_tag(tag)
    make, held_bytes = tensor_maker(tensor)
    value = value_of(name).message("metadata", metadata_of("tensor"))
    return Deferred(lambda: moment.event(value.message("tensor", make())), held_bytes)


def tensor_maker(tensor: object) -> tuple[Callable[[], Message], int]:
    """Takes a tensor of numbers, and returns what makes its message later, and how much it holds until then."""
    short = "bfloat16" in str(getattr(tensor, "dtype", ""))
    array = take(tensor, "the tensor")
    if not short and array.dtype.name not in _TYPES:
        raise TypeError(f"Give a tensor of integers, floats or truth values; {array.dtype.name} has no type in event files.")
    if array.nbytes >= _MOST_BYTES:
        raise ValueError("Give a tensor of less than 2 GB, the largest that an event can contain.")
    return (lambda: _bfloat16(array) if short else _tensor(array)), array.nbytes


def _tensor(array: NDArray[Any]) -> Message:
    name = array.dtype.name
    message = Message("TensorProto").integer("dtype", _TYPES[name]).message("tensor_shape", shape_of(array.shape))
    if name in _LISTS:
        field, form = _LISTS[name]
        return message.array(field, array.reshape(-1), form)
    return message.data("tensor_content", array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())


def _bfloat16(array: NDArray[Any]) -> Message:
    """A bfloat16 is the upper half of the float32 that it was taken as."""
    message = Message("TensorProto").integer("dtype", _BFLOAT16).message("tensor_shape", shape_of(array.shape))
    return message.data("tensor_content", (array.reshape(-1).view("<u4") >> 16).astype("<u2").tobytes())
