"""Run with the peers' Python: trials with Keras' TensorBoard callback, with tf.summary and with ours in its place; prints the logs."""
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import plugin_data_pb2

import stepscope.hparams
import stepscope.summary

INPUTS = np.linspace(0, 1, 256, dtype=np.float32).reshape(64, 4)


def train(top: Path, hparams: Any) -> None:
    tf.keras.backend.clear_session()  # names of layers begin anew
    for units in (4, 8):
        folder = str(top / f"units{units}")
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default():
            hparams({"units": units})
            model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(units), tf.keras.layers.Dense(1)])
            model.compile("sgd", "mse")
            callback = tf.keras.callbacks.TensorBoard(folder, histogram_freq=1, update_freq=2)
            trained = model.fit(INPUTS, INPUTS[:, :1], epochs=2, verbose=0, validation_split=0.25, callbacks=[callback])
            tf.summary.scalar("final", trained.history["loss"][-1], step=1)
        writer.close()


def listed(top: Path) -> dict[str, Any]:
    """By run: tags with their steps, and the hyperparameters."""
    found: dict[str, Any] = {}
    for folder in sorted({path.parent for path in top.rglob("*tfevents*")}):
        read = EventAccumulator(str(folder), size_guidance={"tensors": 0})
        read.Reload()
        tags: dict[str, Any] = {tag: [event.step for event in read.Tensors(tag)] for tag in read.Tags()["tensors"]}
        for name, content in hparams_of(read).items():
            if name == "_hparams_/session_start_info":
                tags["hparams"] = started(content)
        found[folder.relative_to(top).as_posix()] = tags
    return found


def hparams_of(read: EventAccumulator) -> dict[str, bytes]:
    try:
        return read.PluginTagToContent("hparams")
    except KeyError:
        return {}


def started(content: bytes) -> dict[str, float]:
    message = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
    return {name: value.number_value for name, value in message.hparams.items()}


if __name__ == "__main__":
    place = Path(sys.argv[1])
    tensorflows = tf.summary
    from tensorboard.plugins.hparams import api

    train(place / "theirs", api.hparams)
    tf.summary = stepscope.summary
    train(place / "ours", stepscope.hparams.hparams)
    kept = tf.summary is stepscope.summary and tensorflows is not stepscope.summary
    print(json.dumps({"kept": kept, "theirs": listed(place / "theirs"), "ours": listed(place / "ours")}))
