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
    from stepscope.ingest import loader as _  # noqa: F401 (its code is not part of what a point costs)

    gc.collect()
    before = private_bytes()
    folder = stepscope.open(sys.argv[1])
    gc.collect()
    after = private_bytes()
    print(json.dumps({"points": sum(run.points for run in folder.runs), "private_bytes": after - before}))
