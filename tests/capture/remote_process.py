"""A process that trains until its input ends, with the profiler service of one framework; prints the port first."""
# pyright: reportMissingImports=false

import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import stepscope

X = np.random.default_rng(1).normal(size=(64, 64)).astype("float32")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def tensorflow() -> tuple[int, Callable[[int], object]]:
    import tensorflow as tf

    port, weights = free_port(), tf.Variable(tf.constant(X))
    tf.profiler.experimental.server.start(port)
    train = tf.function(lambda data: weights.assign_sub(0.001 * tf.matmul(data, weights)))

    def step(number: int) -> None:
        with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
            train(X)

    return port, step


def jax() -> tuple[int, Callable[[int], object]]:
    import jax

    port = free_port()
    jax.profiler.start_server(port)
    train = jax.jit(lambda data: data @ data)

    def step(number: int) -> None:
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            train(X).block_until_ready()

    return port, step


def ours(framework: str) -> tuple[int, Callable[[int], object]]:
    token = sys.argv[2] if len(sys.argv) > 2 else None
    server: Any = stepscope.serve_profiler(token=token, framework=framework)
    return server.port, lambda number: None


def torch() -> tuple[int, Callable[[int], object]]:
    import torch

    port, _ = ours("torch")
    model, data = torch.nn.Linear(64, 64), torch.from_numpy(X)
    return port, lambda number: model(data).sum().backward()


def python() -> tuple[int, Callable[[int], object]]:
    port, _ = ours("python")

    def step(number: int) -> None:
        with stepscope.op("product", inputs=[X]):
            for _ in range(20):
                np.matmul(X, X)

    return port, step


if __name__ == "__main__":
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    port, step = {"tensorflow": tensorflow, "jax": jax, "torch": torch, "python": python}[sys.argv[1]]()
    step(0)
    print(port, flush=True)

    def until_ended() -> Any:
        number = 1
        while not ended.wait(0.001):
            yield number
            number += 1

    for number in stepscope.steps(until_ended(), start=1) if sys.argv[1] in ("torch", "python") else until_ended():
        step(number)
