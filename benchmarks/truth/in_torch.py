"""Pairs with the real torch: input, Python, small operations, recompilation, a leak and checkpoints."""
# pyright: reportMissingImports=false

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import torch
from recording import Pair, Step, main
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

BATCH, FEATURES = 128, 512
MANY = 10**9


def recorder(**options: bool) -> Callable[[Path], AbstractContextManager[Callable[[int], AbstractContextManager[None]]]]:
    """torch's profiler with its own step markers; one step more than wanted goes into its warm-up."""

    @contextmanager
    def record(folder: Path) -> Iterator[Callable[[int], AbstractContextManager[None]]]:
        plan = schedule(wait=0, warmup=1, active=MANY, repeat=1)
        with profile(activities=[ProfilerActivity.CPU], schedule=plan, **options) as recorded:

            @contextmanager
            def marked(_number: int) -> Iterator[None]:
                yield
                recorded.step()

            yield marked
        recorded.export_chrome_trace(str(folder / "run.pt.trace.json"))

    return record


def training() -> Callable[[torch.Tensor], torch.Tensor]:
    """One optimizer step of a small network."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(FEATURES, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, FEATURES))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def train(values: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(values).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return train


def batch() -> torch.Tensor:
    """One batch that is there already."""
    return torch.rand(BATCH, FEATURES)


class Items(Dataset):
    """Items that cost something to make."""

    def __init__(self, cost: Callable[[], object]) -> None:
        self.cost = cost

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> torch.Tensor:
        if index % 8 == 0:
            self.cost()
        return torch.full((FEATURES,), float(index % 7))


def work() -> None:
    """About half a millisecond of one core."""
    values = torch.rand(96, 96)
    for _ in range(12):
        values = values.matmul(values).clamp(0, 1)


def loaded(cost: Callable[[], object], workers: int = 0, threads: int = 1) -> Callable[[], Step]:
    """Steps that take each batch from a DataLoader; `threads` compute."""

    def make() -> Step:
        batches = iter(DataLoader(Items(cost), batch_size=BATCH, num_workers=workers))
        train = training()

        def step(_: int) -> None:
            torch.set_num_threads(threads)
            train(next(batches))

        return step

    return make


def nothing() -> None:
    """Free."""


def with_python(rounds: int) -> Callable[[], Step]:
    """Steps between which plain Python counts."""

    def make() -> Step:
        train, values = training(), batch()

        def step(_: int) -> None:
            train(values)
            count_words(rounds)

        return step

    return make


def count_words(rounds: int) -> int:
    """What a loop over items does in Python."""
    total = 0
    for number in range(rounds):
        total += number * number % 7
    return total


def with_pieces(pieces: int) -> Callable[[], Step]:
    """Steps that handle a tensor in so many pieces."""

    def make() -> Step:
        train, values = training(), batch()
        wide = torch.rand(pieces, 64)

        def step(_: int) -> None:
            train(values)
            for row in wide.unbind():
                row.mul_(0.5)

        return step

    return make


def one_operation(pieces: int) -> Callable[[], Step]:
    """The same on the whole tensor."""

    def make() -> Step:
        train, values = training(), batch()
        wide = torch.rand(pieces, 64)

        def step(_: int) -> None:
            train(values)
            wide.mul_(0.5)

        return step

    return make


def with_adam(layers: int, **how: bool) -> Callable[[], Step]:
    """Steps of an optimizer over many small parameters."""

    def make() -> Step:
        torch.manual_seed(0)
        weights = [torch.nn.Parameter(torch.rand(16, 16)) for _ in range(layers)]
        optimizer = torch.optim.Adam(weights, 0.001, **how)
        train, values = training(), batch()
        for weight in weights:
            weight.grad = torch.rand(16, 16)

        def step(_: int) -> None:
            train(values)
            optimizer.step()

        return step

    return make


def compiled(changing: bool) -> Callable[[], Step]:
    """Steps with a compiled function that sees a new length each time, or always the same."""

    def make() -> Step:
        train, values = training(), batch()

        def scaled(part: torch.Tensor) -> torch.Tensor:
            return (part * 2).relu().sum()

        torch._dynamo.config.recompile_limit = MANY
        torch._dynamo.config.accumulated_recompile_limit = MANY
        fast = torch.compile(scaled, backend="eager", dynamic=False)

        def step(number: int) -> None:
            train(values)
            length = 2 + number // 1000 * 20 + number % 1000 if changing else 64
            fast(torch.ones(length, 8))

        return step

    return make


def keeping(keeps: bool) -> Callable[[], Step]:
    """Steps that keep the activations of every step, or only a number."""

    def make() -> Step:
        train, values = training(), batch()
        kept: list[object] = []

        def step(_: int) -> None:
            loss = train(values)
            kept.append(torch.ones(1 << 18) if keeps else float(loss.detach()))

        return step

    return make


def saving(every: int) -> Callable[[], Step]:
    """Steps of which every so many-th writes a checkpoint."""

    def make() -> Step:
        train, values = training(), batch()
        state = {f"layer{number}": torch.rand(512, 512) for number in range(12)}

        def step(number: int) -> None:
            train(values)
            if every and number % every == 0:
                torch.save(state, io.BytesIO())

        return step

    return make


def saving_beside() -> Step:
    """Steps after which a copy of the state is written by a thread; the next one waits until that is done."""
    train, values = training(), batch()
    state = {f"layer{number}": torch.rand(512, 512) for number in range(12)}
    beside = ThreadPoolExecutor(1)
    writing: Future[None] | None = None

    def step(_: int) -> None:
        nonlocal writing
        train(values)
        if writing is not None:
            writing.result()
        copy = {name: weights.clone() for name, weights in state.items()}
        writing = beside.submit(torch.save, copy, io.BytesIO())

    return step


def sleep_a_little() -> None:
    """Waiting for a disk or a network."""
    time.sleep(0.0004)


def sleep_longer() -> None:
    """A wait that takes longer than the rest of the step, so that one worker cannot hide it."""
    time.sleep(0.001)


PLAIN = recorder()
PYTHON = recorder(with_stack=True)
MEMORY = recorder(profile_memory=True, with_stack=True)

PAIRS = {
    "torch_busy_input": Pair(loaded(work), loaded(nothing), PLAIN),
    "torch_sleeping_input": Pair(loaded(sleep_a_little), loaded(nothing), PLAIN),
    "torch_python_loop": Pair(with_python(120_000), with_python(0), PYTHON),
    "torch_small_operations": Pair(with_pieces(3000), one_operation(3000), PLAIN),
    "torch_optimizer_loop": Pair(with_adam(200, foreach=False), with_adam(200, fused=True), PLAIN),
    "torch_recompilation": Pair(compiled(True), compiled(False), PYTHON, steps=5, recorded=8),
    "torch_leak": Pair(keeping(True), keeping(False), MEMORY),
    "torch_checkpoint": Pair(saving(1), saving(0), PYTHON),
    "torch_async_checkpoint": Pair(saving(1), saving_beside, PYTHON),
    "torch_one_worker": Pair(loaded(work), loaded(work, workers=1), PLAIN),
    "torch_slow_worker": Pair(loaded(sleep_longer), loaded(sleep_longer, workers=1), PLAIN),
    "torch_two_workers": Pair(loaded(work, threads=2), loaded(work, workers=2, threads=2), PLAIN, steps=4, recorded=6),
}


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(PAIRS)
