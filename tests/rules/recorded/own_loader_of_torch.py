"""Runs in the peers' Python: records a torch training whose loader is a generator of its own, marked with record_function."""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

STEPS, BATCH, FEATURES, CLASSES = 10, 48, 64, 7
LOADS, SAVES = 0.012, 0.004


def batches() -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Batches that take a while."""
    while True:
        time.sleep(LOADS)
        yield torch.rand(BATCH, FEATURES), torch.zeros(BATCH, dtype=torch.int64)


def main(folder: Path) -> None:
    """Prints how long loading and saving took in the recorded steps, in milliseconds."""
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(FEATURES, 256), torch.nn.ReLU(), torch.nn.Linear(256, CLASSES))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    loaded: list[float] = []
    saved: list[float] = []
    source = batches()
    plan = schedule(wait=0, warmup=1, active=STEPS, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, record_shapes=True) as recorded:
        for _ in range(STEPS + 1):
            began = time.perf_counter()
            with record_function("load_batch"):
                values, targets = next(source)
            loaded.append(1e3 * (time.perf_counter() - began))
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(values), targets).backward()
            optimizer.step()
            began = time.perf_counter()
            with record_function("save_weights"):
                time.sleep(SAVES)
            saved.append(1e3 * (time.perf_counter() - began))
            recorded.step()
    recorded.export_chrome_trace(str(folder / "run.pt.trace.json"))
    print(json.dumps({"loaded_ms": loaded[1:], "saved_ms": saved[1:]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
