"""Writes points over many tags as fast as one thread can, closes, and prints what that took as JSON; runs with the peers' Python.

`python write_sustained.py FOLDER POINTS TAGS`. Memory is the growth of the process's own peak.
"""

import json
import sys
import time

from own_peak import peak_bytes
from stepscope import SummaryWriter

if __name__ == "__main__":
    folder, points, tags = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    names = [f"layer{number:03}/gradient_norm" for number in range(tags)]
    writer = SummaryWriter(folder)
    writer.flush()
    before = peak_bytes()
    begun = time.perf_counter()
    for step in range(points // tags):
        for name in names:
            writer.add_scalar(name, 1.5, step)
    called = time.perf_counter()
    writer.close()
    seconds = time.perf_counter() - begun
    written = points // tags * tags
    print(
        json.dumps(
            {
                "points": written,
                "tags": tags,
                "seconds": seconds,
                "close_seconds": seconds - (called - begun),
                "points_per_second": written / seconds,
                "own_growth_bytes": peak_bytes() - before,
            }
        )
    )
