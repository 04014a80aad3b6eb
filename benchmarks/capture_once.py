"""One measurement of capturing, run by the peers' Python: prints it as JSON."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import stepscope

STEPS = 10
LOOPS = 200_000
PHASES = ("forward", "backward", "optimizer")


def steps(folder: str) -> dict[str, float]:
    """Microseconds of the training thread's processor time that each step of an empty loop takes more, and each span."""

    def loop(batches: Iterable[int], phases: tuple[str, ...]) -> float:
        began = time.thread_time()
        for _ in batches:
            for name in phases:
                with stepscope.phase(name):
                    pass
        return time.thread_time() - began

    def spans() -> float:
        began = time.thread_time()
        for _ in range(LOOPS):
            with stepscope.span("a"):
                pass
        return time.thread_time() - began

    with stepscope.SummaryWriter(folder) as writer:
        bare, bare_phases = (min(loop(range(LOOPS), phases) for _ in range(3)) for phases in ((), PHASES))
        timed, timed_phases = (
            min(loop(stepscope.steps(range(LOOPS), writer=writer, slow=1e9), phases) for _ in range(3)) for phases in ((), PHASES)
        )
    return {
        "step_us": (timed - bare) / LOOPS * 1e6,
        "step_with_phases_us": (timed_phases - bare_phases) / LOOPS * 1e6,
        "phases": len(PHASES),
        "span_us": (min(spans() for _ in range(3)) - bare) / LOOPS * 1e6,
    }


def torch_step() -> Callable[[], object]:
    """A step of a small model."""
    import torch

    model = torch.nn.Sequential(*(layer for _ in range(8) for layer in (torch.nn.Linear(128, 128), torch.nn.ReLU())))
    optimizer, data = torch.optim.Adam(model.parameters()), torch.randn(64, 128)

    def step() -> None:
        optimizer.zero_grad()
        model(data).sum().backward()
        optimizer.step()

    return step


def tensorflow_step() -> Callable[[], object]:
    """A step of a model of the same size, in Keras."""
    import keras
    import numpy as np

    model = keras.Sequential([keras.Input((128,)), *(keras.layers.Dense(128, "relu") for _ in range(8))])
    model.compile("adam", "mse")
    data = np.random.default_rng(1).normal(size=(64, 128)).astype("float32")
    return lambda: model.train_on_batch(data, data)


def own_profiler(framework: str, folder: str) -> tuple[Callable[[], None], Callable[[int], Any], Callable[[], None]]:
    """Start, mark and stop of the framework's own, with the options that ours uses."""
    if framework == "torch":
        import torch

        profile = torch.profiler.profile(record_shapes=True, on_trace_ready=torch.profiler.tensorboard_trace_handler(folder))
        return profile.start, lambda number: torch.profiler.record_function(f"ProfilerStep#{number}"), profile.stop
    import tensorflow as tf

    profiler: Any = tf.profiler.experimental
    return lambda: profiler.start(folder), lambda number: profiler.Trace("train", step_num=number, _r=1), profiler.stop


def profiled(folder: str, whose: str, framework: str) -> dict[str, float]:
    """Warmed up alike: twenty steps, and a profile of one step that is thrown away."""
    step = {"torch": torch_step, "tensorflow": tensorflow_step}[framework]()
    for _ in range(20):
        step()
    if whose == "ours":
        capture = stepscope.profile(folder, steps=range(1, STEPS + 1), framework=framework).start()
        with capture.step(0):
            step()
        began = time.perf_counter()
        for number in range(1, STEPS + 1):
            with capture.step(number):
                step()
        ended = time.perf_counter()
        capture.stop()
    else:
        for count in (1, STEPS):
            start, mark, stop = own_profiler(framework, str(Path(folder) / str(count)))
            began = time.perf_counter()
            start()
            for number in range(count):
                with mark(number):
                    step()
            stop()
            ended = time.perf_counter()
    return {"steps_ms": 1e3 * (ended - began), "written_ms": 1e3 * (time.perf_counter() - began)}


if __name__ == "__main__":
    print(json.dumps(steps(sys.argv[1]) if sys.argv[2] == "steps" else profiled(*sys.argv[1:4])))
