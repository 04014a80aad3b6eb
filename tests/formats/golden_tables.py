"""What the readers and the breakdown make of real recordings, in few numbers; run as a program, it writes golden.json anew."""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from sample_files import SAMPLES
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.programs.costs import operation_costs
from stepscope.analyses.programs.hlo import hlo_rows
from stepscope.analyses.time_classes import Group
from stepscope.analyses.work.kernels import kernels
from stepscope.analyses.work.operations import operations
from stepscope.analyses.work.transfers import transfers
from stepscope.formats.open_profile import read_file
from stepscope.formats.programs import read_programs
from stepscope.formats.sessions import format_of
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Profile, SpanKind

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden.json"
CAPTURES = HERE
_TABLES = ("markers", "kernels", "copies", "collectives", "allocations", "flows", "counters", "aggregates")
_TOP = 5
_NAME = 80
"""Letters of a name; kernels' names can be as long as a page."""

Golden = dict[str, Any]


def captures() -> list[str]:
    """The recordings that the project made itself and keeps."""
    return sorted(str(path.relative_to(CAPTURES)) for path in CAPTURES.glob("*/captures/*") if path.is_file())


def samples() -> list[str]:
    """Every profile beside the repository, those in archives as "archive!member"."""
    found: list[str] = []
    for path in sorted(SAMPLES.rglob("*")):
        name = str(path.relative_to(SAMPLES))
        if path.suffixes[-2:] == [".tar", ".gz"]:
            with tarfile.open(path) as archive:
                found += [f"{name}!{member.name}" for member in archive if member.isfile()]
        elif path.is_file() and format_of(str(path)) is not None:
            found.append(name)
    return found


@contextmanager
def opened(folder: Path, name: str) -> Iterator[Path]:
    """The recording as a file, taken out of its archive when it lies in one."""
    outer, _, inner = name.partition("!")
    if not inner:
        yield folder / outer
        return
    with tempfile.TemporaryDirectory() as place, tarfile.open(folder / outer) as archive:
        archive.extract(inner, place, filter="data")
        yield Path(place) / inner


def describe(folder: Path, name: str) -> Golden:
    """The numbers of one recording."""
    with opened(folder, name) as path:
        profile = read_file(str(path))
        programs = read_programs(profile)[0]
    rows = {table: len(getattr(getattr(profile, table), fields(getattr(profile, table))[0].name)) for table in _TABLES}
    return {
        "format": profile.format,
        "framework": profile.framework,
        "rank": profile.rank,
        "devices": [device.name for device in profile.devices],
        "tracks": len(profile.tracks),
        "spans": len(profile.spans),
        "nested": int(np.count_nonzero(profile.spans.parent >= 0)),
        "caused": int(np.count_nonzero(profile.spans.cause >= 0)),
        "window_ns": profile.window[1] - profile.window[0],
        "kinds": _kinds(profile),
        "rows": {table: count for table, count in rows.items() if count},
        "notes": sorted(note.code for note in profile.notes),
        "steps": _steps(profile),
        "tables": _top_rows(profile, programs),
    }


def _top_rows(profile: Profile, programs: Sequence[HloProgram]) -> dict[str, list[tuple[Any, ...]]]:
    """The longest rows of each table: name, where, count, total ns, and of one execution the shortest and the longest in ns."""
    if not len(profile.spans):
        return {}
    breakdown = break_down(profile)
    timed = {
        "operations": [(row, row.device) for row in operations(profile, breakdown, costs=operation_costs(profile, programs))],
        "kernels": [(row, row.device) for row in kernels(profile, breakdown)],
        "hlo": [(row, row.program) for row in hlo_rows(profile, programs)],
    }
    found: dict[str, list[tuple[Any, ...]]] = {
        name: [
            (row.name[:_NAME], where, row.count, row.total_ns, row.min_ns, row.max_ns)
            for row, where in sorted(rows, key=lambda each: (-each[0].total_ns, each[0].name, each[1]))[:_TOP]
        ]
        for name, rows in timed.items()
    }
    found["transfers"] = [
        (row.direction, row.host_memory, row.count, row.total_ns, row.bytes, row.largest)
        for row in sorted(transfers(profile, breakdown), key=lambda row: (-row.total_ns, row.direction))[:_TOP]
    ]
    return {name: rows for name, rows in found.items() if rows}


def _kinds(profile: Profile) -> dict[str, tuple[int, int]]:
    """Count and total ns by kind."""
    spans = profile.spans
    found: dict[str, tuple[int, int]] = {}
    for kind in SpanKind:
        these = spans.kind == kind
        if these.any():
            found[kind.name.lower()] = (int(these.sum()), int((spans.end[these] - spans.start[these]).sum()))
    return found


def _steps(profile: Profile) -> Golden | None:
    if not len(profile.spans):
        return None
    breakdown = break_down(profile)
    groups = group_sums(breakdown.parts.sum(axis=0)).astype(float)
    shares = groups / max(groups.sum(), 1)
    return {
        "source": breakdown.steps.source.text,
        "count": len(breakdown.steps),
        "median_ns": round(breakdown.median_ns),
        "groups": {group.key: round(float(shares[group]), 4) for group in Group if shares[group]},
    }


if __name__ == "__main__":
    found = {
        "captures": {name: describe(CAPTURES, name) for name in captures()},
        "samples": {name: describe(SAMPLES, name) for name in samples()},
    }
    lines = [
        f'  "{part}": {{\n' + ",\n".join(f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()) + "\n  }"
        for part, rows in found.items()
    ]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
