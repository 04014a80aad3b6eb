"""What logging costs: a call beside the peers' writers, a training step, sustained writing, the import; each in its own process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WRITERS = ("stepscope", "torch", "tensorboardX", "tensorflow")
SUSTAINED_POINTS = 4_000_000
SUSTAINED_TAGS = 200
IMPORTS = 9
IMPORT = """
import sys, time
begun = time.perf_counter()
import stepscope
done = time.perf_counter()
stepscope.SummaryWriter
used = time.perf_counter()
assert "numpy" not in sys.modules
print([done - begun, used - begun])
"""


def measure(peers: str) -> dict[str, Any]:
    """All figures of the writer."""
    return {**calls(peers), "sustained": sustained(peers), "training": training(peers), "import": import_seconds(peers)}


def calls(peers: str) -> dict[str, Any]:
    """Microseconds per call of each writer, and how many times cheaper ours is."""
    found: dict[str, Any] = {}
    for name in WRITERS:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = _run(peers, "write_calls.py", name, folder)
    for name in WRITERS[1:]:
        for pace in ("tight", "paced"):
            found[f"times_cheaper_than_{name}_{pace}"] = found[name][f"{pace}_us"] / found["stepscope"][f"{pace}_us"]
    return found


def sustained(peers: str) -> dict[str, Any]:
    """Points per second until the file is closed, and how many TensorBoard's data server finds."""
    with tempfile.TemporaryDirectory() as folder:
        found = _run(peers, "write_sustained.py", folder, str(SUSTAINED_POINTS), str(SUSTAINED_TAGS))
        return found | _run(peers, "write_count.py", folder)


def training(peers: str) -> dict[str, Any]:
    """The slowdown of a training step of a millisecond that logs 20 scalars, and a histogram's time in the background."""
    with tempfile.TemporaryDirectory() as folder:
        return _run(peers, "write_training.py", folder)


def import_seconds(peers: str) -> dict[str, float]:
    """Of the package, and of the package with its writer; in fresh processes, once the files are in memory."""
    took: list[list[float]] = []
    for _ in range(IMPORTS):
        said = subprocess.run([peers, "-c", IMPORT], env=_environment(), capture_output=True, text=True, check=True).stdout
        took.append(json.loads(said))
    package, writer = (statistics.median(column) for column in zip(*took, strict=True))
    return {"package_seconds": package, "writer_seconds": writer}


def _environment() -> dict[str, str]:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": "-1"}
    return {**os.environ, **quiet, "PYTHONPATH": str(HERE.parent / "src")}


def _run(peers: str, script: str, *arguments: str) -> dict[str, Any]:
    command = [peers, str(HERE / script), *arguments]
    said = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=True).stdout
    return json.loads(said.strip().splitlines()[-1])


if __name__ == "__main__":
    python = os.environ.get("STEPSCOPE_PEERS_PYTHON")
    if not python:
        raise SystemExit("Set STEPSCOPE_PEERS_PYTHON to the Python that has torch, tensorboardX and TensorFlow.")
    print(json.dumps(measure(python), indent=2))
