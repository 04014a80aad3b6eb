"""The events that EventAccumulator returns, with TensorBoard's names and fields, made of the bytes of summary values."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from stepscope._native import WIRE
from stepscope.model.protobuf_fields import BadMessage, Field, fields
from stepscope.queries.tensor_message import TensorProto, tensor_message


@dataclass(frozen=True)
class ScalarEvent:
    """A point."""

    wall_time: float
    step: int
    value: float


@dataclass(frozen=True)
class CompressedHistogramEvent:
    """Percentiles of a histogram: pairs of basis points (hundredths of a percent) and value."""

    wall_time: float
    step: int
    compressed_histogram_values: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class HistogramValue:
    """A histogram as it was logged; `bucket_limit` has the right edges."""

    min: float
    max: float
    num: float
    sum: float
    sum_squares: float
    bucket_limit: Sequence[float]
    bucket: Sequence[float]


@dataclass(frozen=True)
class HistogramEvent:
    """A histogram at a step."""

    wall_time: float
    step: int
    histogram_value: HistogramValue


@dataclass(frozen=True)
class ImageEvent:
    """An image at a step, as its file's bytes."""

    wall_time: float
    step: int
    encoded_image_string: bytes
    width: int
    height: int


@dataclass(frozen=True)
class AudioEvent:
    """A sound at a step, as its file's bytes."""

    wall_time: float
    step: int
    encoded_audio_string: bytes
    content_type: str
    sample_rate: float
    length_frames: int


@dataclass(frozen=True)
class TensorEvent:
    """A tensor at a step. `tensor_proto.numpy()` is its array."""

    wall_time: float
    step: int
    tensor_proto: TensorProto


@dataclass(frozen=True)
class PluginData:
    """Which plugin shows a series, and what its writer told the plugin."""

    plugin_name: str = ""
    content: bytes = b""


@dataclass(frozen=True)
class SummaryMetadata:
    """What a writer said about a series, with the field names of TensorBoard's message."""

    plugin_data: PluginData = field(default_factory=PluginData)
    display_name: str = ""
    summary_description: str = ""
    data_class: int = 0


def part_of(value: bytes, name: str) -> bytes | None:
    """A field of a summary value, such as its tensor; None without it. Raises BadMessage."""
    wanted = WIRE["Value"][name]
    return next((part.data for part in fields(value) if part.id == wanted and part.is_bytes), None)


def tensor_event(wall: float, step: int, value: bytes) -> TensorEvent:
    """Raises BadMessage."""
    return TensorEvent(wall, step, tensor_message(_needed(value, "tensor")))


def image_event(wall: float, step: int, value: bytes) -> ImageEvent:
    """Raises BadMessage."""
    known, found = WIRE["Image"], _by_id(_needed(value, "image"))
    width, height = (found[known[name]].signed if known[name] in found else 0 for name in ("width", "height"))
    return ImageEvent(wall, step, _bytes(found, known["encoded_image_string"]), width, height)


def audio_event(wall: float, step: int, value: bytes) -> AudioEvent:
    """Raises BadMessage."""
    known, found = WIRE["Audio"], _by_id(_needed(value, "audio"))
    frames = found[known["length_frames"]].signed if known["length_frames"] in found else 0
    (rate,) = struct.unpack(
        "<f", (found[known["sample_rate"]].number if known["sample_rate"] in found else 0).to_bytes(8, "little")[:4]
    )
    kind = _bytes(found, known["content_type"]).decode("utf-8", "replace")
    return AudioEvent(wall, step, _bytes(found, known["encoded_audio_string"]), kind, rate, frames)


def histogram_event(wall: float, step: int, value: bytes) -> HistogramEvent:
    """Raises BadMessage."""
    known = WIRE["HistogramProto"]
    parts = list(fields(_needed(value, "histo")))
    doubles = {name: _doubles([part for part in parts if part.id == number]) for name, number in known.items()}
    single = {name: doubles[name][-1] if doubles[name] else 0.0 for name in ("min", "max", "num", "sum", "sum_squares")}
    return HistogramEvent(wall, step, HistogramValue(**single, bucket_limit=doubles["bucket_limit"], bucket=doubles["bucket"]))


def compressed(event: HistogramEvent, points: Sequence[float]) -> CompressedHistogramEvent:
    """The values below which given shares of all values are; within a bucket they are taken to be spread evenly."""
    histogram = event.histogram_value
    if not histogram.num or not histogram.bucket:
        return CompressedHistogramEvent(event.wall_time, event.step, [(point, 0.0) for point in points])
    whole = sum(histogram.bucket) or 1.0
    reached = list(accumulate(count * points[-1] / whole for count in histogram.bucket))
    return CompressedHistogramEvent(event.wall_time, event.step, [(point, _percentile(histogram, reached, point)) for point in points])


def _percentile(histogram: HistogramValue, reached: list[float], point: float) -> float:
    for place, end in enumerate(reached[: len(histogram.bucket_limit)]):
        before = reached[place - 1] if place else 0.0
        if end > point and end != before:
            left = max(histogram.bucket_limit[place - 1], histogram.min) if before else histogram.min
            right = min(histogram.bucket_limit[place], histogram.max)
            return left + (point - before) * (right - left) / (end - before)
    return histogram.max


def _needed(value: bytes, name: str) -> bytes:
    found = part_of(value, name)
    if found is None:
        raise BadMessage(f"the value has no {name}")
    return found


def _by_id(message: bytes) -> dict[int, Field]:
    return {part.id: part for part in fields(message)}


def _bytes(found: dict[int, Field], number: int) -> bytes:
    return found[number].data if number in found else b""


def _doubles(parts: list[Field]) -> list[float]:
    data = b"".join(part.data if part.is_bytes else part.number.to_bytes(8, "little") for part in parts)
    return [number for (number,) in struct.iter_unpack("<d", data[: len(data) // 8 * 8])]
