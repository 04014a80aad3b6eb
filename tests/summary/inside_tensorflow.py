"""Logs from inside tf.function in every way, and prints, as JSON, what is read back; runs with the peers' Python."""
# pyright: reportMissingImports=false, reportArgumentType=false

import json
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorflow.core.framework.tensor_pb2 import TensorProto

import stepscope
from stepscope import summary

traces: list[str] = []


def steps(api: Any, x: Any, step: Any) -> None:
    """What both modules can log, in branches and loops of AutoGraph and of record_if."""
    with api.record_if(lambda: tf.reduce_sum(x) > 10.0):
        api.scalar("conditional", tf.reduce_sum(x), step=step)
    if tf.reduce_sum(x) > 10.0:
        api.scalar("in a branch", x[0], step=step)
    for index in tf.range(2):
        api.scalar("in a loop", tf.cast(index, tf.float32), step=step)


def steps_of(api: Any, folder: Path) -> dict[str, Any]:
    writer = api.create_file_writer(str(folder))
    function = tf.function(steps)
    with writer.as_default():
        for step in range(12):
            function(api, tf.constant([1.0, 2.0, float(step)]), tf.constant(step, tf.int64))
    writer.close()
    return read(folder)


@tf.function
def train_step(x: Any, step: Any) -> Any:
    traces.append("train_step")
    total = tf.reduce_sum(x)
    summary.scalar("loss", total, step=step)
    summary.scalar("constant", 1.5, step=step)
    summary.scalar("constant step", 1.5, step=7)
    summary.histogram("values", x, step=step)
    summary.text("text", "said", step=step)
    summary.image("image", tf.reshape(x, [1, 1, 3, 1]) / 10, step=step)
    summary.audio("audio", tf.reshape(x, [1, 3, 1]) / 10, 8000, step=step)
    summary.write("bfloat16", tf.cast(x, tf.bfloat16), step=step)
    summary.log({"log": {"sum": total, "values": x}, "text": "more", "number": 2}, step=step)
    with tf.name_scope("scope"):
        summary.scalar("inner", total, step=step)
    with stepscope.record_if(stepscope.every(2)):
        summary.scalar("every second", total, step=step)
    with summary.record_if(lambda: total > 10.0):
        summary.scalar("above ten", total, step=step)
    with summary.record_if(False):
        summary.scalar("never", total, step=step)
    if total > 10.0:  # AutoGraph makes a branch of the graph of this.
        summary.scalar("in a branch", total, step=step)
    return total


@tf.function
def in_order(first: Any) -> Any:
    for index in tf.range(20):
        summary.scalar("loop", tf.cast(index, tf.float32), step=tf.cast(index, tf.int64) + first)
    return first


@tf.function(autograph=False)
def without_autograph(x: Any) -> Any:
    summary.scalar("without autograph", x, step=1)
    return x


class Layer(tf.Module):
    """Has a step in a variable, and a writer of its own."""

    def __init__(self, folder: str) -> None:
        self.step = tf.Variable(0, dtype=tf.int64)
        self.writer = summary.create_file_writer(folder)

    @tf.function
    def __call__(self, x: Any) -> Any:
        self.step.assign_add(1)
        with self.writer.as_default(step=self.step):
            summary.scalar("of a variable", self.step)
            recorded = summary.scalar("weights", x[0])
        self.writer.flush()
        return recorded


def refusals() -> dict[str, str]:
    """The last line of what each wrong call says while it is traced."""

    @tf.function(jit_compile=True)
    def compiled(x: Any) -> Any:
        summary.scalar("xla", x, step=1)
        return x

    @tf.function
    def outer(x: Any) -> Any:
        return compiled(x)

    @tf.function
    def scalar(x: Any) -> Any:
        return summary.scalar("a", x, step=1)

    @tf.function
    def image(x: Any) -> Any:
        return summary.image("a", x, step=1)

    @tf.function
    def stepless(x: Any) -> Any:
        return summary.scalar("a", x)

    @tf.function
    def graph(x: Any) -> Any:
        return summary.graph(x.graph)

    said: dict[str, str] = {}
    for name, call in {
        "xla": compiled,
        "nested xla": outer,
        "no step": stepless,
        "graph": graph,
        "shape": scalar,
        "image": image,
    }.items():
        try:
            call(tf.zeros(3) if call in (scalar, image) else tf.constant(1.0))
        except Exception as error:
            said[name] = f"{type(error).__name__}: {str(error).strip().splitlines()[-1].strip()}"
    return said


def gradients() -> list[float]:
    """Through code that logs, in a tape outside it."""

    @tf.function
    def square(x: Any) -> Any:
        summary.scalar("differentiated", x, step=1)
        return x * x

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    return [float(tape.gradient(y, x))]


