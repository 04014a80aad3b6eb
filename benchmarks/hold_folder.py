"""Loads a folder, holds it, and prints how long that took and how much private memory beyond an empty process."""

from __future__ import annotations

import gc
import json
import sys
import time

import psutil

import stepscope


def private_bytes() -> int:
    """Memory that belongs to this process alone."""
    return int(psutil.Process().memory_full_info().uss)


if __name__ == "__main__":
    import stepscope.logdir

    gc.collect()
    before = private_bytes()
    began = time.perf_counter()
    folder = stepscope.open(sys.argv[1], cache="--cache" in sys.argv)
    seconds = time.perf_counter() - began
    gc.collect()
    after = private_bytes()
    points = sum(file.events.points for run in folder.library.snapshot.runs for file in run.files)
    print(json.dumps({"points": points, "private_bytes": after - before, "open_seconds": seconds}))
