"""Profiles a small model with TensorFlow's own Profiler and with ours, on the same live graph and steps; prints both."""
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from stepscope.tfprof import ProfileOptionBuilder, Profiler

v1 = tf.compat.v1


def trained(folder: Path) -> tuple[Any, list[tuple[int, Any]]]:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [16, 32], name="x")
        with v1.variable_scope("dense"):
            w = v1.get_variable("w", [32, 8])
            y = tf.nn.relu(tf.matmul(x, w))
        loss = tf.reduce_mean(tf.square(y), name="loss")
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        steps = []
        for step in (3, 5):
            metadata = v1.RunMetadata()
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            session.run([loss, train], {x: [[1.0] * 32] * 16}, options=options, run_metadata=metadata)
            steps.append((step, metadata))
        return graph, steps


def main() -> None:
    folder = Path(sys.argv[1])
    graph, steps = trained(folder)
    theirs, ours = v1.profiler.Profiler(graph), Profiler(graph)
    for step, metadata in steps:
        theirs.add_step(step, metadata)
        ours.add_step(step, metadata)
    builder, said = ProfileOptionBuilder, {}
    for name, method, options in (
        ("op", "profile_operations", builder.time_and_memory()),
        ("scope", "profile_name_scope", builder.time_and_memory()),
        ("graph", "profile_graph", builder.time_and_memory()),
        (
            "code",
            "profile_python",
            builder(builder.time_and_memory()).with_node_names(show_name_regexes=[".*views_of_tensorflow.*"]).build(),
        ),
        ("params", "profile_name_scope", builder.trainable_variables_parameter()),
        ("flops", "profile_name_scope", builder.float_operation()),
    ):
        files = {}
        for whose, profiler in (("theirs", theirs), ("ours", ours)):
            files[whose] = folder / f"{name}_{whose}.txt"
            getattr(profiler, method)({**options, "output": f"file:outfile={files[whose]}"})
        said[name] = {whose: file.read_text().partition("Profile:\n")[2] for whose, file in files.items()}
    (folder / "theirs.tfprof.pb").write_bytes(theirs.serialize_to_string())
    ours.save(folder / "ours.tfprof.pb")
    from tensorflow.core.profiler import tfprof_log_pb2

    parsed = tfprof_log_pb2.ProfileProto.FromString(ours.serialize_to_string())
    said["parsed"] = {"nodes": len(parsed.nodes), "steps": list(parsed.steps), "has_trace": parsed.has_trace}
    print(json.dumps(said))


main()
