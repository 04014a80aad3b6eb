"""Records small trainings of PyTorch with one fault each into folders of the given one. Run with the peers' Python."""

# pyright: reportMissingImports=false, reportArgumentType=false
from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.checkpoint import checkpoint

STEPS = 8


def record(path: Path, step: Callable[[int], None], **options: bool) -> None:
    """Steps after two of warm-up, in one file."""
    with profile(
        activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=STEPS, repeat=1), record_shapes=True, **options
    ) as recorder:
        for number in range(2 + STEPS):
            step(number)
            recorder.step()
    path.mkdir(parents=True)
    recorder.export_chrome_trace(str(path / "worker0.pt.trace.json"))


def layers(count: int, width: int) -> torch.nn.Sequential:
    torch.manual_seed(0)
    return torch.nn.Sequential(*(torch.nn.Linear(width, width) for _ in range(count)))


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, width: int) -> None:
    optimizer.zero_grad()
    model(torch.ones(4, width)).square().mean().backward()
    optimizer.step()


def optimizer_loop(fused: bool) -> Callable[[int], None]:
    """Nothing but updates of 200 parameters."""
    parameters = [torch.nn.Parameter(torch.ones(8)) for _ in range(200)]
    for each in parameters:
        each.grad = torch.ones(8)
    optimizer = torch.optim.AdamW(parameters, foreach=fused)

    def step(_: int) -> None:
        optimizer.step()

    return step


def checkpoints(path: Path) -> Callable[[int], None]:
    model = layers(4, 512)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def step(_: int) -> None:
        train(model, optimizer, 512)
        torch.save(model.state_dict(), path)

    return step


def collections() -> Callable[[int], None]:
    model = layers(4, 64)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    kept = [[number] for number in range(30_000)]

    def step(_: int) -> None:
        train(model, optimizer, 64)
        gc.collect()
        assert kept

    return step


def recomputed() -> Callable[[int], None]:
    blocks = layers(6, 256)
    optimizer = torch.optim.SGD(blocks.parameters(), 0.01)

    def step(_: int) -> None:
        values = torch.ones(512, 256, requires_grad=True)
        optimizer.zero_grad()
        for block in blocks:
            values = checkpoint(block, values, use_reentrant=False)
        values.square().mean().backward()
        optimizer.step()

    return step


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    record(folder / "loop", optimizer_loop(fused=False), with_stack=True)
    record(folder / "foreach", optimizer_loop(fused=True), with_stack=True)
    record(folder / "saves", checkpoints(folder / "model.pt"), with_stack=True)
    record(folder / "collects", collections(), with_stack=True)
    record(folder / "recomputes", recomputed(), with_stack=True)
    print("{}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
