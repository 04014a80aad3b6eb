"""Run with the peers' Python: a session.run with a full trace, saved as RunMetadata, and what the real message says of it."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
folder = Path(sys.argv[1])

image = v1.placeholder(tf.float32, (8, 12, 12, 3), "image")
weights = v1.get_variable("conv/weights", (3, 3, 3, 4))
hidden = tf.nn.relu(tf.nn.conv2d(image, weights, 1, "SAME", name="conv/Conv2D"), name="conv/Relu")
loss = tf.reduce_mean(tf.square(hidden), name="loss")
train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
found = v1.RunMetadata()
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    feed = {image: np.ones((8, 12, 12, 3), np.float32)}
    session.run(train, feed)
    session.run(train, feed, options=options, run_metadata=found)
(folder / "run_metadata.pb").write_bytes(found.SerializeToString())


def shape(output: Any) -> str:
    """As the tables write it."""
    return "[" + ",".join(str(dim.size) for dim in output.tensor_description.shape.dim) + "]"


nodes = [
    {
        "device": device.device,
        "name": node.node_name,
        "start": node.all_start_nanos + node.op_start_rel_nanos,
        "end": node.all_start_nanos + node.op_end_rel_nanos,
        "allocations": [[used.allocator_name, record.alloc_micros * 1000, record.alloc_bytes]
                        for used in node.memory for record in used.allocation_records],
        "shapes": ", ".join(map(shape, node.output)),
    }
    for device in found.step_stats.dev_stats
    for node in device.node_stats
]  # fmt: skip
print(json.dumps(nodes))
