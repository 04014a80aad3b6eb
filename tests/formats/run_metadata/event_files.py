"""Run with the peers' Python: event files with run metadata, by TensorFlow 1's FileWriter and by TensorFlow 2's trace_export."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
folder = Path(sys.argv[1])
nodes: dict[str, list[str]] = {}
with tf.Graph().as_default(), v1.Session() as session:
    image = v1.placeholder(tf.float32, (16, 16), "image")
    loss = tf.reduce_mean(tf.matmul(image, image, name="layer/MatMul"), name="loss")
    writer = v1.summary.FileWriter(str(folder / "graph_mode"), session.graph)
    for step in (9, 19):
        found = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(loss, {image: np.ones((16, 16), np.float32)}, options=options, run_metadata=found)
        writer.add_run_metadata(found, f"step{step:03}", step)
        nodes[f"step{step:03}"] = sorted(node.node_name for device in found.step_stats.dev_stats for node in device.node_stats)
    writer.close()

writer = tf.summary.create_file_writer(str(folder / "eager_mode"))


@tf.function
def square(value: tf.Tensor) -> tf.Tensor:
    """Something to trace."""
    return tf.matmul(value, value)


for profiler in (False, True):
    outdir = str(folder / "eager_mode" / "profile")
    tf.summary.trace_on(graph=True, profiler=profiler, profiler_outdir=outdir)
    square(tf.ones((8, 8)))
    with writer.as_default():
        tf.summary.trace_export(f"square_{profiler}", step=1)
writer.close()
print(json.dumps(nodes))
