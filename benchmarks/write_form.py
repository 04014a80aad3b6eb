"""Writes scalars with a real writer, all tags of a step together; runs in the peers' Python: `write_form.py FORM FOLDER TAGS STEPS`."""
# pyright: reportMissingImports=false

from __future__ import annotations

import sys
from collections.abc import Callable


def with_tensorflow(folder: str, tags: list[str], steps: int) -> None:
    """Tensors, as TensorFlow 2 and Keras' callback write them."""
    import tensorflow as tf

    with tf.summary.create_file_writer(folder).as_default():
        for step in range(steps):
            for tag in tags:
                tf.summary.scalar(tag, 1 / (1 + step), step)


def with_tensorflow_1(folder: str, tags: list[str], steps: int) -> None:
    """Simple values, all of a step in one event, as merged summaries of TensorFlow 1 are."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default():
        writer = tf.summary.FileWriter(folder)
        for step in range(steps):
            values = [tf.Summary.Value(tag=tag, simple_value=1 / (1 + step)) for tag in tags]
            writer.add_summary(tf.Summary(value=values), step)
        writer.close()


def with_torch(folder: str, tags: list[str], steps: int) -> None:
    """Simple values."""
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(folder) as writer:
        for step in range(steps):
            for tag in tags:
                writer.add_scalar(tag, 1 / (1 + step), step)


def with_torch_tensors(folder: str, tags: list[str], steps: int) -> None:
    """Tensors, as torch writes them with `new_style=True`."""
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(folder) as writer:
        for step in range(steps):
            for tag in tags:
                writer.add_scalar(tag, 1 / (1 + step), step, new_style=True)


def with_tensorboardx(folder: str, tags: list[str], steps: int) -> None:
    """Simple values, with metadata of its own."""
    from tensorboardX import SummaryWriter

    with SummaryWriter(folder) as writer:
        for step in range(steps):
            for tag in tags:
                writer.add_scalar(tag, 1 / (1 + step), step)


def with_lightning(folder: str, tags: list[str], steps: int) -> None:
    """Through Lightning's logger, which writes all metrics of a step."""
    from lightning.pytorch.loggers import TensorBoardLogger

    logger = TensorBoardLogger(folder, name="", version="")
    for step in range(steps):
        logger.log_metrics(dict.fromkeys(tags, 1 / (1 + step)), step)
    logger.finalize("success")


WRITERS: dict[str, Callable[[str, list[str], int], None]] = {
    "tensorflow": with_tensorflow,
    "tensorflow_1": with_tensorflow_1,
    "torch": with_torch,
    "torch_tensors": with_torch_tensors,
    "tensorboardX": with_tensorboardx,
    "lightning": with_lightning,
}


if __name__ == "__main__":
    form, place, tag_count, step_count = sys.argv[1:]
    WRITERS[form](place, [f"group{tag % 3}/tag{tag}" for tag in range(int(tag_count))], int(step_count))
