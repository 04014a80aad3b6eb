"""The drawn trainings in the real torch: a DataLoader, a model, AdamW, and the causes that can be put in."""
# pyright: reportMissingImports=false

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler
from torch.utils.data import DataLoader, Dataset
from training import Piece, Pieces, Training, Way, interpreter, lock, main, printing, python_loop, timed_steps, waiting

BATCH = 32
FEATURES = {"small": 256, "large": 768}
CHANNELS = {"small": 16, "large": 32}
WIDTH = {"small": 64, "large": 160}
ADVICE = {
    **dict.fromkeys(("host_bound", "python_between_ops", "many_small_kernels", "slow_operator"), "compile"),
    **{rule: rule for rule in ("cores_exhausted", "input_bound")},
}
"""What each rule's code says, for the rules whose advice can be followed without knowing the cause."""
SHAPES: dict[str, Callable[[str], tuple[int, ...]]] = {
    "mlp": lambda size: (FEATURES[size],),
    "conv": lambda _: (3, 32, 32),
    "transformer": lambda size: (24, WIDTH[size]),
}


class Attention(nn.Module):
    """Two encoder layers and a mean over the sequence."""

    def __init__(self, width: int) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(values).mean(1))


def model_of(kind: str, size: str) -> nn.Module:
    """A small network."""
    torch.manual_seed(0)
    if kind == "mlp":
        wide = FEATURES[size]
        return nn.Sequential(nn.Linear(wide, 2 * wide), nn.ReLU(), nn.Linear(2 * wide, wide), nn.ReLU(), nn.Linear(wide, 10))
    if kind == "transformer":
        return Attention(WIDTH[size])
    wide = CHANNELS[size]
    return nn.Sequential(
        nn.Conv2d(3, wide, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(wide, 2 * wide, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * wide, 10),
    )  # fmt: skip


class Items(Dataset[tuple[torch.Tensor, int]]):
    """Ready items; the first of a batch brings the cost of the whole batch."""

    def __init__(self, shape: tuple[int, ...], costs: list[Piece]) -> None:
        self.values, self.costs = torch.rand(64, *shape), costs

    def __len__(self) -> int:
        return 10_000_000

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if index % BATCH == 0:
            for cost in self.costs:
                cost(index // BATCH)
        return self.values[index % 64], index % 10


def make(kind: str, size: str, pieces: Pieces, advice: str) -> Training | None:
    """A training loop as in torch's tutorials, with the framework's own number of threads."""
    if advice and advice not in ADVICE:
        return None
    model = model_of(kind, size)
    # Fused: by default it loops over the parameters on a CPU, which is one of the causes and took a quarter of a small network's step.
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)
    if ADVICE.get(advice) == "compile":
        model = torch.compile(model)
    if advice == "cores_exhausted":
        torch.set_num_threads(max(1, torch.get_num_threads() - 1))
    loss_of = nn.CrossEntropyLoss()
    workers = {"num_workers": 1, "persistent_workers": True} if advice == "input_bound" else {}
    batches = iter(DataLoader(Items(SHAPES[kind](size), pieces.get("input", [])), batch_size=BATCH, **workers))
    after = pieces.get("after", [])

    def step(number: int) -> None:
        for piece in pieces.get("first", []):
            piece(number)
        values, labels = next(batches)
        optimizer.zero_grad()
        loss_of(model(values), labels).backward()
        optimizer.step()
        for piece in after:
            piece(number)

    steps = timed_steps(step)
    return Training(steps, lambda folder, options, count: record(steps, folder, options, count))


def record(steps: Callable[[int], list[float]], folder: Path, options: str, count: int) -> None:
    """As torch's tutorial of the profiler does."""
    more: dict[str, Any] = {}
    if options == "recommended":
        collections = torch._C._profiler._ExperimentalConfig(record_python_gc_info=True)
        more = {"with_stack": True, "record_shapes": True, "profile_memory": True, "experimental_config": collections}
    plan = schedule(wait=0, warmup=1, active=count, repeat=1)
    handler = tensorboard_trace_handler(str(folder))
    with profile(activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=handler, **more) as recorded:
        for _ in range(count + 1):
            steps(1)
            recorded.step()


def computing(units: int) -> Piece:
    """Augmentation with NumPy."""
    values = np.random.default_rng(0).random(2000)

    def work(_: int) -> None:
        for _unit in range(units):
            np.sort(np.sin(values))

    return work


def small_ops(units: int) -> Piece:
    """Each row of a tensor alone."""
    wide = torch.rand(units, 16)

    def work(_: int) -> None:
        for row in wide.unbind():
            row.mul_(0.99)

    return work


def one_op(units: int) -> Piece:
    """The same on the whole tensor."""
    wide = torch.rand(units, 16)
    return lambda _: wide.mul_(0.99)


def adam(**how: bool) -> Callable[[int], Piece]:
    """An optimizer over many small parameters."""

    def with_units(units: int) -> Piece:
        weights = [nn.Parameter(torch.rand(8, 8)) for _ in range(units)]
        for weight in weights:
            weight.grad = torch.rand(8, 8)
        optimizer = torch.optim.AdamW(weights, 1e-4, **how)
        return lambda _: optimizer.step()

    return with_units


def compiled(changing: bool) -> Callable[[int], Piece]:
    """A compiled function of so many operations that sees a new length each time, or always the same."""

    def with_units(units: int) -> Piece:
        torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1 << 30
        length = 1

        def scaled(part: torch.Tensor) -> torch.Tensor:
            for _ in range(units):
                part = part * 0.9 + 0.1
            return part.sum()

        fast = torch.compile(scaled, backend="aot_eager", dynamic=False)

        def work(_: int) -> None:
            nonlocal length
            length += changing
            fast(torch.ones(length + 1, 8))

        return work

    return with_units


def checkpoint(units: int) -> Piece:
    """A state of so many times 16 KiB, written to a file."""
    state = {f"layer{number}": torch.rand(64, 64) for number in range(units)}
    path = Path(tempfile.mkdtemp()) / "state.pt"
    return lambda _: torch.save(state, path)


def layout(units: int) -> Piece:
    """Copies of a transposed tensor."""
    values = torch.rand(8, 16, 32, 32)

    def work(_: int) -> None:
        for _unit in range(units):
            values.permute(0, 2, 3, 1).contiguous()

    return work


def collecting(units: int) -> Piece:
    """A collection over so many hundred objects."""
    gc.freeze()  # else the objects of torch itself take tens of milliseconds
    kept = [[number] for number in range(100 * units)]

    def work(_: int) -> None:
        gc.collect()
        kept[0] = [0]

    return work


def objects(collected: bool) -> Callable[[int], Piece]:
    """So many hundred Python objects a step, which live until the next; Python looks through them again and again, or does not."""

    def with_units(units: int) -> Piece:
        gc.freeze()
        kept: list[list[int]] = []

        def work(_: int) -> None:
            nonlocal kept
            if not collected:
                gc.disable()
            kept = [[number] for number in range(100 * units)]
            gc.enable()

        return work

    return with_units


def microbatches(at_once: bool) -> Callable[[int], Piece]:
    """Gradients of so many samples, of each alone or of all."""

    def with_units(units: int) -> Piece:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
        samples = torch.rand(units, 64)

        def work(_: int) -> None:
            model.zero_grad()
            for batch in (samples,) if at_once else samples.split(1):
                model(batch).square().mean().backward()

        return work

    return with_units


WAYS = {
    "input_compute": Way("input", computing),
    "input_wait": Way("input", waiting),
    "python_loop": Way("after", python_loop),
    "printing": Way("after", printing),
    "small_ops": Way("after", small_ops, one_op),
    "optimizer_loop": Way("after", adam(foreach=False), adam(fused=True)),
    "recompile": Way("after", compiled(True), compiled(False)),
    "checkpoint": Way("after", checkpoint),
    "layout": Way("after", layout),
    "gc": Way("after", collecting),
    "automatic_gc": Way("after", objects(collected=True), objects(collected=False)),
    "microbatches": Way("after", microbatches(at_once=False), microbatches(at_once=True)),
    "interpreter": Way("first", interpreter, alone=python_loop),
    "lock": Way("after", lock),
}


if __name__ == "__main__":
    main(make, WAYS)
