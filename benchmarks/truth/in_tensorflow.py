"""Pairs with the real TensorFlow: input, Python, retracing, eager steps and checkpoints."""
# pyright: reportMissingImports=false

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import tensorflow as tf
from recording import Pair, Step, main

BATCH, FEATURES, HIDDEN = 128, 512, 1024


@contextmanager
def recorder(folder: Path) -> Iterator[Callable[[int], Any]]:
    """TensorFlow's profiler; steps are marked as its guide says. Its option to record Python has no effect in this version."""
    with tf.profiler.experimental.Profile(str(folder)):
        yield lambda number: tf.profiler.experimental.Trace("train", step_num=number, _r=1)


def loss_of(values: tf.Tensor, first: tf.Variable, second: tf.Variable) -> tf.Tensor:
    """A small network's loss."""
    return tf.reduce_mean(tf.square(tf.nn.relu(values @ first) @ second))


def training(function: bool = True) -> Callable[[tf.Tensor], tf.Tensor]:
    """One step of gradient descent, as a function or eagerly."""
    first = tf.Variable(tf.random.stateless_normal((FEATURES, HIDDEN), (1, 2)) * 0.01)
    second = tf.Variable(tf.random.stateless_normal((HIDDEN, FEATURES), (3, 4)) * 0.01)

    def train(values: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(values, first, second)
        for weight, gradient in zip((first, second), tape.gradient(loss, (first, second)), strict=True):
            weight.assign_sub(0.01 * tf.convert_to_tensor(gradient))
        return loss

    return tf.function(train) if function else train


def batch() -> tf.Tensor:
    """One batch that is there already."""
    return tf.random.stateless_normal((BATCH, FEATURES), (5, 6))


def loaded(dataset: Callable[[], tf.data.Dataset]) -> Callable[[], Step]:
    """Steps that take each batch from a dataset."""

    def make() -> Step:
        batches = iter(dataset())
        train = training()
        return lambda _: train(next(batches))

    return make


def same_batch() -> tf.data.Dataset:
    """The same batch again and again; TensorFlow would otherwise load ahead without being asked."""
    options = tf.data.Options()
    options.autotune.enabled = False
    options.experimental_optimization.inject_prefetch = False
    return tf.data.Dataset.from_tensors(batch()).repeat().with_options(options)


def in_python(cost: Callable[[], object], ahead: int = 0) -> Callable[[], tf.data.Dataset]:
    """Batches that a Python function makes, perhaps ahead of the step."""

    def load(values: np.ndarray) -> np.ndarray:
        cost()
        return values

    def make() -> tf.data.Dataset:
        dataset = same_batch().map(lambda values: tf.ensure_shape(tf.numpy_function(load, [values], tf.float32), (BATCH, FEATURES)))
        return dataset.prefetch(ahead) if ahead else dataset

    return make


def in_graph(rounds: int) -> Callable[[], tf.data.Dataset]:
    """Batches that TensorFlow's own operations make."""

    def load(values: tf.Tensor) -> tf.Tensor:
        for _ in range(rounds):
            values = tf.sin(values) + 0.1
        return values

    return lambda: same_batch().map(load)


def work() -> None:
    """Some milliseconds of one core."""
    values = np.random.default_rng(0).random(20_000)
    for _ in range(12):
        values = np.sort(np.sin(values))


def nothing() -> None:
    """Free."""


def sleep_a_little() -> None:
    """Waiting for a disk or a network."""
    time.sleep(0.008)


def sleep_less_than_a_step() -> None:
    """A wait that loading ahead can hide for ever, and not only until its buffer is empty."""
    time.sleep(0.005)


def scaled(as_tensor: bool) -> Callable[[], Step]:
    """Steps that give a function a new Python number each time, or a tensor."""

    def make() -> Step:
        train, values = training(), batch()

        @tf.function
        def weighted(values: tf.Tensor, weight: int | tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(values * tf.cast(tf.convert_to_tensor(weight), tf.float32))

        def step(number: int) -> None:
            train(values)
            weighted(values, tf.constant(number) if as_tensor else number)

        return step

    return make


def chain(function: bool) -> Callable[[], Step]:
    """Steps with many small operations, eagerly or as one function."""

    def small(values: tf.Tensor) -> tf.Tensor:
        for _ in range(200):
            values = values * 0.99 + 0.01
        return values

    def make() -> Step:
        train, values, state = training(), batch(), tf.ones((16, 16))
        run = tf.function(small) if function else small

        def step(_: int) -> None:
            train(values)
            run(state)

        return step

    return make


def saving(saves: bool, beside: bool = False) -> Callable[[], Step]:
    """Steps that write a checkpoint, perhaps beside the next ones, or none."""

    def make() -> Step:
        train, values = training(), batch()
        checkpoint = tf.train.Checkpoint(**{f"weight{number}": tf.Variable(tf.ones((512, 512))) for number in range(12)})
        path = str(Path(mkdtemp(dir=sys.argv[1])) / "state")
        options = tf.train.CheckpointOptions(enable_async=beside)

        def step(_: int) -> None:
            train(values)
            if saves:
                checkpoint.write(path, options=options)

        return step

    return make


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


PAIRS = {
    "tensorflow_python_input": Pair(loaded(in_python(work)), loaded(in_python(nothing)), recorder),
    "tensorflow_busy_input": Pair(loaded(in_graph(100)), loaded(in_graph(0)), recorder),
    "tensorflow_sleeping_input": Pair(loaded(in_python(sleep_a_little)), loaded(in_python(nothing)), recorder),
    "tensorflow_prefetch": Pair(
        loaded(in_python(sleep_less_than_a_step)), loaded(in_python(sleep_less_than_a_step, ahead=2)), recorder
    ),
    "tensorflow_retracing": Pair(scaled(False), scaled(True), recorder, steps=5, recorded=8),
    "tensorflow_eager": Pair(chain(False), chain(True), recorder),
    "tensorflow_checkpoint": Pair(saving(True), saving(False), recorder),
    "tensorflow_async_checkpoint": Pair(saving(True), saving(True, beside=True), recorder),
    "tensorflow_python_loop": Pair(with_python(120_000), with_python(0), recorder),
}


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    main(PAIRS)
