"""Trains a few steps with one framework while stepscope.profile captures some of them; prints the sessions as JSON."""
# pyright: reportMissingImports=false

import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FRAMEWORK, TOP = sys.argv[1], Path(sys.argv[2])

import numpy as np  # noqa: E402 (after the arguments)

import stepscope  # noqa: E402

X = np.random.default_rng(1).normal(size=(64, 64)).astype("float32")


def torch_step() -> Callable[[int], object]:
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    data = torch.from_numpy(X)

    def step(number: int) -> None:
        with stepscope.op("my_op", inputs=[data]):
            squared = torch.from_numpy(X * X)
        optimizer.zero_grad()
        model(squared).sum().backward()
        optimizer.step()

    return step


def tensorflow_step() -> Callable[[int], object]:
    import tensorflow as tf

    weights = tf.Variable(tf.constant(X))

    @tf.function
    def train(data: Any) -> Any:
        return weights.assign_sub(0.001 * tf.matmul(data, weights))

    def step(number: int) -> None:
        with stepscope.op("my_op", inputs=[X]):
            squared = X * X
        train(squared)

    return step


def jax_step() -> Callable[[int], object]:
    import jax

    train = jax.jit(lambda weights, data: weights - 0.001 * data @ weights)
    state = {"weights": jax.numpy.asarray(X)}

    def step(number: int) -> None:
        with stepscope.op("my_op", inputs=[X]):
            squared = X * X
        state["weights"] = train(state["weights"], squared)
        state["weights"].block_until_ready()

    return step


def refused(step: Callable[[int], object]) -> list[str]:
    """What is said when the framework's own profiler runs already."""
    heard: list[str] = []

    class Hears(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    logging.getLogger("stepscope.capture").addHandler(Hears())
    if FRAMEWORK == "tensorflow":
        import tensorflow as tf

        tf.profiler.experimental.start(str(TOP / "own"))
        end = tf.profiler.experimental.stop
    else:
        import jax

        jax.profiler.start_trace(str(TOP / "own"))
        end = jax.profiler.stop_trace
    with stepscope.profile(TOP / "refused", steps="1-2") as profile:
        for number in range(4):
            with profile.step(number):
                step(number)
    end()
    return [*heard, *profile.sessions]


if __name__ == "__main__":
    step = {"torch": torch_step, "tensorflow": tensorflow_step, "jax": jax_step}[FRAMEWORK]()
    with stepscope.profile(TOP / "run", steps="4-6", memory=FRAMEWORK == "jax") as profile:
        for number in range(60):
            with profile.step(number), stepscope.span("my span"):
                step(number)
    again = stepscope.profile(TOP / "again")
    with again, again.step(0):
        step(0)
        time.sleep(0.5)
    said = refused(step) if FRAMEWORK != "torch" else []
    files = [sorted(os.listdir(session)) for session in profile.sessions]
    print(json.dumps({"sessions": profile.sessions, "files": files, "again": again.sessions, "refused": said}))
