"""Watches Keras models on one backend in every way of running them, and prints what is found; runs with the peers' Python.

The models multiply their inputs by 16 and take the logarithm, so that negative inputs, from the third batch on, become NaN there.
"""
# pyright: reportMissingImports=false

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = sys.argv[1]

import keras
import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

from stepscope import SummaryWriter
from stepscope.watching import gradients_of, log_gradients, log_weights, watch_numerics

BACKEND = sys.argv[1]
X = np.where(np.arange(32)[:, None] < 16, 1.0, -1.0).repeat(4, axis=1).astype("float32")
Y = np.zeros((32, 1), "float32")
logging.getLogger("stepscope").setLevel(logging.ERROR)


class Logarithm(keras.layers.Layer):
    def call(self, inputs: Any) -> Any:
        return keras.ops.log(inputs)


def dense(units: int, name: str) -> Any:
    return keras.layers.Dense(units, use_bias=False, kernel_initializer="ones", name=name)


def block(name: str) -> Any:
    return keras.Sequential([keras.Input((4,)), dense(4, "inner")], name=name)


def model(**options: Any) -> Any:
    made = keras.Sequential(
        [keras.Input((4,)), dense(4, "first"), block("block"), Logarithm(name="log"), dense(1, "last")], name="model"
    )
    made.compile(keras.optimizers.SGD(1e-6), "mse", **options)
    return made


def told(watch: Any) -> Any:
    return {"first": list(watch.first) if watch.first else None, "all": [list(finding) for finding in watch.findings]}


def fitted(folder: Path, *, fit_before: bool = False, inputs: Any = X, every: int = 1, **options: Any) -> Any:
    made = model(**options)
    if fit_before:
        made.fit(X[:8], Y[:8], batch_size=8, verbose=0)
    with SummaryWriter(folder) as writer, watch_numerics(made, writer, every=every) as watch:
        made.fit(inputs, Y[: len(inputs)], batch_size=8, shuffle=False, verbose=0, callbacks=[watch.callback()])
    found = told(watch)
    made.fit(X[:8], Y[:8], batch_size=8, verbose=0)
    left = [name for layer in made._flatten_layers() for name in vars(layer) if name == "call"]
    found["left behind"] = [*left, *(name for name in vars(made.optimizer) if name == "apply")]
    return found


def late() -> Any:
    """A model that has its layers and its optimizer only after it is watched."""

    class Late(keras.Model):
        def build(self, shape: Any) -> None:
            self.inner = dense(1, "made_late")
            self.built = True

        def call(self, inputs: Any) -> Any:
            return self.inner(inputs)

    made = Late()
    watch = watch_numerics(made)
    made.build((None, 4))
    made.compile("sgd", "mse")
    bad = X[:8] * np.float32("nan")
    made.fit(bad, Y[:8], batch_size=8, verbose=0, callbacks=[watch.callback()])
    watch.close()
    return told(watch)


def norms(folder: Path) -> Any:
    """Weights and gradients of a model in which two layers have the same path."""
    sides = [keras.Sequential([keras.Input((4,)), block("same")], name=name) for name in ("left", "right")]
    both = keras.Sequential([keras.Input((4,)), *sides, keras.layers.Dense(2, name="last")], name="both")
    both.compile("sgd", "mse")
    gradients = gradients_of(both, X[:4], np.zeros((4, 2), "float32"))
    with SummaryWriter(folder) as writer:
        log_weights(writer, both, 3)
        log_gradients(writer, both, 3, gradients)
        log_gradients(writer, both, 4, gradients, histograms=False)
    expected = [float(np.linalg.norm(keras.ops.convert_to_numpy(gradient))) for gradient in gradients]
    return {"tags": tags(folder), "expected": expected, "names": [variable.path for variable in both.trainable_variables]}


def tags(folder: Path) -> Any:
    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0, "histograms": 0}).Reload()
    found: dict[str, Any] = {}
    for tag in accumulator.Tags()["tensors"]:
        values = [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in accumulator.Tensors(tag)]
        found[tag] = [
            [step, value.tolist() if value.dtype.kind in "fi" else [each.decode() for each in value]] for step, value in values
        ]
    return {"values": found, "histograms": {tag: len(accumulator.Histograms(tag)) for tag in accumulator.Tags()["histograms"]}}


def in_tf_function(folder: Path) -> Any:
    """A loop of one's own: watched, and logged from inside the graph."""
    import tensorflow as tf

    made, optimizer = model(), keras.optimizers.SGD(1e-6)
    writer = SummaryWriter(folder)
    watch = watch_numerics(made, optimizer=optimizer)

    @tf.function
    def step_of(inputs: Any, targets: Any, step: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((made(inputs, training=True) - targets) ** 2)
        gradients = tape.gradient(loss, made.trainable_variables)
        optimizer.apply_gradients(zip(gradients, made.trainable_variables, strict=True))
        log_gradients(writer, made, step, gradients)
        log_weights(writer, made, step, histograms=False)

    for step in range(4):
        step_of(X[8 * step : 8 * step + 8], Y[:8], tf.constant(step, tf.int64))
        watch.check(step + 100)
    watch.close()
    writer.close()
    return {"watch": told(watch), "tags": tags(folder)}


if __name__ == "__main__":
    top = Path(sys.argv[2])
    found: dict[str, Any] = {
        "compiled": fitted(top / "compiled"),
        "compiled before": fitted(top / "before", fit_before=True),
        "eager": fitted(top / "eager", run_eagerly=True),
        "fine": fitted(top / "fine", inputs=X[:16]),
        "inputs": fitted(top / "inputs", inputs=np.where(np.arange(16)[:, None] < 8, X[:16], np.float32("inf"))),
        "seldom": fitted(top / "seldom", every=3),
        "late": late(),
        "logged": tags(top / "compiled"),
        "norms": norms(top / "norms"),
    }
    if BACKEND != "torch":
        found["jit"] = fitted(top / "jit", jit_compile=True)
    if BACKEND == "tensorflow":
        found["tf.function"] = in_tf_function(top / "loop")
    print(json.dumps(found))
