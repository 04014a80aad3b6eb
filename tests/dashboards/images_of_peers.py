"""Logs images with the real TensorFlow and torch into the folder given, and prints which bytes their readers find there."""
# pyright: reportMissingImports=false

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import torch
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from torch.utils.tensorboard import SummaryWriter

STEPS = 12


def log(folder: Path) -> None:
    """More steps than TensorBoard keeps, of every call that logs images."""
    random = np.random.default_rng(3)
    with tf.summary.create_file_writer(str(folder / "tensorflow")).as_default():
        for step in range(STEPS):
            tf.summary.image("batch", random.random((5, 8, 12, 3)), step=step, max_outputs=4)
    with SummaryWriter(str(folder / "torch")) as writer:
        for step in range(STEPS):
            writer.add_image("one", torch.rand(3, 8, 12), step)
            writer.add_images("grid", torch.rand(4, 1, 8, 8), step)
            writer.add_image_with_boxes("boxes", torch.rand(3, 32, 32), torch.tensor([[4, 4, 20, 20]]), step)


def images(folder: Path) -> dict[str, list[str]]:
    """By run, tag, step and sample: the digest of the bytes as TensorBoard's own messages have them."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*tfevents*")):
        for raw in RawEventFileLoader(str(path)).Load():
            event = Event.FromString(raw)
            for value in event.summary.value:
                samples = [value.image.encoded_image_string] if value.HasField("image") else list(value.tensor.string_val[2:])
                digests = [hashlib.sha256(sample).hexdigest() for sample in samples]
                found[f"{path.parent.name} {value.tag} {event.step}"] = digests
    return found


if __name__ == "__main__":
    log(Path(sys.argv[1]))
    print(json.dumps(images(Path(sys.argv[1]))))
