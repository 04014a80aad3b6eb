"""Prints, as JSON, the scalars that the real packages find in a folder; runs with the peers' Python.

`records`: what TensorFlow's summary_iterator yields, every point of every file. `accumulator`: what TensorBoard's
EventAccumulator reports with no sampling, keeping purged points. `purged`: the same with its restart rule on.
Numbers are hexadecimal floats, so that not one bit can hide.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

Points = list[tuple[int, str, str]]
EVERYTHING = dict.fromkeys(["scalars", "tensors", "images", "audio", "histograms", "compressedHistograms"], 0)


def number(array: object) -> str:
    return float(array).hex()  # type: ignore[arg-type]


def from_records(folder: Path) -> dict[str, Points]:
    points: dict[str, Points] = defaultdict(list)
    plugins: dict[str, str] = {}
    for path in sorted(folder.glob("*tfevents*")):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                plugins.setdefault(value.tag, value.metadata.plugin_data.plugin_name)
                if value.HasField("simple_value"):
                    points[value.tag].append((event.step, number(event.wall_time), number(value.simple_value)))
                elif value.HasField("tensor") and plugins[value.tag] == "scalars":
                    points[value.tag].append((event.step, number(event.wall_time), number(tf.make_ndarray(value.tensor))))
    return points


def from_accumulator(folder: Path, purge: bool) -> dict[str, Points]:
    accumulator = EventAccumulator(str(folder), size_guidance=EVERYTHING, purge_orphaned_data=purge)
    accumulator.Reload()
    points: dict[str, Points] = {}
    for tag in accumulator.Tags()["scalars"]:
        points[tag] = [(event.step, number(event.wall_time), number(event.value)) for event in accumulator.Scalars(tag)]
    for tag in accumulator.Tags()["tensors"]:
        if accumulator.SummaryMetadata(tag).plugin_data.plugin_name == "scalars":
            tensors = accumulator.Tensors(tag)
            points[tag] = [(event.step, number(event.wall_time), number(tf.make_ndarray(event.tensor_proto))) for event in tensors]
    return points


def report(top: Path) -> dict[str, dict[str, dict[str, Points]]]:
    runs = sorted({path.parent for path in top.rglob("*tfevents*")})
    return {
        run.relative_to(top).as_posix(): {
            "records": from_records(run),
            "accumulator": from_accumulator(run, purge=False),
            "purged": from_accumulator(run, purge=True),
        }
        for run in runs
    }


if __name__ == "__main__":
    print(json.dumps(report(Path(sys.argv[1]))))
