"""Writes scalars the TensorFlow 1 ways: FileWriter with simple_value, the summary op, and names that end in /scalar_summary."""

import sys
from pathlib import Path

import tensorflow as tf
from tensorboard.plugins.scalar import summary as scalar_summary

tf1 = tf.compat.v1
STEPS = 30


def write_by_hand(folder: Path) -> None:
    with tf.Graph().as_default():
        writer = tf1.summary.FileWriter(str(folder), filename_suffix=".hand")
        for step in range(STEPS):
            writer.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="accuracy", simple_value=step / STEPS)]), step)
            writer.add_summary(tf1.Summary(value=[tf1.Summary.Value(tag="layer1/bias", simple_value=-step)]), step)
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.CHECKPOINT), STEPS)
        writer.close()


def write_in_session(folder: Path) -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        number = tf1.placeholder(tf.float32, [])
        tf1.summary.scalar("loss", number)
        with tf1.name_scope("tower"):
            tf1.summary.scalar("loss", number * 2)
        tf1.summary.scalar("loss", number * 3)
        merged = tf1.summary.merge_all()
        writer = tf1.summary.FileWriter(str(folder), session.graph)
        for step in range(STEPS):
            writer.add_summary(session.run(merged, {number: step / 3}), step)
        writer.close()


def write_with_suffix(folder: Path) -> None:
    with tf.Graph().as_default():
        writer = tf1.summary.FileWriter(str(folder))
        for step in range(STEPS):
            text = scalar_summary.pb("rate", step / 10, display_name="Learning rate", description="of the *optimizer*")
            writer.add_summary(text.SerializeToString(), step)
        writer.close()


if __name__ == "__main__":
    top = Path(sys.argv[1])
    write_by_hand(top / "hand")
    write_in_session(top / "session")
    write_with_suffix(top / "suffix")
