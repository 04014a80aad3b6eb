"""Runs training_patterns.py with tf.summary and with stepscope.summary in its place, and prints, as JSON, what TensorBoard reads.

Of each way: run, tag, then [step, what is in the value] in order. Runs with the peers' Python.
"""
# pyright: reportMissingImports=false

import gc
import hashlib
import io
import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

SOURCE = Path(__file__).with_name("training_patterns.py").read_text()
IMPORT = "import tensorflow as tf\n"
WAYS = {
    "tensorflow": SOURCE,
    "import": SOURCE.replace(IMPORT, f"{IMPORT}from stepscope import summary\n")
    .replace("tf.summary.", "summary.")
    .replace("tf.compat.v1.summary.", "summary."),
    "one line": SOURCE.replace(IMPORT, f"{IMPORT}import stepscope.summary\ntf.summary = tf.compat.v1.summary = stepscope.summary\n"),
}
"""The last one replaces TensorFlow's module for the whole process."""


def run(name: str, source: str, top: Path) -> None:
    """As a file, whose source AutoGraph can read."""
    top.mkdir(parents=True)
    path = top.with_suffix(".py")
    path.write_text(source)
    spec = spec_from_file_location(f"patterns_{name.replace(' ', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.run(str(top))


def read(top: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for folder in sorted({path.parent for path in top.rglob("*tfevents*")}):
        accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0})
        accumulator.Reload()
        tags = accumulator.Tags()
        series = {tag: [[event.step, content(event.tensor_proto)] for event in accumulator.Tensors(tag)] for tag in tags["tensors"]}
        if tags["graph"]:
            series["graph"] = sorted(node.name for node in accumulator.Graph().node)
            series["metadata"] = [[tag, len(accumulator.RunMetadata(tag).step_stats.dev_stats) > 0] for tag in tags["run_metadata"]]
        found[folder.name] = series
    return found


def content(proto: Any) -> Any:
    array = tensor_util.make_ndarray(proto)
    if array.dtype.kind not in "OS":
        return np.asarray(array, float).round(5).tolist()
    return [pixels(each) for each in array.reshape(-1)]


def pixels(data: bytes) -> str:
    if not data.startswith(b"\x89PNG"):
        return data.decode()
    return hashlib.sha256(np.asarray(Image.open(io.BytesIO(data))).tobytes()).hexdigest()


if __name__ == "__main__":
    report: dict[str, Any] = {}
    for name, source in WAYS.items():
        top = Path(sys.argv[1]) / name
        run(name, source, top)
    gc.collect()
    from stepscope import summary

    summary.create_file_writer(str(Path(sys.argv[1]) / "last")).close()  # Which also closes what nobody has closed.
    print(json.dumps({name: read(Path(sys.argv[1]) / name) for name in WAYS}))
