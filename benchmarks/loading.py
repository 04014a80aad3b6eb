"""Measures loading: Stepscope, TensorBoard's Rust data server and TensorBoard's Python loader over the same folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from dataset import KEPT, Shape, make

HERE = Path(__file__).resolve().parent
DURATION = re.compile(r"Finished load cycle \(([\d.]+)(s|ms|µs)\)")
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}


def inspect(folder: Path) -> tuple[float, dict[str, Any]]:
    """`stepscope inspect --json` as a user runs it: seconds from process start to exit, and its report."""
    command = [sys.executable, "-m", "stepscope", "inspect", str(folder), "--json", "--no-cache"]
    began = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.perf_counter() - began, json.loads(result.stdout)


def rust_server(binary: str, folder: Path) -> tuple[float, float]:
    """Seconds from spawn until the data server has loaded everything, and the load alone as it states it."""
    command = [binary, "--logdir", str(folder), "--reload", "once", "--port", "0", "--verbose"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := DURATION.search(line):
                whole = time.perf_counter() - began
                process.kill()
                return whole, float(found[1]) * UNITS[found[2]]
    raise SystemExit("The data server ended without having loaded the folder.")


def python_loader(peers: str, folder: Path) -> dict[str, float]:
    """TensorBoard's Python loader, once: it takes a minute."""
    began = time.perf_counter()
    result = subprocess.run([peers, str(HERE / "python_loader.py"), str(folder)], capture_output=True, text=True, check=True)
    loaded: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    return {"process_seconds": time.perf_counter() - began, "load_seconds": loaded["seconds"], "points_kept": loaded["points_kept"]}


def data_server_binary(peers: str) -> str:
    """The program inside the tensorboard-data-server package."""
    code = "import tensorboard_data_server; print(tensorboard_data_server.server_binary())"
    return subprocess.run([peers, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def side_by_side(shape: Shape, peers: str, rounds: int, with_python: bool) -> dict[str, Any]:
    """Both servers in turn, so that a busy moment hits both; medians."""
    folder, binary = make(shape), data_server_binary(peers)
    ours: list[tuple[float, float]] = []
    theirs: list[tuple[float, float]] = []
    for _ in range(rounds):
        whole, report = inspect(folder)
        assert report["points"] == shape.events, f"{report['points']} of {shape.events} points were read"
        ours.append((whole, report["load_seconds"]))
        theirs.append(rust_server(binary, folder))
    result: dict[str, Any] = {
        "events": shape.events,
        "bytes": sum(path.stat().st_size for path in folder.rglob("*tfevents*")),
        "rounds": rounds,
        "stepscope": {"process_seconds": median(ours, 0), "load_seconds": median(ours, 1), "points_kept": shape.events},
        "data_server": {"process_seconds": median(theirs, 0), "load_seconds": median(theirs, 1)},
    }
    if with_python:
        result["python_loader"] = python_loader(peers, folder)
    for peer in {"data_server", "python_loader"} & result.keys():
        result[f"times_faster_than_{peer}"] = result[peer]["load_seconds"] / result["stepscope"]["load_seconds"]
        result[f"times_faster_than_{peer}_whole_process"] = result[peer]["process_seconds"] / result["stepscope"]["process_seconds"]
    return result


def median(pairs: list[tuple[float, float]], place: int) -> float:
    """The median of one of two columns."""
    return statistics.median(pair[place] for pair in pairs)


def flipped_bit(shape: Shape) -> dict[str, Any]:
    """One bit of the last record is wrong: it must be found, at the same speed."""
    damaged = KEPT / "flipped"
    shutil.rmtree(damaged, ignore_errors=True)
    shutil.copytree(make(shape), damaged)
    victim = max(damaged.rglob("*tfevents*"))
    content = bytearray(victim.read_bytes())
    content[-6] ^= 0x10
    victim.write_bytes(content)
    whole, report = inspect(damaged)
    shutil.rmtree(damaged)
    return {
        "found": report["skipped_records"] == 1 and report["points"] == shape.events - 1,
        "process_seconds": whole,
        "load_seconds": report["load_seconds"],
    }


def scaling(shapes: list[Shape], rounds: int) -> list[dict[str, float]]:
    """Load time over sizes that grow tenfold."""
    rows: list[dict[str, float]] = []
    for shape in shapes:
        times = [inspect(make(shape)) for _ in range(rounds)]
        load = statistics.median(report["load_seconds"] for _, report in times)
        process = statistics.median(whole for whole, _ in times)
        rows.append(
            {"events": shape.events, "load_seconds": load, "process_seconds": process, "ns_per_event": load / shape.events * 1e9}
        )
    return rows


def memory(shape: Shape) -> dict[str, float]:
    """Private bytes per point of a process that holds the whole folder."""
    command = [sys.executable, str(HERE / "hold_folder.py"), str(make(shape))]
    report: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {**report, "bytes_per_point": report["private_bytes"] / report["points"]}


def mapped(shape: Shape) -> dict[str, Any]:
    """A folder too large to hold twice: opened once to write the cache, then again from the cache's mapped columns."""
    with tempfile.TemporaryDirectory(dir=KEPT) as cache:
        command = [sys.executable, str(HERE / "hold_folder.py"), str(make(shape)), "--cache"]
        environment = {**os.environ, "STEPSCOPE_CACHE_DIR": cache}
        first, second = (
            json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout) for _ in range(2)
        )
    return {"points": second["points"], "first": first, "second": second}
