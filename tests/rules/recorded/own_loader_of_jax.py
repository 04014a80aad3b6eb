"""Runs in the peers' Python: records a JAX training whose loader is a generator of its own, marked with TraceAnnotation."""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

STEPS, BATCH, FEATURES, CLASSES = 10, 48, 64, 7
LOADS, SAVES = 0.012, 0.004
Weights = tuple[jax.Array, jax.Array]


def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches that take a while."""
    while True:
        time.sleep(LOADS)
        yield np.full((BATCH, FEATURES), 0.5, np.float32), np.zeros(BATCH, np.int32)


def loss_of(weights: Weights, values: jax.Array, targets: jax.Array) -> jax.Array:
    """Cross entropy of a small network."""
    scores = jax.nn.log_softmax(jnp.maximum(values @ weights[0], 0) @ weights[1])
    return -jnp.take_along_axis(scores, targets[:, None], 1).mean()


@jax.jit
def train(weights: Weights, values: jax.Array, targets: jax.Array) -> tuple[Weights, jax.Array]:
    """One step of gradient descent."""
    loss, gradients = jax.value_and_grad(loss_of)(weights, values, targets)
    return jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, weights, gradients), loss


def main(folder: Path) -> None:
    """Prints how long loading and saving took in the recorded steps, in milliseconds."""
    key = jax.random.key(0)
    weights = (jax.random.normal(key, (FEATURES, 256)), jax.random.normal(key, (256, CLASSES)))
    source = batches()
    weights, loss = train(weights, *next(source))
    jax.block_until_ready(loss)
    loaded: list[float] = []
    saved: list[float] = []
    jax.profiler.start_trace(str(folder))
    for step in range(STEPS):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            began = time.perf_counter()
            with jax.profiler.TraceAnnotation("load_batch"):
                values, targets = next(source)
            loaded.append(1e3 * (time.perf_counter() - began))
            weights, loss = train(weights, values, targets)
            jax.block_until_ready(loss)
            began = time.perf_counter()
            with jax.profiler.TraceAnnotation("save_weights"):
                time.sleep(SAVES)
            saved.append(1e3 * (time.perf_counter() - began))
    jax.profiler.stop_trace()
    print(json.dumps({"loaded_ms": loaded, "saved_ms": saved}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
