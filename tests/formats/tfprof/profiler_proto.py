"""Run with the peers' Python: tf.profiler's ProfileProto of two steps, and what the real message says."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.profiler import model_analyzer

v1 = tf.compat.v1
v1.disable_eager_execution()
folder = Path(sys.argv[1])

a = v1.placeholder(tf.float32, (64, 64), "a")
product = tf.matmul(a, v1.get_variable("dense/w", (64, 32)), name="dense/MatMul")
loss = tf.reduce_sum(product, name="loss")
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    profiler = model_analyzer.Profiler(session.graph)
    for step in (3, 7):
        found = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        session.run(loss, {a: np.ones((64, 64), np.float32)}, options=options, run_metadata=found)
        profiler.add_step(step, found)
data = profiler.serialize_to_string()
(folder / "profile.pb").write_bytes(data)
message = tfprof_log_pb2.ProfileProto()
message.ParseFromString(data)
runs = [
    {
        "name": node.name,
        "op": node.op,
        "flops": node.float_ops,
        "step": step,
        "start": time.int64_values[0],
        "length": time.int64_values[1],
    }
    for node in message.nodes.values()
    for step, each in node.execs.items()
    for times in (*each.cpu_execs.values(), *each.accelerator_execs.values())
    for time in times.times
]
print(json.dumps({"runs": runs}))
