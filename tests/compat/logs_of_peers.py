"""Writes log folders of every kind with the real TensorFlow, torch and TensorBoard; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import math
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
import torch
from tensorboard.plugins.hparams import api as hp
from tensorboard.plugins.mesh import summary as mesh_summary
from torch.utils.tensorboard import SummaryWriter

TEXT = """# Settings

Some *plain* words and **strong** ones, `code`, [a link](https://example.org/a?b=1) and 1 < 2 & 3.

* one
* two

Numbers:

1. first
2. second

|name|value|
|----|----:|
|lr|0.1|
|bs|32|

```python
x = 1 < 2
```

> quoted

    indented code

---

Last line."""


def tensorflow_run(folder: Path) -> None:
    random = np.random.default_rng(1)
    with tf.summary.create_file_writer(str(folder / "tf" / "train")).as_default():
        for step in range(12):
            value = {3: math.nan, 4: math.inf, 5: -math.inf}.get(step, 1 / (step + 1))
            tf.summary.scalar("loss", value, step, description="The **loss** of a step; 1 < 2.")
            tf.summary.scalar("nested/acc", step / 12, step)
        for step in (0, 5, 9):
            pixels = random.random((3, 4, 5, 3)).astype("float32")
            tf.summary.image("pictures", pixels, step, max_outputs=3, description="Three pictures")
            tf.summary.audio("tones", np.sin(np.linspace(0, 99, 400, dtype="float32")).reshape(2, 200, 1), 8000, step, max_outputs=2)
            tf.summary.histogram("weights", random.normal(size=500), step, buckets=12)
            tf.summary.histogram("constant", np.full(10, 2.0), step)
            tf.summary.text("notes", TEXT, step, description="*Notes*")
            tf.summary.text("table", tf.constant([["a", "b"], ["c **d**", "e"]]), step)
        tf.summary.text("deep", tf.constant([[["a", "b"]], [["c", "d"]]]), 0)
        vertices = random.random((2, 6, 3)).astype("float32")
        faces = np.tile(np.array([[[0, 1, 2], [3, 4, 5]]], "int32"), (2, 1, 1))
        colours = random.integers(0, 255, (2, 6, 3)).astype("uint8")
        for step in (0, 7):
            camera = {"camera": {"cls": "PerspectiveCamera", "fov": 60}}
            made = mesh_summary.mesh_pb("cloud", vertices, faces, colours, config_dict=camera)
            tf.summary.experimental.write_raw_pb(made.SerializeToString(), step)
    with tf.summary.create_file_writer(str(folder / "tf" / "validation")).as_default():
        for step in range(5):
            tf.summary.scalar("loss", 2.0 / (step + 1), step, description="Another description")

    work = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x) + tf.constant(1.5)))

    writer = tf.summary.create_file_writer(str(folder / "tf" / "graph"))
    with writer.as_default():
        tf.summary.trace_on(graph=True, profiler=False)
        work(tf.ones((2, 2)))
        tf.summary.trace_export("traced", 0)
        tf.summary.graph(work.get_concrete_function(tf.ones((2, 2))).graph)


def keras_run(folder: Path) -> None:
    inputs = tf.keras.Input((4,), name="in")
    hidden = tf.keras.layers.Dense(3, activation="relu", name="hidden")(inputs)
    other = tf.keras.layers.Dense(3, name="other")(inputs)
    joined = tf.keras.layers.Add(name="sum")([hidden, other])
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="out")(joined), name="small")
    model.compile("sgd", "mse")
    model.fit(
        np.ones((8, 4), "float32"),
        np.ones((8, 1), "float32"),
        epochs=2,
        verbose=0,
        callbacks=[tf.keras.callbacks.TensorBoard(str(folder / "keras"), write_graph=True, histogram_freq=1, profile_batch=0)],
    )


def keras_models(folder: Path) -> None:
    """Conceptual graphs as the Keras callback logs them: nested, shared, sequential, of several inputs and outputs, and Keras 2's."""
    layers = tf.keras.layers
    left, right = tf.keras.Input((4,), name="left"), tf.keras.Input((4,), name="right", dtype="float64")
    shared = layers.Dense(4, name="shared")
    two = tf.keras.Model([left, right], [layers.Add(name="sum")([left, right]), shared(left)], name="two")
    chain = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(3, name="a"), layers.ReLU(name="b")], name="chain")
    one = tf.keras.Model(given := tf.keras.Input((3,), name="inner"), layers.Dense(2, name="c")(given), name="one")
    top = tf.keras.Input((4,), name="top")
    both = two([shared(top), layers.Dense(4, name="before", dtype="mixed_float16")(top)])
    whole = tf.keras.Model(top, [one(chain(both[0])), layers.Dense(1, name="last")(both[1])], name="whole")
    stacked = tf.keras.Sequential([tf.keras.Input((4,)), chain, layers.Dense(1, name="end")], name="stacked")
    old = {
        "class_name": "Functional",
        "config": {
            "name": "old",
            "layers": [
                {"class_name": "InputLayer", "config": {"name": "x", "dtype": "half"}, "inbound_nodes": []},
                {"class_name": "Dense", "config": {"name": "y", "dtype": "int7"}, "inbound_nodes": [[["x", 0, 0, {}]]]},
            ],
            "input_layers": [["x", 0, 0]],
            "output_layers": [["y", 0, 0]],
        },
    }
    written = {model.name: model.to_json() for model in (two, chain, one, whole, stacked)} | {"old": json.dumps(old)}
    written |= {"broken": "{", "empty": '{"class_name": "Sequential", "config": {"name": "none", "layers": []}}'}
    with tf.summary.create_file_writer(str(folder / "keras_models")).as_default():
        metadata = tf.compat.v1.SummaryMetadata(plugin_data={"plugin_name": "graph_keras_model", "content": b"1"})
        for tag, model in written.items():
            tf.summary.write(tag, tf.constant(model, tf.string), 0, metadata)


