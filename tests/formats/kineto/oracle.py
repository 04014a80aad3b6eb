"""A plain reading of a trace with Python's json, slow and obvious, to hold the native reader against."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any

import numpy as np

from stepscope.model.profile import Profile, TrackRole

STREAMS = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
DERIVED = {"gpu_user_annotation", "cuda_sync", "overhead", "Trace"}

Totals = dict[tuple[str, str], tuple[int, int]]


def load(path: Path, exact: bool = True) -> dict[str, Any]:
    """The whole file as Python objects; times as decimals when they must be exact."""
    text = (gzip.open(path) if path.name.endswith(".gz") else path.open("rb")).read().decode("utf-8", "replace")
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
