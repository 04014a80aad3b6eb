"""Loads a folder with TensorBoard's own Python loader and prints how long that took; runs with the peers' Python."""

import json
import sys
import time

from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer

if __name__ == "__main__":
    began = time.perf_counter()
    multiplexer = EventMultiplexer(tensor_size_guidance={"scalars": 1000})
    multiplexer.AddRunsFromDirectory(sys.argv[1])
    multiplexer.Reload()
    seconds = time.perf_counter() - began
    kept = sum(len(multiplexer.Tensors(run, tag)) for run, tags in multiplexer.Runs().items() for tag in tags["tensors"])
    print(json.dumps({"seconds": seconds, "points_kept": kept}))
