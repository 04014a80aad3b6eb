"""Logs what torch's writer cannot, or gets wrong, with ours, and prints, as JSON, what is read back; runs with the peers' Python."""
# pyright: reportMissingImports=false

import io
import json
import sys
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch
from PIL import Image
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorflow.core.framework.tensor_pb2 import TensorProto
from torch.utils.tensorboard._utils import _prepare_video, figure_to_image

from stepscope.writer import SummaryWriter


def log(writer: Any, film: np.ndarray[Any, Any]) -> None:
    makers: list[tuple[str, Any]] = [
        ("torch", torch.tensor),
        ("jax", jnp.array),
        ("tensorflow", tf.constant),
        ("variable", tf.Variable),
    ]
    for name, make in makers:
        writer.add_histogram(f"histogram/{name}", make([0.5, 1.5, 2.5]))
        writer.add_image(f"image/{name}", make([[[0.0, 1.0]]]))
    writer.add_tensor("tensor/torch", torch.tensor([1.5, -2.0], dtype=torch.bfloat16, requires_grad=True))
    writer.add_tensor("tensor/jax", jnp.array([1.5, -2.0], dtype=jnp.bfloat16))
    writer.add_tensor("tensor/tensorflow", tf.constant([1.5, -2.0], tf.bfloat16))
    writer.add_tensor("tensor/half", torch.tensor([1.5, -2.0], dtype=torch.float16))
    writer.add_tensor("tensor/bytes", torch.tensor([1, 255], dtype=torch.uint8))
    writer.add_histogram("histogram/bfloat16", tf.constant([0.5, 1.5, 2.5], tf.bfloat16))
    writer.add_histogram("histogram/float8", torch.tensor([0.5, 1.5, 2.5]).to(torch.float8_e5m2))
    writer.add_histogram("histogram/sparse", torch.tensor([0.5, 1.5, 2.5]).to_sparse())
    writer.add_histogram("histogram/negated", torch._neg_view(torch.tensor([-0.5, -1.5, -2.5])))
    writer.add_histogram("histogram/quantized", torch.quantize_per_tensor(torch.tensor([0.5, 1.5, 2.5]), 0.5, 0, torch.qint8))
    changing = torch.tensor([0.5, 1.5, 2.5])
    writer.add_histogram("histogram/changing", changing)
    changing.zero_()
    writer.add_video("film", film, fps=5)


def frames(encoded: bytes) -> list[Any]:
    film = Image.open(io.BytesIO(encoded))
    found: list[Any] = []
    for index in range(film.n_frames):
        film.seek(index)
        found.append([film.info["duration"], np.asarray(film.convert("RGB")).tolist()])
    return found


def content(value: Any) -> Any:
    if value.HasField("image"):
        return (
            frames(value.image.encoded_image_string)
            if value.tag == "film"
            else np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string))).tolist()
        )
    if value.HasField("histo"):
        return [value.histo.min, value.histo.max, value.histo.sum]
    array = tf.make_ndarray(TensorProto.FromString(value.tensor.SerializeToString()))
    return [str(array.dtype), array.astype(float).tolist()]


def read(folder: Path) -> dict[str, Any]:
    events = [event for path in folder.iterdir() for event in LegacyEventFileLoader(str(path)).Load()]
    return {value.tag: content(value) for event in events for value in event.summary.value}


def drawn_figures(writer: Any) -> Any:
    """A figure as torch draws it, beside the same one logged by ours."""
    from matplotlib import pyplot as plt

    def figure(height: int) -> Any:
        made, axes = plt.subplots(figsize=(2, 1), dpi=50)
        axes.plot([0, height])
        return made

    writer.add_figure("figure", figure(2))
    writer.add_figure("figures", [figure(1), figure(3)])
    open_figures = len(plt.get_fignums())
    pair = figure_to_image([figure(1), figure(3)])
    return [
        np.moveaxis(figure_to_image(figure(2)), 0, -1).tolist(),
        np.concatenate(np.moveaxis(pair, 1, -1), axis=1).tolist(),
        open_figures,
    ]


def picture_files() -> dict[str, tuple[bytes, list[int]]]:
    """Files of every format and mode, with width, height and channels as Pillow knows them."""
    made: dict[str, tuple[bytes, list[int]]] = {}
    modes = {"L": ["PNG", "JPEG", "GIF"], "RGB": ["PNG", "JPEG", "WEBP"], "RGBA": ["PNG", "WEBP"], "P": ["PNG"], "LA": ["PNG"]}
    for mode, formats in modes.items():
        for form in formats:
            for options in [{}, {"lossless": True}] if form == "WEBP" else [{}, {"progressive": True}] if form == "JPEG" else [{}]:
                file = io.BytesIO()
                Image.new(mode, (37, 21)).save(file, form, **options)
                channels = 3 if form == "GIF" or mode == "P" else len(mode)
                made[f"{form} {mode} {options}"] = (file.getvalue(), [37, 21, channels])
    film = io.BytesIO()
    frames = [Image.new("RGBA", (37, 21), (shade, 0, 0, shade)) for shade in (0, 255)]
    frames[0].save(film, "WEBP", save_all=True, append_images=frames[1:])
    return made | {"WEBP film": (film.getvalue(), [37, 21, 4])}


def pictures_as_they_are(top: Path) -> Any:
    """What is read back of them, beside what was given."""
    files = picture_files()
    with SummaryWriter(top) as writer:
        for name, (file, _) in files.items():
            writer.add_image(name, file)
        writer.add_images("several", [file for file, _ in files.values()])
        writer.add_image("tensorflow", tf.io.encode_png(tf.zeros((21, 37, 3), tf.uint8)))
    events = [event for path in top.iterdir() for event in LegacyEventFileLoader(str(path)).Load()]
    values = {value.tag: value for event in events for value in event.summary.value}
    several = values["several"]
    return {
        "sizes": {
            name: [[image.width, image.height, image.colorspace], expected]
            for name, (_, expected) in files.items()
            for image in [values[name].image]
        },
        "unchanged": all(values[name].image.encoded_image_string == file for name, (file, _) in files.items()),
        "several": list(several.tensor.string_val) == [b"37", b"21", *(file for file, _ in files.values())],
        "plugin": several.metadata.plugin_data.plugin_name,
        "tensorflow": [values["tensorflow"].image.width, values["tensorflow"].image.height],
    }


if __name__ == "__main__":
    top = Path(sys.argv[1])
    film = np.random.default_rng(3).integers(0, 256, (3, 2, 3, 4, 5), np.uint8)
    with SummaryWriter(top) as writer:
        log(writer, film)
        figures = drawn_figures(writer)
    films = np.rint(_prepare_video(film) * 255).tolist()
    pictures = pictures_as_they_are(top.with_name("pictures"))
    print(json.dumps({"read": read(top), "film": films, "figures": figures, "pictures": pictures}))
