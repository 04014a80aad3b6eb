"""Prints how many scalars TensorBoard's data server finds in a log folder; runs with the peers' Python."""
# pyright: reportMissingImports=false

import json
import sys
import time

from tensorboard.context import RequestContext
from tensorboard.data import server_ingester
from tensorboard.util import grpc_util

MOST_POINTS = 10_000_000
LONGEST_SECONDS = 120


def count(folder: str) -> int:
    """All points of all series, once the server has read the folder and finds no more."""
    ingester = server_ingester.SubprocessServerDataIngester(
        server_binary=server_ingester.get_server_binary(),
        logdir=folder,
        reload_interval=0,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL,
        samples_per_plugin={"scalars": 0},
    )
    ingester.start()
    provider, context = ingester.data_provider, RequestContext()
    counts = [0]
    deadline = time.monotonic() + LONGEST_SECONDS
    while (counts[-1] == 0 or counts[-1] != counts[-2]) and time.monotonic() < deadline:
        time.sleep(2)
        runs = provider.read_scalars(context, experiment_id="", plugin_name="scalars", downsample=MOST_POINTS)
        counts.append(sum(len(points) for tags in runs.values() for points in tags.values()))
    return counts[-1]


if __name__ == "__main__":
    print(json.dumps({"counted": count(sys.argv[1])}))
