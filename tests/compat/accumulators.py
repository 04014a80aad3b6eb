"""Reads runs with TensorBoard's EventAccumulator and with ours, and prints what differs; runs with the plugins' Python."""
# pyright: reportMissingImports=false

import dataclasses
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.backend.event_processing import event_accumulator as theirs
from tensorboard.backend.event_processing import event_file_loader as their_loaders
from tensorboard.util import tensor_util

from stepscope.compat import event_accumulator as ours
from stepscope.compat import event_file_loader as our_loaders

KINDS = {
    "scalars": "Scalars",
    "histograms": "Histograms",
    "distributions": "CompressedHistograms",
    "images": "Images",
    "audio": "Audio",
}
MESSAGES = {"graph": "Graph", "meta_graph": "MetaGraph"}


def plain(value: Any) -> Any:
    """A value that can be compared, also where it is NaN."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(f"{value:.12g}")
    return value


def metadata(found: Any) -> Any:
    return found.plugin_data.plugin_name, found.plugin_data.content, found.display_name, found.summary_description, found.data_class


def tensor(event: Any) -> Any:
    array = tensor_util.make_ndarray(event.tensor_proto)
    return event.wall_time, event.step, array.shape, plain(array.astype(object).ravel().tolist())


def tensors_of(run: Any, tag: str) -> list[Any]:
    return [tensor(event) for event in run.Tensors(tag)]


def same_array(event: Any) -> bool:
    """Whether our own reading of a tensor is that of TensorBoard."""
    mine, real = event.tensor_proto.numpy(), tensor_util.make_ndarray(event.tensor_proto)
    return (
        mine.shape == real.shape and plain(mine.ravel().tolist()) == plain(real.ravel().tolist()) and mine.dtype.kind == real.dtype.kind
    )


def differences(path: str) -> list[str]:
    real = theirs.EventAccumulator(path, theirs.STORE_EVERYTHING_SIZE_GUIDANCE).Reload()
    mine = ours.EventAccumulator(path).Reload()
    found: list[str] = []

    def compare(what: str, wanted: Any, got: Any) -> None:
        if wanted != got:
            found.append(f"{path}: {what}: {str(wanted)[:300]} / {str(got)[:300]}")

    tags = real.Tags()
    compare("Tags", tags, mine.Tags())
    for kind, method in KINDS.items():
        for tag in tags[kind]:
            compare(f"{method} {tag}", plain(getattr(real, method)(tag)), plain(getattr(mine, method)(tag)))
    for tag in tags["tensors"]:
        compare(f"Tensors {tag}", tensors_of(real, tag), tensors_of(mine, tag))
        compare(f"numpy {tag}", True, all(same_array(event) for event in mine.Tensors(tag)))
    for kind, method in MESSAGES.items():
        if tags[kind]:
            compare(method, getattr(real, method)(), getattr(mine, method)())
    for tag in tags["run_metadata"]:
        compare(f"RunMetadata {tag}", real.RunMetadata(tag), mine.RunMetadata(tag))
    compare(
        "metadata",
        {tag: metadata(one) for tag, one in real.summary_metadata.items()},
        {tag: metadata(one) for tag, one in mine.summary_metadata.items()},
    )
    for plugin in real._plugin_to_tag_to_content:
        compare(plugin, real.PluginTagToContent(plugin), mine.PluginTagToContent(plugin))
    for name in ("FirstEventTimestamp", "GetSourceWriter"):
        compare(name, getattr(real, name)(), getattr(mine, name)())
    compare("file_version", real.file_version, mine.file_version)
    compare("PluginAssets", real.PluginAssets("projector"), mine.PluginAssets("projector"))
    return found


def of_loaders(path: str) -> list[str]:
    found: list[str] = []
    for name in ("RawEventFileLoader", "LegacyEventFileLoader", "EventFileLoader", "TimestampedEventFileLoader"):
        real, mine = list(getattr(their_loaders, name)(path).Load()), list(getattr(our_loaders, name)(path).Load())
        if real != mine or not real:
            found.append(f"{path}: {name}: {len(real)} / {len(mine)}")
    return found


if __name__ == "__main__":
    said: list[str] = []
    counts = {"runs": 0, "scalars": 0, "tensors": 0, "images": 0, "audio": 0, "histograms": 0, "graph": 0}
    for top in sys.argv[1:]:
        for folder in sorted({path.parent for path in Path(top).rglob("*tfevents*")}):
            said += differences(str(folder))
            tags = ours.EventAccumulator(str(folder)).Reload().Tags()
            counts["runs"] += 1
            for kind in counts:
                counts[kind] += kind != "runs" and (len(tags[kind]) if isinstance(tags[kind], list) else int(tags[kind]))
        for file in sorted(Path(top).rglob("*tfevents*")):
            said += of_loaders(str(file))
    print(json.dumps({"differences": said, "counts": counts}, default=np.ndarray.tolist))
