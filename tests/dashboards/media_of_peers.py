"""Logs text, sound and meshes with the real TensorFlow and torch into the folder given, and prints what they were given."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
import torch
from tensorboard.plugins.mesh import summary as mesh_summary
from torch.utils.tensorboard import SummaryWriter

STEPS = 12
VERTICES = np.arange(12, dtype=np.float32).reshape(1, 4, 3)
FACES = np.array([[[0, 1, 2], [1, 2, 3]]], np.int32)
COLOURS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]]], np.uint8)


def log(folder: Path) -> None:
    """More steps than TensorBoard keeps, of every call that logs these kinds."""
    sound = np.sin(np.linspace(0, 440, 1600)).astype(np.float32)
    with tf.summary.create_file_writer(str(folder / "tensorflow")).as_default():
        for step in range(STEPS):
            tf.summary.text("one", f"step {step}", step=step, description="About *one*.")
            tf.summary.text("grid", [["a", "b"], ["c", str(step)]], step=step)
            tf.summary.audio("sounds", np.stack([sound, -sound])[..., None], 8000, step=step)
            mesh_summary.mesh("shape", vertices=VERTICES + step, faces=FACES, colors=COLOURS, step=step)
    with SummaryWriter(str(folder / "torch")) as writer:
        for step in range(STEPS):
            writer.add_text("one", f"step {step}", step)
            writer.add_audio("sound", torch.from_numpy(sound)[None], step, 8000)
            vertices, colours, faces = (torch.from_numpy(array) for array in (VERTICES + step, COLOURS, FACES))
            writer.add_mesh("shape", vertices, colors=colours, faces=faces, global_step=step)


if __name__ == "__main__":
    log(Path(sys.argv[1]))
    print(json.dumps({"steps": STEPS, "vertices": VERTICES.ravel().tolist(), "faces": FACES.ravel().tolist()}))
