"""Makes the folders that the benchmarks read: many runs, tags and steps, written with Stepscope's own encoder, kept in build/bench."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass
from pathlib import Path

from stepscope._native import EventEncoder

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "bench"
BEGAN = 1_700_000_000.0
IMAGE_BYTES = 1_000_000
FLUSH_EVENTS = 200_000


@dataclass(frozen=True, slots=True)
class Shape:
    """How many runs, tags in each, and steps of each tag."""

    runs: int
    tags: int
    steps: int

    @property
    def events(self) -> int:
        return self.runs * self.tags * self.steps

    @property
    def name(self) -> str:
        return f"{self.runs}x{self.tags}x{self.steps}"


STANDARD = Shape(20, 10, 10_000)
SMALL = Shape(20, 10, 1_000)
LARGE = Shape(20, 10, 100_000)
HUNDRED_MILLION = Shape(20, 50, 100_000)
LONG_SERIES = Shape(1, 1, 10_000_000)
FIVE_GIGABYTES_SCALARS = Shape(20, 10, 165_000)


def value_at(run: int, tag: int, step: int) -> float:
    """A falling curve with a wave on it; no two series are alike."""
    return (1 + tag) / (1 + step * 0.001 * (1 + run)) + 0.05 * math.sin(step * 0.1 + run)


def write_run(path: Path, run: int, shape: Shape) -> None:
    """One event file, a flush every 200,000 events, as a training loop writes it: all tags of a step together."""
    encoder = EventEncoder()
    encoder.add_file_version(BEGAN, b"stepscope benchmark")
    tags = [f"group{tag % 3}/tag{tag}".encode() for tag in range(shape.tags)]
    steps_at_once = max(1, FLUSH_EVENTS // shape.tags)
    with path.open("wb") as file:
        for first in range(0, shape.steps, steps_at_once):
            last = min(first + steps_at_once, shape.steps)
            encoder.add_scalars(
                [
                    (tag, step, BEGAN + step * 0.5, value_at(run, place, step))
                    for step in range(first, last)
                    for place, tag in enumerate(tags)
                ]
            )
            file.write(encoder.take())


def make(shape: Shape) -> Path:
    """The folder of this shape; made once, complete or not there at all."""
    folder = KEPT / shape.name
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    for run in range(shape.runs):
        place = draft / f"run{run:02}"
        place.mkdir(parents=True)
        write_run(place / f"events.out.tfevents.{int(BEGAN)}.bench.{run}.0", run, shape)
    draft.rename(folder)
    return folder


def varint(number: int) -> bytes:
    """Protobuf's variable-length number."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def delimited(field: int, body: bytes) -> bytes:
    """Protobuf's length-delimited field."""
    return varint(field << 3 | 2) + varint(len(body)) + body


def image_event(step: int, image: bytes) -> bytes:
    """An Event with one image summary (event: step 2, summary 5; summary: value 1; value: tag 1, image 4; image: bytes 4)."""
    value = delimited(1, b"samples") + delimited(4, delimited(4, image))
    return varint(2 << 3) + varint(step) + delimited(5, delimited(1, value))


def make_five_gigabytes() -> Path:
    """2 GB of scalars and 3 GB of images of 1 MB, as a folder of its own."""
    folder = KEPT / "five-gigabytes"
    if folder.exists():
        return folder
    draft = folder.with_name("five-gigabytes.part")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    for run in range(FIVE_GIGABYTES_SCALARS.runs):
        place = draft / f"run{run:02}"
        place.mkdir()
        write_run(place / f"events.out.tfevents.{int(BEGAN)}.bench.{run}.0", run, FIVE_GIGABYTES_SCALARS)
        with (place / f"events.out.tfevents.{int(BEGAN) + 1}.bench.{run}.1").open("wb") as file:
            for step in range(150):
                encoder = EventEncoder()
                encoder.add_event(image_event(step, bytes([step & 0xFF]) * IMAGE_BYTES))
                file.write(encoder.take())
    draft.rename(folder)
    return folder
