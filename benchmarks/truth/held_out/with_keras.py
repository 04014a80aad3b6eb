"""The drawn trainings in the real Keras on TensorFlow: `fit` over a tf.data pipeline, with causes in the pipeline and in callbacks."""
# pyright: reportMissingImports=false

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from training import Piece, Pieces, Training, Way, main, printing, python_loop, waiting

BATCH = 32
FEATURES = {"small": 256, "large": 768}
CHANNELS = {"small": 16, "large": 32}
WIDTH = {"small": 64, "large": 160}
Loss = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
FIRST = 3
"""Batches of a recorded `fit` that are trained before the profiler starts."""

ADVICE = ("input_bound", "stage_not_parallel")
"""Rules whose advice can be followed without knowing the cause: both load ahead of the step."""


def shape_of(kind: str, size: str) -> tuple[int, ...]:
    """One item of the input."""
    return {"mlp": (FEATURES[size],), "conv": (32, 32, 3), "transformer": (24, WIDTH[size])}[kind]


def layers_of(kind: str, size: str, values: keras.KerasTensor) -> keras.KerasTensor:
    """A small network up to its last layer."""
    layers = keras.layers
    if kind == "mlp":
        wide = FEATURES[size]
        return layers.Dense(wide, "relu")(layers.Dense(2 * wide, "relu")(values))
    if kind == "conv":
        wide = CHANNELS[size]
        values = layers.MaxPooling2D()(layers.Conv2D(wide, 3, activation="relu")(values))
        return layers.GlobalAveragePooling2D()(layers.Conv2D(2 * wide, 3, activation="relu")(values))
    for _ in range(2):
        values = layers.LayerNormalization()(values + layers.MultiHeadAttention(4, WIDTH[size] // 4)(values, values))
        values = layers.LayerNormalization()(values + layers.Dense(WIDTH[size])(layers.Dense(2 * WIDTH[size], "relu")(values)))
    return layers.GlobalAveragePooling1D()(values)


def loss_with(inside: list[Piece]) -> Loss:
    """The usual loss; what is inside the compiled step is called through TensorFlow's own door to Python."""
    plain = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    if not inside:
        return plain

    def call(loss: np.ndarray) -> np.ndarray:
        for piece in inside:
            piece(0)
        return loss

    def checked(labels: tf.Tensor, scores: tf.Tensor) -> tf.Tensor:
        loss = plain(labels, scores)
        seen = tf.numpy_function(call, [tf.stop_gradient(loss)], tf.float32)
        return loss + 0.0 * tf.ensure_shape(seen, ())

    return checked


def data(kind: str, size: str, costs: list[Piece]) -> tf.data.Dataset:
    """Batches that are ready, or that a Python generator makes."""
    values = np.random.default_rng(0).random((BATCH, *shape_of(kind, size)), np.float32)
    labels = np.arange(BATCH, dtype=np.int64) % 10
    if not costs:
        return tf.data.Dataset.from_tensors((values, labels)).repeat()

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        number = 0
        while True:
            for cost in costs:
                cost(number)
            number += 1
            yield values, labels

    signature = (tf.TensorSpec(values.shape, tf.float32), tf.TensorSpec(labels.shape, tf.int64))
    return tf.data.Dataset.from_generator(batches, output_signature=signature)


class Clock(keras.callbacks.Callback):
    """The time of each batch, from the end of the last to its own."""

    def __init__(self, after: list[Piece]) -> None:
        super().__init__()
        self.after, self.ends = after, list[float]()

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002 (Keras passes it by name)
        for piece in self.after:
            piece(batch + 1)
        self.ends.append(time.perf_counter())


class Profiler(keras.callbacks.Callback):
    """TensorFlow's profiler with options, and a mark around each batch, as its guide says."""

    def __init__(self, folder: Path, count: int) -> None:
        super().__init__()
        self.folder, self.last, self.open = folder, FIRST + count, ExitStack()

    def on_train_batch_begin(self, batch: int, logs: object = None) -> None:  # noqa: ARG002 (Keras passes it by name)
        if batch == FIRST:
            options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=3, python_tracer_level=1)
            tf.profiler.experimental.start(str(self.folder), options)
        if FIRST <= batch < self.last:
            self.open.enter_context(tf.profiler.experimental.Trace("train", step_num=batch, _r=1))

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:  # noqa: ARG002 (Keras passes it by name)
        self.open.close()
        if batch == self.last:
            tf.profiler.experimental.stop()


def make(kind: str, size: str, pieces: Pieces, advice: str) -> Training | None:
    """`compile` and `fit`, as in Keras' guide."""
    if advice and advice not in ADVICE:
        return None
    keras.utils.set_random_seed(0)
    given = keras.Input(shape_of(kind, size))
    model = keras.Model(given, keras.layers.Dense(10)(layers_of(kind, size, given)))
    model.compile(keras.optimizers.AdamW(1e-4), loss_with(pieces.get("inside", [])))
    source, after = data(kind, size, pieces.get("input", [])), pieces.get("after", [])
    if advice:
        source = source.prefetch(tf.data.AUTOTUNE)

    def fit(count: int, *callbacks: keras.callbacks.Callback) -> Clock:
        clock = Clock(after)
        model.fit(source, steps_per_epoch=count, epochs=1, verbose=0, callbacks=[clock, *callbacks])
        return clock

    def steps(count: int) -> list[float]:
        ends = fit(count + 1).ends
        return [1e3 * (end - begin) for begin, end in pairwise(ends)]

    def record(folder: Path, options: str, count: int) -> None:
        usual = keras.callbacks.TensorBoard(str(folder), profile_batch=(FIRST, FIRST + count))
        fit(FIRST + count + 3, Profiler(folder, count) if options == "recommended" else usual)

    return Training(steps, record)


def computing(units: int) -> Piece:
    """Augmentation with NumPy."""
    values = np.random.default_rng(0).random(2000)

    def work(_: int) -> None:
        for _unit in range(units):
            np.sort(np.sin(values))

    return work


def chain(units: int) -> Callable[[tf.Tensor], tf.Tensor]:
    """So many small operations."""

    def small(values: tf.Tensor) -> tf.Tensor:
        for _ in range(units):
            values = values * 0.99
        return values

    return small


def small_ops(units: int) -> Piece:
    """One by one."""
    values, work = tf.ones((8, 8)), chain(units)
    return lambda _: work(values)


def one_op(units: int) -> Piece:
    """As one compiled function."""
    values, work = tf.ones((8, 8)), tf.function(chain(units))
    return lambda _: work(values)


def traced(changing: bool) -> Callable[[int], Piece]:
    """A function of so many operations that gets a new Python number each time, or a tensor."""

    def with_units(units: int) -> Piece:
        number = 0

        @tf.function
        def weighted(weight: int | tf.Tensor) -> tf.Tensor:
            return chain(units)(tf.ones((8, 8)) * tf.cast(weight, tf.float32))

        def work(_: int) -> None:
            nonlocal number
            number += 1
            weighted(number if changing else tf.constant(number))

        return work

    return with_units


def checkpoint(units: int) -> Piece:
    """A state of so many times 16 KiB, written to a file."""
    state = tf.train.Checkpoint(**{f"weight{number}": tf.Variable(tf.ones((64, 64))) for number in range(units)})
    path = str(Path(tempfile.mkdtemp()) / "state")
    return lambda _: state.write(path)


WAYS = {
    "input_compute": Way("input", computing, hidden=True),
    "input_wait": Way("input", waiting, hidden=True),
    "python_loop": Way("after", python_loop),
    "small_ops": Way("after", small_ops, one_op),
    "recompile": Way("after", traced(True), traced(False)),
    "checkpoint": Way("after", checkpoint),
    "host_callback": Way("inside", python_loop),
    "printing": Way("after", printing),
}


if __name__ == "__main__":
    main(make, WAYS)
