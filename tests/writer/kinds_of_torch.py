"""Makes the same calls on torch's writer and on ours, and prints, as JSON, what each has written; runs with the peers' Python.

Of each: run, tag, then the values in a form in which equal content is equal: pictures as pixels, plugin content parsed; the
files beside the events; and what TensorBoard's loader finds.
"""
# pyright: reportMissingImports=false

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from google.protobuf import text_format
from google.protobuf.json_format import MessageToDict
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import plugin_data_pb2 as hparams_pb2
from tensorboard.plugins.mesh import plugin_data_pb2 as mesh_pb2
from tensorboard.plugins.pr_curve import plugin_data_pb2 as pr_curve_pb2
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.util import tensor_util
from torch.utils.tensorboard import SummaryWriter as TorchWriter
from torch.utils.tensorboard.summary import hparams as hparams_messages

from stepscope.writer import SummaryWriter as OurWriter

CONTENTS = {
    "hparams": hparams_pb2.HParamsPluginData,
    "mesh": mesh_pb2.MeshPluginData,
    "pr_curves": pr_curve_pb2.PrCurvePluginData,
}
Found = dict[str, dict[str, list[Any]]]


def histograms(writer: Any, random: np.random.Generator) -> None:
    writer.add_histogram("normal", random.normal(size=10_000), 1)
    writer.add_histogram("normal", random.normal(3, 0.1, size=(20, 5)).astype(np.float32), 2)
    writer.add_histogram("constant", np.full(7, 2.5), 1)
    writer.add_histogram("zero", np.zeros(3), 1)
    writer.add_histogram("integers", np.arange(-50, 50), 1)
    writer.add_histogram("tensor", torch.linspace(-1, 1, 101, requires_grad=True), 1)
    writer.add_histogram("short", (torch.arange(-50, 51) / 8).to(torch.bfloat16), 1)
    writer.add_histogram("one", 0.3, 1)
    writer.add_histogram("wide", 10.0 ** random.uniform(-14, 19.9, 5000) * random.choice([-1, 1], 5000), 1)
    writer.add_histogram("edges", np.array([1e-12, -1e-12, 1e-12 * 1.1, -1e-12 * 1.1]), 1)
    writer.add_histogram("fewer", random.normal(size=1000), 1, max_bins=40)
    writer.add_histogram("auto", random.normal(size=1000), 1, bins="auto")
    writer.add_histogram("ten", random.normal(size=1000), 1, bins=10)
    writer.add_histogram("listed", random.normal(size=1000), 1, bins=[-3, -1, 0, 0.5, 4])
    writer.add_histogram_raw("raw", 0, 4, 3, 6.5, 20.25, [1.0, 2.0, 5.0], [1, 0, 2], 5, 1.5)


def images(writer: Any, random: np.random.Generator) -> None:
    writer.add_image("float", random.random((3, 5, 7)), 1)
    writer.add_image("float32", random.random((3, 5, 7)).astype(np.float32) * 1.4 - 0.2, 1)
    writer.add_image("bytes", random.integers(0, 256, (3, 6, 4), np.uint8), 1)
    writer.add_image("grey", random.random((1, 5, 7)), 1)
    writer.add_image("plane", random.random((5, 7)), 1, dataformats="HW")
    writer.add_image("last", random.random((5, 7, 3)), 1, dataformats="HWC")
    writer.add_image("alpha", random.random((4, 5, 7)), 1)
    writer.add_image("integers", random.integers(0, 2, (3, 5, 7)), 1)
    writer.add_image("tensor", torch.from_numpy(random.random((3, 5, 7))).float(), 1)
    writer.add_images("grid", random.random((10, 3, 5, 7)), 2)
    writer.add_images("grey grid", random.integers(0, 256, (3, 4, 6, 1), np.uint8), 3, dataformats="NHWC")
    for rescale, labels in ((1, None), (1, ["cat", "dog"]), (0.5, ["ape", "hen"]), (1, ["too few"])):
        boxes = np.array([[2, 3, 30, 40], [10.5, 20, 60, 55]])
        writer.add_image_with_boxes("boxes", random.random((3, 64, 72)), boxes, 1, rescale=rescale, labels=labels)


