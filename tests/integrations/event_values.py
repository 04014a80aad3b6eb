"""What TensorBoard's own loader finds in a folder of event files, as plain values; for scripts that run with the peers' Python."""
# pyright: reportMissingImports=false

from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.util import tensor_util


def values_of(folder: Path) -> dict[str, Any]:
    """Tag to [plugin, [[step, content], …]] over all files, in order; and under "" what the events hold beside summaries."""
    found: dict[str, Any] = {}
    plugin_of: dict[str, str] = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for event in EventFileLoader(str(path)).Load():
            if event.graph_def:
                found.setdefault("", []).append("graph_def")
            for value in event.summary.value:
                plugin = value.metadata.plugin_data.plugin_name or plugin_of.get(value.tag, "")
                plugin_of[value.tag] = plugin
                found.setdefault(value.tag, [plugin, []])[1].append([event.step, content(plugin, value)])
    return found


def content(plugin: str, value: Any) -> Any:
    if not value.HasField("tensor"):
        return None
    array = tensor_util.make_ndarray(value.tensor)
    if plugin == "scalars":
        return float(array)
    if plugin == "histograms":
        return histogram(array)
    if plugin == "images":
        return [int(array[0]), int(array[1]), [len(each) > 50 for each in array[2:]]]
    if plugin in ("text", "graph_keras_model"):
        return [each.decode() for each in np.atleast_1d(array).tolist()]
    return None


def histogram(buckets: Any) -> list[float]:
    """Lower and upper end, and how many values."""
    filled = buckets[buckets[:, 2] > 0]
    if not len(filled):
        return [0, 0, 0]
    return [float(filled[0, 0]), float(filled[-1, 1]), float(filled[:, 2].sum())]
