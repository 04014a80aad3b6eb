"""Writes points at a steady rate into several runs, each written to the file at once; the wall time is that moment."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from stepscope._native import EventEncoder


def main(folder: Path, writers: int, rate: int, seconds: float, place: int) -> int:
    """All writers take turns; returns how many points were written."""
    files = []
    for writer in range(writers):
        run = folder / f"process{place}-{writer:02}"
        run.mkdir()
        files.append((run / f"events.out.tfevents.{int(time.time())}.live").open("wb", buffering=0))
    encoder, points, began = EventEncoder(), 0, time.time()
    for step in range(int(rate * seconds)):
        time.sleep(max(0.0, began + step / rate - time.time()))
        for file in files:
            encoder.add_scalar(b"loss", step, time.time(), 1.0 / (step + 1))
            file.write(encoder.take())
            points += 1
    return points


if __name__ == "__main__":
    count = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
    print(json.dumps({"points": count}))