def sounds_and_texts(writer: Any, random: np.random.Generator) -> None:
    writer.add_audio("noise", random.uniform(-1, 1, 500), 1)
    writer.add_audio("loud", torch.linspace(-2, 2, 400).reshape(1, 400), 2, sample_rate=8000)
    writer.add_text("words", "# A title\n\n- ✓ | table |", 3, 7.5)
    writer.add_text("words", "", 4)


def curves_and_layouts(writer: Any, random: np.random.Generator) -> None:
    labels, predictions = random.integers(0, 2, 300), random.random(300)
    writer.add_pr_curve("curve", labels, predictions, 1)
    writer.add_pr_curve("few", torch.from_numpy(labels), torch.from_numpy(predictions).float(), 2, num_thresholds=11)
    writer.add_pr_curve("weighted", labels, predictions, 1, num_thresholds=500, weights=random.random(300))
    writer.add_pr_curve_raw("raw", *random.random((6, 5)), global_step=1, num_thresholds=5)
    writer.add_custom_scalars({"Loss": {"both": ["Multiline", ["loss/.*", "x"]], "band": ["Margin", ["a", "b", "c"]]}, "Empty": {}})
    writer.add_custom_scalars_multilinechart(["one", "two"], category="c", title="t")
    writer.add_custom_scalars_marginchart(["value", "low", "high"])


def meshes_and_tensors(writer: Any, random: np.random.Generator) -> None:
    points, faces, colours = random.random((2, 8, 3)), random.integers(0, 8, (2, 4, 3)), random.integers(0, 256, (2, 8, 3))
    camera = {"camera": {"cls": "PerspectiveCamera", "fov": 75}}
    writer.add_mesh("full", points, colours, faces, camera, 1)
    writer.add_mesh("cloud", torch.from_numpy(points), global_step=2)
    for kind in (torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool):
        writer.add_tensor(str(kind), torch.arange(-3, 3).reshape(2, 3).to(kind), 1)
    writer.add_tensor("scalar", torch.tensor(1.5), 2)


def runs_below(writer: Any, random: np.random.Generator) -> None:
    writer.add_scalars("run/14h", {"sin": 0.5, "cos": torch.tensor(0.25)}, 3, 1.5)
    writer.add_scalars("run/14h", {"sin": 0.75, "deep/er": 1}, 4, 2.5)
    hparams = {
        "lr": 0.1,
        "layers": 3,
        "bias": True,
        "name": "adam",
        "nothing": None,
        "tensor": torch.tensor([0.5]),
        "empty": "",
        "zero": 0,
    }
    domains = {"lr": [0.1, 0.2], "name": ["adam", "sgd"]}
    writer.add_hparams(hparams, {"accuracy": 0.9, "loss": torch.tensor(0.3)}, domains, run_name="trial", global_step=2)
    writer.add_scalar("own", 1.0, 1)


def embeddings(writer: Any, random: np.random.Generator) -> None:
    vectors = random.random((5, 3))
    writer.add_embedding(vectors)
    names = [["a", 1], ["b", 2], ["c", 3], ["d", 4], ["e ✓", 5]]
    pictures = torch.from_numpy(random.random((5, 3, 4, 4)))
    writer.add_embedding(torch.from_numpy(vectors).float(), names, pictures, 12, 'a/b%c\\ "✓"', ["name", "number"])
    writer.add_embedding(np.arange(6).reshape(3, 2), ["x", "y", "z"], pictures[:3, :1], 3, "small")


