"""Logs histograms and PR curves with the real TensorFlow and torch, and prints what TensorBoard makes of them."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
import torch
from tensorboard import data_compat, dataclass_compat
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.plugins.distribution.compressor import compress_histogram
from tensorboard.util import tensor_util
from torch.utils.tensorboard import SummaryWriter

STEPS = 6


def log(folder: Path) -> None:
    """Every call that logs histograms, of spread, equal, few and no values."""
    random = np.random.default_rng(5)
    torch.manual_seed(5)
    with tf.summary.create_file_writer(str(folder / "tensorflow")).as_default():
        for step in range(STEPS):
            tf.summary.histogram("normal", random.normal(step, 1 + step, 2000), step=step)
            tf.summary.histogram("equal", tf.ones(50) * step, step=step)
            tf.summary.histogram("few", [1.0, 2.0, 4.0], step=step, buckets=4)
            tf.summary.histogram("none", tf.zeros([0]), step=step)
    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
        values = tf.compat.v1.placeholder(tf.float32, [None])
        merged = tf.compat.v1.summary.histogram("old", values)
        writer = tf.compat.v1.summary.FileWriter(str(folder / "tensorflow1"))
        for step in range(STEPS):
            writer.add_summary(session.run(merged, {values: random.normal(-1, 2, 500)}), step)
        writer.close()
    with SummaryWriter(str(folder / "torch")) as writer:
        for step in range(STEPS):
            writer.add_histogram("normal", torch.randn(3000) * (1 + step), step)
            writer.add_histogram("auto", torch.rand(300), step, bins="auto")
            writer.add_histogram("single", torch.tensor([2.5]), step)
            writer.add_histogram("zeros", torch.zeros(10), step)
            writer.add_pr_curve("curve", torch.rand(100) > 0.5, torch.rand(100), step)


def read(folder: Path) -> dict[str, Any]:
    """By run, tag and step: rows of left, right and count, and nine percentiles; or the six rows of a curve."""
    found: dict[str, Any] = {}
    curves: dict[str, Any] = {}
    for path in sorted(folder.rglob("*tfevents*")):
        metadata: dict[str, Any] = {}
        for raw in RawEventFileLoader(str(path)).Load():
            event = data_compat.migrate_event(Event.FromString(raw))
            for migrated in dataclass_compat.migrate_event(event, metadata):
                for value in migrated.summary.value:
                    rows = tensor_util.make_ndarray(value.tensor).tolist()
                    if value.tag == "curve":
                        curves[f"{path.parent.name} {value.tag} {event.step}"] = rows
                        continue
                    levels = [float(level) for _, level in compress_histogram(rows)]
                    found[f"{path.parent.name} {value.tag} {event.step}"] = {"rows": rows, "levels": levels}
    return {"histograms": found, "curves": curves}


if __name__ == "__main__":
    log(Path(sys.argv[1]))
    print(json.dumps(read(Path(sys.argv[1]))))
