"""Times logging one scalar with one package and prints the figures as JSON; runs with the peers' Python.

`python write_calls.py stepscope|torch|tensorboardX|tensorflow FOLDER`. In a tight loop the writer's own thread competes for the
interpreter; paced, as in a training that logs 20 scalars after each step of a millisecond, it does not, but caches are cold.
"""
# pyright: reportMissingImports=false

import importlib
import json
import statistics
import sys
import time
from typing import Any, Protocol

MODULES = {"stepscope": "stepscope", "torch": "torch.utils.tensorboard", "tensorboardX": "tensorboardX"}
TIGHT_CALLS = {"stepscope": 20_000, "torch": 20_000, "tensorboardX": 10_000, "tensorflow": 2_000}
PACED_STEPS = 1_000
PACED_TAGS = [f"train/metric{number}" for number in range(20)]
ROUNDS = 5


class Writer(Protocol):
    """What the packages have in common."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None:
        """Logs a point."""
        ...

    def flush(self) -> None:
        """Waits until it is written."""
        ...


class TensorFlowWriter:
    """tf.summary, whose writer is not an argument of the call."""

    def __init__(self, folder: str) -> None:
        """Makes the writer the default one."""
        summary: Any = importlib.import_module("tensorflow").summary
        writer = summary.create_file_writer(folder)
        writer.set_as_default()
        self.add_scalar: Any = summary.scalar
        self.flush: Any = writer.flush


def tight(writer: Writer, calls: int) -> float:
    """Microseconds a call with no pause between calls; everything is flushed before and after the clock runs."""
    writer.flush()
    begun = time.perf_counter()
    for step in range(calls):
        writer.add_scalar("train/loss", 1.5, step)
    took = time.perf_counter() - begun
    writer.flush()
    return took / calls * 1e6


def paced(writer: Writer) -> list[float]:
    """Microseconds a call, of each step's calls; the steps are a millisecond apart."""
    took: list[float] = []
    for step in range(PACED_STEPS):
        begun = time.perf_counter()
        for tag in PACED_TAGS:
            writer.add_scalar(tag, 1.5, step)
        took.append((time.perf_counter() - begun) / len(PACED_TAGS) * 1e6)
        time.sleep(0.001)
    return sorted(took)


if __name__ == "__main__":
    name, folder = sys.argv[1:]
    writer = TensorFlowWriter(folder) if name == "tensorflow" else importlib.import_module(MODULES[name]).SummaryWriter(folder)
    rounds = [tight(writer, TIGHT_CALLS[name]) for _ in range(ROUNDS)]
    calls = paced(writer)
    writer.flush()
    figures = {
        "tight_us": statistics.median(rounds),
        "paced_us": statistics.median(calls),
        "paced_p99_us": calls[int(len(calls) * 0.99)],
    }
    print(json.dumps(figures))
