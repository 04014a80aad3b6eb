"""Pairs with the real JAX: a wait inside the step, recompilation, eager steps, many small calls and Python."""
# pyright: reportMissingImports=false

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # compute takes one core, so that one is left for the host

import jax
import jax.numpy as jnp
import numpy as np
from recording import Pair, Recorder, Step, main

BATCH, FEATURES, HIDDEN = 128, 512, 1024
Weights = tuple[jax.Array, jax.Array]


def recorder(python: int) -> Recorder:
    """JAX's profiler with its own step markers."""

    @contextmanager
    def record(folder: Path) -> Iterator[Callable[[int], Any]]:
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = python
        options.host_tracer_level = 2
        jax.profiler.start_trace(str(folder), profiler_options=options)
        try:
            yield lambda number: jax.profiler.StepTraceAnnotation("train", step_num=number)
        finally:
            jax.profiler.stop_trace()

    return record


def loss_of(weights: Weights, values: jax.Array) -> jax.Array:
    """A small network's loss."""
    return jnp.mean(jnp.square(jax.nn.relu(values @ weights[0]) @ weights[1]))


def update(weights: Weights, values: jax.Array) -> tuple[Weights, jax.Array]:
    """One step of gradient descent."""
    loss, gradients = jax.value_and_grad(loss_of)(weights, values)
    return jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, weights, gradients), loss


def training() -> Callable[[jax.Array], jax.Array]:
    """Compiled steps that are waited for only at their end."""
    compiled = jax.jit(update)
    weights = (jnp.full((FEATURES, HIDDEN), 0.01), jnp.full((HIDDEN, FEATURES), 0.01))

    def train(values: jax.Array) -> jax.Array:
        nonlocal weights
        weights, loss = compiled(weights, values)
        return loss

    return train


def batch() -> jax.Array:
    """One batch that is there already."""
    return jnp.full((BATCH, FEATURES), 0.5)


def waiting(waits: bool) -> Callable[[], Step]:
    """Steps that read the loss before the host prepares the next batch, or only after."""

    def make() -> Step:
        train, values = training(), batch()

        def step(_: int) -> None:
            loss = train(values)
            if waits:
                float(loss)
            prepare()
            jax.block_until_ready(loss)

        return step

    return make


def prepare() -> None:
    """Host work that needs nothing of the step."""
    values = np.random.default_rng(0).random(40_000)
    for _ in range(3):
        values = np.sort(np.sin(values))


def sliced(changing: bool) -> Callable[[], Step]:
    """Steps with a compiled function that sees a new length each time, or always the same."""

    def make() -> Step:
        train, values = training(), batch()
        total = jax.jit(lambda part: jnp.sum(jnp.sin(part)))

        def step(number: int) -> None:
            loss = train(values)
            length = 2 + number // 1000 * 20 + number % 1000 if changing else 64
            total(np.ones((length, 8), np.float32))
            jax.block_until_ready(loss)

        return step

    return make


def small(values: jax.Array) -> jax.Array:
    """Many small operations."""
    for _ in range(150):
        values = values * 0.99 + 0.01
    return values


def chain(compiled: bool) -> Callable[[], Step]:
    """Steps with many small operations, one by one or compiled."""

    def make() -> Step:
        train, values, state = training(), batch(), jnp.ones((16, 16))
        run = jax.jit(small) if compiled else small

        def step(_: int) -> None:
            jax.block_until_ready((train(values), run(state)))

        return step

    return make


def many_calls(calls: int) -> Callable[[], Step]:
    """Steps that call a small compiled function again and again."""

    def make() -> Step:
        train, values, state = training(), batch(), jnp.ones((16, 16))
        once = jax.jit(lambda part: part * 0.99 + 0.01)

        def step(_: int) -> None:
            loss, part = train(values), state
            for _call in range(calls):
                part = once(part)
            jax.block_until_ready((loss, part))

        return step

    return make


def one_call(calls: int) -> Callable[[], Step]:
    """The same with a loop that is compiled."""

    def make() -> Step:
        train, values, state = training(), batch(), jnp.ones((16, 16))
        repeated = jax.jit(lambda start: jax.lax.fori_loop(0, calls, lambda _, part: part * 0.99 + 0.01, start))

        def step(_: int) -> None:
            jax.block_until_ready((train(values), repeated(state)))

        return step

    return make


def deep(compiled: bool) -> Callable[[], Step]:
    """Steps that train a network of many small layers, compiled as a whole or operation by operation."""

    def loss_of_all(layers: list[jax.Array], values: jax.Array) -> jax.Array:
        for layer in layers:
            values = jnp.tanh(values @ layer)
        return jnp.mean(jnp.square(values))

    def update_all(layers: list[jax.Array], values: jax.Array) -> tuple[list[jax.Array], jax.Array]:
        loss, gradients = jax.value_and_grad(loss_of_all)(layers, values)
        return jax.tree.map(lambda layer, gradient: layer - 0.01 * gradient, layers, gradients), loss

    def make() -> Step:
        layers, values = [jnp.full((48, 48), 0.02)] * 8, jnp.full((16, 48), 0.5)
        run = jax.jit(update_all) if compiled else update_all

        def step(_: int) -> None:
            nonlocal layers
            layers, loss = run(layers, values)
            jax.block_until_ready(loss)

        return step

    return make


def with_python(rounds: int) -> Callable[[], Step]:
    """Steps between which plain Python counts."""

    def make() -> Step:
        train, values = training(), batch()

        def step(_: int) -> None:
            jax.block_until_ready(train(values))
            count_words(rounds)

        return step

    return make


def count_words(rounds: int) -> int:
    """What a loop over items does in Python."""
    total = 0
    for number in range(rounds):
        total += number * number % 7
    return total


PLAIN, PYTHON = recorder(0), recorder(1)

PAIRS = {
    "jax_sync": Pair(waiting(True), waiting(False), PLAIN),
    "jax_recompilation": Pair(sliced(True), sliced(False), PYTHON, steps=5, recorded=8),
    "jax_eager": Pair(chain(False), chain(True), PLAIN),
    "jax_small_calls": Pair(many_calls(300), one_call(300), PLAIN),
    "jax_uncompiled_step": Pair(deep(False), deep(True), PLAIN),
    "jax_python_loop": Pair(with_python(120_000), with_python(0), PYTHON),
}


if __name__ == "__main__":
    main(PAIRS)