def old_graph() -> None:
    """In a graph of TensorFlow 1, the summary is an operation of the collection that the program runs."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        summary.scalar("session", x, step=1)
        for value in (1.0, 2.0):
            session.run(tf.compat.v1.summary.all_v2_summary_ops(), {x: value})


def around_a_session(folder: Path) -> dict[str, Any]:
    """SummaryWriter's methods in a loop that runs a session: numbers are logged at once, tensors when the session runs them."""
    with stepscope.SummaryWriter(folder) as writer, tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        for step in range(3):
            value = session.run(2 * x, {x: step})
            writer.add_scalar("numbers", value, step)
            writer.add_histogram("arrays", np.full(2, value), step)
            with stepscope.record_if(stepscope.every(2)):
                writer.add_scalar("every second", float(value), step)
        writer.add_scalar("tensors", x, 7)
        session.run(tf.compat.v1.summary.all_v2_summary_ops(), {x: 5.0})
    accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0})
    accumulator.Reload()
    found = {tag: [[event.step, event.value] for event in accumulator.Scalars(tag)] for tag in accumulator.Tags()["scalars"]}
    return found | {"arrays": [[event.step, event.histogram_value.sum] for event in accumulator.Histograms("arrays")]}


def of_the_writer(folder: Path) -> list[Any]:
    """SummaryWriter's methods inside tf.function."""
    with stepscope.SummaryWriter(folder) as writer:

        @tf.function
        def step_of(x: Any, step: Any) -> Any:
            writer.add_scalar("loss", tf.reduce_sum(x), step)
            writer.add_scalar("constant", 1.5, 3)
            writer.add_histogram("values", x, step)
            writer.add_scalars("parts", {"sum": tf.reduce_sum(x), "first": x[0]}, step)
            with stepscope.record_if(stepscope.every(2)):
                writer.add_scalar("every second", x[0], global_step=step)
            return x

        for step in range(4):
            step_of(tf.fill([3], float(step)), tf.constant(step, tf.int64))
    accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0})
    accumulator.Reload()
    scalars = {tag: [[event.step, event.value] for event in accumulator.Scalars(tag)] for tag in accumulator.Tags()["scalars"]}
    histograms = [[event.step, event.histogram_value.sum] for event in accumulator.Histograms("values")]
    return [scalars, histograms, sorted(path.name for path in folder.iterdir() if path.is_dir())]


def profiled(folder: Path) -> list[str]:
    """A trace with a profile: TensorFlow writes the profile, and we what it knows of the graph."""
    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        summary.trace_on(profiler=True, profiler_outdir=str(folder))
        tf.function(lambda x: x + 1.0)(tf.constant(1.0))
        summary.trace_export("traced", step=2)
    writer.close()
    accumulator = EventAccumulator(str(folder))
    accumulator.Reload()
    (event,) = accumulator.Tensors("traced")
    metadata = tf.compat.v1.RunMetadata.FromString(event.tensor_proto.string_val[0])
    plugin = accumulator.SummaryMetadata("traced").plugin_data.plugin_name
    return [plugin, str(len(metadata.function_graphs) > 0), *{path.suffix for path in (folder / "plugins").rglob("*.pb")}]


def on_replicas() -> None:
    """One of two replicas speaks for both."""
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()]
    )
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def replica(x: Any) -> None:
        summary.scalar("replicas", x, step=1)

    tf.function(lambda: strategy.run(replica, (tf.constant(4.0),)))()


def read(folder: Path) -> dict[str, Any]:
    """Step and value of every point; of arrays their sum, of strings their number."""
    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    accumulator.Reload()
    return {
        tag: [[event.step, total(event.tensor_proto)] for event in accumulator.Tensors(tag)] for tag in accumulator.Tags()["tensors"]
    }


def total(proto: Any) -> float:
    array = tf.make_ndarray(TensorProto.FromString(proto.SerializeToString()))
    return float(array.size if array.dtype == object else array.astype(float).sum())


if __name__ == "__main__":
    logging.basicConfig()
    top = Path(sys.argv[1])
    writer = summary.create_file_writer(str(top / "run"))
    with writer.as_default():
        on_replicas()
        returned = [float(train_step(tf.constant([1.0, 2.0, float(step)]), tf.constant(step, tf.int64))) for step in range(12)]
        in_order(tf.constant(0, tf.int64))
        without_autograph(tf.constant(1.0))
        without_autograph(tf.constant(2.0))
        slope = gradients()
        said = refusals()
        old_graph()
    layer = Layer(str(top / "layer"))
    recorded = [bool(layer(tf.constant([0.5]))) for _ in range(3)]
    writer.close()
    print(
        json.dumps(
            {
                "run": read(top / "run"),
                "layer": read(top / "layer"),
                "writer": of_the_writer(top / "writer"),
                "around": around_a_session(top / "around"),
                "profiled": profiled(top / "profiled"),
                "ours": steps_of(summary, top / "ours"),
                "theirs": steps_of(tf.summary, top / "theirs"),
                "returned": returned,
                "recorded": recorded,
                "traces": len(traces),
                "gradient": slope,
                "said": said,
            }
        )
    )
