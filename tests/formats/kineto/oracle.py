"""A plain reading of a trace with Python's json, slow and obvious, to hold the native reader against."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepscope.model.profile import Profile, TrackRole

STREAMS = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
DERIVED = {"gpu_user_annotation", "cuda_sync", "overhead", "Trace"}

Totals = dict[tuple[str, str], tuple[int, int]]


def load(path: Path, exact: bool = True) -> dict[str, Any]:
    """The whole file as Python objects; times as decimals when they must be exact."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.name.endswith(".gz") else content).decode("utf-8", "replace")
    top: dict[str, Any] = json.loads(text, strict=False, parse_float=Decimal if exact else float)
    return top


def role_of(category: str | None) -> str:
    """Which role of track an event of a category belongs on."""
    return "stream" if category in STREAMS else "derived" if category in DERIVED else "thread"


def rounded(microseconds: Any) -> int:
    """Nanoseconds, halves up."""
    return int((Decimal(microseconds) * 1000 + Decimal("0.5")).to_integral_value(ROUND_FLOOR))


def totals_of(top: dict[str, Any]) -> Totals:
    """How many spans of each name and role there are, and how long they last together, from rounded ends."""
    count: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    for event in top["traceEvents"]:
        if event.get("ph") == "X":
            key = (event["name"], role_of(event.get("cat")))
            count[key] += 1
            total[key] += rounded(event["ts"] + event["dur"]) - rounded(event["ts"])
    return {key: (count[key], total[key]) for key in count}


def totals_of_profile(profile: Profile) -> Totals:
    """The same from a profile."""
    roles = np.array([{TrackRole.THREAD: 0, TrackRole.STREAM: 1}.get(track.role, 2) for track in profile.tracks])
    names = ("thread", "stream", "derived")
    key = profile.spans.name.astype(np.int64) * 3 + roles[profile.spans.track]
    length = profile.spans.end - profile.spans.start
    found, inverse, count = np.unique(key, return_inverse=True, return_counts=True)
    total = np.zeros(len(found), np.int64)
    np.add.at(total, inverse, length)
    return {(profile.names[one // 3], names[one % 3]): (int(n), int(t)) for one, n, t in zip(found.tolist(), count, total, strict=True)}


def assert_equal_to_torch(profile: Profile, table: list[dict[str, Any]]) -> None:
    """Counts and totals of every name and shape are those of key_averages."""
    ours: dict[tuple[str, str], tuple[int, float]] = {}
    spans = profile.spans
    children = np.bincount(spans.parent[spans.parent >= 0], minlength=len(spans))
    for row, (name, shape, parent) in enumerate(zip(spans.name, spans.shape, spans.parent, strict=True)):
        if parent >= 0 and spans.name[parent] == name and children[parent] == 1:
            continue  # torch takes a span and its only child of the same name for one
        key = (profile.names[name], profile.names[shape] if shape >= 0 else "[]")
        count, total = ours.get(key, (0, 0.0))
        ours[key] = (count + 1, total + float(spans.end[row] - spans.start[row]) / 1000)
    # torch counts memory events too, which are no spans, and has several rows where only types differ.
    theirs: dict[tuple[str, str], tuple[int, float]] = {}
    for row in table:
        key = (row["key"], row["shapes"])
        count, total = theirs.get(key, (0, 0.0))
        theirs[key] = (count + row["count"], total + row["total_us"])
    theirs.pop(("[memory]", "[]"), None)
    shared = ours.keys() & theirs.keys()
    assert len(shared) >= 0.95 * len(theirs)
    for key in shared:
        assert ours[key][0] == theirs[key][0], key
        assert ours[key][1] == pytest.approx(theirs[key][1], abs=0.002 * ours[key][0]), key
