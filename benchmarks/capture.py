"""What capturing costs: timing every step, spans that nothing captures, and ten profiled steps beside the framework's own profiler."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FRAMEWORKS = ("torch", "tensorflow")
ROUNDS = 5


def measure(peers: str) -> dict[str, Any]:
    """All figures of capturing; each in a process of its own."""
    return {**_run(peers, "steps"), "profiled": [profiled(peers, name) for name in FRAMEWORKS]}


def profiled(peers: str, framework: str) -> dict[str, Any]:
    """Milliseconds of ten profiled steps, from before the first to when the profile is written; medians of processes in turn."""
    took: dict[str, list[dict[str, float]]] = {"ours": [], "own": []}
    for _ in range(ROUNDS):
        for whose, rounds in took.items():
            rounds.append(_run(peers, whose, framework))
    found: dict[str, Any] = {"framework": framework, "rounds": ROUNDS}
    for whose, rounds in took.items():
        for part in ("steps_ms", "written_ms"):
            found[f"{whose}_{part}"] = statistics.median(each[part] for each in rounds)
    return found


def _run(peers: str, *arguments: str) -> dict[str, Any]:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": "-1"}
    environment = {**os.environ, **quiet, "PYTHONPATH": str(HERE.parent / "src")}
    with tempfile.TemporaryDirectory() as folder:
        command = [peers, str(HERE / "capture_once.py"), folder, *arguments]
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return json.loads(said.strip().splitlines()[-1])
