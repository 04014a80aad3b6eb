"""What a call of add_scalar costs the training thread, beside torch's and tensorboardX's; each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WRITERS = ("stepscope", "torch", "tensorboardX")


def calls(peers: str) -> dict[str, Any]:
    """Microseconds per call of each writer, and how many times cheaper ours is."""
    found: dict[str, Any] = {name: _measure(peers, name) for name in WRITERS}
    for name in WRITERS[1:]:
        for pace in ("tight", "paced"):
            found[f"times_cheaper_than_{name}_{pace}"] = found[name][f"{pace}_us"] / found["stepscope"][f"{pace}_us"]
    return found


def _measure(peers: str, name: str) -> dict[str, float]:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    environment = {**os.environ, **quiet, "PYTHONPATH": str(HERE.parent / "src")}
    with tempfile.TemporaryDirectory() as folder:
        command = [peers, str(HERE / "write_calls.py"), name, folder]
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return json.loads(said.strip().splitlines()[-1])


if __name__ == "__main__":
    python = os.environ.get("STEPSCOPE_PEERS_PYTHON")
    if not python:
        raise SystemExit("Set STEPSCOPE_PEERS_PYTHON to the Python that has torch and tensorboardX.")
    print(json.dumps(calls(python), indent=2))
