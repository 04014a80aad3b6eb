"""Frames carry every type of column exactly, 64-bit integers included."""

from __future__ import annotations

import json
from typing import Annotated, Any

import numpy as np
import pytest
from msgspec import UNSET, Struct, defstruct

from stepscope.dashboards.frame import FrameBuilder, Placed
from stepscope.model import declared as d


def frame_of(**arrays: np.ndarray) -> bytes:
    """A frame of these columns, declared as what they are."""
    kinds = {"f8": "f64", "f4": "f32", "i8": "i64", "u8": "u64", "i4": "i32", "u1": "u8"}
    fields = [(name, Annotated[Placed, d.binary(kinds[one.dtype.str[1:]], "", "")], UNSET) for name, one in arrays.items()]
    columns: Any = defstruct("Columns", fields)
    header: Any = defstruct("Header", [("columns", columns)])
    builder = FrameBuilder()
    return builder.finish(header(builder.add(columns, arrays)))


def decoded(frame: bytes) -> dict[str, np.ndarray]:
    """The columns, read as docs/http-api.md describes frames."""
    length = int.from_bytes(frame[:4], "little")
    start = (4 + length + 7) // 8 * 8
    kinds = {"f64": "<f8", "f32": "<f4", "i64": "<i8", "u64": "<u8", "i32": "<i4", "u8": "u1"}
    places = json.loads(frame[4 : 4 + length])["columns"]
    return {name: np.frombuffer(frame, kinds[one["dtype"]], one["count"], start + one["offset"]) for name, one in places.items()}


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "u8", "i4", "u1"])
def test_the_ends_of_every_type_survive(kind: str) -> None:
    limits = np.finfo(kind) if kind.startswith("f") else np.iinfo(kind)
    array = np.array([limits.min, 0, 1, limits.max], kind)
    found = decoded(frame_of(before=np.zeros(3, np.uint8), x=array))
    assert found["x"].dtype == array.dtype
    assert found["x"].tolist() == array.tolist()


def test_what_a_double_cannot_hold_is_exact() -> None:
    array = np.array([2**53 + 1, 2**62 + 3], np.int64)
    found = decoded(frame_of(x=array, y=array.astype(np.uint64)))
    assert found["x"].tolist() == found["y"].tolist() == [2**53 + 1, 2**62 + 3]


def test_big_endian_columns_are_turned() -> None:
    assert decoded(frame_of(x=np.array([1, 2**40], ">i8")))["x"].tolist() == [1, 2**40]


def test_one_array_under_two_names_is_sent_once() -> None:
    array = np.arange(4.0)
    frame = frame_of(x=array, step=array, y=array.copy())
    found = decoded(frame)
    assert found["x"].tolist() == found["step"].tolist() == found["y"].tolist()
    assert len(frame) == (4 + int.from_bytes(frame[:4], "little") + 7) // 8 * 8 + 2 * array.nbytes


class OneColumn(Struct):
    """A declaration of one column of doubles."""

    x: Annotated[Placed, d.binary("f64", "x.", "s")] = UNSET


@pytest.mark.parametrize("arrays", [{"x": np.zeros(2, np.float32)}, {"y": np.zeros(2)}])
def test_a_column_that_is_not_declared_so_is_refused(arrays: dict[str, np.ndarray]) -> None:
    with pytest.raises((TypeError, KeyError)):
        FrameBuilder().add(OneColumn, arrays)
