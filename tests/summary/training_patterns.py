"""Trainings that log with tf.summary as people write them; runs with the peers' Python, with or without changed imports."""
# pyright: reportMissingImports=false, reportArgumentType=false, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false

import io
import os
from typing import Any

import matplotlib as mpl
import numpy as np
import psutil
import tensorflow as tf
from matplotlib import pyplot as plt

mpl.use("agg")
LOG_EVERY = 4
IMAGES = np.random.default_rng(5).random((16, 4, 4, 1), np.float32)
LABELS = np.arange(16) % 3


def compiled_steps(top: str) -> None:
    """A training step that is compiled and logs from inside, with the step as an argument; the same once more, called seldom."""
    train_writer = tf.summary.create_file_writer(os.path.join(top, "train"))
    layers = [tf.keras.layers.Dense(4, activation="relu", name="first"), tf.keras.layers.Dense(3, name="second")]
    model = tf.keras.Sequential(layers, name="model")
    model.build((None, 16))
    for index, variable in enumerate(model.trainable_variables):
        variable.assign(tf.reshape(tf.linspace(-1.0, 1.0 + index, tf.size(variable.value)), variable.shape))
    optimizer = tf.keras.optimizers.SGD(0.05)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train_step(x: Any, y: Any, step: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        with train_writer.as_default(step=step):
            tf.summary.scalar("loss", loss)
            tf.summary.scalar("learning_rate", optimizer.learning_rate)
            for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
                tf.summary.histogram(f"gradients/{variable.path}", gradient)
                tf.summary.scalar(f"gradient_norm/{variable.path}", tf.norm(gradient))
            for variable in model.trainable_variables:
                tf.summary.histogram(f"weights/{variable.path}", variable)
        return loss

    flat = tf.constant(IMAGES.reshape(16, 16))
    for step in range(6):
        train_step(flat, tf.constant(LABELS), tf.constant(step, tf.int64))
    for step in range(6, 14):
        loss = train_step(flat, tf.constant(LABELS), tf.constant(step, tf.int64))
        if step % LOG_EVERY == 0:
            with train_writer.as_default(step=step):
                tf.summary.scalar("seldom", loss)
    with train_writer.as_default(step=0):
        table = "| Parameter | Value |\n|---|---|\n" + "".join(
            f"| {name} | {value} |\n" for name, value in {"lr": 0.05, "batch": 16}.items()
        )
        tf.summary.text("configuration", table)
    train_writer.close()


def annotated_images(top: str) -> None:
    """A figure of predictions, right ones in green, drawn by matplotlib and decoded again."""
    writer = tf.summary.create_file_writer(os.path.join(top, "validation"))
    figure, axes = plt.subplots(2, 2, figsize=(3, 3), dpi=40)
    for index, part in enumerate(axes.flat):
        part.imshow(IMAGES[index, :, :, 0])
        part.set_title(f"{LABELS[index]}", color="green" if index % 2 else "red")
        part.axis("off")
    file = io.BytesIO()
    figure.savefig(file, format="png")
    plt.close(figure)
    picture = tf.expand_dims(tf.image.decode_png(file.getvalue(), channels=4), 0)
    with writer.as_default(step=3):
        tf.summary.image("predictions", picture)


def metrics_per_epoch(top: str) -> None:
    """Metric objects and the process's memory, under record_if, at a step that is given, with a flush after each epoch."""
    writer = tf.summary.create_file_writer(os.path.join(top, "epochs"))
    loss_metric, accuracy_metric = tf.keras.metrics.Mean(name="loss"), tf.keras.metrics.CategoricalAccuracy(name="accuracy")
    process = psutil.Process()
    with writer.as_default():
        for epoch in range(3):
            with tf.summary.record_if(True):
                loss_metric.update_state(1 / (epoch + 1))
                accuracy_metric.update_state([[0.0, 1.0]], [[0.1 * epoch, 0.1]])
                tf.summary.scalar("loss", loss_metric.result(), step=epoch)
                tf.summary.scalar("accuracy", accuracy_metric.result(), step=epoch)
                tf.summary.scalar("memory_usage", process.memory_info().rss // 10**12, step=epoch)
                writer.flush()


def result_of_an_experiment(top: str) -> None:
    """A writer that nobody closes, and one number at its end."""
    with tf.summary.create_file_writer(os.path.join(top, "experiment")).as_default():
        tf.summary.scalar("accuracy", 0.75, step=1)


def session_with_metadata(top: str) -> None:
    """A graph of TensorFlow 1, run once with full tracing."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        total = tf.add(tf.constant([1.0, 2.0], name="a"), tf.constant([3.0, 4.0], name="b"), name="total")
        metadata = tf.compat.v1.RunMetadata()
        session.run(total, options=tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE), run_metadata=metadata)
        writer = tf.compat.v1.summary.FileWriter(os.path.join(top, "session"), graph=session.graph)
        writer.add_run_metadata(metadata, "run_1")
        writer.close()


def run(top: str) -> None:
    """All of them."""
    compiled_steps(top)
    annotated_images(top)
    metrics_per_epoch(top)
    result_of_an_experiment(top)
    session_with_metadata(top)
