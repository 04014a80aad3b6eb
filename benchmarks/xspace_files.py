"""Makes large XSpace files by repeating a real capture's events with shifted times, and measures how long they take to read."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from stepscope._native import WIRE
from stepscope.formats.format import Limits
from stepscope.formats.xplane import FORMAT

ROOT = Path(__file__).resolve().parent.parent
CAPTURE = ROOT / "tests" / "formats" / "xplane" / "captures" / "tensorflow.xplane.pb"
KEPT = ROOT / "build" / "bench"
SPACE, PLANE, LINE, EVENT = (WIRE[name] for name in ("XSpace", "XPlane", "XLine", "XEvent"))


def varint(number: int) -> bytes:
    """A base-128 number."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def fields(data: bytes) -> Iterator[tuple[int, bytes, bytes | int]]:
    """Number, raw bytes and value of each field of a message that is known to be good."""
    at = 0
    while at < len(data):
        begin = at
        key, at = read_varint(data, at)
        if key & 7 == 0:
            number, at = read_varint(data, at)
            yield key >> 3, data[begin:at], number
        elif key & 7 == 1:
            at += 8
            yield key >> 3, data[begin:at], data[at - 8 : at]
        else:
            length, at = read_varint(data, at)
            at += length
            yield key >> 3, data[begin:at], data[at - length : at]


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a place and the place behind it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def message(field: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def split_event(event: bytes) -> tuple[bytes, int, bytes]:
    """What comes before the event's time, the time, and what comes after."""
    before, offset, after = b"", 0, b""
    for field, raw, value in fields(event):
        if field == EVENT["offset_ps"] and isinstance(value, int):
            offset = value
        elif field < EVENT["offset_ps"]:
            before += raw
        else:
            after += raw
    return before, offset, after


def repeat_line(line: bytes, times: int, period_ps: int) -> bytes:
    """The line with all its events as often as wanted, one period later each time."""
    head, tail, events = b"", b"", list[tuple[bytes, int, bytes]]()
    for field, raw, value in fields(line):
        if field == LINE["events"] and isinstance(value, bytes):
            events.append(split_event(value))
        elif field < LINE["events"]:
            head += raw
        else:
            tail += raw
    key = varint(EVENT["offset_ps"] << 3)
    parts: list[bytes] = []
    for turn in range(times):
        for before, offset, after in events:
            event = before + key + varint(offset + turn * period_ps) + after
            parts.append(message(LINE["events"], event))
    return head + b"".join(parts) + tail


def repeat(capture: bytes, times: int, period_ps: int) -> bytes:
    """The capture with every line repeated."""
    planes: list[bytes] = []
    for field, raw, plane in fields(capture):
        if field != SPACE["planes"] or not isinstance(plane, bytes):
            planes.append(raw)
            continue
        parts: list[bytes] = []
        for field, raw, value in fields(plane):
            if field == PLANE["lines"] and isinstance(value, bytes):
                parts.append(message(PLANE["lines"], repeat_line(value, times, period_ps)))
            else:
                parts.append(raw)
        planes.append(message(SPACE["planes"], b"".join(parts)))
    return b"".join(planes)


def make_file(events: int, capture: Path = CAPTURE) -> Path:
    """A file of about that many events, kept for the next time."""
    path = KEPT / f"{capture.name.split('.')[0]}-{events}.xplane.pb"
    if not path.exists():
        profile = FORMAT.read(str(capture), Limits())
        period_ps = (profile.window[1] - profile.window[0] + 1000) * 1000
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(repeat(capture.read_bytes(), max(1, events // count_events(capture.read_bytes())), period_ps))
    return path


def count_events(capture: bytes) -> int:
    """How many events a capture holds."""
    planes = [value for field, _, value in fields(capture) if field == SPACE["planes"] and isinstance(value, bytes)]
    lines = [value for plane in planes for field, _, value in fields(plane) if field == PLANE["lines"] and isinstance(value, bytes)]
    return sum(field == LINE["events"] for line in lines for field, _, _ in fields(line))


def measure(path: Path, rounds: int) -> tuple[float, float, int]:
    """Medians of the seconds that reading took, by the clock and of the processor, and how many spans there are."""
    clock: list[float] = []
    processor: list[float] = []
    spans = 0
    for _ in range(rounds):
        began, used = time.perf_counter(), time.process_time()
        spans = len(FORMAT.read(str(path), Limits()).spans)
        clock.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
    return statistics.median(clock), statistics.median(processor), spans


def main() -> None:
    """Measures each size, smallest first."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--events", type=int, nargs="+", default=[50_000, 500_000, 4_800_000])
    arguments.add_argument("--capture", type=Path, default=CAPTURE)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    for events in given.events:
        path = make_file(events, given.capture)
        clock, processor, spans = measure(path, given.rounds)
        size = path.stat().st_size / 1e6
        print(f"{size:8.1f} MB {events:10,} events {spans:10,} spans {clock:7.3f} s, of the processor {processor:7.3f} s")


if __name__ == "__main__":
    main()
