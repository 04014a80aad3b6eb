"""Frames carry every type of column exactly, 64-bit integers included."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from stepscope.dashboards.frame import Column, FrameBuilder


class Header(msgspec.Struct):
    columns: dict[str, Column]


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
    builder = FrameBuilder()
    found = decoded(builder.finish(Header(builder.add({"before": np.zeros(3, np.uint8), "x": array}))))
    assert found["x"].dtype == array.dtype
    assert found["x"].tolist() == array.tolist()


def test_what_a_double_cannot_hold_is_exact() -> None:
    builder = FrameBuilder()
    array = np.array([2**53 + 1, 2**62 + 3], np.int64)
    found = decoded(builder.finish(Header(builder.add({"x": array, "y": array.astype(np.uint64)}))))
    assert found["x"].tolist() == found["y"].tolist() == [2**53 + 1, 2**62 + 3]


def test_big_endian_columns_are_turned() -> None:
    builder = FrameBuilder()
    found = decoded(builder.finish(Header(builder.add({"x": np.array([1, 2**40], ">i8")}))))
    assert found["x"].tolist() == [1, 2**40]
