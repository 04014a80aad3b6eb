"""Fits small models with our callback beside Keras's own on one backend and prints, as JSON, what each of them wrote."""
# pyright: reportMissingImports=false

import gzip
import inspect
import json
import os
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

BACKEND, TOP = sys.argv[1], Path(sys.argv[2])
os.environ["KERAS_BACKEND"] = BACKEND
sys.path.insert(0, str(Path(__file__).parent))

import keras  # noqa: E402 (the backend is chosen above)
import numpy as np  # noqa: E402
from event_values import values_of  # noqa: E402

from stepscope import summary  # noqa: E402
from stepscope.integrations.keras import StepscopeCallback  # noqa: E402

X = np.random.default_rng(1).normal(size=(20, 4)).astype("float32")
Y = X.sum(axis=1, keepdims=True)


def model_of(*layers: Any) -> Any:
    keras.utils.set_random_seed(7)
    model = keras.Sequential([keras.Input((4,)), *layers, keras.layers.Dense(1, name="out")])
    model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    return model


class Clock(keras.callbacks.Callback):
    """The time that both callbacks see: a batch of training takes 0.25 s, and validation 1.25 s."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.now += 0.25

    def on_test_end(self, logs: Any = None) -> None:
        self.now += 1.25

    def stands_for(self, module: str) -> Any:
        """This clock instead of the one that a module reads."""
        return mock.patch.object(sys.modules[module], "time", SimpleNamespace(time=lambda: self.now, monotonic=lambda: self.now))


def fit(name: str, model: Any, x: Any = X, epochs: int = 3, extra: dict[str, Any] | None = None, **arguments: Any) -> Any:
    """Both callbacks in one fit with validation."""
    clock = Clock()
    with clock.stands_for(StepscopeCallback.__module__), clock.stands_for(keras.callbacks.TensorBoard.__module__):
        ours = StepscopeCallback(str(TOP / name / "ours"), **arguments, **(extra or {}))
        theirs = keras.callbacks.TensorBoard(str(TOP / name / "theirs"), **arguments)
        model.fit(x, Y, batch_size=8, epochs=epochs, validation_data=(x[:6], Y[:6]), verbose=0, callbacks=[clock, ours, theirs])
    return {whose: {part: values_of(TOP / name / whose / part) for part in ("train", "validation")} for whose in ("ours", "theirs")}


def profile() -> Any:
    callback = StepscopeCallback(str(TOP / "profile"), profile_batch=(2, 3))
    model_of().fit(X, Y, batch_size=4, epochs=1, verbose=0, callbacks=[callback])
    files = [path for path in (TOP / "profile" / "train").rglob("*") if path.is_file() and "tfevents" not in path.name]
    content = b"".join(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files)
    os.environ["STEPSCOPE_PROFILE"] = "steps=1,4"
    model_of().fit(X, Y, batch_size=4, epochs=1, verbose=0, callbacks=[StepscopeCallback(str(TOP / "asked"))])
    del os.environ["STEPSCOPE_PROFILE"]
    asked = [path.name.rpartition("_")[2] for path in (TOP / "asked" / "train" / "plugins" / "profile").iterdir()]
    marks = [mark.decode() for mark in (b"step_num", b"ProfilerStep#1", b"ProfilerStep#2", b"ProfilerStep#3", b"ProfilerStep#4")]
    return {
        "asked": sorted(asked),
        "files": [path.name for path in files],
        "marks": [mark for mark in marks if mark.encode() in content],
    }


def embeddings() -> Any:
    (TOP / "embeddings").mkdir()
    (TOP / "embeddings" / "words.tsv").write_text("".join(f"word {index}\n" for index in range(11)))
    layers = [keras.layers.Embedding(11, 3, name="words"), keras.layers.Flatten()]
    callback = StepscopeCallback(str(TOP / "embeddings"), embeddings_freq=2, embeddings_metadata={"words": "words.tsv"})
    model = model_of(*layers)
    words = np.random.default_rng(2).integers(0, 11, (20, 4))
    model.fit(words, Y, epochs=3, verbose=0, callbacks=[callback])
    refused = ""
    try:
        model.fit(words, Y, verbose=0, callbacks=[StepscopeCallback("x", embeddings_freq=1, embeddings_metadata={"none": "a"})])
    except ValueError as error:
        refused = str(error)
    train = TOP / "embeddings" / "train"
    return {
        "config": (train / "projector_config.pbtxt").read_text(),
        "last": np.loadtxt(train / "00002" / "words" / "tensors.tsv").tolist(),
        "labels": (train / "00002" / "words" / "metadata.tsv").read_text().splitlines(),
        "weights": keras.ops.convert_to_numpy(model.layers[0].embeddings).tolist(),
        "refused": refused,
    }


def inside() -> Any:
    """A layer that logs while the model runs, compiled where the backend compiles."""

    class Probe(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            summary.scalar("mean", keras.ops.mean(x))
            summary.histogram("values", x)
            summary.scalar("at nine", keras.ops.max(x), step=9)
            return x

    model = model_of(Probe(name="probe"))
    model.compile("sgd", "mse", jit_compile=BACKEND == "jax")
    x = np.arange(20, dtype="float32").reshape(20, 1).repeat(4, axis=1)
    callback = StepscopeCallback(TOP / "inside", update_freq=2, write_graph=False)
    model.fit(x, Y, batch_size=4, epochs=2, shuffle=False, verbose=0, validation_data=(x[:8], Y[:8]), callbacks=[callback])
    outside = summary.scalar("outside", 1.0, step=1)
    return {"outside": bool(outside), **{part: values_of(TOP / "inside" / part) for part in ("train", "validation")}}


def many() -> Any:
    """What only ours does: the machine's use, a second fit, an evaluation, and batches of a number."""
    examples: list[float | None] = []

    class Counting(StepscopeCallback):
        def _rates(self) -> dict[str, float]:
            examples.append(self._examples)
            return super()._rates()

    model = model_of()
    callback = Counting(TOP / "many", update_freq=2, system_every=0.05)
    model.fit(X, Y, batch_size=4, epochs=2, verbose=0, validation_data=(X[:6], Y[:6]), callbacks=[callback])
    model.evaluate(X, Y, verbose=0, callbacks=[callback])
    callback.on_train_end()
    return {"examples": examples, **{part: values_of(TOP / "many" / part) for part in ("train", "validation")}}


if __name__ == "__main__":
    report: dict[str, Any] = {
        "signatures": [
            [[each.name, repr(each.default), each.kind.name] for each in inspect.signature(which).parameters.values()]
            for which in (keras.callbacks.TensorBoard, StepscopeCallback)
        ],
        "is_callback": issubclass(StepscopeCallback, keras.callbacks.Callback),
        "pickles": pickle.loads(pickle.dumps(StepscopeCallback)) is StepscopeCallback,
        "batch": fit("batch", model_of(keras.layers.Dense(3, name="hidden")), update_freq="batch", write_steps_per_second=True),
        "weights": fit(
            "weights", model_of(keras.layers.Dense(3, name="hidden")), epochs=3, histogram_freq=2, write_images=True, write_graph=False
        ),
        "many": many(),
        "inside": inside(),
        "embeddings": embeddings(),
        "profile": profile(),
    }
    print(json.dumps(report))
