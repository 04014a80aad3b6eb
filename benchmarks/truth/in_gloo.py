"""Pairs with two processes of the real torch that train together over gloo: one of them is late, or both send many small messages."""
# pyright: reportMissingImports=false

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SLEEP_SECONDS = 0.012
FEATURES = 384
MESSAGES, MESSAGE_FLOATS = 60, 1024
STEPS, ROUNDS, RECORDED, WARM_UP = 10, 5, 10, 4
LONGEST_SECONDS = 60

Step = Callable[[bool], None]
"""One step, slow or repaired."""


def late(rank: int) -> Step:
    """The second rank sleeps before it begins, or does not."""
    import torch

    model = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(FEATURES, 2 * FEATURES), torch.nn.ReLU(), torch.nn.Linear(2 * FEATURES, FEATURES))
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    values = torch.rand(128, FEATURES)

    def step(slow: bool) -> None:
        if slow and rank == 1:
            time.sleep(SLEEP_SECONDS)
        optimizer.zero_grad()
        model(values).square().mean().backward()
        optimizer.step()

    return step


def small_messages(_rank: int) -> Step:
    """Gradients of many small weights are summed one by one, or all at once."""
    import torch
    import torch.distributed as dist

    model = torch.nn.Sequential(torch.nn.Linear(FEATURES, 2 * FEATURES), torch.nn.ReLU(), torch.nn.Linear(2 * FEATURES, FEATURES))
    values = torch.rand(128, FEATURES)
    small = torch.rand(MESSAGES, MESSAGE_FLOATS)

    def step(slow: bool) -> None:
        model.zero_grad()
        model(values).square().mean().backward()
        for message in small.unbind() if slow else (small,):
            dist.all_reduce(message)

    return step


PAIRS: dict[str, Callable[[int], Step]] = {"torch_straggler": late, "torch_small_messages": small_messages}


def rank_of_two(name: str, rank: int, port: int, folder: Path) -> None:
    """One process: blocks of steps turn about, slow and repaired, then the recording of the slow ones."""
    import torch
    import torch.distributed as dist
    from torch.profiler import ProfilerActivity, profile, schedule

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    step = PAIRS[name](rank)

    def timed(slow: bool) -> float:
        start = time.perf_counter()
        step(slow)
        return 1e3 * (time.perf_counter() - start)

    for _ in range(WARM_UP):
        step(False)
    before: list[list[float]] = []
    after: list[list[float]] = []
    for _ in range(ROUNDS):
        before.append([timed(True) for _ in range(STEPS)])
        after.append([timed(False) for _ in range(STEPS)])
    plan = schedule(wait=0, warmup=1, active=RECORDED, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, record_shapes=True) as recorded:
        for _ in range(RECORDED + 1):
            step(True)
            recorded.step()
    recorded.export_chrome_trace(str(folder / f"rank{rank}.pt.trace.json"))
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        print(json.dumps({"before": before, "after": after}), flush=True)


def both(name: str, folder: Path) -> None:
    """Starts the two processes and prints the first one's times."""
    start = time.perf_counter()
    place = folder / name
    place.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, str(place), name]
    started = [
        subprocess.Popen([*command, str(rank), str(port)], env=environment, stdout=subprocess.PIPE, text=True) for rank in (0, 1)
    ]
    found: dict[str, object] = {"error": "a process of two failed, or both took too long"}
    try:
        # Said as any failure, so that the other pairs are run.
        with contextlib.suppress(subprocess.TimeoutExpired):
            output = [process.communicate(timeout=LONGEST_SECONDS)[0] for process in started]
            if not any(process.returncode for process in started):
                found = {**json.loads(output[0].splitlines()[-1]), "path": str(place)}
    finally:
        for process in started:
            process.kill()
    print(json.dumps({"name": name, "seconds": time.perf_counter() - start, **found}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 4:
        rank_of_two(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[1]))
    else:
        for wanted in sys.argv[2:] or PAIRS:
            both(wanted, Path(sys.argv[1]))
