"""Numbers of tensors in every form that writers use, and tensors that are not what they say."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from event_bytes import integer, message, varint
from stepscope._native import WIRE
from stepscope.model.protobuf_fields import BadMessage
from stepscope.queries.tensor_arrays import tensor_array

TENSOR, FLOAT, DOUBLE, INT32, UINT8, INT64, STRING = WIRE["TensorProto"], 1, 2, 3, 4, 9, 7


def tensor(dtype: int, shape: tuple[int, ...], *values: bytes) -> bytes:
    sizes = b"".join(message(WIRE["TensorShape"]["dim"], integer(WIRE["Dim"]["size"], size)) for size in shape)
    return integer(TENSOR["dtype"], dtype) + message(TENSOR["tensor_shape"], sizes) + b"".join(values)


def content(kind: str, *numbers: float) -> bytes:
    return message(TENSOR["tensor_content"], np.array(numbers, kind).tobytes())


@pytest.mark.parametrize(("dtype", "kind"), [(FLOAT, "<f4"), (DOUBLE, "<f8"), (INT32, "<i4"), (UINT8, "u1"), (INT64, "<i8")])
def test_content_in_its_shape(dtype: int, kind: str) -> None:
    found = tensor_array(tensor(dtype, (2, 3), content(kind, 1, 2, 3, 4, 5, 6)), most=10)
    assert (found.dtype, found.tolist()) == (np.float64, [[1, 2, 3], [4, 5, 6]])


def test_numbers_one_by_one_and_packed() -> None:
    packed = message(TENSOR["int_val"], varint(300), varint(2))
    assert tensor_array(tensor(INT32, (2,), packed), 10).tolist() == [300, 2]
    single = integer(TENSOR["int_val"], 300) + integer(TENSOR["int_val"], 2)
    assert tensor_array(tensor(INT32, (2,), single), 10).tolist() == [300, 2]
    floats = message(TENSOR["float_val"], struct.pack("<ff", 0.5, -2.0))
    assert tensor_array(tensor(FLOAT, (2,), floats), 10).tolist() == [0.5, -2.0]


@pytest.mark.parametrize(
    "bad",
    [
        tensor(STRING, (1,), content("<f4", 1)),
        tensor(FLOAT, (3,), content("<f4", 1, 2)),
        tensor(FLOAT, (11,), content("<f4", *range(11))),
        tensor(FLOAT, (-1,), content("<f4", 1)),
        tensor(INT32, (1,), message(TENSOR["int_val"], b"\x80")),
        tensor(INT32, (1,), message(TENSOR["int_val"], b"\x80\x80\x80\x80\x80\x01")),
        b"\xff",
    ],
    ids=["type", "too few", "too many", "unknown size", "cut number", "large number", "no message"],
)
def test_what_is_not_as_it_says_is_refused(bad: bytes) -> None:
    with pytest.raises(BadMessage):
        tensor_array(bad, most=10)
