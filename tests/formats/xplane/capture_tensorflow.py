"""Run with the peers' Python: records four steps of a small TensorFlow training and puts the XSpace file at the path given."""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path

import tensorflow as tf

weights = tf.Variable(tf.random.normal((16, 8)), name="weights")


@tf.function
def train_step(batch: tf.Tensor) -> tf.Tensor:
    """One step of gradient descent."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(batch, weights))))
    weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return loss


@tf.function(jit_compile=True)
def compiled(batch: tf.Tensor) -> tf.Tensor:
    """Something that XLA compiles."""
    return tf.reduce_sum(tf.nn.relu(tf.matmul(batch, batch, transpose_b=True)))


def without_places(content: bytes, *folders: str) -> bytes:
    """The content without this machine's folders, each written over with as many letters."""
    for folder in (*folders, sysconfig.get_path("purelib"), str(Path(__file__).parent) if "__file__" in globals() else "/nowhere"):
        content = content.replace(folder.encode(), b"/" + b"p" * (len(folder.encode()) - 1))
    return content


def main() -> None:
    """Warms up, records, copies the one file."""
    data = tf.data.Dataset.range(10_000).map(lambda n: tf.cast(tf.range(n, n + 16), tf.float32) / 100.0)
    batches = iter(data.batch(4).prefetch(2))
    for _ in range(3):
        batch = next(batches)
        train_step(batch)
        compiled(batch)
    with tempfile.TemporaryDirectory() as folder:
        tf.profiler.experimental.start(folder)
        for step in range(4):
            with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
                batch = next(batches)
                loss = train_step(batch)
                compiled(batch)
                float(loss)
        tf.profiler.experimental.stop()
        (file,) = Path(folder).rglob("*.xplane.pb")
        Path(sys.argv[1]).write_bytes(without_places(file.read_bytes(), folder))


main()
