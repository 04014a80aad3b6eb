"""Loads a folder, holds it, and prints how much private memory that took beyond an empty process."""

from __future__ import annotations

import gc
import json
import sys

import psutil

import stepscope


def private_bytes() -> int:
    """Memory that belongs to this process alone."""
    return int(psutil.Process().memory_full_info().uss)


if __name__ == "__main__":
    import stepscope.logdir

    gc.collect()
    before = private_bytes()
    folder = stepscope.open(sys.argv[1], cache=False)
    gc.collect()
    after = private_bytes()
    points = sum(file.events.points for run in folder.library.snapshot.runs for file in run.files)
    print(json.dumps({"points": points, "private_bytes": after - before}))
