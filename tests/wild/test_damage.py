"""Damaged traces: what could be read is shown, to the true end of the file, and what could not is counted."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from stepscope.formats.open_profile import read_file
from stepscope.model.profile import Profile, SpanKind
from wild.trace import HOST, Trace

STEPS, OPERATIONS = 6, 400


def training() -> Trace:
    """Operations with lists among their arguments, as PyTorch writes shapes; the device's work stands behind all of them."""
    trace = Trace().on_gpus()
    calls: list[tuple[float, int]] = []
    for step in range(STEPS):
        trace.annotation(f"ProfilerStep#{step}", 100.0 * step, 100)
        for place in range(OPERATIONS):
            at = 100.0 * step + 0.25 * place
            trace.op("aten::addmm", at, 0.2, External_id=place, Input_Dims=[[8, 8], [8, 8]], Input_type=["float", "float"])
            calls.append((at, trace.call("cudaLaunchKernel", at + 0.05)))
    for at, call in calls:
        trace.kernel("sgemm", at + 0.1, 0.1, call)
    return trace


def counted(profile: Profile, kind: SpanKind) -> int:
    return int((profile.spans.kind == kind).sum())


def numbers(profile: Profile, code: str) -> list[int]:
    """Numbers of the sentences with that code, in their order."""
    texts = [note.text for note in profile.notes if note.code == code]
    return [int(found.replace(",", "")) for text in texts for found in re.findall(r"\d[\d,]*", text)]


def flipped(text: str, count: int, seed: int) -> bytes:
    damaged, chance = bytearray(text.encode()), random.Random(seed)
    for _ in range(count):
        damaged[chance.randrange(200, len(damaged))] ^= 1 << chance.randrange(7)
    return bytes(damaged)


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes], Profile]:
    def read_bytes(content: bytes) -> Profile:
        path = tmp_path / "trace.json"
        path.write_bytes(content)
        return read_file(str(path))

    return read_bytes


@pytest.mark.parametrize("seed", range(6))
def test_a_hundred_flipped_bits_cost_at_most_a_hundred_events(read: Callable[[bytes], Profile], seed: int) -> None:
    found = read(flipped(training().text(), 100, seed))
    assert len(found.markers.row) >= STEPS - 1
    assert counted(found, SpanKind.KERNEL) >= STEPS * OPERATIONS - 100
    lost, skipped, *_ = numbers(found, "dropped_events") or [0, 0]
    assert lost <= 100
    assert (skipped > 0) is (lost > 0)
    assert not found.cut_short, "the end of the file is there"


def test_what_is_lost_is_what_is_missing(read: Callable[[bytes], Profile]) -> None:
    broken = training().text().replace('"Input Dims": [[8, 8], [8, 8]]', '"Input Dims": [[8, 8}, [8, 8]]', 3)
    found = read(broken.encode())
    missing = STEPS * OPERATIONS - counted(found, SpanKind.OP)
    assert numbers(found, "dropped_events")[:1] == ([missing] if missing else [])
    assert missing <= 3
    assert (counted(found, SpanKind.KERNEL), len(found.markers.row)) == (STEPS * OPERATIONS, STEPS)


def test_what_stands_behind_the_events_is_read_after_damage(read: Callable[[bytes], Profile]) -> None:
    text = json.dumps({"traceEvents": training().events, "distributedInfo": {"rank": 3, "world_size": 8}})
    at = text.rindex('"ph"')
    found = read((text[:at] + "\x00{{]" + text[at:]).encode())
    assert (found.rank, found.world_size) == (3, 8)


@pytest.mark.parametrize(
    ("before", "after"),
    [('"name": "NVIDIA H100"', '"name": #NVIDIA H100"'), ('"id": 0', '"id": [0'), ('"traceEvents": [', '"traceEvents":![')],
    ids=["quote", "bracket", "key"],
)
def test_damage_before_the_events_costs_none_of_them(read: Callable[[bytes], Profile], before: str, after: str) -> None:
    text = training().text()
    assert text.count(before) == 1
    found = read(text.replace(before, after).encode())
    assert (counted(found, SpanKind.KERNEL), len(found.markers.row)) == (STEPS * OPERATIONS, STEPS)
    assert not found.cut_short


def test_events_without_duration_are_counted(read: Callable[[bytes], Profile]) -> None:
    trace = training()
    for event in trace.events[:7]:
        event.pop("dur", None)
    assert numbers(read(trace.text().encode()), "no_durations") == [7]


def test_every_event_that_never_ends_is_counted(read: Callable[[bytes], Profile]) -> None:
    trace, count = Trace(), 30_000
    trace.events = [{"ph": "B", "name": "f", "pid": HOST, "tid": 1, "ts": place} for place in range(count)]
    found = read(trace.text().encode())
    assert numbers(found, "unfinished") == [count]
    assert [f"{count:,} " in note.text for note in found.notes if note.code == "unfinished"] == [True]


def test_a_name_of_many_megabytes_costs_its_event_alone(read: Callable[[bytes], Profile]) -> None:
    trace = Trace().on_gpus()
    trace.op("a" * (20 << 20), 0, 1)
    for place in range(50):
        trace.op("aten::mm", 2.0 + place, 1)
    found = read(trace.text().encode())
    assert counted(found, SpanKind.OP) == 50
    assert numbers(found, "dropped_events")[0] == 1


def test_sentences_count_one_event_as_one(read: Callable[[bytes], Profile]) -> None:
    trace = Trace().on_gpus()
    trace.op("aten::mm", 0, 1)
    for broken in ({"ts": "never"}, {"dur": "long"}):
        trace.op("aten::mm", 2, 1).update(broken)
    texts = [note.text for note in read(trace.text().encode()).notes]
    assert len(texts) == 2
    assert not [text for text in texts if re.search(r"\b1 \w+ (are|have|were)\b|\band are\b", text)]
