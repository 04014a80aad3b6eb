"""Logs layouts of custom scalars with the real torch and with TensorBoard's own messages, and prints what TensorBoard reads there."""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import sys
from pathlib import Path

from google.protobuf.json_format import MessageToDict
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import summary as custom_scalars
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from torch.utils.tensorboard import SummaryWriter


def log(folder: Path) -> None:
    """Both kinds of charts, and a closed category with two bands in a chart, which torch cannot write."""
    with SummaryWriter(str(folder / "torch")) as writer:
        writer.add_custom_scalars({"Loss": {"both": ["Multiline", ["loss/.*", "x"]], "band": ["Margin", ["a", "b", "c"]]}, "Empty": {}})
    with SummaryWriter(str(folder / "torch_one")) as writer:
        writer.add_custom_scalars_multilinechart(["one", "two"], category="Loss", title="t")
    series = layout_pb2.MarginChartContent.Series
    bands = layout_pb2.MarginChartContent(series=[series(value=f"v{n}", lower=f"l{n}", upper=f"u{n}") for n in (1, 2)])
    chart = layout_pb2.Chart(title="bands", margin=bands)
    layout = layout_pb2.Layout(category=[layout_pb2.Category(title="Closed", chart=[chart], closed=True)])
    writer = EventFileWriter(str(folder / "messages"))
    # Beside TensorFlow the plugin makes TensorFlow's class of the same message.
    summary = Summary.FromString(custom_scalars.pb(layout).SerializeToString())
    writer.add_event(Event(wall_time=1.0, step=0, summary=summary))
    writer.close()


def read(folder: Path) -> dict[str, object]:
    """By run: the layout as TensorBoard's own messages have it."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*tfevents*")):
        for raw in RawEventFileLoader(str(path)).Load():
            for value in Event.FromString(raw).summary.value:
                found[path.parent.name] = MessageToDict(layout_pb2.Layout.FromString(value.tensor.string_val[0]))
    return found


if __name__ == "__main__":
    log(Path(sys.argv[1]))
    print(json.dumps(read(Path(sys.argv[1]))))
