"""The drawn trainings in the real JAX: a compiled step, and the causes around and inside it."""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from training import Piece, Pieces, Training, Way, lock, main, printing, python_loop, timed_steps

BATCH = 32
FEATURES = {"small": 256, "large": 768}
CHANNELS = {"small": 16, "large": 32}
WIDTH = {"small": 64, "large": 160}
Weights = list[jax.Array]


def weights_of(kind: str, size: str) -> Weights:
    """A small network's weights; the last one gives ten scores."""
    if kind == "mlp":
        wide = FEATURES[size]
        shapes: list[tuple[int, ...]] = [(wide, 2 * wide), (2 * wide, wide), (wide, 10)]
    elif kind == "conv":
        wide = CHANNELS[size]
        shapes = [(3, 3, 3, wide), (3, 3, wide, 2 * wide), (2 * wide, 10)]
    else:
        wide = WIDTH[size]
        shapes = [*[(wide, 3 * wide), (wide, 2 * wide), (2 * wide, wide)] * 2, (wide, 10)]
    keys = jax.random.split(jax.random.key(0), len(shapes))
    return [0.05 * jax.random.normal(key, shape) for key, shape in zip(keys, shapes, strict=True)]


def batch_of(kind: str, size: str) -> np.ndarray:
    """One batch, on the host as a loader hands it out."""
    shape = {"mlp": (FEATURES[size],), "conv": (32, 32, 3), "transformer": (24, WIDTH[size])}[kind]
    return np.random.default_rng(0).random((BATCH, *shape), np.float32)


def scores(kind: str, weights: Weights, values: jax.Array) -> jax.Array:
    """The network."""
    *hidden, last = weights
    if kind == "mlp":
        for weight in hidden:
            values = jax.nn.relu(values @ weight)
    elif kind == "conv":
        for weight in hidden:
            values = jax.lax.conv_general_dilated(values, weight, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            values = jax.nn.relu(values)
        values = values.mean((1, 2))
    else:
        for attention, up, down in zip(hidden[::3], hidden[1::3], hidden[2::3], strict=True):
            query, key, value = jnp.split(values @ attention, 3, -1)
            weight = jax.nn.softmax(query @ key.mT / query.shape[-1] ** 0.5)
            values = values + weight @ value
            values = values + jax.nn.relu(values @ up) @ down
        values = values.mean(1)
    return values @ last


def loss_of(kind: str, inside: list[Piece], weights: Weights, values: jax.Array) -> jax.Array:
    """The loss; what is inside the compiled step is called through JAX's own door to Python."""
    loss = -jax.nn.log_softmax(scores(kind, weights, values))[:, 0].mean()
    if not inside:
        return loss

    def call(seen: np.ndarray) -> np.ndarray:
        for piece in inside:
            piece(0)
        return np.asarray(seen)

    seen = jax.pure_callback(call, jax.ShapeDtypeStruct((), jnp.float32), jax.lax.stop_gradient(loss))
    return loss + 0.0 * seen


def make(kind: str, size: str, pieces: Pieces, advice: str) -> Training | None:
    """A compiled update; the loss is awaited at the end of each step, and earlier where that is the cause."""
    if advice:
        return None  # the step is one compiled function already, which is what most rules ask for
    weights, values = weights_of(kind, size), batch_of(kind, size)
    value_and_gradient = jax.value_and_grad(partial(loss_of, kind, pieces.get("inside", [])))

    @jax.jit
    def update(weights: Weights, values: jax.Array) -> tuple[Weights, jax.Array]:
        loss, gradients = value_and_gradient(weights, values)
        return jax.tree.map(lambda weight, gradient: weight - 1e-3 * gradient, weights, gradients), loss

    def step(number: int) -> None:
        nonlocal weights
        for piece in pieces.get("input", []):
            piece(number)
        weights, loss = update(weights, values)
        for piece in pieces.get("sync", []):
            float(loss)
            piece(number)
        for piece in pieces.get("beside", []):
            piece(number)
        loss.block_until_ready()
        for piece in pieces.get("after", []):
            piece(number)

    steps = timed_steps(step)
    return Training(steps, lambda folder, options, count: record(step, folder, options, count))


def record(step: Piece, folder: Path, options: str, count: int) -> None:
    """As JAX's guide does."""
    more: dict[str, Any] = {}
    if options == "recommended":
        chosen = jax.profiler.ProfileOptions()
        chosen.host_tracer_level, chosen.python_tracer_level = 3, 1
        more = {"profiler_options": chosen}
    with jax.profiler.trace(str(folder), **more):
        for number in range(1_000_000, 1_000_000 + count):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                step(number)


def computing(units: int) -> Piece:
    """Augmentation with NumPy."""
    values = np.random.default_rng(0).random(2000)

    def work(_: int) -> None:
        for _unit in range(units):
            np.sort(np.sin(values))

    return work


def small_calls(units: int) -> Piece:
    """A small compiled function, again and again."""
    once, start = jax.jit(lambda part: part * 0.99 + 0.01), jnp.ones((8, 8))

    def work(_: int) -> None:
        part = start
        for _call in range(units):
            part = once(part)
        part.block_until_ready()

    return work


def one_call(units: int) -> Piece:
    """The same with a loop that is compiled."""
    repeated = jax.jit(lambda start: jax.lax.fori_loop(0, units, lambda _, part: part * 0.99 + 0.01, start))
    start = jnp.ones((8, 8))
    return lambda _: repeated(start).block_until_ready()


def compiled(changing: bool) -> Callable[[int], Piece]:
    """A compiled function of so many operations that sees a new length each time, or always the same."""

    def with_units(units: int) -> Piece:
        length = 1

        @jax.jit
        def scaled(part: jax.Array) -> jax.Array:
            for _ in range(units):
                part = jnp.sin(part) + 0.1
            return part.sum()

        def work(_: int) -> None:
            nonlocal length
            length += changing
            scaled(np.ones((length + 1, 8), np.float32)).block_until_ready()

        return work

    return with_units


WAYS = {
    "input_compute": Way("input", computing),
    "python_loop": Way("after", python_loop),
    "printing": Way("after", printing),
    "small_ops": Way("after", small_calls, one_call),
    "recompile": Way("after", compiled(True), compiled(False)),
    "sync": Way("sync", computing, computing, "beside"),
    "host_callback": Way("inside", python_loop),
    "lock": Way("after", lock),
}


if __name__ == "__main__":
    main(make, WAYS)
