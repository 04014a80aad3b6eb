"""Run with the peers' Python: prints as JSON what the real protobuf classes hold in the XSpace files given, line by line."""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

xplane_pb2 = import_module("tensorflow.tsl.profiler.protobuf.xplane_pb2")

POINTS = {"MemoryAllocation", "MemoryDeallocation"}
REGIONS = {"ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion"}


def describe(plane: Any, line: Any) -> dict[str, Any]:
    """Counts by name, and sums of all times, of a line's events; regions and points apart, since they become something else."""
    names: Counter[str] = Counter()
    starts = ends = points = regions = 0
    for event in line.events:
        name = plane.event_metadata[event.metadata_id].name
        if name in POINTS:
            points += 1
        elif name in REGIONS:
            regions += 1
        else:
            names[name] += 1
            starts += line.timestamp_ns + (event.offset_ps + 500) // 1000
            ends += line.timestamp_ns + (event.offset_ps + event.duration_ps + 500) // 1000
    return {
        "line": line.display_name or line.name,
        "names": names,
        "starts": starts,
        "ends": ends,
        "points": points,
        "regions": regions,
    }


def lines_of(path: str) -> list[dict[str, Any]]:
    """Every line of the file that holds time, in its order."""
    space = xplane_pb2.XSpace()
    space.ParseFromString(Path(path).read_bytes())
    return [describe(plane, line) for plane in space.planes for line in plane.lines]


print(json.dumps({path: lines_of(path) for path in sys.argv[1:]}))
