"""Times add_scalar of one package's SummaryWriter and prints the figures as JSON; runs with the peers' Python.

`python write_calls.py stepscope|torch|tensorboardX FOLDER`. In a tight loop the writer's own thread competes for the
interpreter; paced, as in a training whose steps take a millisecond, it does not.
"""
# pyright: reportMissingImports=false

import importlib
import json
import statistics
import sys
import time
from typing import Protocol

MODULES = {"stepscope": "stepscope.writer", "torch": "torch.utils.tensorboard", "tensorboardX": "tensorboardX"}
TIGHT_CALLS = 20_000
PACED_CALLS = 1_000
ROUNDS = 5


class Writer(Protocol):
    """What the three packages have in common."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Logs a point."""
        ...

    def flush(self) -> None:
        """Waits until it is written."""
        ...


def tight(writer: Writer) -> float:
    """Microseconds a call with no pause between calls; everything is flushed before and after the clock runs."""
    writer.flush()
    begun = time.perf_counter()
    for step in range(TIGHT_CALLS):
        writer.add_scalar("train/loss", 1.5, step)
    took = time.perf_counter() - begun
    writer.flush()
    return took / TIGHT_CALLS * 1e6


def paced(writer: Writer) -> list[float]:
    """Microseconds of each call, a millisecond apart."""
    took: list[float] = []
    for step in range(PACED_CALLS):
        begun = time.perf_counter()
        writer.add_scalar("train/loss", 1.5, step)
        took.append((time.perf_counter() - begun) * 1e6)
        time.sleep(0.001)
    return sorted(took)


if __name__ == "__main__":
    writer = importlib.import_module(MODULES[sys.argv[1]]).SummaryWriter(sys.argv[2])
    rounds = [tight(writer) for _ in range(ROUNDS)]
    calls = paced(writer)
    writer.close()
    print(
        json.dumps(
            {
                "tight_us": statistics.median(rounds),
                "paced_us": statistics.median(calls),
                "paced_p99_us": calls[int(len(calls) * 0.99)],
            }
        )
    )
