"""Writes HloProto bytes by hand, from the schema's field numbers."""

from __future__ import annotations

from collections.abc import Iterable

from event_bytes import integer, message, varint

PRED, S32, F32, BF16, TUPLE = 1, 4, 11, 16, 13


def packed(field: int, numbers: Iterable[int]) -> bytes:
    """A repeated field of numbers."""
    return message(field, *(varint(number) for number in numbers))


def shape(kind: int, *dims: int) -> bytes:
    """A ShapeProto of an array in the usual layout."""
    return integer(2, kind) + packed(3, dims) + message(5, packed(1, reversed(range(len(dims)))))


def tuple_shape(*parts: bytes) -> bytes:
    """A ShapeProto of a tuple."""
    return integer(2, TUPLE) + b"".join(message(4, part) for part in parts)


def instruction(
    number: int, opcode: str, of: bytes, *fields: bytes, name: str = "", operands: Iterable[int] = (), calls: Iterable[int] = ()
) -> bytes:
    """An instruction of that id; its name is its opcode and id unless given."""
    text = name or f"{opcode}.{number}"
    return b"".join(
        (
            message(1, text.encode()),
            message(2, opcode.encode()),
            message(3, of),
            integer(35, number),
            packed(36, operands),
            packed(38, calls),
            *fields,
        )
    )


def parameter(number: int, place: int, of: bytes) -> bytes:
    """A parameter."""
    return instruction(number, "parameter", of, integer(9, place))


def computation(number: int, root: int, *instructions: bytes, name: str = "") -> bytes:
    """A computation of that id."""
    text = name or f"computation.{number}"
    return message(1, text.encode()) + b"".join(message(2, each) for each in instructions) + integer(5, number) + integer(6, root)


def program(*computations: bytes, entry: int, name: str = "jit_f", frames: bytes = b"") -> bytes:
    """An HloProto."""
    return message(1, message(1, name.encode()), *(message(3, each) for each in computations), integer(6, entry), frames)


def metadata(op_name: str = "", file: str = "", line: int = 0, frame: int = 0) -> bytes:
    """An instruction's metadata field."""
    return message(7, message(2, op_name.encode()), message(3, file.encode()), integer(4, line), integer(15, frame))


def window(*dimensions: tuple[int, int, int, int, int, int]) -> bytes:
    """An instruction's window: size, stride, padding low and high, dilation of the kernel and of the input."""
    return message(15, *(message(1, *(integer(place + 1, number) for place, number in enumerate(each))) for each in dimensions))


def nhwc(spatial: int) -> bytes:
    """An instruction's convolution dimensions: batch, spatial, feature; kernel spatial, input feature, output feature."""
    between = range(1, spatial + 1)
    return message(
        16,
        *(integer(7, 0), integer(8, spatial + 1), packed(11, between)),
        *(packed(6, range(spatial)), integer(3, spatial), integer(4, spatial + 1)),
        *(integer(9, 0), integer(10, spatial + 1), packed(12, between)),
    )


def dot(left: Iterable[int], right: Iterable[int], left_batch: Iterable[int] = (), right_batch: Iterable[int] = ()) -> bytes:
    """An instruction's product dimensions: contracted and batch."""
    return message(30, packed(1, left), packed(2, right), packed(3, left_batch), packed(4, right_batch))