def torch_run(folder: Path) -> None:
    random = np.random.default_rng(2)
    writer = SummaryWriter(str(folder / "torch"), max_queue=1)
    for step in range(20):
        writer.add_scalar("loss", {7: math.nan, 8: -math.inf}.get(step, step**2), step)
        writer.add_scalar("double", step / 3, step, new_style=True, double_precision=True)
        writer.add_scalars("both", {"a": step, "b": -step}, step)
    for step in (0, 3):
        writer.add_image("picture", random.random((3, 6, 7)), step)
        writer.add_histogram("weights", random.normal(size=300), step)
        writer.add_audio("tone", torch.sin(torch.linspace(0, 50, 300)), step, 8000)
        writer.add_text("words", "Some **words** at step", step)
        labels, scores = random.integers(0, 2, 60), random.random(60)
        writer.add_pr_curve("curve", labels, scores, step, num_thresholds=21)
        writer.add_mesh("mesh", torch.rand(1, 4, 3), faces=torch.tensor([[[0, 1, 2]]]), global_step=step)
    writer.add_pr_curve("never positive", np.zeros(10, int), np.linspace(0, 0.4, 10), 0, num_thresholds=11)
    writer.add_custom_scalars(
        {"losses": {"all": ["Multiline", ["loss", "both/.*"]], "band": ["Margin", ["loss", "double", "loss"]]}, "empty": {}}
    )
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    writer.add_graph(model, torch.ones(2, 4))
    writer.add_embedding(torch.rand(5, 3), metadata=["a", "b", "c", "d", "e"], label_img=torch.rand(5, 3, 4, 4), tag="vectors")
    writer.close()
    config = folder / "torch" / "projector_config.pbtxt"
    config.write_text(config.read_text().replace("embeddings {", 'embeddings {\nbookmarks_path: "bookmarks.json"', 1))
    (folder / "torch" / "bookmarks.json").write_text('[{"label": "a view", "projections": []}]')
    other = SummaryWriter(str(folder / "torch other"), max_queue=1)
    other.add_custom_scalars({"losses": {"more": ["Multiline", ["both/a"]]}, "new": {"chart": ["Multiline", ["loss"]]}})
    other.add_scalar("loss", 1.0, 0)
    other.close()


def hparams_of_torch(folder: Path) -> None:
    for trial in range(3):
        with SummaryWriter(str(folder / f"trial{trial}"), max_queue=1) as writer:
            values = {"lr": 0.1 * (trial + 1), "optimizer": ["sgd", "adam"][trial % 2], "fast": trial > 0}
            writer.add_hparams(values, {"metric/acc": trial / 3, "metric/loss": 1.0 - trial}, run_name="session")


def hparams_of_tensorboard(folder: Path) -> None:
    rate = hp.HParam("learning_rate", hp.RealInterval(0.001, 0.5), display_name="Rate")
    units = hp.HParam("units", hp.Discrete([16, 32]))
    kind = hp.HParam("kind", hp.Discrete(["a", "b"]), description="Which one")
    accuracy = hp.Metric("accuracy", group="validation", display_name="Acc")
    with tf.summary.create_file_writer(str(folder)).as_default():
        hp.hparams_config([rate, units, kind], [accuracy, hp.Metric("loss")], time_created_secs=1.7e9)
    for trial in range(4):
        run = folder / f"run{trial}"
        with tf.summary.create_file_writer(str(run)).as_default():
            group = trial // 2
            hp.hparams({rate: 0.1 + group / 10, units: 32 - 16 * group, kind: "ab"[group]}, trial_id=f"group{group}")
            for step in range(3):
                tf.summary.scalar("loss", (trial + 1) / (step + 1), step)
        with tf.summary.create_file_writer(str(run / "validation")).as_default():
            tf.summary.scalar("accuracy", trial / 4, 1)


def hparams_without_an_experiment(folder: Path) -> None:
    """Only what sessions started with: hyperparameters and metrics have to be found out."""
    for trial in range(3):
        mixed = ["text", 2.0, True][trial]
        with tf.summary.create_file_writer(str(folder / f"run{trial}")).as_default():
            hp.hparams({"rate": 0.1 * trial, "kind": "ab"[trial % 2], "fast": trial > 0, "mixed": mixed, "same": 1})
            tf.summary.scalar("loss", 1.0 / (trial + 1), 3)
        with tf.summary.create_file_writer(str(folder / f"run{trial}" / "deep" / "er")).as_default():
            tf.summary.scalar("score", trial, 3)


if __name__ == "__main__":
    top = Path(sys.argv[1])
    tensorflow_run(top / "all")
    keras_run(top / "all")
    keras_models(top / "all")
    time.sleep(0.01)
    torch_run(top / "all")
    hparams_of_torch(top / "torch_hparams")
    hparams_of_tensorboard(top / "tf_hparams")
    hparams_without_an_experiment(top / "plain_hparams")
    print("[]")
