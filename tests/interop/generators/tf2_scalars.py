"""Writes scalars with TensorFlow 2: tf.summary.scalar, and tf.summary.write with tensors of every numeric type."""

import sys
from pathlib import Path

import tensorflow as tf

STEPS = 25
FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
SIGNED = (tf.int8, tf.int16, tf.int32, tf.int64)
UNSIGNED = (tf.uint8, tf.uint16, tf.uint32, tf.uint64)


def scalars_metadata() -> tf.compat.v1.SummaryMetadata:
    metadata = tf.compat.v1.SummaryMetadata(display_name="shown", summary_description="of every type")
    metadata.plugin_data.plugin_name = "scalars"
    return metadata


def write_plain(folder: Path) -> None:
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step in range(STEPS):
            tf.summary.scalar("loss", 1 / (step + 1), step=step, description="what is minimised")
            tf.summary.scalar("from double", tf.constant(0.1, tf.float64) * step, step=step)
            tf.summary.scalar("from int", step * 1000, step=step)
            with tf.name_scope("inner"):
                tf.summary.scalar("nested", float(step), step=step)
        for step, value in enumerate([float("nan"), float("inf"), float("-inf"), -0.0, 1e-45, 3.4e38]):
            tf.summary.scalar("odd values", value, step=step)
        tf.summary.scalar("large step", 1.0, step=2**40)


def write_types(folder: Path) -> None:
    """TensorFlow's own writer stores these as tensor_content."""
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step in range(STEPS):
            for kind in FLOATS:
                tf.summary.write(kind.name, tf.cast(step / 7 - 1, kind), step=step, metadata=scalars_metadata())
            for kind in SIGNED:
                tf.summary.write(kind.name, tf.cast(step - 12, kind), step=step, metadata=scalars_metadata())
            for kind in UNSIGNED:
                tf.summary.write(kind.name, tf.cast(step + 200, kind), step=step, metadata=scalars_metadata())
            tf.summary.write("bool", tf.constant(step % 2 == 0), step=step, metadata=scalars_metadata())
        for step, value in enumerate([2**53 - 1, -(2**53), 2**62]):
            tf.summary.write("large int64", tf.constant(value, tf.int64), step=step, metadata=scalars_metadata())


def write_typed_lists(folder: Path) -> None:
    """make_tensor_proto stores one value in the list of its type (float_val, half_val, int64_val, …)."""
    with tf.Graph().as_default():
        writer = tf.compat.v1.summary.FileWriter(str(folder))
        for step in range(STEPS):
            summary = tf.compat.v1.Summary()
            for kind in (*FLOATS, *SIGNED, *UNSIGNED, tf.bool):
                number = step % 2 == 0 if kind == tf.bool else step / 4 if kind in FLOATS else step
                value = summary.value.add(tag=f"list {kind.name}")
                value.tensor.CopyFrom(tf.make_tensor_proto(number, dtype=kind, shape=[]))
                if step == 0:
                    value.metadata.CopyFrom(scalars_metadata())
            writer.add_summary(summary, step)
        writer.close()


if __name__ == "__main__":
    top = Path(sys.argv[1])
    write_plain(top / "plain")
    write_types(top / "types")
    write_typed_lists(top / "lists")
