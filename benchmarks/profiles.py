"""Measures profiles: an XSpace file beside XProf, PyTorch traces by size, and the whole report of one file and of many ranks."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import kineto_files
import xspace_files

HERE = Path(__file__).resolve().parent
XSPACE_EVENTS = (480_000, 1_500_000, 4_800_000)
KINETO_EVENTS = (300_000, 600_000, 1_200_000)
PACKED_EVENTS = 5_000_000
RANK_EVENTS = 100_000
LEAST_AGREED = 10
"""Operations that both tools must list, so that the comparison is one."""
Found = dict[str, Any]


def measure(peers: str, rounds: int, scale: float = 1.0) -> Found:
    """Everything about profiles; `scale` makes all files smaller, to try the measurement itself."""
    return {
        "xspace": xspace(peers, rounds, [round(events * scale) for events in XSPACE_EVENTS]),
        "kineto": [kineto(round(events * scale), False, rounds) for events in KINETO_EVENTS],
        "kineto_gzip": kineto(round(PACKED_EVENTS * scale), True, 1),
        "report": report(xspace_files.make_file(round(XSPACE_EVENTS[-1] * scale)), rounds),
        "ranks": report(kineto_files.make_ranks(kineto_files.RANKS, round(RANK_EVENTS * scale)), 1),
    }


def xspace(peers: str, rounds: int, sizes: list[int]) -> Found:
    """Op statistics and overview by size, beside XProf for the largest file, once both agree on its operations."""
    files = [xspace_files.make_file(events) for events in sizes]
    checked = check_operations(files[-1], sizes[-1], peers)
    rows: list[Found] = []
    for events, path in zip(sizes, files, strict=True):
        ours = {what: median([ours_once(what, path) for _ in range(rounds)]) for what in ("ops", "overview")}
        rows.append({"events": events, "bytes": path.stat().st_size, "spans": ours["ops"]["spans"], **ours})
    largest = rows[-1]
    theirs = {"ops": checked, "overview": xprof_once(peers, "overview_page", files[-1])}
    return {
        "sizes": rows,
        "rounds": rounds,
        "xprof": checked["version"],
        "operations_agreed": checked["agreed"],
        "peer": {what: {key: theirs[what][key] for key in ("seconds", "process_seconds", "peak_mb")} for what in theirs},
        "times_faster": {what: theirs[what]["seconds"] / largest[what]["seconds"] for what in theirs},
        "share_of_memory": {what: largest[what]["peak_mb"] / theirs[what]["peak_mb"] for what in theirs},
    }


def check_operations(path: Path, events: int, peers: str) -> Found:
    """XProf's op statistics, after both sides' totals were found to be the capture's as often as it was repeated."""
    times = max(1, events // xspace_files.count_events(xspace_files.CAPTURE.read_bytes()))
    original = ours_once("ops", xspace_files.CAPTURE)["ops"]
    ours = ours_once("ops", path)["ops"]
    assert ours == {name: [count * times, total * times] for name, (count, total) in original.items()}, (
        "our totals are not the capture's"
    )
    theirs = xprof_once(peers, "framework_op_stats", path)
    both = ours.keys() & theirs["ops"].keys()  # XProf leaves out what XLA runs on the CPU
    others = [name for name in both if ours[name] != theirs["ops"][name]]
    assert len(both) >= LEAST_AGREED, f"XProf lists only {sorted(both)} of our operations"
    assert not others, f"XProf has other totals for {others}"
    return {**theirs, "agreed": len(both)}


def kineto(events: int, packed: bool, rounds: int) -> Found:
    """Reading a trace into columns."""
    path = kineto_files.make(events, packed)
    found = median([ours_once("read", path) for _ in range(rounds)])
    return {"events": events, "bytes": path.stat().st_size, **found}


def report(path: Path, rounds: int) -> Found:
    """`stepscope profile report` from the start of its process to its end, with an empty cache and again."""
    cold: list[Found] = []
    again: list[Found] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(report_once(path, cache))
            again.append(report_once(path, cache))
    files = [path] if path.is_file() else sorted(path.iterdir())
    return {
        "files": len(files),
        "bytes": sum(file.stat().st_size for file in files),
        "cold": {key: statistics.median(one[key] for one in cold) for key in ("seconds", "peak_mb")},
        "again": {key: statistics.median(one[key] for one in again) for key in ("seconds", "peak_mb")},
    }


def report_once(path: Path, cache: str) -> Found:
    """One report in a process of its own, whose whole life is counted."""
    began = time.perf_counter()
    found = answer_of([sys.executable, str(HERE / "profile_once.py"), "report", str(path)], os.environ | {"STEPSCOPE_CACHE_DIR": cache})
    return {"seconds": time.perf_counter() - began, "peak_mb": found["peak_mb"]}


def ours_once(what: str, path: Path) -> Found:
    """One reading and analysis in a process of its own, without the cache."""
    return timed_answer([sys.executable, str(HERE / "profile_once.py"), what, str(path)])


def timed_answer(command: list[str]) -> Found:
    """The answer of a program, with the seconds of its whole process: imports and start-up count."""
    began = time.perf_counter()
    found = answer_of(command)
    return found | {"process_seconds": time.perf_counter() - began}


def xprof_once(peers: str, tool: str, path: Path) -> Found:
    """One of XProf's tools; it writes beside the file, and may not find what it wrote last time."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        linked = Path(folder) / "host.xplane.pb"
        os.link(path, linked)
        return timed_answer([peers, str(HERE / "xprof_once.py"), tool, str(linked)])


def answer_of(command: list[str], environment: dict[str, str] | None = None) -> Found:
    """The JSON that a program prints last."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if result.returncode:
        raise SystemExit(f"{command[1]} failed:\n{result.stderr[-4000:]}")
    found: Found = json.loads(result.stdout.splitlines()[-1])
    return found


def median(found: list[Found]) -> Found:
    """Medians of times and memory; the rest is the same in all."""
    keys = ("seconds", "process_seconds", "read_seconds", "peak_mb")
    return {"spans": found[0]["spans"], **{key: statistics.median(one[key] for one in found) for key in keys}}
