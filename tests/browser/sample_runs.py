"""Curves with known values at every step, for tests that compare what the page says with what was logged."""

from __future__ import annotations

import os
from pathlib import Path

from log_folder import START, LogFolder

NAMES = ("alpha", "beta", "gamma")
STEPS = 200


def loss(run: int, step: int) -> float:
    """Falls from run + 1; the runs never meet."""
    return (run + 1) / (1 + step / 50)


def accuracy(run: int, step: int) -> float:
    """Grows to 0.9 of a share that differs by run."""
    return 0.9 * (run + 1) / len(NAMES) * step / (STEPS - 1)


def write_three_runs(logs: LogFolder) -> None:
    """Three runs, an hour apart, gamma the newest; six tags in four sections."""
    for run, name in enumerate(NAMES):
        series = {
            "loss": [loss(run, step) for step in range(STEPS)],
            "accuracy": [accuracy(run, step) for step in range(STEPS)],
            "optimizer/lr": [0.1 * 0.99**step for step in range(STEPS)],
            "time/step_ms": [20.0 + step % 5 for step in range(STEPS)],
            "layers/one/norm": [float(step + run) for step in range(STEPS)],
            "layers/two/norm": [float(2 * step + run) for step in range(STEPS)],
            "memory/used": [1e9 + step for step in range(STEPS)],
        }
        quiet(logs.write(name, series, start=START + 3600 * run))


def quiet(path: Path) -> Path:
    """Makes a file look as if it was last written long ago, so that its run is not live."""
    os.utime(path, (START, START))
    return path