def ready_messages(writer: Any, random: np.random.Generator) -> None:
    """As programs do that log hyperparameters to the run itself."""
    for message in hparams_messages({"lr": 0.1}, {"accuracy": 0.5}):
        writer.file_writer.add_summary(message, 4, 2.5)
    value = Summary(value=[Summary.Value(tag="ready", simple_value=0.5)])
    writer._get_file_writer().add_event(Event(step=3, wall_time=1.5, summary=value), walltime=4.5)
    writer._get_file_writer().add_event(Event(step=3, summary=value), 0)


GROUPS = (histograms, images, sounds_and_texts, curves_and_layouts, meshes_and_tensors, runs_below, ready_messages, embeddings)


def digest(array: np.ndarray[Any, Any]) -> list[Any]:
    return [array.shape, str(array.dtype), hashlib.sha256(array.tobytes()).hexdigest()]


def content(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "image":
        image = value.image
        picture = Image.open(io.BytesIO(image.encoded_image_string))
        return [image.height, image.width, image.colorspace, picture.mode, picture.format, *digest(np.asarray(picture))]
    if kind == "histo":
        histo = value.histo
        sums = [f"{number:.9g}" for number in (histo.sum, histo.sum_squares)]
        return [histo.min, histo.max, histo.num, sums, list(histo.bucket_limit), list(histo.bucket)]
    if kind == "tensor" and value.tag == "custom_scalars__config__":
        assert not value.tensor.tensor_shape.dim
        return MessageToDict(layout_pb2.Layout.FromString(value.tensor.string_val[0]))
    if kind == "tensor":
        array = tensor_util.make_ndarray(value.tensor)
        return [value.tensor.dtype, array.shape, [str(each) for each in array.reshape(-1).tolist()]]
    return MessageToDict(getattr(value, kind)) if kind == "audio" else value.simple_value if kind else None


def metadata(value: Any) -> Any:
    plugin = value.metadata.plugin_data
    known = CONTENTS.get(plugin.plugin_name)
    inside = MessageToDict(known.FromString(plugin.content)) if known else plugin.content.hex()
    return [plugin.plugin_name, inside, value.metadata.display_name, value.metadata.data_class]


def written(top: Path) -> Found:
    found: Found = {}
    for path in sorted(top.rglob("*tfevents*")):
        run = found.setdefault(path.parent.relative_to(top).as_posix(), {})
        for event in LegacyEventFileLoader(str(path)).Load():
            for value in event.summary.value:
                when = event.wall_time if event.wall_time < 1e6 else "now"
                run.setdefault(value.tag, []).append([event.step, when, metadata(value), content(value)])
    return found


def files(top: Path) -> dict[str, Any]:
    """Every file that is no event file."""
    found: dict[str, Any] = {}
    for path in sorted(path for path in top.rglob("*") if path.is_file() and "tfevents" not in path.name):
        if path.suffix == ".png":
            inside: Any = digest(np.asarray(Image.open(path)))
        elif path.suffix == ".pbtxt":
            inside = MessageToDict(text_format.Parse(path.read_text(), ProjectorConfig()))
        else:
            inside = path.read_text()
        found[path.relative_to(top).as_posix()] = inside
    return found


def loaded(top: Path) -> dict[str, Any]:
    """What TensorBoard's own loader makes of each run: its tags by kind, and the plugins of its tensors."""
    found: dict[str, Any] = {}
    for run in sorted({path.parent for path in top.rglob("*tfevents*")}):
        accumulator = EventAccumulator(str(run)).Reload()
        tags = accumulator.Tags()
        plugins = {tag: accumulator.SummaryMetadata(tag).plugin_data.plugin_name for tag in tags["tensors"]}
        found[run.relative_to(top).as_posix()] = [tags, plugins]
    return found


if __name__ == "__main__":
    top = Path(sys.argv[1])
    for name, make in (("torch", TorchWriter), ("ours", OurWriter)):
        for group in GROUPS:
            with make(str(top / name / group.__name__)) as writer:
                group(writer, np.random.default_rng(7))
    looks = {"summaries": written, "files": files, "loaded": loaded}
    print(json.dumps({name: {what: look(top / name) for what, look in looks.items()} for name in ("torch", "ours")}))
