"""Records small trainings of TensorFlow with one fault each into folders of the given one. Run with the peers' Python."""

# pyright: reportMissingImports=false, reportArgumentType=false
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import tensorflow as tf

STEPS = 8


def record(path: Path, step: Callable[[int], object]) -> None:
    """Steps after two of warm-up."""
    for number in range(2):
        step(number)
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0)
    tf.profiler.experimental.start(str(path), options)
    for number in range(STEPS):
        with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
            step(number)
    tf.profiler.experimental.stop()


def chain(values: tf.Tensor) -> tf.Tensor:
    for _ in range(120):
        values = values * 0.5 + 1.0
    return values


def fetching(dataset: tf.data.Dataset) -> Callable[[int], object]:
    batches: Iterator[tf.Tensor] = iter(dataset)
    weights = tf.Variable(tf.ones([64, 64]))

    @tf.function
    def train(values: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.matmul(values, weights))

    return lambda _: float(train(next(batches)))


def decode(number: tf.Tensor) -> tf.Tensor:
    values = tf.random.stateless_uniform([64, 64], [0, number])
    for _ in range(30):
        values = tf.linalg.matmul(values, values) / 64.0
    return values


def main(folder: Path) -> None:
    ones = tf.ones([8, 8])
    record(folder / "eager", lambda _: float(tf.reduce_sum(chain(ones))))
    compiled = tf.function(chain)
    record(folder / "function", lambda _: float(tf.reduce_sum(compiled(ones))))
    numbers = tf.data.Dataset.range(10_000)
    plain = tf.data.Options()
    plain.experimental_optimization.apply_default_optimizations = False
    plain.autotune.enabled = False
    record(folder / "serial", fetching(numbers.map(decode).with_options(plain)))
    # Every epoch of five elements fills a buffer with 300 of them before it hands out one.
    epoch = numbers.take(300).map(decode).shuffle(300).take(5)
    record(folder / "filling", fetching(epoch.repeat().with_options(plain)))
    print("{}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
