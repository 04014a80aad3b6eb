"""Prints, as JSON, what TensorBoard's two loaders find in a log folder; runs with the peers' Python.

Of each loader: run, tag, then [step, value as a hexadecimal float] in order.
"""
# pyright: reportMissingImports=false

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.context import RequestContext
from tensorboard.data import server_ingester
from tensorboard.util import grpc_util, tensor_util

Found = dict[str, dict[str, list[tuple[int, str]]]]


def python_loader(top: Path) -> Found:
    found: Found = {}
    for run in sorted({path.parent for path in top.rglob("*tfevents*")}):
        accumulator = EventAccumulator(str(run), size_guidance={"scalars": 0, "tensors": 0})
        accumulator.Reload()
        tags = accumulator.Tags()
        series = {tag: [(e.step, float(e.value).hex()) for e in accumulator.Scalars(tag)] for tag in tags["scalars"]}
        for tag in tags["tensors"]:
            tensors = accumulator.Tensors(tag)
            series[tag] = [(e.step, float(tensor_util.make_ndarray(e.tensor_proto)).hex()) for e in tensors]
        found[run.relative_to(top).as_posix()] = series
    return found


def data_server(top: Path) -> Found:
    ingester = server_ingester.SubprocessServerDataIngester(
        server_binary=server_ingester.get_server_binary(),
        logdir=str(top),
        reload_interval=0,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL,
        samples_per_plugin={"scalars": 0},
    )
    ingester.start()
    return settled(lambda: read_once(ingester))


def read_once(ingester: server_ingester.SubprocessServerDataIngester) -> Found:
    read = ingester.data_provider.read_scalars(RequestContext(), experiment_id="", plugin_name="scalars", downsample=1_000_000)
    return {
        run: {tag: [(datum.step, float(datum.value).hex()) for datum in data] for tag, data in tags.items()}
        for run, tags in read.items()
    }


def settled(read: Callable[[], Found]) -> Found:
    """The server answers before it has loaded everything, and does not tell when it has."""
    before: Found | None = None
    for _ in range(50):
        now = read()
        if now and now == before:
            return now
        before = now
        time.sleep(0.5)
    raise TimeoutError("the data server never came to rest")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(json.dumps({"python": python_loader(folder), "data_server": data_server(folder)}))
