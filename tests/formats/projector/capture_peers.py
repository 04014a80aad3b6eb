"""Writes embeddings with the real TensorFlow, TensorBoard, Keras and torch, and prints what is in them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import torch
from tensorboard.plugins import projector
from torch.utils.tensorboard import SummaryWriter

root = Path(sys.argv[1])
random = np.random.default_rng(3)
words = random.normal(size=(7, 4)).astype(np.float32)


def object_based() -> None:
    """tf.train.Checkpoint through a CheckpointManager, at three steps, with variables of several types."""
    folder = root / "checkpoint"
    checkpoint = tf.train.Checkpoint(
        words=tf.Variable(words),
        half=tf.Variable(words.astype(np.float16)),
        brain=tf.Variable(tf.cast(words, tf.bfloat16)),
        double=tf.Variable(words.astype(np.float64)),
        bias=tf.Variable(np.zeros(5, np.float32)),
        many={str(n): tf.Variable(np.full((2, 2), n, np.float32)) for n in range(300)},
        step=tf.Variable(0),
    )
    manager = tf.train.CheckpointManager(checkpoint, str(folder), max_to_keep=3, checkpoint_name="model")
    for step in (1, 2, 3):
        checkpoint.words.assign(words * step)
        manager.save(checkpoint_number=step)
    config = projector.ProjectorConfig()
    entry = config.embeddings.add()
    entry.tensor_name = "words/.ATTRIBUTES/VARIABLE_VALUE"
    entry.metadata_path = "labels.tsv"
    (folder / "labels.tsv").write_text("\n".join("abcdefg"))
    projector.visualize_embeddings(str(folder), config)


def name_based() -> None:
    """TensorFlow 1's saver, with a table in two shards of a file of its own."""
    folder = root / "saver"
    folder.mkdir()
    with tf.Graph().as_default():
        table = tf.compat.v1.get_variable("table", initializer=words, use_resource=True)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            tf.compat.v1.train.Saver([table]).save(session, str(folder / "graph.ckpt"), global_step=5)
    config = projector.ProjectorConfig()
    config.model_checkpoint_path = "graph.ckpt-5"
    config.embeddings.add().tensor_name = "table:0"
    projector.visualize_embeddings(str(folder), config)


def raw() -> None:
    """A tensor file of raw floats."""
    folder = root / "raw"
    folder.mkdir()
    words.tofile(folder / "words.bytes")
    config = projector.ProjectorConfig()
    entry = config.embeddings.add(tensor_name="words", tensor_path="words.bytes")
    entry.tensor_shape.extend(words.shape)
    projector.visualize_embeddings(str(folder), config)


def partitioned() -> None:
    """Variables that TensorFlow 1 divides, by rows and by columns, in a folder that has nothing but the checkpoint."""
    folder = root / "partitioned"
    folder.mkdir()
    wide = np.arange(300 * 40, dtype=np.float32).reshape(300, 40)
    with tf.Graph().as_default():
        fills = []
        for name, shards, axis in (("rows", 3, 0), ("columns", 4, 1)):
            partitioner = tf.compat.v1.fixed_size_partitioner(shards, axis)
            whole = tf.compat.v1.get_variable(name, wide.shape, initializer=tf.zeros_initializer(), partitioner=partitioner)
            fills += [part.assign(piece) for part, piece in zip(whole, np.split(wide, shards, axis), strict=True)]
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(fills)
            tf.compat.v1.train.Saver().save(session, str(folder / "model"), global_step=3)


def keras() -> dict[str, object]:
    """Keras' callback, which saves HDF5 at each epoch, and a whole model; returns the weights at the end."""
    inputs = tf.keras.Input((3,), dtype="int32")
    first = tf.keras.layers.Embedding(7, 4, name="words")(inputs)
    second = tf.keras.layers.Embedding(7, 5, name="places")(inputs)
    joined = tf.keras.layers.GlobalAveragePooling1D()(tf.keras.layers.Concatenate()([first, second]))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(joined))
    model.compile("adam", "mse")
    (root / "keras").mkdir()
    (root / "keras" / "labels.tsv").write_text("\n".join("abcdefg"))
    callback = tf.keras.callbacks.TensorBoard(str(root / "keras"), embeddings_freq=1, embeddings_metadata="labels.tsv")
    model.fit(np.zeros((4, 3), np.int32), np.ones((4, 1), np.float32), epochs=2, verbose=0, callbacks=[callback])
    (root / "model").mkdir()
    model.save(str(root / "model" / "best.keras"))
    return {layer.name: layer.get_weights()[0].tolist() for layer in model.layers if layer.name in ("words", "places")}


def with_torch() -> None:
    """torch's add_embedding."""
    with SummaryWriter(str(root / "torch")) as writer:
        for step in (0, 20):
            writer.add_embedding(
                torch.from_numpy(words + step), list("abcdefg"), torch.zeros(7, 3, 4, 4), global_step=step, tag="words"
            )


object_based()
name_based()
raw()
partitioned()
weights = keras()
with_torch()
print(json.dumps({"keras": weights, "words": words.tolist(), "half": words.astype(np.float16).astype(np.float32).tolist()}))
